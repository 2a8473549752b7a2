//! What every provider does (PRV-1). Adding one is one file that implements this.

use std::{path::PathBuf, pin::Pin, sync::Arc, time::Duration};

use futures_core::Stream;
use plimsoll_domain::Usage;
use plimsoll_fault::ProviderFailure;
use plimsoll_send::{Role, ToolCall, ToolDefinition, ToolRound, WireRules};

/// Bytes that a request carries, or what stands for them where a request is only read.
#[derive(Clone, PartialEq, Eq)]
pub enum Carried {
    /// The bytes.
    Bytes(Arc<[u8]>),
    /// A few words on them.
    Folded(String),
}

impl Carried {
    /// As it stands in a body: the bytes as text, or the words.
    pub(crate) fn base64(&self) -> String {
        use base64::Engine as _;
        match self {
            Self::Bytes(bytes) => base64::engine::general_purpose::STANDARD.encode(bytes),
            Self::Folded(words) => words.clone(),
        }
    }
}

impl std::fmt::Debug for Carried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Folded(words) => f.write_str(words),
        }
    }
}

/// A file that goes along with a message as bytes (DLV-1).
#[derive(Clone, PartialEq, Eq)]
pub struct Enclosed {
    /// Before which byte of the content it stands.
    pub at: usize,
    /// What its bytes are.
    pub mime: String,
    /// Its bytes.
    pub data: Carried,
    /// Where they are on this machine, for those who read the disk.
    pub path: PathBuf,
    /// The id of a copy at the provider, which then stands for the bytes (FIL-4).
    pub remote: Option<String>,
}

impl Enclosed {
    /// Whether it is a picture; else it is a document.
    pub fn is_picture(&self) -> bool {
        self.mime.starts_with("image/")
    }
}

impl std::fmt::Debug for Enclosed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { at, mime, data, remote, .. } = self;
        write!(f, "Enclosed({at}, {mime}, {data:?}, {remote:?})")
    }
}

/// One message of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// What is enclosed, in order.
    pub enclosed: Vec<Enclosed>,
}

impl ChatMessage {
    /// A message of words alone.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), enclosed: Vec::new() }
    }

    /// The stretches of the content and what stands between them: `(words, enclosed after
    /// them)`, the last without.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (&str, Option<&Enclosed>)> {
        let mut from = 0;
        let mut enclosed = self.enclosed.iter().map(Some).chain([None]);
        std::iter::from_fn(move || {
            let next = enclosed.next()?;
            let to = next.map_or(self.content.len(), |one| one.at);
            let words = &self.content[from..to];
            from = to;
            Some((words, next))
        })
    }
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
    /// The tools that the model may use (PRV-5).
    pub tools: Vec<ToolDefinition>,
    /// What it used of them so far, after the last message.
    pub rounds: Vec<ToolRound>,
}

impl ChatRequest {
    /// A request of messages alone.
    pub fn new(model: impl Into<String>, messages: Vec<ChatMessage>) -> Self {
        let (tools, rounds) = (Vec::new(), Vec::new());
        Self { model: model.into(), messages, temperature: None, max_output: None, tools, rounds }
    }

    /// The same request with every enclosure's bytes replaced by a few words on them: for
    /// people to read, and for keeping.
    pub fn folded(mut self) -> Self {
        let all = self.messages.iter_mut().flat_map(|message| &mut message.enclosed);
        for one in all {
            if let Carried::Bytes(bytes) = &one.data {
                let words = format!("[{} bytes of {}]", bytes.len(), one.mime);
                one.data = Carried::Folded(words);
            }
        }
        self
    }
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
    /// Its id there.
    pub id: String,
    /// Its context window, where the server tells it.
    pub context_window: Option<u64>,
}

/// A list of models, on its way.
pub type Models = Pin<Box<dyn Future<Output = Result<Vec<ServedModel>, ProviderFailure>> + Send>>;

/// A copy of a file at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its id there.
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

    /// Whether it reads this machine's disk by itself, so that it gets tokens and paths as
    /// they are (DLV-3).
    fn reads_paths(&self) -> bool {
        false
    }

    /// What it adds to every request that nobody here can see, in words for people.
    fn adds(&self) -> Option<&'static str> {
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
}
