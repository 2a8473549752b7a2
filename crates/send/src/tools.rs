//! Tools that are offered to a model, and what it made of them (PRV-5).

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its parameters: a JSON schema, as text.
    pub parameters: String,
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
    /// Its text.
    pub text: String,
    /// Whether it is an error.
    pub failed: bool,
}

/// One round: what the model said and wanted, and what it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRound {
    /// The text that came before the calls; often none.
    pub text: String,
    /// Each call with its result, in order.
    pub calls: Vec<(ToolCall, ToolResult)>,
}

/// After so many rounds a model is told to answer with what it has.
pub const MAX_TOOL_ROUNDS: usize = 8;
