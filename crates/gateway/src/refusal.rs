//! Why a request is not taken, before anybody was asked.

/// What is wrong with a request, in words for the one who wrote the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The member that is meant, as the protocols name it: `messages[3].role`.
    pub param: Option<String>,
    pub message: String,
}

impl Refusal {
    pub fn of(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self { param: Some(param.into()), message: message.into() }
    }

    /// The text is not what the protocol carries at all.
    pub fn whole(message: impl Into<String>) -> Self {
        Self { param: None, message: message.into() }
    }
}
