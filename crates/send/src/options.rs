//! What may be asked of an answer besides its words. The workbench asks for none of it; the
//! programs that come through the gateway do (GWY-4).

/// How an answer is to be made. By default nothing is asked for, and nothing of it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerOptions {
    pub top_p: Option<f32>,
    pub top_k: Option<u64>,
    /// The answer ends before the first of these.
    pub stop: Vec<String>,
    pub tool_choice: ToolChoice,
    /// Whether several tools may be called at once, where that is said.
    pub parallel_tool_calls: Option<bool>,
    pub format: Option<AnswerFormat>,
    pub effort: Option<Effort>,
    pub seed: Option<i64>,
    pub frequency_penalty: Option<f32>,
    pub presence_penalty: Option<f32>,
}

/// Which tools a model uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// It decides itself, which is what every protocol does where nothing is said.
    #[default]
    Auto,
    None,
    /// Some tool, whichever.
    Required,
    /// This one.
    Named(String),
}

/// The form of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    /// Any JSON object.
    JsonObject,
    /// What a schema describes.
    JsonSchema(AnswerSchema),
}

/// A schema that an answer follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSchema {
    /// Not every protocol has a name for it.
    pub name: Option<String>,
    pub description: Option<String>,
    pub strict: Option<bool>,
    /// A JSON schema, as text.
    pub schema: String,
}

/// How much a model thinks before it answers. No protocol knows all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    ExtraHigh,
    Max,
}

impl Effort {
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::ExtraHigh,
        Self::Max,
    ];

    /// The name in the protocols that have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::ExtraHigh => "xhigh",
            Self::Max => "max",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effort| effort.name() == name)
    }
}
