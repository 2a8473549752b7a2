//! What clients of the gateway may ask for, on each wire, and what no wire has words for (GWY-4).

use plimsoll_send::{
    AnswerFormat, AnswerOptions, AnswerSchema, Effort, FilePart, Message, Part, Request, Role,
    ToolCall, ToolChoice, ToolDefinition, ToolResult,
};

use super::{anthropic, gemini, openai, unsayable};
use crate::{
    Anthropic, Endpoint, OpenAiStyle, Provider, Unsayable,
    encoded::{Marks, encode},
};

type Write = for<'a> fn(&'a Request, &Marks<'a>) -> String;

fn picture() -> Part {
    Part::File(FilePart {
        file: None,
        mime: "image/png".to_owned(),
        bytes: [1u8, 2, 3].into(),
        path: "".into(),
        remote: None,
    })
}

fn said(role: Role, parts: Vec<Part>) -> Message {
    Message { role, parts, pair: None }
}

/// Everything that can be asked for, with a round of tools whose result has a picture.
fn asked() -> Request {
    let call = ToolCall {
        id: "c1".to_owned(),
        name: "look".to_owned(),
        arguments: r#"{"at":1}"#.to_owned(),
        signature: None,
    };
    let result = ToolResult {
        call: "c1".to_owned(),
        name: "look".to_owned(),
        text: "seen".to_owned(),
        failed: false,
        parts: vec![Part::Text("seen".to_owned()), picture()],
    };
    let messages = vec![
        said(
            Role::User,
            vec![Part::Text("look".to_owned()), Part::PictureAt("https://a.b/c.png".to_owned())],
        ),
        said(
            Role::Assistant,
            vec![
                Part::Reasoning("hm".to_owned()),
                Part::Text("well".to_owned()),
                Part::ToolCall(call),
            ],
        ),
        said(Role::Tool, vec![Part::ToolResult(result)]),
        said(Role::Assistant, vec![Part::Reasoning("only a thought".to_owned())]),
    ];
    Request {
        tools: vec![ToolDefinition {
            name: "look".to_owned(),
            description: "Looks.".to_owned(),
            parameters: r#"{"type":"object"}"#.to_owned(),
            strict: Some(true),
        }],
        options: AnswerOptions {
            top_p: Some(0.9),
            top_k: Some(40),
            stop: vec!["END".to_owned()],
            tool_choice: ToolChoice::Named("look".to_owned()),
            parallel_tool_calls: Some(false),
            format: Some(AnswerFormat::JsonSchema(AnswerSchema {
                name: Some("seen".to_owned()),
                description: None,
                strict: Some(true),
                schema: r#"{"type":"object","additionalProperties":false}"#.to_owned(),
            })),
            effort: Some(Effort::High),
            seed: Some(7),
            frequency_penalty: Some(0.1),
            presence_penalty: Some(-0.2),
        },
        ..Request::new("m", messages)
    }
}

#[test]
fn gwy_4_what_is_asked_for_on_each_wire() {
    let wires: [(&str, Write); 3] =
        [("openai", openai::body), ("anthropic", anthropic::body), ("gemini", gemini::body)];
    for (name, write) in wires {
        let body = encode(&asked(), write).into_body();
        let value: serde_json::Value = serde_json::from_str(&body).unwrap();
        insta::assert_json_snapshot!(format!("options_{name}"), value);
    }
}

#[test]
fn gwy_4_the_choice_of_tools_is_not_written_where_none_is_offered() {
    let request = Request { tools: Vec::new(), ..asked() };
    for write in [openai::body as Write, anthropic::body, gemini::body] {
        let body = encode(&request, write).into_body();
        for member in ["tool_choice", "parallel", "toolConfig"] {
            assert!(!body.contains(member), "{body}");
        }
    }
}

fn names(all: &[Unsayable], hints: bool) -> Vec<&'static str> {
    all.iter().filter(|one| one.is_hint == hints).map(|one| one.name).collect()
}

#[test]
fn gwy_4_what_a_protocol_cannot_say_is_named() {
    let request = asked();
    let openai = unsayable::openai(&request, true);
    assert_eq!(names(&openai, false), ["top_k", "images in tool results"]);
    assert_eq!(names(&openai, true), [""; 0]);
    let anthropic = unsayable::anthropic(&request);
    assert_eq!(names(&anthropic, false), ["seed", "frequency_penalty", "presence_penalty"]);
    assert_eq!(names(&anthropic, true), ["reasoning"]);
    let gemini = unsayable::gemini(&request);
    assert_eq!(names(&gemini, false), ["parallel_tool_calls", "image_url"]);
    assert_eq!(names(&gemini, true), ["reasoning_effort", "strict", "reasoning"]);
    let words = Unsayable::of_words(&request);
    let musts = ["tools", "tool_choice", "image_url", "files", "top_p", "top_k", "stop"];
    assert_eq!(names(&words, false)[..7], musts);
    // What the workbench sends can be said to everybody.
    let plain = Request::new("m", vec![Message::new(Role::User, "hi")]);
    for all in [
        unsayable::openai(&plain, false),
        unsayable::anthropic(&plain),
        unsayable::gemini(&plain),
        unsayable::prompt(&plain),
        Unsayable::of_words(&plain),
    ] {
        assert_eq!(all, []);
    }
}

#[test]
fn gwy_4_what_is_changed_on_the_way_is_named() {
    let named = |change: fn(&mut Request)| {
        let mut request = Request::new("m", vec![Message::new(Role::User, "hi")]);
        change(&mut request);
        let all = [unsayable::openai(&request, true), unsayable::anthropic(&request)];
        all.map(|all| all.iter().map(|one| one.name).collect::<Vec<_>>())
    };
    let late = named(|request| request.messages.push(Message::new(Role::System, "late")));
    assert_eq!(late, [vec![], vec!["the place of later system messages"]]);
    let object = named(|request| request.options.format = Some(AnswerFormat::JsonObject));
    assert_eq!(object, [vec![], vec!["response_format"]]);
    let most = named(|request| request.options.effort = Some(Effort::Max));
    assert_eq!(most, [vec!["reasoning_effort"], vec![]]);
    let none = named(|request| request.options.effort = Some(Effort::None));
    assert_eq!(none, [vec![], vec!["reasoning_effort"]]);
    let broken = named(|request| {
        let (id, name, arguments) = ("c".to_owned(), "f".to_owned(), "{\"half".to_owned());
        let call = Part::ToolCall(ToolCall { id, name, arguments, signature: None });
        request.messages.push(said(Role::Assistant, vec![call]));
    });
    assert_eq!(broken, [vec![], vec!["arguments that are no JSON object"]]);
}

#[test]
fn gwy_4_thoughts_go_only_to_those_who_take_them() {
    let at = |url| OpenAiStyle::new(Endpoint::new("x", url).unwrap()).unwrap();
    let request = asked();
    for (url, takes) in [
        ("http://localhost:8080/v1", true),
        ("https://api.deepseek.com/v1", true),
        ("https://api.openai.com/v1", false),
        ("https://api.groq.com/openai/v1", false),
    ] {
        let body = at(url).encode(&request).into_body();
        assert_eq!(body.contains("reasoning_content"), takes, "{url}: {body}");
        let named = at(url).unsayable(&request).iter().any(|one| one.name == "reasoning");
        assert_eq!(named, !takes, "{url}");
    }
    let anthropic = Anthropic::new(Endpoint::new("a", Anthropic::BASE_URL).unwrap()).unwrap();
    assert!(!anthropic.encode(&request).into_body().contains("thought"));
}
