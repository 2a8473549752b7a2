//! Who somebody is at a provider of identities, by OpenID Connect (TEA-9): where they are sent to
//! sign in, and whether what comes back is true and theirs.
//!
//! It opens no connection: what asks over HTTP is handed in. It keeps nothing but what the provider
//! publishes about itself, and knows neither the people of a team nor their pages.

mod asking;
mod attempt;
mod failure;
mod identity;
mod published;
mod rules;
mod signing_in;

pub use asking::{Answering, Ask, NotAnswered, Request, Response};
pub use attempt::Attempt;
pub use failure::Failure;
pub use identity::Identity;
pub use rules::{Allowed, BadAllowed, Lacking, NameClaim, Names, Rules};
pub use signing_in::{OpenId, Setup};
