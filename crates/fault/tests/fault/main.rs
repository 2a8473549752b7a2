//! What failures of all sorts are taken for.

#![allow(clippy::expect_used)]

mod hiding;
mod lookalikes;
mod other_labels;
mod properties;
mod records;
mod sightings;
mod wordings;
mod wrapping;

use plimsoll_fault::{Fault, Held, Label, ProviderFailure, Subkind, explain};

/// A failure with a body and nothing else.
fn of_body(body: &str) -> ProviderFailure {
    ProviderFailure { body: body.to_owned(), ..ProviderFailure::default() }
}

/// What a failure with this status and body is.
fn classify(status: Option<u16>, body: &str) -> Fault {
    ProviderFailure { status, ..of_body(body) }.fault()
}
