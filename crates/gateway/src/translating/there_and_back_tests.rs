//! Random conversations of agents: whichever protocol tells one, the same request comes of it; and
//! what is written for a provider reads as that request again (GWY-4).

use std::collections::BTreeSet;

use plimsoll_provider::{Anthropic, Endpoint, OpenAiStyle, Provider};
use plimsoll_send::{
    AnswerFormat, AnswerOptions, AnswerSchema, Effort, Message, Part, Request, Role, ToolChoice,
    ToolDefinition, ToolResult,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    conversation::call,
    fields::{bytes, picture},
};
use crate::{Protocol, check, read, translate};

const PICTURE: &str = "data:image/png;base64,AQID";
const ADDRESS: &str = "https://a.b/c.png";
const DOCUMENT: &str = "AQIDBA==";
const SCHEMA: &str = r#"{"additionalProperties":false,"type":"object"}"#;

#[derive(Clone, Debug)]
struct Called {
    arguments: String,
    result: String,
    failed: bool,
    shows: bool,
}

#[derive(Clone, Debug)]
struct Turn {
    thought: Option<String>,
    said: Option<String>,
    calls: Vec<Called>,
}

#[derive(Clone, Debug)]
struct Exchange {
    asked: String,
    /// A picture by its bytes, one by its address, a document.
    shown: (bool, bool, bool),
    turns: Vec<Turn>,
    answer: Option<String>,
}

#[derive(Clone, Debug)]
struct Talk {
    system: Option<String>,
    exchanges: Vec<Exchange>,
    temperature: Option<f32>,
    max_output: u64,
    tools: bool,
    options: AnswerOptions,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just("look".to_owned()), "[a-zé\"\\\\\n{}\u{1F6A2} ]{0,12}x"]
}

fn called() -> impl Strategy<Value = Called> {
    (text(), text(), any::<bool>(), prop::bool::weighted(0.1)).prop_map(
        |(argument, result, failed, shows)| Called {
            arguments: json!({ "at": argument }).to_string(),
            result,
            failed,
            shows,
        },
    )
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let maybe = || prop::option::of(text());
    let turn = (maybe(), maybe(), prop::collection::vec(called(), 1..4))
        .prop_map(|(thought, said, calls)| Turn { thought, said, calls });
    let shown = || prop::bool::weighted(0.2);
    let turns = prop::collection::vec(turn, 0..4);
    (text(), (shown(), shown(), shown()), turns, text()).prop_map(
        |(asked, shown, turns, answer)| Exchange { asked, shown, turns, answer: Some(answer) },
    )
}

fn options() -> impl Strategy<Value = AnswerOptions> {
    let choice = prop_oneof![
        Just(ToolChoice::Auto),
        Just(ToolChoice::None),
        Just(ToolChoice::Required),
        Just(ToolChoice::Named("f".to_owned())),
    ];
    let schema = AnswerSchema {
        name: Some("answer".to_owned()),
        description: None,
        strict: Some(true),
        schema: SCHEMA.to_owned(),
    };
    let format = prop::option::of(Just(AnswerFormat::JsonSchema(schema)));
    let effort = prop::option::of(prop::sample::select(Effort::ALL.to_vec()));
    let number = || prop::option::of((0..20u8).prop_map(|tenths| f32::from(tenths) / 10.0));
    let numbers = (number(), number(), number(), prop::option::of(0..9i64));
    let stop = prop::collection::vec(text(), 0..3);
    let calls = prop::option::of(any::<bool>());
    (choice, format, effort, numbers, stop, calls).prop_map(
        |(tool_choice, format, effort, (top_p, frequency, presence, seed), stop, calls)| {
            AnswerOptions {
                top_p,
                top_k: seed.map(i64::unsigned_abs),
                stop,
                tool_choice,
                parallel_tool_calls: calls,
                format,
                effort,
                seed,
                frequency_penalty: frequency,
                presence_penalty: presence,
            }
        },
    )
}

fn talk() -> impl Strategy<Value = Talk> {
    let exchanges = prop::collection::vec(exchange(), 1..4);
    let asked = (prop::option::of(Just(0.7f32)), 1..9000u64, any::<bool>(), options());
    (prop::option::of(text()), exchanges, asked).prop_map(|(system, mut exchanges, asked)| {
        let (temperature, max_output, tools, mut options) = asked;
        // The newest answer is still to come.
        exchanges.last_mut().unwrap().answer = None;
        if !tools {
            options.tool_choice = ToolChoice::Auto;
            options.parallel_tool_calls = None;
        }
        Talk { system, exchanges, temperature, max_output, tools, options }
    })
}

fn said(role: Role, parts: Vec<Part>) -> Message {
    Message { role, parts, pair: None }
}

