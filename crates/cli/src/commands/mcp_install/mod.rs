//! `plimsoll mcp install` and `uninstall`: our entry in the configuration of other programs. What
//! would change is shown first, and a copy of the file is kept beside it.

mod client;
mod entry;
mod file;
mod json_text;
mod toml_text;

use std::{
    io::{BufRead, IsTerminal, Write},
    path::Path,
};

use clap::{Args, Subcommand};
use plimsoll_files::TOOLS;
use plimsoll_mcp::Offer;

use self::{
    client::{Client, Places, Refusal, Scope},
    file::{ConfigFile, Sought},
};
use crate::{
    args::Location,
    commands::mcp::parse_project,
    failure::{Failure, note},
    output::{Output, printable},
};

#[derive(Subcommand, Debug)]
pub(crate) enum McpCommand {
    /// Let a program use it: codex, claude, cursor, zed or vscode
    #[command(after_help = "Examples:\n  \
        plimsoll mcp install codex\n  \
        plimsoll mcp install claude --scope project --project harbour\n  \
        plimsoll mcp install zed --print\n\n\
        CODEX_HOME, CLAUDE_CONFIG_DIR and XDG_CONFIG_HOME are heeded.")]
    Install(InstallArgs),
    /// Take that back
    Uninstall(UninstallArgs),
}

#[derive(Args, Debug)]
pub(crate) struct InstallArgs {
    /// The program
    client: Client,

    /// Whose configuration
    #[arg(long, value_enum, default_value_t)]
    scope: Scope,

    /// The project's name in the memory, when it is not that of its folder
    #[arg(long, value_name = "NAME", value_parser = parse_project)]
    project: Option<String>,

    /// What is offered: profiles and names of tools, with commas between
    #[arg(long, value_name = "PROFILE")]
    tools: Option<String>,

    /// Only show what would be changed
    #[arg(long)]
    print: bool,

    /// Change it without asking
    #[arg(long, short, conflicts_with = "print")]
    yes: bool,
}

#[derive(Args, Debug)]
pub(crate) struct UninstallArgs {
    /// The program
    client: Client,

    /// Whose configuration
    #[arg(long, value_enum, default_value_t)]
    scope: Scope,

    /// Only show what would be changed
    #[arg(long)]
    print: bool,

    /// Change it without asking
    #[arg(long, short, conflicts_with = "print")]
    yes: bool,
}

/// Whether a change is made.
#[derive(Clone, Copy)]
struct Consent {
    print: bool,
    yes: bool,
}

pub(crate) fn run(
    command: &McpCommand,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    match command {
        McpCommand::Install(args) => install(args, location, output),
        McpCommand::Uninstall(args) => uninstall(args, output),
    }
}

fn install(args: &InstallArgs, location: &Location, output: &mut Output) -> Result<u8, Failure> {
    if let Some(tools) = &args.tools {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        Offer::parse(tools, &names).map_err(|error| Failure::usage(error.to_string()))?;
    }
    let path = args.client.file(args.scope, &Places::of_this_machine()?);
    let file = ConfigFile::read(&path)?;
    let (command, words) = server(args, location)?;
    let before = file.text.as_deref().unwrap_or_default();
    let after = args.client.with(before, &command, &words).map_err(|why| refused(&path, &why))?;
    let title = args.client.title();
    if file.text.as_deref() == Some(after.as_str()) {
        output.text(&format!("{title} has it already: {}\n", shown(&path)))?;
        return Ok(0);
    }
    show(&path, before, &after, output)?;
    let consent = Consent { print: args.print, yes: args.yes };
    if !agreed(consent, output)? {
        return Ok(0);
    }
    // Where we wrote the same before, and nobody anything else since, it is that again.
    let again = file.earlier(|text| match args.client.has(text) {
        Ok(true) if text == after => Sought::Found,
        Ok(true) => Sought::Further,
        _ => Sought::Nowhere,
    });
    match again.filter(|_| args.client.has(before) == Ok(true)) {
        Some(again) => file.put_back(&again)?,
        None => tell_copy(file.replace(Some(&after))?.as_deref()),
    }
    output.text(&format!("{title} uses it from its next start on.\n"))?;
    Ok(0)
}

