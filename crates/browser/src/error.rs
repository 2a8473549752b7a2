//! What can go wrong, in words for whoever reads a failed test.

use std::{fmt, path::PathBuf, time::Duration};

/// What a call gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed. Its `Debug` is its `Display`, since tests `unwrap`.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something is not installed; a test that needs it is skipped.
    #[error("{what} is missing: {how}")]
    Missing {
        /// What was looked for.
        what: &'static str,
        /// How to get it.
        how: String,
    },
    /// The browser did not start, or not in time.
    #[error("the browser did not start: {0}")]
    Launch(String),
    /// Chromium has ended, or its page has crashed.
    #[error("{0}")]
    Gone(String),
    /// Chromium refused a command.
    #[error("{method}: {message}")]
    Refused {
        /// The command.
        method: String,
        /// Chromium's words.
        message: String,
    },
    /// Chromium did not answer a command in time.
    #[error("{what} took longer than {after:?}")]
    TimedOut {
        /// What was waited for.
        what: String,
        /// For how long.
        after: Duration,
    },
    /// A page could not be opened.
    #[error("cannot open {url}: {why}")]
    Open {
        /// Its address.
        url: String,
        /// Chromium's words.
        why: String,
    },
    /// A script threw.
    #[error("{thrown}\n  in the script: {script}")]
    Threw {
        /// What it threw.
        thrown: String,
        /// The script.
        script: String,
    },
    /// A script's value is not of the type that was asked for.
    #[error("the script's value {value} is not what was asked for: {why}\n  script: {script}")]
    Value {
        /// The value as JSON.
        value: String,
        /// What does not fit.
        why: String,
        /// The script.
        script: String,
    },
    /// A condition did not become true; with all that helps to see why.
    #[error("{0}")]
    NotMet(Box<NotMet>),
    /// A chord names a key that is not on the keyboard.
    #[error("there is no key '{0}'; a chord is like j, ?, Escape, Ctrl+c or Shift+Enter")]
    Key(String),
    /// An assertion about what the page did is not true.
    #[error("{0}")]
    Untrue(String),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}

/// What is known when a condition did not become true in time.
#[derive(Debug)]
pub struct NotMet {
    /// The condition.
    pub condition: String,
    /// For how long it was asked.
    pub after: Duration,
    /// What the last question gave.
    pub last: String,
    /// Where the page stood.
    pub url: String,
    /// What the page said on its console.
    pub console: Vec<String>,
    /// A picture of the page, or why there is none.
    pub picture: Result<PathBuf, String>,
}

impl fmt::Display for NotMet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { condition, after, last, url, console, picture } = self;
        writeln!(f, "not true within {after:?}: {condition}")?;
        writeln!(f, "  last: {last}")?;
        writeln!(f, "  page: {url}")?;
        match picture {
            Ok(path) => writeln!(f, "  picture: {}", path.display())?,
            Err(why) => writeln!(f, "  no picture: {why}")?,
        }
        if console.is_empty() {
            return write!(f, "  console: nothing");
        }
        write!(f, "  console:")?;
        console.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}
