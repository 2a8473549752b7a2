//! `plimsoll snippets`: the prompt library (UI-23).

use clap::{Args, Subcommand};
use plimsoll_app::App;
use plimsoll_domain::{Fillings, Snippet};
use plimsoll_store::Workspace;

use crate::{
    args::Location,
    context::Context,
    failure::{Failure, note},
    input, machine,
    output::{Output, columns, printable},
    plan_picture::first_words,
};

/// List snippets, show one, keep one, or delete one
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll snippets\n  \
    plimsoll snippets set review 'Review this {{language=Rust}} code: {{input}}'\n  \
    plimsoll snippets set house-style < style.txt\n  \
    plimsoll snippets rm review\n  \
    git diff | plimsoll send -t review -p language=Go\n\n\
    {{place}} is a place to fill in, {{place=word}} one that has a word already, and {{input}}\n\
    is where the message goes; without it the message follows the text. In `chat` and in the\n\
    page a snippet is called by a slash and its name.")]
pub(crate) struct SnippetsArgs {
    #[command(subcommand)]
    command: Option<SnippetsCommand>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand, Debug)]
enum SnippetsCommand {
    /// Print the text of a snippet
    Show { name: String },
    /// Keep a snippet; one with the same name is replaced
    Set {
        /// Small letters, digits, - and _
        name: String,
        /// The text; else standard input
        #[arg(allow_hyphen_values = true)]
        text: Option<String>,
    },
    /// Delete a snippet; `plimsoll undo` brings it back
    Rm { name: String },
}

pub(crate) fn run(
    args: &SnippetsArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let (app, at) = (&opened.app, &location.workspace);
        match &args.command {
            None => list(&app.snippets(at).await?, args.json, output)?,
            Some(SnippetsCommand::Show { name }) => {
                let snippet = app.snippet(at, name).await?;
                match args.json {
                    true => output.json(&row(&snippet))?,
                    false => output.text(&format!("{}\n", snippet.text.trim_end()))?,
                }
            }
            Some(SnippetsCommand::Set { name, text }) => {
                let text = match text {
                    Some(text) => text.clone(),
                    None => input::standard_input()?.text,
                };
                let before = app.snippets(at).await?;
                let replaced = before.iter().any(|one| one.name == *name);
                app.save_snippet(at, &Snippet { name: name.clone(), text }).await?;
                note(&format!("/{name} was {}", if replaced { "replaced" } else { "kept" }));
            }
            Some(SnippetsCommand::Rm { name }) => {
                let deleted = app.delete_snippet(at, name).await?;
                let back = deleted.undo.map_or("", |_| "; `plimsoll undo` brings it back");
                note(&format!("/{name} was deleted{back}"));
            }
        }
        Ok(0)
    })
}

fn row(snippet: &Snippet) -> serde_json::Value {
    serde_json::json!({
        "name": snippet.name, "text": snippet.text, "places": snippet.places(),
    })
}

fn list(snippets: &[Snippet], json: bool, output: &mut Output) -> Result<(), Failure> {
    if json {
        let rows: Vec<serde_json::Value> = snippets.iter().map(row).collect();
        return output.json(&serde_json::json!({ "snippets": rows }));
    }
    for snippet in snippets {
        let name = format!("/{}", printable(&snippet.name));
        let room = columns().map_or(60, |columns| columns.saturating_sub(24).clamp(12, 60));
        output.text(&format!("{name:<20}  {}\n", first_words(&snippet.text, room)))?;
    }
    Ok(())
}

/// The message that a snippet makes of what was typed; every place must be filled in.
pub(crate) async fn message(
    app: &App,
    workspace: &Workspace,
    name: &str,
    fillings: &Fillings,
) -> Result<String, Failure> {
    let snippet = app.snippet(workspace, name).await?;
    let places = snippet.places();
    if let Some((wrong, _)) =
        fillings.values.iter().find(|(name, _)| !places.contains(&name.as_str()))
    {
        let known = match places.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}", places.join(", ")),
        };
        return Err(
            Failure::usage(format!("the snippet {name} has no place '{wrong}'")).hint(known)
        );
    }
    let (text, open) = snippet.expand(fillings);
    match open.first() {
        None => Ok(text),
        Some(first) => {
            let wrong = format!("the snippet {name} has places to fill in: {}", open.join(", "));
            Err(Failure::usage(wrong)
                .hint(format!("as in: -p {first}=WORDS; in chat {first}=WORDS")))
        }
    }
}

/// `place=words` on the command line.
pub(crate) fn parse_filling(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = parts.ok_or_else(|| "it is written place=words".to_owned())?;
    Ok((name.trim().to_owned(), value.to_owned()))
}
