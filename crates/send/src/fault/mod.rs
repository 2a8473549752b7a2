//! What a provider's failure means (FAU-1 to FAU-8).
//!
//! [`classify`] reads status, headers, body and transport error and answers one
//! question above all: would a smaller request have worked? Everything is decided
//! from text by rules in a fixed order; there is no clock and no I/O here, and the
//! time is linear in a bounded prefix and suffix of the body.
//!
//! Reading order: `dig` finds the words wherever they hide, `evidence` and `speech` lay
//! them out for matching, `judge` walks the rules with the help of `words`, `window` and
//! `output`, and `lex` with `numbers` reads the figures that were stated.

mod advice;
mod dig;
mod escapes;
mod evidence;
mod judge;
mod lex;
mod message;
mod numbers;
mod output;
mod page;
mod retry;
mod role_words;
mod roles;
mod speech;
mod status;
mod window;
mod words;

use std::time::Duration;

pub use advice::{Action, Held, actions, asks_to_wait, explain, headline, wait_words};

/// What came back from a provider that did not answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Failure<'a> {
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// An error code that the caller already knows.
    pub code: Option<&'a str>,
    /// The response headers.
    pub headers: &'a [(String, String)],
    /// The body, the SSE lines or the stderr of a CLI, as it came.
    pub body: &'a str,
    /// What the HTTP client said when there was no complete response.
    pub transport: Option<&'a str>,
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
    pub const ALL: [Self; 11] = [
        Self::Overflow,
        Self::OverflowOutput,
        Self::Rate,
        Self::Quota,
        Self::Auth,
        Self::Model,
        Self::Network,
        Self::Server,
        Self::ContentFilter,
        Self::Invalid,
        Self::Unknown,
    ];

    /// The stable name, as the command line and the API show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::OverflowOutput => "overflow_output",
            Self::Rate => "rate",
            Self::Quota => "quota",
            Self::Auth => "auth",
            Self::Model => "model",
            Self::Network => "network",
            Self::Server => "server",
            Self::ContentFilter => "content_filter",
            Self::Invalid => "invalid",
            Self::Unknown => "unknown",
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
    /// The provider's own message, dug out of its wrapping and otherwise unchanged.
    pub message: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

impl Label {
    /// The short label of the UI (FAU-1).
    pub fn short(self) -> &'static str {
        match self {
            Self::Overflow | Self::OverflowOutput => "context",
            Self::Rate | Self::Quota => "quota",
            Self::Auth => "auth",
            Self::Model => "model",
            Self::Network => "net",
            Self::Server => "server",
            Self::ContentFilter => "filter",
            Self::Invalid => "request",
            Self::Unknown => "unknown",
        }
    }
}

impl Fault {
    /// The short label of the UI (FAU-1).
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

/// Says what a failure means. Never panics, whatever the provider sent.
pub fn classify(failure: &Failure<'_>) -> Fault {
    let evidence = evidence::Evidence::gather(failure);
    let verdict = judge::judge(&evidence);
    let figures = numbers::stated(&evidence, verdict.label, verdict.subkind);
    Fault {
        label: verdict.label,
        subkind: verdict.subkind,
        limit: figures.limit,
        requested: figures.requested,
        matched: verdict
            .matched
            .map(|rule| evidence.spelled(&rule).map_or(rule.clone(), str::to_owned)),
        message: evidence.message,
        retry_after: evidence.retry_after,
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod records;

#[cfg(test)]
#[path = "other_labels_tests.rs"]
mod other_labels;

#[cfg(test)]
#[path = "wordings_tests.rs"]
mod wordings;

#[cfg(test)]
#[path = "lookalikes_tests.rs"]
mod lookalikes;

#[cfg(test)]
#[path = "hiding_tests.rs"]
mod hiding;

#[cfg(test)]
#[path = "wrapping_tests.rs"]
mod wrapping;

#[cfg(test)]
#[path = "sightings_tests.rs"]
mod sightings;

#[cfg(test)]
#[path = "properties_tests.rs"]
mod properties;
