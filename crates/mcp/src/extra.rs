//! Tools of others, such as the file tools: offered by the profile `files`.

use async_trait::async_trait;
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::{ToolAnswer, table::Effect};

/// A tool of others, as clients are told about it.
#[derive(Clone, Debug)]
pub struct ExtraTool {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it does.
    pub about: String,
    /// The JSON schema of its arguments: an object with plain types.
    pub schema: Value,
    /// What it does to the world.
    pub effect: Effect,
}

/// Who has tools besides ours.
#[async_trait]
pub trait ExtraTools: Send + Sync {
    /// The tools that work here.
    fn tools(&self) -> Vec<ExtraTool>;

    /// Calls one of them. `room` is what the answer may weigh by the server's limit and the
    /// session's budget, if there are any; it stays within it. What cannot be done is an answer with `is_error`.
    async fn call(&self, name: &str, arguments: JsonObject, room: Option<u64>) -> ToolAnswer;
}
