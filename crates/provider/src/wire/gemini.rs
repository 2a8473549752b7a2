//! Gemini's `generateContent`.

use plimsoll_domain::Usage;
use plimsoll_send::Role;
use serde::Serialize;
use serde_json::Value;

use super::{Decode, Deltas, Read, Refused, apart, number};
use crate::{ChatRequest, Finish};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "GenerationConfig::is_empty")]
    generation_config: GenerationConfig,
}

#[derive(Serialize)]
struct Content<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Part<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
}

impl GenerationConfig {
    fn is_empty(&self) -> bool {
        self.temperature.is_none() && self.max_output_tokens.is_none()
    }
}

/// The request body. The model is not in it but in the address.
pub(crate) fn body(request: &ChatRequest) -> String {
    let (system, messages) = apart(&request.messages);
    let content = |role, text| Content { role, parts: [Part { text }] };
    let name = |role| if role == Role::Assistant { "model" } else { "user" };
    let body = Body {
        system_instruction: system.as_deref().map(|text| content(None, text)),
        contents: messages
            .map(|message| content(Some(name(message.role)), &message.content))
            .collect(),
        generation_config: GenerationConfig {
            temperature: request.temperature.filter(|value| value.is_finite()),
            max_output_tokens: request.max_output,
        },
    };
    // Strings and finite numbers always serialise.
    serde_json::to_string(&body).unwrap_or_default()
}

/// Reads responses; each event of a stream is one.
#[derive(Debug, Default)]
pub(crate) struct Decoder;

impl Decode for Decoder {
    fn object(&mut self, object: &Value, out: &mut Deltas) -> Result<Read, Refused> {
        // A prompt that is refused gets no candidates, only the reason.
        if object.pointer("/promptFeedback/blockReason").is_some_and(Value::is_string) {
            return Err(Refused::Filtered);
        }
        let mut read = Read::Unknown;
        if let Some(usage) = object.get("usageMetadata") {
            out.usage(usage_of(usage));
            read = Read::Part;
        }
        let candidates = object.get("candidates").and_then(Value::as_array);
        if let Some(candidate) = candidates.and_then(|candidates| candidates.first()) {
            let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
            for part in parts.into_iter().flatten() {
                let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
                let thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
                if thought { out.reasoning(text) } else { out.text(text) }
            }
            if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
                out.finish(finish(reason));
            }
            read = Read::Part;
        }
        Ok(read)
    }
}

fn finish(reason: &str) -> Finish {
    match reason {
        "STOP" => Finish::Stop,
        "MAX_TOKENS" => Finish::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
            Finish::ContentFilter
        }
        other => Finish::Other(other.to_owned()),
    }
}

/// Thoughts are counted beside the candidates, and what tools read beside the prompt.
fn usage_of(usage: &Value) -> Usage {
    let tokens = |key| number(usage, &[key]).unwrap_or(0);
    let reasoning = tokens("thoughtsTokenCount");
    Usage {
        prompt: tokens("promptTokenCount").saturating_add(tokens("toolUsePromptTokenCount")),
        cached: tokens("cachedContentTokenCount"),
        completion: tokens("candidatesTokenCount").saturating_add(reasoning),
        reasoning,
    }
}
