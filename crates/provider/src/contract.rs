//! What every provider does (PRV-1). Adding one is one file that implements this.

use std::{pin::Pin, sync::Arc, time::Duration};

use futures_core::Stream;
use plimsoll_domain::Usage;
use plimsoll_fault::ProviderFailure;
use plimsoll_send::{Request, ToolCall, WireRules};

use crate::{Encoded, RelayRequest, Relaying, Unsayable};

/// Something that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// The model is being loaded; text will follow.
    Loading,
    /// A piece of the answer.
    Text(String),
    /// A piece of the model's reasoning; not part of the answer.
    Reasoning(String),
    /// The model wants to use a tool (PRV-5).
    ToolCall(ToolCall),
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
    /// The model waits for the tools that it called.
    ToolCalls,
    /// Something else, in the provider's word.
    Other(String),
}

/// An answer as it arrives. Dropping it cancels the call at once.
pub type AnswerStream = Pin<Box<dyn Stream<Item = Result<Delta, ProviderFailure>> + Send>>;

/// A model that a provider serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedModel {
    pub id: String,
    /// Its context window, where the server tells it.
    pub context_window: Option<u64>,
}

/// A list of models, on its way.
pub type Models = Pin<Box<dyn Future<Output = Result<Vec<ServedModel>, ProviderFailure>> + Send>>;

/// A copy of a file at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    pub id: String,
    /// How long it is kept, where the provider says so.
    pub lives: Option<Duration>,
}

/// A copy on its way to a provider.
pub type Upload = Pin<Box<dyn Future<Output = Result<RemoteFile, ProviderFailure>> + Send>>;

/// A place at a provider where files are kept and named by ids (FIL-4).
pub trait RemoteFiles: Send + Sync {
    /// Whether a message may name a copy of this kind instead of carrying its bytes.
    fn takes(&self, mime: &str) -> bool;

    /// Makes a copy.
    fn upload(&self, name: &str, mime: &str, data: Arc<[u8]>) -> Upload;
}

/// What was heard, on its way.
pub type Transcript = Pin<Box<dyn Future<Output = Result<String, ProviderFailure>> + Send>>;

/// The tokens that a chat format adds to texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatFormat {
    /// To each message.
    pub message: u64,
    /// To each answer beyond that, since the name of its role is another.
    pub answer: u64,
    /// To each request: what opens the answer.
    pub request: u64,
}

/// Someone who answers.
pub trait Provider: Send + Sync {
    /// The name of the provider in the catalog, such as `openai` or `embedded`.
    fn name(&self) -> &str;

    /// Where it is; learned limits are kept by this and the model (CAT-3).
    fn base_url(&self) -> &str;

    fn wire_rules(&self) -> WireRules;

    /// The largest answer to ask for when the topic sets none, where the wire
    /// requires one (PAY-3b).
    fn required_max_output(&self) -> Option<u64> {
        None
    }

    /// Writes a request for this provider, once for each attempt: what leaves, what people are
    /// shown and what is kept is this one text (PAY-5). No secret is ever in it.
    fn encode(&self, request: &Request) -> Encoded;

    /// What of a request this provider cannot be told: what is written leaves it out (GWY-4).
    fn unsayable(&self, request: &Request) -> Vec<Unsayable>;

    /// Starts a call. Everything that goes wrong arrives in the stream.
    fn answer(&self, request: &Request, encoded: Encoded) -> AnswerStream;

    /// Writes a request and starts a call.
    fn ask(&self, request: &Request) -> AnswerStream {
        self.answer(request, self.encode(request))
    }

    /// Whether it takes requests of clients as they are (GWY-3).
    fn relays(&self) -> bool {
        false
    }

    /// Hands a client's request on as it is, where it is of a kind that the provider takes (GWY-3).
    fn relay(&self, relay: RelayRequest) -> Option<Relaying> {
        let _ = relay;
        None
    }

    /// The models it serves now.
    fn models(&self) -> Models;

    /// The same, from somebody who refuses a key that is wrong.
    fn models_for_key(&self) -> Models {
        self.models()
    }

    /// Whether it reads this machine's disk by itself, so that it gets tokens and paths as
    /// they are (DLV-3).
    fn reads_paths(&self) -> bool {
        false
    }

    /// What it adds to every request that nobody here can see, in words for people.
    fn hidden_prompt_notice(&self) -> Option<&'static str> {
        None
    }

    /// Where it keeps files, if it does (FIL-4).
    fn files(&self) -> Option<&dyn RemoteFiles> {
        None
    }

    /// What is said in a sound file, where it can hear (FTL-5).
    fn transcribe(
        &self,
        model: &str,
        name: &str,
        mime: &str,
        data: Arc<[u8]>,
        language: Option<&str>,
    ) -> Option<Transcript> {
        let _ = (model, name, mime, data, language);
        None
    }

    /// The exact tokens of a text, where the provider has the tokenizer itself.
    fn count_tokens(&self, text: &str) -> Option<u64> {
        let _ = text;
        None
    }

    /// What its chat format adds, where the provider writes it itself (EST-5).
    fn chat_format(&self) -> Option<ChatFormat> {
        None
    }
}
