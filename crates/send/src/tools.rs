//! Tools that are offered to a model, and what it made of them (PRV-5).

use crate::Part;

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its parameters: a JSON schema, as text.
    pub parameters: String,
    /// Whether the arguments must follow the schema to the letter, where that is said.
    pub strict: Option<bool>,
}

impl ToolDefinition {
    /// What is weighed: all that the model is told.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}", self.name, self.description, self.parameters)
    }
}

/// A tool that a model wants to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The id that its result is sent back under.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments: JSON, as the model wrote it, whether it is right or not.
    pub arguments: String,
    /// Something that the provider wants to see again with the call.
    pub signature: Option<String>,
}

/// What a tool gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call that it answers: its id and the tool.
    pub call: String,
    pub name: String,
    /// All of its words.
    pub text: String,
    /// Whether it is an error.
    pub failed: bool,
    /// All of it in order, words too, where it is more than words; else nothing.
    pub parts: Vec<Part>,
}

/// After so many rounds a model is told to answer with what it has.
pub const MAX_TOOL_ROUNDS: usize = 8;
