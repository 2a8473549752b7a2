//! The commands of a chat: what they are called, and what was typed.

use plimsoll_app::MOST_COMPARED;
use plimsoll_domain::{ColorFlag, PairUse, Star};

use crate::words::nearest;

/// A command as it is shown by `/help` and completed by Tab.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) takes: &'static str,
    pub(super) help: &'static str,
}

const fn entry(name: &'static str, takes: &'static str, help: &'static str) -> Entry {
    Entry { name, takes, help }
}

/// Every command, in the order of `/help`.
pub(super) const COMMANDS: [Entry; 30] = [
    entry("help", "", "this list"),
    entry("filter", "[FILTER]", "choose what is visible; without one, everything is"),
    entry("model", "[MODEL]", "choose who answers, or list the models"),
    entry("topic", "[PATH]", "choose the topic, or list the topics"),
    entry("attach", "[PATH]", "attach a file to the next message, or say what is attached"),
    entry("detach", "", "let go of what is attached"),
    entry("new", "[NAME]", "begin a new conversation"),
    entry("clear", "[off]", "begin a new context here, or let the prediction decide again"),
    entry("plan", "", "what is aboard and what stays ashore"),
    entry("receipt", "", "what the last send weighed, used and took"),
    entry("exact", "[TEXT]", "the last request as it was sent, or the one that TEXT would make"),
    entry("reask", "", "bring the newest failed message back to the input"),
    entry("regenerate", "[MODEL]", "another answer to the newest pair"),
    entry("swap", "", "back to the answer before the last regeneration"),
    entry("star", "0-3", "give the newest visible pair stars"),
    entry("flag", "b|g", "flag the newest visible pair blue or grey"),
    entry("move", "PATH", "move the newest visible pair to another conversation"),
    entry("pin", "[N]", "pin the newest visible pair, or the Nth newest; again to unpin it"),
    entry("out", "[N]", "leave it out by hand; again to let it go along"),
    entry("from", "[N]", "begin the context at the newest visible pair, or the Nth newest"),
    entry("edit", "TEXT", "write the question of the newest visible pair anew"),
    entry("again", "[N]", "bring the message back to the input, to send it again in other words"),
    entry("compare", "M[,M] TEXT", "ask other models beside the selected one"),
    entry("prefer", "[N]", "go on with this one of several answers"),
    entry(
        "summarise",
        "[N]",
        "summarise what there is no room for, or all up to the Nth newest pair",
    ),
    entry("delete", "", "delete the newest visible pair"),
    entry("undo", "", "bring back what was deleted last"),
    entry("save", "NAME", "save the filter; @NAME stands for it from then on"),
    entry("unsave", "NAME", "forget a saved filter"),
    entry("quit", "", "leave (Ctrl+D does too)"),
];

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// Nothing.
    Blank,
    Message(String),
    Command(Slash),
    /// No command has this name; a snippet may (UI-23).
    Called {
        name: String,
        rest: String,
    },
}

/// A command that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slash {
    Help,
    Filter(String),
    Model(Option<String>),
    Topic(Option<String>),
    Attach(Option<String>),
    Detach,
    /// A conversation that begins, with a name or without.
    New(Option<String>),
    Clear(bool),
    Plan,
    Receipt,
    Exact(Option<String>),
    ReAsk,
    Regenerate(Option<String>),
    Swap,
    Star(Star),
    Flag(ColorFlag),
    /// To the conversation at this path, or with this id.
    Move(String),
    /// Which of the newest visible pairs, from 1, is pinned or left out, or no longer is.
    Use(PairUse, usize),
    /// Which of them the context begins with.
    From(usize),
    Edit(String),
    /// Which of the newest visible pairs is sent again.
    Again(usize),
    /// The other models, and the message.
    Compare(Vec<String>, String),
    Prefer(usize),
    Summarise(Option<usize>),
    Delete,
    Undo,
    Save(String),
    Unsave(String),
    Quit,
}

