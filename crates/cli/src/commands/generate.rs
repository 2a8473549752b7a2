//! `plimsoll completions` and `plimsoll man`: what a shell and `man` want to know, made
//! from the arguments themselves.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{args::Cli, failure::Failure, output::Output};

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll completions bash > ~/.local/share/bash-completion/completions/plimsoll\n  \
    plimsoll completions zsh > ~/.zfunc/_plimsoll\n  \
    plimsoll completions fish > ~/.config/fish/completions/plimsoll.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Print a page for `man`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll man | man -l -\n  \
    plimsoll man send > ~/.local/share/man/man1/plimsoll-send.1")]
pub(crate) struct ManArgs {
    /// A command that has a page of its own; else the page of all
    pub(crate) command: Option<String>,
}

pub(crate) fn completions(args: &CompletionsArgs, output: &mut Output) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "plimsoll", &mut script);
    output.text(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

pub(crate) fn man(args: &ManArgs, output: &mut Output) -> Result<u8, Failure> {
    let mut cli = Cli::command();
    // Names such as `plimsoll-send` and options that all commands share are settled by this.
    cli.build();
    let page = match &args.command {
        None => cli,
        Some(name) => cli
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| Failure::usage(format!("there is no command {name}")))?,
    };
    let mut text = Vec::new();
    Man::new(page).render(&mut text).map_err(|error| Failure::writing(&error))?;
    output.text(&String::from_utf8_lossy(&text))?;
    Ok(0)
}
