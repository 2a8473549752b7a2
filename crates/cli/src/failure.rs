//! Errors as people read them: one clear line, sometimes a picture, sometimes a hint.

use std::io::Write;

use plimsoll_app::AppError;
use plimsoll_filter::FilterError;
use plimsoll_store::StoreError;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    /// Lines that show where, such as a caret under a filter.
    picture: Option<String>,
    hint: Option<String>,
    kind: FailureKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureKind {
    Failed,
    Usage,
    BrokenPipe,
}

impl Failure {
    /// It was asked rightly and did not work: exit code 1.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), picture: None, hint: None, kind: FailureKind::Failed }
    }

    /// It was asked wrongly: exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Usage, ..Self::failed(message) }
    }

    /// The same, with what to do next.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// A filter that does not parse, with a caret under the place.
    pub(crate) fn filter(source: &str, error: &FilterError) -> Self {
        Self {
            picture: Some(error.caret(source)),
            hint: error.suggestion.clone(),
            ..Self::usage(format!("the filter is not right: {}", error.problem()))
        }
    }

    pub(crate) fn writing(error: &std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::BrokenPipe => FailureKind::BrokenPipe,
            _ => FailureKind::Failed,
        };
        Self { kind, ..Self::failed(format!("cannot write: {error}")) }
    }

    pub(crate) fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.kind == FailureKind::BrokenPipe
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self.kind {
            FailureKind::Usage => 2,
            FailureKind::Failed | FailureKind::BrokenPipe => 1,
        }
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        match &error {
            AppError::Filter { source_text, error } => Self::filter(source_text, error),
            AppError::NoProvider(missing) if missing.hint.is_empty() => {
                Self::failed(&missing.message)
            }
            AppError::NoProvider(missing) => Self::failed(&missing.message).hint(&missing.hint),
            AppError::FilterHasCommand
            | AppError::EmptyMessage
            | AppError::BadSnippetName(_)
            | AppError::EmptySnippet
            | AppError::NoTokenizer(_) => Self::usage(error.to_string()),
            AppError::UnknownSnippet(_) => {
                Self::failed(error.to_string()).hint("`plimsoll snippets` lists them")
            }
            AppError::UnknownTopic(_) => {
                Self::failed(error.to_string()).hint("`plimsoll topics` lists them")
            }
            AppError::OverBudget { .. } => Self::failed(error.to_string()).hint(
                "use --over-budget trim, which sends it, or fit, or a model with a larger window",
            ),
            AppError::PromptTooLarge { .. } => Self::failed(error.to_string())
                .hint("shorten the message, or use a model with a larger window"),
            AppError::OverQuota(full) => Self::failed(error.to_string()).hint(match full.after {
                Some(_) => "use --quota SECONDS to wait that long, or --quota go",
                None => "use --quota go, or a model with a larger limit",
            }),
            AppError::FileTooLarge(file) => {
                let mut ways = Vec::new();
                if file.on_demand {
                    ways.push("--deliver on-demand".to_owned());
                }
                if let Some(bytes) = file.head {
                    ways.push(format!("--first {}", (bytes / 1024).max(1)));
                }
                ways.push("a model with a larger window".to_owned());
                Self::failed(error.to_string()).hint(format!("use {}", ways.join(", or ")))
            }
            AppError::LooksSecret { name, why } => Self::failed(format!("'{name}' {why}"))
                .hint("use --secrets if it is to be attached all the same"),
            AppError::Blob(_) | AppError::Damaged(_) | AppError::NotText(_) => {
                Self::failed(error.to_string())
            }
            AppError::NotToReAsk
            | AppError::NotToRegenerate
            | AppError::NotToSendAgain
            | AppError::NothingToSummarise
            | AppError::TooLongToSummarise { .. }
            | AppError::ViewChanged => Self::failed(error.to_string()),
            AppError::NotToCompare => Self::usage(error.to_string()),
            AppError::Import(read) if error.is_mended_by_skipping() => {
                Self::failed(error.to_string()).hint(format!("{} with --skip-bad", read.hint()))
            }
            AppError::Import(read) => Self::failed(error.to_string()).hint(read.hint()),
            AppError::BadRecord(_) => Self::failed(error.to_string())
                .hint("nothing was imported; mend the file, or use --skip-bad to leave it out"),
            AppError::Writing(error) => Self::writing(error),
            AppError::Store(_) | AppError::Ended => Self::failed(error.to_string()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        AppError::from(error).into()
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// Writes a failure to standard error. When even that fails there is nobody to tell.
pub(crate) fn report(failure: &Failure) {
    let mut text = format!("error: {}\n", one_line(&failure.message));
    if let Some(picture) = &failure.picture {
        for line in picture.lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    if let Some(hint) = &failure.hint {
        text.push_str(&format!("hint: {}\n", one_line(hint)));
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Writes a remark to standard error.
pub(crate) fn note(text: &str) {
    say(&format!("note: {text}"));
}

/// Writes a line to standard error.
pub(crate) fn say(text: &str) {
    let _ = std::io::stderr().write_all(format!("{}\n", one_line(text)).as_bytes());
}

/// File names and messages may hold line breaks and terminal codes; a report may not.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
