//! The JsonDoc: the request body, byte for byte (PAY-5).

use std::borrow::Cow;

use crate::{Enclosure, Message, Payload, Role, ToolDefinition, ToolRound, json::push_string};

/// What a request says besides its messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestParameters {
    /// The model, as its provider knows it.
    pub model: String,
    /// Whether the answer is streamed.
    pub stream: bool,
    /// Sampling temperature, if the topic sets one.
    pub temperature: Option<f32>,
    /// The largest answer, if the topic sets one or the provider requires it (PAY-3b).
    pub max_output: Option<u64>,
}

impl RequestParameters {
    /// PAY-3b: the largest answer to ask for, which is never more than the room left.
    /// None when neither the topic nor the provider wants one. Where the estimate
    /// leaves no room the reply reserve is asked for: the provider then reports an
    /// overflow, which trims, where a 0 would be an invalid request.
    pub fn max_output_for(
        topic: Option<u64>,
        required: Option<u64>,
        room: u64,
        reply_reserve: u64,
    ) -> Option<u64> {
        topic.or(required).map(|wanted| wanted.min(room.max(reply_reserve).max(1)))
    }
}

/// A message as the document tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocMessage<'a> {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: &'a str,
    /// What is enclosed, each before a byte of the content, in order.
    pub enclosed: Vec<(usize, DocEnclosed<'a>)>,
}

