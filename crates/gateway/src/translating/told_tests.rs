//! A random conversation in the words of each protocol.

use plimsoll_send::{Effort, ToolChoice};
use serde_json::{Value, json};

use super::{ADDRESS, DOCUMENT, PICTURE, SCHEMA, Talk};
use crate::Protocol;

impl Talk {
    pub(super) fn told(&self, protocol: Protocol) -> String {
        let mut body = match protocol {
            Protocol::Chat => self.chat(),
            Protocol::Responses => self.responses(),
            Protocol::Messages => self.messages(),
        };
        body["model"] = json!("theirs");
        body["stream"] = json!(true);
        body["temperature"] = number(self.temperature);
        body["top_p"] = number(self.options.top_p);
        body["top_k"] = json!(self.options.top_k);
        if protocol != Protocol::Messages {
            body["seed"] = json!(self.options.seed);
            body["frequency_penalty"] = number(self.options.frequency_penalty);
            body["presence_penalty"] = number(self.options.presence_penalty);
            body["parallel_tool_calls"] = json!(self.options.parallel_tool_calls);
            if let ToolChoice::None | ToolChoice::Required = self.options.tool_choice {
                let none = self.options.tool_choice == ToolChoice::None;
                body["tool_choice"] = json!(if none { "none" } else { "required" });
            }
        }
        body.to_string()
    }

    fn schema(&self) -> Option<Value> {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        self.options.format.as_ref().map(|_| schema)
    }

    fn named(&self) -> bool {
        matches!(self.options.tool_choice, ToolChoice::Named(_))
    }