fn uninstall(args: &UninstallArgs, output: &mut Output) -> Result<u8, Failure> {
    let client = args.client;
    let path = client.file(args.scope, &Places::of_this_machine()?);
    let file = ConfigFile::read(&path)?;
    let refused = |why: Refusal| refused(&path, &why);
    let present = match &file.text {
        Some(text) if client.has(text).map_err(refused)? => text.clone(),
        _ => {
            output.text(&format!("{} does not have it: {}\n", client.title(), shown(&path)))?;
            return Ok(0);
        }
    };
    // A file that nobody has touched since is put back byte for byte.
    let exact = file.earlier(|text| match client.has(text) {
        Ok(true) => Sought::Further,
        Ok(false) | Err(Refusal::NotOurs { .. }) => Sought::Found,
        Err(_) => Sought::Nowhere,
    });
    let after = match &exact {
        Some(earlier) => Some(earlier.text.clone()),
        None => {
            let left = client.without(&present).map_err(refused)?;
            (!client.is_blank(&left)).then_some(left)
        }
    };
    show(&path, &present, after.as_deref().unwrap_or_default(), output)?;
    if !agreed(Consent { print: args.print, yes: args.yes }, output)? {
        return Ok(0);
    }
    match &exact {
        Some(earlier) => file.put_back(earlier)?,
        None => tell_copy(file.replace(after.as_deref())?.as_deref()),
    }
    output.text(&format!("{} does not use it any more.\n", client.title()))?;
    Ok(0)
}

fn tell_copy(copy: Option<&Path>) {
    if let Some(copy) = copy {
        note(&format!("what stood there is kept in {}", shown(copy)));
    }
}

fn refused(path: &Path, why: &Refusal) -> Failure {
    let path = shown(path);
    match why {
        Refusal::Unreadable(why) => {
            Failure::failed(format!("{path} cannot be read, and was left alone: {why}"))
                .hint("mend that line, or add the server with the program's own command")
        }
        Refusal::NotOurs { entry, why } => {
            let why = printable(why);
            Failure::failed(format!("{path} was left alone: {entry} is not our entry: {why}"))
                .hint("take that entry out by hand first")
        }
        Refusal::Unsure { entry } => Failure::failed(format!(
            "{path} was left alone: a change of {entry} would change something else there"
        ))
        .hint("change that entry by hand, or put it on lines of its own"),
    }
}

/// What is started, and with which words. A name is enough where it leads here; a configuration
/// that is shared names no place of this machine.
fn server(args: &InstallArgs, location: &Location) -> Result<(String, Vec<String>), Failure> {
    let here = std::env::current_exe().map_err(|error| {
        Failure::failed(format!("this program does not know its place: {error}"))
    })?;
    let name = if cfg!(windows) { "plimsoll.exe" } else { "plimsoll" };
    let same = |found: &Path| found.canonicalize().ok() == here.canonicalize().ok();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
    let command = match args.scope == Scope::Project || first.is_some_and(|first| same(&first)) {
        true => "plimsoll".to_owned(),
        false => here.display().to_string(),
    };
    let mut words = vec!["mcp".to_owned()];
    let mut word = |option: &str, value: String| words.extend([option.to_owned(), value]);
    if let Some(tools) = &args.tools {
        word("--tools", tools.clone());
    }
    if let Some(project) = &args.project {
        word("--project", project.clone());
    }
    if location.workspace != Default::default() {
        word("--workspace", location.workspace.as_str().to_owned());
    }
    if let Some(directory) = location.data_dir() {
        let whole = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        word("--data-dir", whole.display().to_string());
    }
    Ok((command, words))
}

/// The lines that change, with those around them.
fn show(path: &Path, before: &str, after: &str, output: &mut Output) -> Result<(), Failure> {
    const AROUND: usize = 2;
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - same;
    let ends = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new);
    let ends = ends.count().min(most);
    let mut text = format!("{}\n", shown(path));
    let mut lines = |mark: &str, lines: &[&str]| {
        for line in lines {
            text.push_str(&format!("{mark} {}\n", printable(line)));
        }
    };
    lines(" ", &old[same.saturating_sub(AROUND)..same]);
    lines("-", &old[same..old.len() - ends]);
    lines("+", &new[same..new.len() - ends]);
    let rest = old.len() - ends;
    lines(" ", &old[rest..(rest + AROUND).min(old.len())]);
    output.text(&text)
}

/// Whether somebody wants it. Where nobody can be asked, it is only shown.
fn agreed(consent: Consent, output: &mut Output) -> Result<bool, Failure> {
    if consent.print {
        return Ok(false);
    }
    if consent.yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::failed("nothing was changed").hint("add --yes to change it"));
    }
    output.text("Change it? [y/N] ")?;
    std::io::stdout().flush().map_err(|error| Failure::writing(&error))?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed(format!("cannot read the answer: {error}")))?;
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(true);
    }
    output.text("Nothing was changed.\n")?;
    Ok(false)
}

fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}
