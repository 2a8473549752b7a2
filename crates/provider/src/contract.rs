//! What every provider does (PRV-1). Adding one is one file that implements this.

use std::pin::Pin;

use futures_core::Stream;
use plimsoll_domain::Usage;
use plimsoll_send::{
    Role, WireRules,
    fault::{self, Fault},
};

/// One message of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// What a send asks of a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// The model, as the provider knows it.
    pub model: String,
    /// The messages, in order, already fit for the provider's [`WireRules`].
    pub messages: Vec<ChatMessage>,
    /// Sampling temperature, if one is set.
    pub temperature: Option<f32>,
    /// The largest answer in tokens, if one is asked for.
    pub max_output: Option<u64>,
}

/// Something that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// The model is being loaded; text will follow.
    Loading,
    /// A piece of the answer.
    Text(String),
    /// A piece of the model's reasoning; not part of the answer.
    Reasoning(String),
    /// What the request used; the last one counts.
    Usage(Usage),
    /// The answer ended. Nothing but usage follows.
    Finished(Finish),
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The answer reached its largest length (SND-4c).
    Length,
    /// The content was refused.
    ContentFilter,
    /// Something else, in the provider's word.
    Other(String),
}

/// Why there is no answer, or no more of it, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderFailure {
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// A code that came apart from the body.
    pub code: Option<String>,
    /// Response headers.
    pub headers: Vec<(String, String)>,
    /// The body, or as much of it as is kept.
    pub body: String,
    /// What the transport said, when the connection failed.
    pub transport: Option<String>,
}

impl ProviderFailure {
    /// What the failure means.
    pub fn fault(&self) -> Fault {
        fault::classify(&fault::Failure {
            status: self.status,
            code: self.code.as_deref(),
            headers: &self.headers,
            body: &self.body,
            transport: self.transport.as_deref(),
        })
    }
}

/// An answer as it arrives. Dropping it cancels the call at once.
pub type AnswerStream = Pin<Box<dyn Stream<Item = Result<Delta, ProviderFailure>> + Send>>;

/// A model that a provider serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedModel {
    /// Its id there.
    pub id: String,
    /// Its context window, where the server tells it.
    pub context_window: Option<u64>,
}

/// A list of models, on its way.
pub type Models = Pin<Box<dyn Future<Output = Result<Vec<ServedModel>, ProviderFailure>> + Send>>;

/// Someone who answers.
pub trait Provider: Send + Sync {
    /// The name of the provider in the catalog, such as `openai` or `embedded`.
    fn name(&self) -> &str;

    /// Where it is; learned limits are kept by this and the model (CAT-3).
    fn base_url(&self) -> &str;

    /// What its wire takes.
    fn wire_rules(&self) -> WireRules;

    /// The largest answer to ask for when the topic sets none, where the wire
    /// requires one (PAY-3b).
    fn required_max_output(&self) -> Option<u64> {
        None
    }

    /// The request body, byte for byte (PAY-5); no secret is ever in it.
    fn body(&self, request: &ChatRequest) -> String;

    /// Starts a call. Everything that goes wrong arrives in the stream.
    fn answer(&self, request: ChatRequest) -> AnswerStream;

    /// The models it serves now.
    fn models(&self) -> Models;

    /// The exact tokens of a text, where the provider has the tokenizer itself.
    fn count_tokens(&self, text: &str) -> Option<u64> {
        let _ = text;
        None
    }
}
