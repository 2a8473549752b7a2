//! What Codex is called with (DLV-3, DLV-5): arguments, and the prompt that it reads from
//! its standard input. Nothing here starts anything.

use std::{ffi::OsString, path::Path, sync::Arc};

use plimsoll_send::{FilePart, Message, Request, Role};

/// The model's id in the catalog that means whatever Codex itself is set to.
pub(super) const OWN_CHOICE: &str = "codex";

/// One call of Codex, ready to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invocation {
    /// All that stands behind the program's name.
    pub(super) arguments: Vec<OsString>,
    /// What it reads.
    pub(super) stdin: String,
    /// Pictures that must stand in its working directory, by their names there.
    pub(super) copies: Vec<(String, Arc<[u8]>)>,
}

impl Invocation {
    /// The call that a request is.
    pub(super) fn of(request: &Request) -> Self {
        let usual = ["exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check"];
        let mut arguments: Vec<OsString> = usual.iter().map(OsString::from).collect();
        if request.model != OWN_CHOICE {
            arguments.extend(["-m".into(), OsString::from(&request.model)]);
        }
        let mut copies = Vec::new();
        for (n, picture) in request.files().filter(|file| file.is_picture()).enumerate() {
            arguments.push("--image".into());
            if can_be_named(&picture.path) {
                arguments.push(picture.path.clone().into_os_string());
            } else {
                let name = copy_name(n + 1, picture);
                arguments.push(OsString::from(&name));
                copies.push((name, Arc::clone(&picture.bytes)));
            }
        }
        // The flag takes as many paths as follow it; without the two dashes it would take
        // the prompt's own dash for one more.
        arguments.extend(["--".into(), "-".into()]);
        Self { arguments, stdin: prompt(&request.messages), copies }
    }

    /// The call in words for people (PAY-5).
    pub(super) fn described(&self, program: &Path) -> String {
        let arguments = self.arguments.iter().map(|one| one.to_string_lossy());
        serde_json::json!({
            "program": program.to_string_lossy(),
            "arguments": arguments.collect::<Vec<_>>(),
            "stdin": self.stdin,
        })
        .to_string()
    }
}

/// The messages as one text: a transcript with a heading for each, and the new message as
/// it is at the end. A message without any history needs no heading.
fn prompt(messages: &[Message]) -> String {
    if let [alone] = messages {
        return alone.text();
    }
    let mut text = String::new();
    for (n, message) in messages.iter().enumerate() {
        if n > 0 {
            text.push_str("\n\n");
        }
        text.push_str(match message.role {
            Role::System => "System:\n",
            Role::User => "User:\n",
            Role::Assistant => "Assistant:\n",
            Role::Tool => "Tool:\n",
        });
        message.texts().for_each(|more| text.push_str(more));
    }
    text
}

/// Codex cuts the value of `--image` at commas, so a path with one cannot be told to it;
/// and a picture that is nowhere on the disk has no path at all.
fn can_be_named(path: &Path) -> bool {
    path.is_absolute() && !path.as_os_str().as_encoded_bytes().contains(&b',')
}

/// The name of a picture in Codex's working directory. It holds nothing of anybody's words.
fn copy_name(n: usize, picture: &FilePart) -> String {
    let kind = picture.mime.strip_prefix("image/").unwrap_or_default();
    let plain = (1..=8).contains(&kind.len()) && kind.bytes().all(|b| b.is_ascii_alphanumeric());
    format!("image-{n}.{}", if plain { kind } else { "bin" })
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
