//! Why nobody was told to us.

use thiserror::Error;

/// Why the provider did not tell who somebody is. The words are for the log of whoever looks after
/// the server; none holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// It did not answer, or not as a provider does that works. Asking again may help.
    #[error("the provider was not reached: {0}")]
    Unreachable(String),
    /// What it publishes about itself does not fit the settings.
    #[error("the provider is not the one of the settings: {0}")]
    Misconfigured(String),
    /// It does not know this client, or not by this secret.
    #[error("the provider does not accept this client: {0}")]
    ClientRefused(String),
    /// It does not take the code: it was used before, or has ended.
    #[error("the provider does not take the code: {0}")]
    CodeRefused(String),
    /// What it said about the person is not signed by it, not for us, not of now, or not for this
    /// attempt.
    #[error("the identity is not proven: {0}")]
    NotProven(String),
}
