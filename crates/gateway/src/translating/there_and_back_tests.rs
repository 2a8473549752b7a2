//! Random conversations of agents: whichever protocol tells one, the same request comes of it; and
//! what is written for a provider reads as that request again (GWY-4).

#[path = "told_tests.rs"]
mod told;

use std::collections::BTreeSet;

use plimsoll_provider::{Anthropic, Endpoint, OpenAiStyle, Provider};
use plimsoll_send::{
    AnswerFormat, AnswerOptions, AnswerSchema, Effort, Message, Part, Request, Role, ToolChoice,
    ToolDefinition, ToolResult,
};
use proptest::prelude::*;
use serde_json::json;

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
