//! The JsonDoc: the request body, byte for byte (PAY-5).

use crate::{Payload, json::push_string};

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

/// A request body in the OpenAI style of chat completions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonDoc(String);

impl JsonDoc {
    /// Writes the body.
    pub fn chat_completions(payload: &Payload<'_>, parameters: &RequestParameters) -> Self {
        let text: usize = payload.messages.iter().map(|message| message.content.len() + 40).sum();
        let mut out = String::with_capacity(text + text / 16 + 200);
        out.push_str("{\"model\":");
        push_string(&mut out, &parameters.model);
        out.push_str(",\"messages\":[");
        for (at, message) in payload.messages.iter().enumerate() {
            out.push_str(if at == 0 { "{\"role\":\"" } else { ",{\"role\":\"" });
            out.push_str(message.role.name());
            out.push_str("\",\"content\":");
            push_string(&mut out, &message.content);
            out.push('}');
        }
        out.push(']');
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
