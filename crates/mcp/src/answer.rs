//! What a tool answers, and how it goes over the wire.

use plimsoll_budget::Answer;
use plimsoll_memory::Reply;
use plimsoll_specs::ContextRead;
use rmcp::model::{CallToolResult, ContentBlock, Implementation};
use serde_json::{Value, json};

/// Clients that are known to show the text of an answer beside its structured part. Most
/// agents hand their model the structured part alone where there is one, and the words of
/// the notes would be lost, so whoever is not on this list is sent the text only (MDC-4).
/// Each was looked at with `tests/mcp` of `cli` or in its source.
const SHOWS_TEXT_TOO: [&str; 3] = ["mcp-inspector", "mcp-inspector-tui", "inspector-cli"];

/// The answer of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolAnswer {
    /// The text that the model reads, footers included.
    pub text: String,
    /// What it shows or made: numbers of observations, names of files.
    pub ids: Vec<Value>,
    /// How many items are shown.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// The estimate of the whole text.
    pub estimated_tokens: u64,
    /// Whether the first item was cut.
    pub cut: bool,
    /// Whether the tool could not do what was asked.
    pub is_error: bool,
}

impl From<Reply> for ToolAnswer {
    fn from(reply: Reply) -> Self {
        Self {
            text: reply.text,
            ids: reply.ids.into_iter().map(Value::from).collect(),
            shown: reply.shown,
            total: reply.total,
            estimated_tokens: reply.estimated_tokens,
            cut: reply.cut,
            is_error: false,
        }
    }
}

impl ToolAnswer {
    /// A weighed answer and the one observation that it is about, if any.
    pub(crate) fn of(answer: Answer, id: Option<u64>) -> Self {
        let Answer { text, shown, total, estimated_tokens, cut, .. } = answer;
        let ids = id.into_iter().map(Value::from).collect();
        Self { text, ids, shown, total, estimated_tokens, cut, is_error: false }
    }
}

impl From<ContextRead> for ToolAnswer {
    fn from(read: ContextRead) -> Self {
        let Answer { text, shown, total, estimated_tokens, cut, .. } = read.answer;
        let ids = read.ids.into_iter().map(Value::from).collect();
        Self { text, ids, shown, total, estimated_tokens, cut, is_error: false }
    }
}

impl ToolAnswer {
    /// The result for a client.
    pub(crate) fn result(self, client: Option<&Implementation>) -> CallToolResult {
        let text = vec![ContentBlock::text(self.text)];
        if self.is_error {
            return CallToolResult::error(text);
        }
        let mut result = CallToolResult::success(text);
        let shows_both =
            client.is_some_and(|client| SHOWS_TEXT_TOO.contains(&client.name.as_str()));
        if shows_both {
            result.structured_content = Some(json!({
                "ids": self.ids,
                "shown": self.shown,
                "total": self.total,
                "estimated_tokens": self.estimated_tokens,
                "cut": self.cut,
            }));
        }
        result
    }
}
