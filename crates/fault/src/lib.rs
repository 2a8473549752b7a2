//! What a provider's failure means (FAU-1 to FAU-8).
//!
//! [`ProviderFailure::fault`] reads status, headers, body and transport error and answers one
//! question above all: would a smaller request have worked? Everything is decided from text by
//! rules in a fixed order. There is no clock and no I/O here, and the time is linear in a
//! bounded prefix and suffix of the body.
//!
//! To teach it a new wording, add the phrase to its table in `phrases.txt` and the whole error
//! to `tests/fault/sightings.rs`.
//!
//! Reading order: `extract` finds the fields of a body, `evidence` and `speech` lay out their
//! words for matching, `rules` decides with the help of `phrases`, `window` and `output`, and
//! `numbers` with `lex` and `roles` reads the figures that were stated.

mod advice;
mod escapes;
mod evidence;
mod extract;
mod json;
mod lex;
mod message;
mod numbers;
mod output;
mod page;
mod phrases;
mod retry;
mod roles;
mod rules;
mod speech;
mod status;
mod window;

use std::time::Duration;

pub use advice::{Held, asks_to_wait, explain, headline, wait_words};

/// Why there is no answer, or no more of it, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderFailure {
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// A code that came apart from the body.
    pub code: Option<String>,
    /// The response headers.
    pub headers: Vec<(String, String)>,
    /// The body, the SSE lines or the stderr of a program, or as much of it as is kept.
    pub body: String,
    /// What happened to the connection, in one line, when it failed.
    pub transport: Option<String>,
    /// The words of the libraries behind that line, from cause to cause.
    pub chain: Option<Box<str>>,
}

/// The kind of a failure (FAU-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// The input is too large for the window; dropping history helps.
    Overflow,
    /// The requested output is too large; the [`Subkind`] says whether less history helps.
    OverflowOutput,
    /// Too many requests or tokens in a stretch of time.
    Rate,
    /// Money: credit, plan, spending limit.
    Quota,
    /// Who is asking, or from where.
    Auth,
    /// The model is not there, or not for this account.
    Model,
    /// The answer did not arrive.
    Network,
    /// The provider broke or is overloaded.
    Server,
    /// The content was refused.
    ContentFilter,
    /// The request is wrong in another way.
    Invalid,
    /// Nothing is known.
    Unknown,
}

impl Label {
    /// Every label, in the order of the spec.
    pub const ALL: [Self; 11] = {
        use Label::*;
        [
            Overflow,
            OverflowOutput,
            Rate,
            Quota,
            Auth,
            Model,
            Network,
            Server,
            ContentFilter,
            Invalid,
            Unknown,
        ]
    };

    /// The stable name, as the command line and the API show it.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// The short label of the page (FAU-1).
    pub fn short(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Overflow => ("overflow", "context"),
            Self::OverflowOutput => ("overflow_output", "context"),
            Self::Rate => ("rate", "quota"),
            Self::Quota => ("quota", "quota"),
            Self::Auth => ("auth", "auth"),
            Self::Model => ("model", "model"),
            Self::Network => ("network", "net"),
            Self::Server => ("server", "server"),
            Self::ContentFilter => ("content_filter", "filter"),
            Self::Invalid => ("invalid", "request"),
            Self::Unknown => ("unknown", "unknown"),
        }
    }
}

/// Which sort of overflow it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subkind {
    /// Input and requested output together exceed the window.
    Sum,
    /// The requested output alone exceeds what the model can write.
    OutputCap,
    /// One request is bigger than the tokens allowed per minute.
    Tpm,
}

impl Subkind {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::OutputCap => "output_cap",
            Self::Tpm => "tpm",
        }
    }
}

/// A failure, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind it is.
    pub label: Label,
    /// Which sort of overflow it is.
    pub subkind: Option<Subkind>,
    /// The limit in tokens that the provider stated (FAU-4).
    pub limit: Option<u64>,
    /// The tokens that the provider counted in the request (FAU-4).
    pub requested: Option<u64>,
    /// The code, phrase or rule that decided.
    pub matched: Option<String>,
    /// The provider's own message, taken out of its wrapping and otherwise unchanged.
    pub message: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

impl Fault {
    /// The short label of the page (FAU-1).
    pub fn short(&self) -> &'static str {
        self.label.short()
    }

    /// Whether the same request may succeed later (FAU-6).
    pub fn retryable(&self) -> bool {
        matches!(self.label, Label::Rate | Label::Server | Label::Network)
    }

    /// Whether a smaller request would have worked (FAU-1).
    pub fn shrink_helps(&self) -> bool {
        match self.label {
            Label::Overflow => true,
            Label::OverflowOutput => self.subkind == Some(Subkind::Sum),
            _ => false,
        }
    }
}

impl ProviderFailure {
    /// Whether nothing came in all the time that there was for it.
    pub fn is_late(&self) -> bool {
        self.transport.as_deref().is_some_and(|line| line.starts_with("first byte timeout"))
    }

    /// What the failure means. Never panics, whatever the provider sent.
    pub fn fault(&self) -> Fault {
        let evidence = evidence::Evidence::gather(self);
        let rules::Verdict { label, subkind, matched } = rules::classify_evidence(&evidence);
        let figures = numbers::stated(&evidence, label, subkind);
        Fault {
            label,
            subkind,
            limit: figures.limit,
            requested: figures.requested,
            matched: matched
                .map(|rule| evidence.spelled(&rule).map_or(rule.clone(), str::to_owned)),
            message: evidence.message,
            retry_after: evidence.retry_after,
        }
    }
}