/// Something that is not words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocEnclosed<'a> {
    /// A picture by its address, which may hold it.
    Picture(Cow<'a, str>),
    /// A document by an address that holds it.
    Document(Cow<'a, str>),
    /// A document by the id of its copy at the provider.
    Copy(&'a str),
}

/// What a model may use, and what it used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocTools<'a> {
    /// The tools that it is told of.
    pub offered: &'a [ToolDefinition],
    /// The rounds that follow the messages.
    pub rounds: &'a [ToolRound],
}

/// A request body in the OpenAI style of chat completions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonDoc(String);

impl JsonDoc {
    /// Writes the body of a payload. What is enclosed is named by its hash: the bytes are
    /// not here.
    pub fn chat_completions(payload: &Payload<'_>, parameters: &RequestParameters) -> Self {
        let messages: Vec<DocMessage<'_>> = payload.messages.iter().map(named).collect();
        Self::write(&messages, DocTools::default(), parameters)
    }

    /// Writes the body.
    pub fn write(
        messages: &[DocMessage<'_>],
        tools: DocTools<'_>,
        parameters: &RequestParameters,
    ) -> Self {
        let text: usize = messages.iter().map(DocMessage::size).sum();
        let mut out = String::with_capacity(text + text / 16 + 200);
        out.push_str("{\"model\":");
        push_string(&mut out, &parameters.model);
        out.push_str(",\"messages\":[");
        for (at, message) in messages.iter().enumerate() {
            out.push_str(if at == 0 { "{\"role\":\"" } else { ",{\"role\":\"" });
            out.push_str(message.role.name());
            out.push_str("\",\"content\":");
            message.push_content(&mut out);
            out.push('}');
        }
        tools.rounds.iter().for_each(|round| push_round(&mut out, round));
        out.push(']');
        if !tools.offered.is_empty() {
            push_tools(&mut out, tools.offered);
        }
        if let Some(temperature) = parameters.temperature.filter(|value| value.is_finite()) {
            out.push_str(&format!(",\"temperature\":{temperature}"));
        }
        if let Some(max_output) = parameters.max_output {
            out.push_str(&format!(",\"max_tokens\":{max_output}"));
        }
        if parameters.stream {
            // Without this option a stream ends without the usage that receipts need.
            out.push_str(",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
        }
        out.push('}');
        Self(out)
    }

    /// The bytes that are sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A message whose enclosures are named by their hashes.
fn named<'a>(message: &'a Message<'_>) -> DocMessage<'a> {
    let address = |one: &Enclosure| {
        (one.at, DocEnclosed::Picture(Cow::Owned(format!("blake3:{}", one.hash))))
    };
    DocMessage {
        role: message.role,
        content: &message.content,
        enclosed: message.enclosures.iter().map(address).collect(),
    }
}

impl DocMessage<'_> {
    fn size(&self) -> usize {
        let size = |one: &DocEnclosed<'_>| match one {
            DocEnclosed::Picture(address) | DocEnclosed::Document(address) => address.len(),
            DocEnclosed::Copy(id) => id.len(),
        };
        let enclosed: usize = self.enclosed.iter().map(|(_, one)| size(one) + 60).sum();
        self.content.len() + enclosed + 40
    }

    /// A text, or parts where something stands between the words.
    fn push_content(&self, out: &mut String) {
        if self.enclosed.is_empty() {
            return push_string(out, self.content);
        }
        let mut separator = '[';
        let text = |out: &mut String, text: &str, separator: &mut char| {
            if !text.trim().is_empty() {
                out.push(std::mem::replace(separator, ','));
                out.push_str("{\"type\":\"text\",\"text\":");
                push_string(out, text);
                out.push('}');
            }
        };
        let mut from = 0;
        for (at, one) in &self.enclosed {
            text(out, &self.content[from..*at], &mut separator);
            from = *at;
            out.push(std::mem::replace(&mut separator, ','));
            match one {
                DocEnclosed::Picture(address) => {
                    out.push_str("{\"type\":\"image_url\",\"image_url\":{\"url\":");
                    push_string(out, address);
                }
                DocEnclosed::Document(address) => {
                    out.push_str(
                        "{\"type\":\"file\",\"file\":{\"filename\":\"document.pdf\",\"file_data\":",
                    );
                    push_string(out, address);
                }
                DocEnclosed::Copy(id) => {
                    out.push_str("{\"type\":\"file\",\"file\":{\"file_id\":");
                    push_string(out, id);
                }
            }
            out.push_str("}}");
        }
        text(out, &self.content[from..], &mut separator);
        out.push(']');
    }
}

/// A round is the assistant's message with its calls, then a message for each result.
fn push_round(out: &mut String, round: &ToolRound) {
    out.push_str(",{\"role\":\"assistant\",\"content\":");
    if round.text.is_empty() {
        out.push_str("null")
    } else {
        push_string(out, &round.text)
    }
    out.push_str(",\"tool_calls\":[");
    for (at, (call, _)) in round.calls.iter().enumerate() {
        out.push_str(if at == 0 { "{\"id\":" } else { ",{\"id\":" });
        push_string(out, &call.id);
        out.push_str(",\"type\":\"function\",\"function\":{\"name\":");
        push_string(out, &call.name);
        out.push_str(",\"arguments\":");
        push_string(out, &call.arguments);
        out.push_str("}}");
    }
    out.push_str("]}");
    for (call, result) in &round.calls {
        out.push_str(",{\"role\":\"tool\",\"tool_call_id\":");
        push_string(out, &call.id);
        out.push_str(",\"content\":");
        push_string(out, &result.text);
        out.push('}');
    }
}

fn push_tools(out: &mut String, tools: &[ToolDefinition]) {
    out.push_str(",\"tools\":[");
    for (at, tool) in tools.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { "," });
        out.push_str("{\"type\":\"function\",\"function\":{\"name\":");
        push_string(out, &tool.name);
        out.push_str(",\"description\":");
        push_string(out, &tool.description);
        out.push_str(",\"parameters\":");
        out.push_str(&tool.parameters);
        out.push_str("}}");
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PreludeParts, WireRules, compose};

    #[test]
    fn pay_3b_the_largest_answer_is_bounded_by_the_room() {
        for (topic, required, room, reserve, expected) in [
            (None, None, 3096, 500, None),
            (Some(800), None, 3096, 500, Some(800)),
            (Some(8000), None, 3096, 500, Some(3096)),
            (None, Some(4096), 3096, 500, Some(3096)),
            (Some(800), Some(4096), 0, 500, Some(500)),
            (Some(800), None, 0, 0, Some(1)),
        ] {
            let asked = RequestParameters::max_output_for(topic, required, room, reserve);
            assert_eq!(asked, expected, "{topic:?} {required:?} {room} {reserve}");
        }
    }

    #[test]
    fn prv_5_rounds_follow_the_messages_and_tools_are_told() {
        let messages = [DocMessage {
            role: Role::User,
            content: "see  this",
            enclosed: vec![(4, DocEnclosed::Picture("data:,x".into()))],
        }];
        let call = crate::ToolCall {
            id: "c1".into(),
            name: "read_file".into(),
            arguments: "{\"a\":\"b".into(),
            signature: None,
        };
        let result = crate::ToolResult { text: "1 \"x\"".into(), failed: false };
        let rounds = [ToolRound { text: String::new(), calls: vec![(call, result)] }];
        let offered = [ToolDefinition {
            name: "read_file".into(),
            description: "Reads \"it\"".into(),
            parameters: "{\"type\":\"object\"}".into(),
        }];
        let tools = DocTools { offered: &offered, rounds: &rounds };
        let doc = JsonDoc::write(&messages, tools, &RequestParameters::default());
        let value: serde_json::Value = serde_json::from_str(doc.as_str()).unwrap();
        assert_eq!(
            value,
            serde_json::json!({
                "model": "",
                "messages": [
                    {"role": "user", "content": [
                        {"type": "text", "text": "see "},
                        {"type": "image_url", "image_url": {"url": "data:,x"}},
                        {"type": "text", "text": " this"},
                    ]},
                    {"role": "assistant", "content": null, "tool_calls": [{
                        "id": "c1", "type": "function",
                        "function": {"name": "read_file", "arguments": "{\"a\":\"b"},
                    }]},
                    {"role": "tool", "tool_call_id": "c1", "content": "1 \"x\""},
                ],
                "tools": [{"type": "function", "function": {
                    "name": "read_file", "description": "Reads \"it\"",
                    "parameters": {"type": "object"},
                }}],
            })
        );
    }

    #[test]
    fn the_document_is_json_with_every_parameter() {
        let payload = compose(&PreludeParts::default(), [], "a \"b\"\n", WireRules::OPENAI);
        let parameters = RequestParameters {
            model: "m".into(),
            stream: true,
            temperature: Some(0.5),
            max_output: Some(9),
        };
        let doc = JsonDoc::chat_completions(&payload, &parameters);
        let value: serde_json::Value = serde_json::from_str(doc.as_str()).unwrap();
        assert_eq!(
            value,
            serde_json::json!({
                "model": "m",
                "messages": [{"role": "user", "content": "a \"b\"\n"}],
                "temperature": 0.5,
                "max_tokens": 9,
                "stream": true,
                "stream_options": {"include_usage": true},
            })
        );
    }
}