impl Talk {
    /// What every protocol has words for, and those of one protocol.
    fn expected(&self, protocol: Protocol) -> Request {
        let mut messages: Vec<Message> = Vec::new();
        messages.extend(self.system.as_ref().map(|text| Message::new(Role::System, text)));
        let mut ids = 0;
        for exchange in &self.exchanges {
            let mut asked = Message::new(Role::User, &exchange.asked);
            let (inside, elsewhere, document) = exchange.shown;
            asked.parts.extend(inside.then(|| picture(PICTURE, "").unwrap()));
            asked.parts.extend(elsewhere.then(|| picture(ADDRESS, "").unwrap()));
            asked.parts.extend(document.then(|| bytes("application/pdf", DOCUMENT, "").unwrap()));
            messages.push(asked);
            for turn in &exchange.turns {
                let mut parts = Vec::new();
                parts.extend(turn.thought.clone().map(Part::Reasoning));
                parts.extend(turn.said.clone().map(Part::Text));
                let mut results = Vec::new();
                for called in &turn.calls {
                    let id = format!("call_{ids}");
                    ids += 1;
                    parts.push(call(&id, "f", called.arguments.clone()));
                    let text = called.result.clone();
                    let shows = called.shows && protocol != Protocol::Chat;
                    let parts = match shows {
                        true => {
                            vec![Part::Text(text.clone()), picture(PICTURE, "").unwrap()]
                        }
                        false => Vec::new(),
                    };
                    let failed = called.failed && protocol == Protocol::Messages;
                    let name = "f".to_owned();
                    results.push(Part::ToolResult(ToolResult {
                        call: id,
                        name,
                        text,
                        failed,
                        parts,
                    }));
                }
                messages.push(said(Role::Assistant, parts));
                messages.push(said(Role::Tool, results));
            }
            let answer = exchange.answer.as_ref();
            messages.extend(answer.map(|text| Message::new(Role::Assistant, text)));
        }
        let mut options = self.options.clone();
        match protocol {
            Protocol::Chat => {}
            Protocol::Responses => options.stop.clear(),
            Protocol::Messages => {
                (options.seed, options.frequency_penalty, options.presence_penalty) =
                    (None, None, None);
                if let Some(AnswerFormat::JsonSchema(schema)) = &mut options.format {
                    schema.name = None;
                }
            }
        }
        let tool = ToolDefinition {
            name: "f".to_owned(),
            description: "Does it.".to_owned(),
            parameters: SCHEMA.to_owned(),
            strict: Some(true),
        };
        Request {
            temperature: self.temperature,
            max_output: Some(self.max_output),
            tools: self.tools.then_some(tool).into_iter().collect(),
            options,
            ..Request::new("m", messages)
        }
    }

    fn told(&self, protocol: Protocol) -> String {
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

/// What a chat has no words for.
fn as_chat_says(mut request: Request) -> Request {
    let results = request.messages.iter_mut().flat_map(|message| &mut message.parts);
    for part in results {
        if let Part::ToolResult(result) = part {
            (result.failed, result.parts) = (false, Vec::new());
        }
    }
    let options = &mut request.options;
    options.top_k = None;
    options.effort = options.effort.filter(|effort| *effort != Effort::Max);
    if let Some(AnswerFormat::JsonSchema(schema)) = &mut options.format {
        schema.name.get_or_insert("answer".to_owned());
    }
    request
}

/// What Anthropic's messages have no words for.
fn as_messages_say(request: &Request) -> Request {
    let mut request = request.without_reasoning();
    let options = &mut request.options;
    (options.seed, options.frequency_penalty, options.presence_penalty) = (None, None, None);
    options.effort = options.effort.filter(|effort| *effort >= Effort::Low);
    // Several at once is what happens where nothing is said; and a choice of none says nothing.
    let single =
        options.parallel_tool_calls == Some(false) && options.tool_choice != ToolChoice::None;
    options.parallel_tool_calls = single.then_some(false);
    if let Some(AnswerFormat::JsonSchema(schema)) = &mut options.format {
        schema.name = None;
    }
    request
}

fn back(protocol: Protocol, text: &str) -> Request {
    let client = read(protocol, text).unwrap();
    assert_eq!(check(&client), Ok(()), "{text}");
    let translated = translate(&client, &BTreeSet::new(), "m", false);
    translated.unwrap_or_else(|refusal| panic!("{refusal}: {text}")).request
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn gwy_4_what_both_sides_can_say_is_never_lost(talk in talk()) {
        let openai = OpenAiStyle::new(Endpoint::new("o", "http://localhost:1").unwrap()).unwrap();
        let anthropic = Anthropic::new(Endpoint::new("a", "http://localhost:1").unwrap()).unwrap();
        for protocol in [Protocol::Chat, Protocol::Responses, Protocol::Messages] {
            let request = back(protocol, &talk.told(protocol));
            prop_assert_eq!(&request, &talk.expected(protocol), "{:?}", protocol);
            let chat = openai.encode(&request).into_body();
            prop_assert_eq!(back(Protocol::Chat, &chat), as_chat_says(request.clone()), "{}", chat);
            let messages = anthropic.encode(&request).into_body();
            let again = back(Protocol::Messages, &messages);
            prop_assert_eq!(again, as_messages_say(&request), "{}", messages);
        }
    }
}
