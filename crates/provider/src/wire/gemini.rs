//! Gemini's `generateContent`.

use plimsoll_domain::Usage;
use plimsoll_send::{
    AnswerFormat, AnswerOptions, Message, Part, Request, Role, ToolCall, ToolChoice, ToolDefinition,
};
use serde_json::{Value, json};

use super::{
    Decode, Deltas, EACH_CALL, Read, Refused, apart, arguments, exact, json_or_object, number,
    schema,
};
use crate::{Finish, encoded::Marks};

/// The request body. The model is not in it but in the address.
pub(crate) fn body<'a>(request: &'a Request, marks: &Marks<'a>) -> String {
    let (system, messages) = apart(&request.messages);
    let contents: Vec<Value> = messages.map(|message| content(message, marks)).collect();
    let mut body = json!({"contents": contents});
    if let Some(system) = system {
        body["systemInstruction"] = json!({"parts": [{"text": system}]});
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body["tools"] = json!([{"functionDeclarations": tools}]);
    }
    if let Some(temperature) = request.temperature.filter(|value| value.is_finite()) {
        body["generationConfig"]["temperature"] = json!(temperature);
    }
    if let Some(max_output) = request.max_output {
        body["generationConfig"]["maxOutputTokens"] = json!(max_output);
    }
    for (name, value) in settings(&request.options) {
        body["generationConfig"][name] = value;
    }
    if let Some(config) = choice(&request.options.tool_choice).filter(|_| body["tools"].is_array())
    {
        body["toolConfig"] = json!({"functionCallingConfig": config});
    }
    body.to_string()
}

/// How the answer is to be made, by the names of this protocol.
fn settings(options: &AnswerOptions) -> Vec<(&'static str, Value)> {
    let mut all: Vec<(&'static str, Value)> = Vec::new();
    let numbers = [
        ("topP", exact(options.top_p)),
        ("topK", options.top_k.map(Value::from)),
        ("seed", options.seed.map(Value::from)),
        ("frequencyPenalty", exact(options.frequency_penalty)),
        ("presencePenalty", exact(options.presence_penalty)),
    ];
    all.extend(numbers.into_iter().filter_map(|(name, number)| Some((name, number?))));
    if !options.stop.is_empty() {
        all.push(("stopSequences", json!(options.stop)));
    }
    if let Some(format) = &options.format {
        all.push(("responseMimeType", json!("application/json")));
        if let AnswerFormat::JsonSchema(schema) = format {
            all.push(("responseJsonSchema", json_or_object(&schema.schema)));
        }
    }
    all
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    Some(match choice {
        ToolChoice::Auto => return None,
        ToolChoice::None => json!({"mode": "NONE"}),
        ToolChoice::Required => json!({"mode": "ANY"}),
        ToolChoice::Named(name) => json!({"mode": "ANY", "allowedFunctionNames": [name]}),
    })
}

fn content<'a>(message: &'a Message, marks: &Marks<'a>) -> Value {
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    let parts: Vec<Value> = match message.only_text() {
        Some(text) => vec![json!({"text": text})],
        None => message.parts.iter().filter_map(|one| part(one, marks)).collect(),
    };
    json!({"role": role, "parts": parts})
}

/// A call goes with the signature that the model wants to see again.
fn part<'a>(part: &'a Part, marks: &Marks<'a>) -> Option<Value> {
    Some(match part {
        Part::Text(text) if text.is_empty() => return None,
        Part::Text(text) => json!({"text": text}),
        Part::File(file) => json!({
            "inlineData": {"mimeType": file.mime, "data": marks.data(file)},
        }),
        // It reads no addresses, and takes thoughts only with their signature.
        Part::PictureAt(_) | Part::Reasoning(_) => return None,
        Part::ToolCall(call) => {
            let mut said = json!({"functionCall": {"name": call.name, "args": arguments(call)}});
            if let Some(signature) = &call.signature {
                said["thoughtSignature"] = json!(signature);
            }
            said
        }
        Part::ToolResult(result) => {
            let key = if result.failed { "error" } else { "result" };
            let mut given =
                json!({"functionResponse": {"name": result.name, "response": {key: result.text}}});
            // The words stand in the response, what is no words beside them.
            let files = result.parts.iter().filter(|part| matches!(part, Part::File(_)));
            let files: Vec<Value> = files.filter_map(|file| self::part(file, marks)).collect();
            if !files.is_empty() {
                given["functionResponse"]["parts"] = json!(files);
            }
            given
        }
    })
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "parametersJsonSchema": schema(tool),
    })
}

/// Reads responses; each event of a stream is one.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// How many calls came; this wire gives them no ids.
    calls: usize,
}

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
                if thought {
                    out.reasoning(text)
                } else {
                    out.text(text)
                }
                if let Some(call) = part.get("functionCall") {
                    self.calls += 1;
                    let id = format!("call_{}", self.calls);
                    let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
                    let arguments = call.get("args").unwrap_or(&json!({})).to_string();
                    let signature = part.get("thoughtSignature").and_then(Value::as_str);
                    let signed = signature.map_or(0, str::len);
                    out.room_for_call(EACH_CALL + name.len() + arguments.len() + signed)?;
                    let (name, signature) = (name.to_owned(), signature.map(str::to_owned));
                    out.tool_call(ToolCall { id, name, arguments, signature });
                }
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
