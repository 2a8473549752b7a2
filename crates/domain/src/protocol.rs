//! The protocols that programs and servers of models speak with each other.

/// A protocol of clients, and of the servers that take their requests as they are (GWY-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// `/v1/chat/completions`
    Chat,
    /// `/v1/responses`
    Responses,
    /// `/v1/messages`
    Messages,
}

impl Protocol {
    pub const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// The protocol of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.name() == name)
    }

    /// The name in the catalog and in receipts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }
}