/// Reads what was typed. A message that starts with a slash is written with two; a
/// wrong command gives what is wrong and what to do.
pub(super) fn read(line: &str) -> Result<Typed, (String, String)> {
    let text = line.trim();
    if text.is_empty() {
        return Ok(Typed::Blank);
    }
    let Some(command) = text.strip_prefix('/') else {
        return Ok(Typed::Message(line.trim_end().to_owned()));
    };
    if command.starts_with('/') {
        return Ok(Typed::Message(command.to_owned()));
    }
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    let given = (!rest.is_empty()).then(|| rest.to_owned());
    let slash = match name {
        "help" | "?" => Slash::Help,
        "filter" => Slash::Filter(rest.to_owned()),
        "model" => Slash::Model(given),
        "topic" => Slash::Topic(given),
        "attach" => Slash::Attach(given),
        "detach" => Slash::Detach,
        "new" => Slash::New(given),
        "clear" => Slash::Clear(clear(rest)?),
        "plan" => Slash::Plan,
        "receipt" => Slash::Receipt,
        "exact" => Slash::Exact(given),
        "reask" => Slash::ReAsk,
        "regenerate" => Slash::Regenerate(given),
        "swap" => Slash::Swap,
        "star" => Slash::Star(star(rest)?),
        "flag" => Slash::Flag(flag(rest)?),
        "move" => Slash::Move(given.ok_or_else(|| {
            ("/move takes a topic".to_owned(), "as in: /move /Sea/Ships".to_owned())
        })?),
        "pin" => Slash::Use(PairUse::Pinned, nth(name, rest)?),
        "out" => Slash::Use(PairUse::Out, nth(name, rest)?),
        "from" => Slash::From(nth(name, rest)?),
        "edit" => Slash::Edit(given.ok_or_else(|| {
            ("/edit takes the new words".to_owned(), "as in: /edit What is a hull?".to_owned())
        })?),
        "again" => Slash::Again(nth(name, rest)?),
        "compare" => compare(rest)?,
        "prefer" => Slash::Prefer(nth(name, rest)?),
        "summarise" if rest.is_empty() => Slash::Summarise(None),
        "summarise" => Slash::Summarise(Some(nth(name, rest)?)),
        "delete" => Slash::Delete,
        "undo" => Slash::Undo,
        "save" => Slash::Save(saved_name(name, rest)?),
        "unsave" => Slash::Unsave(saved_name(name, rest)?),
        "quit" | "exit" => Slash::Quit,
        _ => {
            let (name, rest) = (name.to_owned(), rest.to_owned());
            return Ok(Typed::Called { name, rest });
        }
    };
    Ok(Typed::Command(slash))
}

fn clear(text: &str) -> Result<bool, (String, String)> {
    match text {
        "" | "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(("/clear takes off or nothing".to_owned(), "as in: /clear off".to_owned())),
    }
}

fn star(text: &str) -> Result<Star, (String, String)> {
    let usage = || ("stars go from 0 to 3".to_owned(), "as in: /star 3".to_owned());
    text.parse().ok().and_then(|count| Star::new(count).ok()).ok_or_else(usage)
}

fn flag(text: &str) -> Result<ColorFlag, (String, String)> {
    match text {
        "b" | "blue" => Ok(ColorFlag::Blue),
        "g" | "grey" => Ok(ColorFlag::Grey),
        _ => Err(("a flag is b (blue) or g (grey)".to_owned(), "as in: /flag b".to_owned())),
    }
}

/// Which of the newest pairs is meant: the first, if nothing is said.
fn nth(command: &str, text: &str) -> Result<usize, (String, String)> {
    if text.is_empty() {
        return Ok(1);
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        let wrong = format!("/{command} takes a number from 1, or nothing");
        (wrong, format!("as in: /{command} 3 for the third newest visible pair"))
    })
}

