//! What a model lacks before it can be asked (UI-19).

/// What is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// A key for its server.
    Key {
        /// Whose key it is.
        provider: String,
        /// The server that it would be given for, such as `https://api.openai.com`.
        server: String,
        /// Whether there is one that the server refuses.
        refused: bool,
    },
    /// Its server does not answer.
    Answer { address: String },
    /// Its server answers, and does not list it.
    Entry { address: String },
    /// No server of this machine has it.
    Server,
    /// The weights of the model inside; the first message fetches them.
    Weights,
    /// A program; the words say which, and how to get it.
    Program(String),
}

impl Lack {
    /// A name that never changes.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Key { .. } => "key",
            Self::Answer { .. } => "answer",
            Self::Entry { .. } => "entry",
            Self::Server => "server",
            Self::Weights => "weights",
            Self::Program(_) => "program",
        }
    }

    /// What is missing, in words that follow "needs".
    pub fn words(&self) -> String {
        match self {
            Self::Key { provider, refused: false, .. } => format!("a key of {provider}"),
            Self::Key { provider, refused: true, .. } => {
                format!("another key of {provider}: its server refuses this one")
            }
            Self::Answer { address } => format!("its server at {address}, which does not answer"),
            Self::Entry { address } => format!("a server that has it; {address} does not list it"),
            Self::Server => "a running server that has it, such as Ollama or LM Studio".to_owned(),
            Self::Weights => "its weights, which the first message fetches".to_owned(),
            Self::Program(words) => format!("a program: {words}"),
        }
    }
}

/// A model that would have answered, had it not lacked something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    pub model: String,
    pub lack: Lack,
}
