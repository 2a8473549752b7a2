//! The messages of a request, put so that every protocol takes them: the results of tools stand
//! right behind the message that called them.

use plimsoll_send::{Message, Part, Role, ToolCall, ToolResult};

use crate::refusal::Refusal;

/// Between two texts that were apart.
const JOINT: &str = "\n\n";

#[derive(Debug, Default)]
pub(super) struct Conversation {
    messages: Vec<Message>,
}

/// A message with nothing in it.
pub(super) fn empty(role: Role) -> Message {
    Message { role, parts: Vec::new(), pair: None }
}

/// Adds a text. What a model said in several pieces is one text; what it was told in several
/// stays apart.
pub(super) fn add_text(message: &mut Message, text: &str) {
    if text.is_empty() {
        return;
    }
    let joined = matches!(message.parts.last(), Some(Part::Text(_)));
    if joined && message.role != Role::Assistant {
        message.push(Part::Text(JOINT.to_owned()));
    }
    message.push(Part::Text(text.to_owned()));
}

/// Adds a thought; one behind another is the rest of it.
pub(super) fn add_reasoning(message: &mut Message, thought: &str) {
    match message.parts.last_mut() {
        _ if thought.is_empty() => {}
        Some(Part::Reasoning(before)) => *before = format!("{before}{JOINT}{thought}"),
        _ => message.parts.push(Part::Reasoning(thought.to_owned())),
    }
}

impl Conversation {
    pub(super) fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    pub(super) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    pub(super) fn last(&self) -> Option<&Message> {
        self.messages.last()
    }

    /// The model's message that goes on here: the last one where it may, else a new one.
    pub(super) fn turn(&mut self, goes_on: impl Fn(&Message) -> bool) -> &mut Message {
        let last = self.messages.last();
        if !last.is_some_and(|last| last.role == Role::Assistant && goes_on(last)) {
            self.messages.push(empty(Role::Assistant));
        }
        let at = self.messages.len() - 1;
        &mut self.messages[at]
    }

    /// Adds what a tool gave behind its call, which tells its name.
    pub(super) fn result(
        &mut self,
        at: &str,
        call: &str,
        content: Message,
        failed: bool,
    ) -> Result<(), Refusal> {
        let waiting = (0..self.messages.len()).rev().find_map(|place| {
            let calls = calls(&self.messages[place]).filter(|made| made.id == call);
            let (mut count, mut name) = (0, None);
            for made in calls {
                (count, name) = (count + 1, Some(made.name.clone()));
            }
            (count > self.answers(place, call)).then_some(())?;
            Some((place, name?))
        });
        let (place, name) = waiting
            .ok_or_else(|| Refusal::of(at, format!("no call before it has the id {call}")))?;
        let text = content.text();
        let words = content.parts.iter().all(|part| matches!(part, Part::Text(_)));
        let parts = if words { Vec::new() } else { content.parts };
        let result = ToolResult { call: call.to_owned(), name, text, failed, parts };
        if self.messages.get(place + 1).is_none_or(|next| next.role != Role::Tool) {
            self.messages.insert(place + 1, empty(Role::Tool));
        }
        self.messages[place + 1].parts.push(Part::ToolResult(result));
        Ok(())
    }

    /// How many results for an id stand behind a message.
    fn answers(&self, place: usize, call: &str) -> usize {
        let behind = self.messages.get(place + 1).filter(|next| next.role == Role::Tool);
        let parts = behind.map_or(&[][..], |behind| &behind.parts[..]);
        let is_answer =
            |part: &&Part| matches!(part, Part::ToolResult(result) if result.call == call);
        parts.iter().filter(is_answer).count()
    }
}

pub(super) fn calls(message: &Message) -> impl Iterator<Item = &ToolCall> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(call),
        _ => None,
    })
}

/// A call of a tool.
pub(super) fn call(id: &str, name: &str, arguments: String) -> Part {
    let (id, name) = (id.to_owned(), name.to_owned());
    Part::ToolCall(ToolCall { id, name, arguments, signature: None })
}

/// A call whose tool takes a text: elsewhere that is an argument.
pub(super) fn freeform(input: &str) -> String {
    serde_json::json!({ "input": input }).to_string()
}