/// The models stand before the first space, with commas between them.
fn compare(text: &str) -> Result<Slash, (String, String)> {
    let (models, message) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let models: Vec<String> =
        models.split(',').filter(|name| !name.is_empty()).map(ToOwned::to_owned).collect();
    let most = MOST_COMPARED - 1;
    if !(1..=most).contains(&models.len()) || message.trim().is_empty() {
        let wrong = format!("/compare takes 1 to {most} models and a message");
        return Err((wrong, "as in: /compare gpt-4o,claude-sonnet-4 Which is larger?".to_owned()));
    }
    Ok(Slash::Compare(models, message.trim().to_owned()))
}

fn saved_name(command: &str, text: &str) -> Result<String, (String, String)> {
    let good = !text.is_empty() && !text.contains(char::is_whitespace);
    // A name may be given as it is used.
    let name = text.strip_prefix('@').unwrap_or(text);
    if good && !name.is_empty() {
        return Ok(name.to_owned());
    }
    Err(("a saved filter has a name of one word".to_owned(), format!("as in: /{command} stars")))
}

/// What is said of a name that neither a command nor a snippet has.
pub(super) fn unknown(name: &str) -> (String, String) {
    let hint = match nearest(name, COMMANDS.iter().map(|entry| entry.name)) {
        Some(meant) => format!("did you mean /{meant}? (// at the start sends a slash)"),
        None => {
            "/help lists the commands, `plimsoll snippets` the snippets; // at the start sends a slash"
                .to_owned()
        }
    };
    (format!("there is no command or snippet /{name}"), hint)
}

/// The list of commands, one a line.
pub(super) fn help() -> String {
    let mut text = String::new();
    for Entry { name, takes, help } in &COMMANDS {
        let usage = format!("/{name} {takes}");
        text.push_str(&format!("  {usage:<20} {help}\n"));
    }
    text.push_str(
        "\n  A slash and the name of a snippet call it; place=words fills it in.\n  \
         Alt+Enter or \\ at the end of a line goes on in the next one; Tab completes.\n  \
         Ctrl+C stops a send, Ctrl+D leaves, // at the start sends a slash.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Slash {
        match read(line) {
            Ok(Typed::Command(slash)) => slash,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn lines_are_messages_unless_they_start_with_one_slash() {
        assert_eq!(read("  \n"), Ok(Typed::Blank));
        assert_eq!(read("hello / you "), Ok(Typed::Message("hello / you".to_owned())));
        assert_eq!(read("//etc/hosts"), Ok(Typed::Message("/etc/hosts".to_owned())));
        assert_eq!(command("/filter  s>=2 & t'Sea'"), Slash::Filter("s>=2 & t'Sea'".to_owned()));
        assert_eq!(command("/model"), Slash::Model(None));
        assert_eq!(command("/flag b"), Slash::Flag(ColorFlag::Blue));
        assert_eq!(command("/pin"), Slash::Use(PairUse::Pinned, 1));
        assert_eq!(command("/out 3"), Slash::Use(PairUse::Out, 3));
        assert_eq!(command("/save @stars"), Slash::Save("stars".to_owned()));
        assert_eq!(command(" /exit "), Slash::Quit);
    }

    #[test]
    fn every_listed_command_is_read() {
        for entry in &COMMANDS {
            let argument = match entry.name {
                "star" | "pin" | "out" | "from" | "again" | "prefer" | "summarise" => "3",
                "compare" => "other What is it?",
                "flag" => "g",
                "clear" => "off",
                _ => "x",
            };
            assert!(matches!(read(&format!("/{} {argument}", entry.name)), Ok(Typed::Command(_))));
            assert!(help().contains(&format!("/{} ", entry.name)));
        }
    }

    #[test]
    fn wrong_commands_say_what_would_be_right() {
        let said = |line: &str| read(line).unwrap_err();
        let called = Typed::Called { name: "fliter".to_owned(), rest: "s3".to_owned() };
        assert_eq!(read("/fliter s3"), Ok(called));
        assert!(unknown("fliter").1.contains("did you mean /filter?"));
        assert!(unknown("zzz").1.starts_with("/help"));
        assert_eq!(said("/star 4").0, "stars go from 0 to 3");
        assert_eq!(said("/flag red").1, "as in: /flag b");
        assert_eq!(said("/save").0, "a saved filter has a name of one word");
    }
}