    fn chat(&self) -> Value {
        let mut messages = Vec::new();
        messages
            .extend(self.system.as_ref().map(|text| json!({"role": "developer", "content": text})));
        let mut ids = 0;
        for exchange in &self.exchanges {
            let mut parts = vec![json!({"type": "text", "text": exchange.asked})];
            let (inside, elsewhere, document) = exchange.shown;
            let image = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
            parts.extend(inside.then(|| image(PICTURE)));
            parts.extend(elsewhere.then(|| image(ADDRESS)));
            let data = format!("data:application/pdf;base64,{DOCUMENT}");
            parts.extend(document.then(|| json!({"type": "file", "file": {"file_data": data}})));
            let content = if parts.len() == 1 { json!(exchange.asked) } else { json!(parts) };
            messages.push(json!({"role": "user", "content": content}));
            for turn in &exchange.turns {
                let (mut made, mut gave) = (Vec::new(), Vec::new());
                for called in &turn.calls {
                    let id = format!("call_{ids}");
                    ids += 1;
                    let function = json!({"name": "f", "arguments": called.arguments});
                    made.push(json!({"id": id, "type": "function", "function": function}));
                    gave.push(
                        json!({"role": "tool", "tool_call_id": id, "content": called.result}),
                    );
                }
                messages.push(json!({
                    "role": "assistant", "content": turn.said, "tool_calls": made,
                    "reasoning_content": turn.thought,
                }));
                messages.append(&mut gave);
            }
            let answer = exchange.answer.as_ref();
            messages.extend(answer.map(|text| json!({"role": "assistant", "content": text})));
        }
        let mut body = json!({
            "messages": messages, "max_completion_tokens": self.max_output,
            "stop": self.options.stop, "reasoning_effort": self.options.effort.map(Effort::name),
        });
        if let Some(schema) = self.schema() {
            let schema = json!({"name": "answer", "strict": true, "schema": schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        if self.tools {
            let parameters: Value = serde_json::from_str(SCHEMA).unwrap();
            let function = json!({
                "name": "f", "description": "Does it.", "parameters": parameters, "strict": true,
            });
            body["tools"] = json!([{"type": "function", "function": function}]);
        }
        if self.named() {
            body["tool_choice"] = json!({"type": "function", "function": {"name": "f"}});
        }
        body
    }

    fn responses(&self) -> Value {
        let mut input = Vec::new();
        let mut ids = 0;
        for exchange in &self.exchanges {
            let mut parts = vec![json!({"type": "input_text", "text": exchange.asked})];
            let (inside, elsewhere, document) = exchange.shown;
            let image = |url: &str| json!({"type": "input_image", "image_url": url});
            parts.extend(inside.then(|| image(PICTURE)));
            parts.extend(elsewhere.then(|| image(ADDRESS)));
            let data = format!("data:application/pdf;base64,{DOCUMENT}");
            parts.extend(document.then(|| json!({"type": "input_file", "file_data": data})));
            input.push(json!({"type": "message", "role": "user", "content": parts}));
            for turn in &exchange.turns {
                let thought = turn.thought.as_ref();
                input.extend(thought.map(|text| {
                    let content = json!([{"type": "reasoning_text", "text": text}]);
                    json!({"type": "reasoning", "id": "rs", "summary": [], "content": content})
                }));
                input.extend(turn.said.as_ref().map(|text| {
                    let content = json!([{"type": "output_text", "text": text}]);
                    json!({"type": "message", "role": "assistant", "content": content})
                }));
                let mut gave = Vec::new();
                for called in &turn.calls {
                    let id = format!("call_{ids}");
                    ids += 1;
                    input.push(json!({
                        "type": "function_call", "call_id": id, "name": "f",
                        "arguments": called.arguments,
                    }));
                    let text = json!({"type": "input_text", "text": called.result});
                    let output = match called.shows {
                        true => json!([text, image(PICTURE)]),
                        false => json!(called.result),
                    };
                    gave.push(json!({
                        "type": "function_call_output", "call_id": id, "output": output,
                    }));
                }
                input.append(&mut gave);
            }
            let answer = exchange.answer.as_ref();
            input.extend(answer.map(|text| json!({"role": "assistant", "content": text})));
        }
        let mut body = json!({
            "input": input, "instructions": self.system, "max_output_tokens": self.max_output,
            "reasoning": {"effort": self.options.effort.map(Effort::name)},
        });
        if let Some(schema) = self.schema() {
            body["text"]["format"] = json!({
                "type": "json_schema", "name": "answer", "strict": true, "schema": schema,
            });
        }
        if self.tools {
            let parameters: Value = serde_json::from_str(SCHEMA).unwrap();
            body["tools"] = json!([{
                "type": "function", "name": "f", "description": "Does it.",
                "parameters": parameters, "strict": true,
            }]);
        }
        if self.named() {
            body["tool_choice"] = json!({"type": "function", "name": "f"});
        }
        body
    }

    fn messages(&self) -> Value {
        let mut messages = Vec::new();
        let mut ids = 0;
        let image = || json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AQID"}});
        for exchange in &self.exchanges {
            let mut blocks = vec![json!({"type": "text", "text": exchange.asked})];
            let (inside, elsewhere, document) = exchange.shown;
            blocks.extend(inside.then(image));
            blocks.extend(
                elsewhere
                    .then(|| json!({"type": "image", "source": {"type": "url", "url": ADDRESS}})),
            );
            let source =
                json!({"type": "base64", "media_type": "application/pdf", "data": DOCUMENT});
            blocks.extend(document.then(|| json!({"type": "document", "source": source})));
            messages.push(json!({"role": "user", "content": blocks}));
            for turn in &exchange.turns {
                let mut blocks = Vec::new();
                let thought = turn.thought.as_ref();
                blocks.extend(
                    thought.map(
                        |text| json!({"type": "thinking", "thinking": text, "signature": "s"}),
                    ),
                );
                blocks.extend(turn.said.as_ref().map(|text| json!({"type": "text", "text": text})));
                let mut gave = Vec::new();
                for called in &turn.calls {
                    let id = format!("call_{ids}");
                    ids += 1;
                    let input: Value = serde_json::from_str(&called.arguments).unwrap();
                    blocks.push(json!({"type": "tool_use", "id": id, "name": "f", "input": input}));
                    let content = match called.shows {
                        true => json!([{"type": "text", "text": called.result}, image()]),
                        false => json!(called.result),
                    };
                    gave.push(json!({
                        "type": "tool_result", "tool_use_id": id, "content": content,
                        "is_error": called.failed,
                    }));
                }
                messages.push(json!({"role": "assistant", "content": blocks}));
                messages.push(json!({"role": "user", "content": gave}));
            }
            let answer = exchange.answer.as_ref();
            messages.extend(answer.map(|text| json!({"role": "assistant", "content": text})));
        }
        let mut body = json!({
            "messages": messages, "system": self.system, "max_tokens": self.max_output,
            "stop_sequences": self.options.stop,
            "output_config": {"effort": self.options.effort.map(Effort::name)},
        });
        if let Some(schema) = self.schema() {
            body["output_config"]["format"] = json!({"type": "json_schema", "schema": schema});
        }
        if self.tools {
            let parameters: Value = serde_json::from_str(SCHEMA).unwrap();
            body["tools"] = json!([{
                "name": "f", "description": "Does it.", "input_schema": parameters, "strict": true,
            }]);
            let choice = match &self.options.tool_choice {
                ToolChoice::Auto => json!({"type": "auto"}),
                ToolChoice::None => json!({"type": "none"}),
                ToolChoice::Required => json!({"type": "any"}),
                ToolChoice::Named(name) => json!({"type": "tool", "name": name}),
            };
            body["tool_choice"] = choice;
            if let Some(several) = self.options.parallel_tool_calls {
                body["tool_choice"]["disable_parallel_tool_use"] = json!(!several);
            }
        }
        body
    }
}

fn number(number: Option<f32>) -> Value {
    number.map_or(Value::Null, |number| serde_json::from_str(&number.to_string()).unwrap())
}
