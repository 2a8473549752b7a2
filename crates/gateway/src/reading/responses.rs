//! `/v1/responses`: a list of items, of which calls, results and thoughts are items of their own.

use super::{ClientRequest, Content, Item, Kind, limit, object};
use crate::{
    json::{Json, Members},
    refusal::Refusal,
};

/// Members by which earlier turns are the provider's (GWY-1).
const STATEFUL: [&str; 3] = ["previous_response_id", "conversation", "background"];

pub(super) fn read<'a>(
    members: &Members<'a>,
    request: &mut ClientRequest<'a>,
) -> Result<(), Refusal> {
    request.max_output = limit(members, "max_output_tokens")?;
    for name in STATEFUL {
        let given = members.given(name).filter(|value| value.text() != "false");
        request.stateful.extend(given.map(|_| name));
    }
    let instructions = members.given("instructions").and_then(Json::string);
    request.instructions.extend(instructions.map(Content::Text));
    let Some(input) = members.given("input") else { return Ok(()) };
    if input.is_string() {
        let mut item = Item::new(input.place(request.text), Kind::User);
        item.text(input.string());
        request.items.push(item);
        return Ok(());
    }
    let items = input.elements();
    let items = items.ok_or_else(|| Refusal::of("input", "'input' must be a text or a list"))?;
    for (at, json) in items.into_iter().enumerate() {
        let members = object(json, "input", at)?;
        let item = item(&members, json, json.place(request.text));
        if members.string("type").as_deref() == Some("item_reference") {
            request.stateful.push("item_reference");
        }
        request.items.push(item);
    }
    Ok(())
}

fn item<'a>(members: &Members<'a>, json: Json<'a>, at: std::ops::Range<usize>) -> Item<'a> {
    let mut item = Item::new(at, Kind::Assistant);
    let kind = members.string("type").unwrap_or_else(|| "message".into());
    let call = || members.string("call_id").or_else(|| members.string("id"));
    match kind.as_ref() {
        "message" => {
            item.kind = match members.string("role").as_deref() {
                Some("system" | "developer") => Kind::Instructions,
                Some("assistant") => Kind::Assistant,
                _ => Kind::User,
            };
            item.says = item.kind == Kind::User;
            parts(members.given("content"), &mut item);
        }
        "reasoning" => {
            item.kind = Kind::Reasoning;
            item.thinking = true;
            parts(members.given("summary"), &mut item);
            parts(members.given("content"), &mut item);
            item.text(members.string("encrypted_content"));
        }
        kind if kind.ends_with("_output") => {
            item.kind = Kind::Result;
            item.results.extend(call());
            parts(members.given("output"), &mut item);
        }
        // A call that the client answers; one that the provider carries out has no `call_id`.
        kind if kind.ends_with("_call") && members.given("call_id").is_some() => {
            item.calls.extend(call());
            item.text(members.string("name"));
            item.text(members.string("arguments").or_else(|| members.string("input")));
            let action = members.given("action").map(|action| Content::Json(action.text()));
            item.content.extend(action);
        }
        _ => item.content.push(Content::Json(json.text())),
    }
    item
}

fn parts<'a>(content: Option<Json<'a>>, item: &mut Item<'a>) {
    let Some(content) = content else { return };
    if content.is_string() {
        return item.text(content.string());
    }
    let Some(parts) = content.elements() else {
        return item.content.push(Content::Json(content.text()));
    };
    for part in parts {
        let members = part.members().unwrap_or_default();
        let picture = members.string("image_url").or_else(|| members.string("file_id"));
        match (members.string("type").as_deref(), picture) {
            (Some("refusal"), _) => item.text(members.string("refusal")),
            (Some("input_image"), Some(address)) => item.picture(address),
            (Some(kind), _) if kind.ends_with("text") => item.text(members.string("text")),
            _ => item.content.push(Content::Json(part.text())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    #[test]
    fn responses_are_read_whole() {
        let text = r#"{"model":"m","instructions":"be brief","store":false,"input":[
            {"role":"user","content":"look"},
            {"type":"message","role":"user","content":[{"type":"input_text","text":"there"},
              {"type":"input_image","image_url":"https://a.b/c.png"}]},
            {"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"xyz"},
            {"type":"function_call","call_id":"c1","name":"look","arguments":"{}"},
            {"type":"function_call_output","call_id":"c1","output":"found"},
            {"type":"web_search_call","id":"ws","status":"completed"},
            {"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]}"#;
        let request = read(Protocol::Responses, text).unwrap();
        assert_eq!(request.instructions, [Content::Text("be brief".into())]);
        assert!(request.stateful.is_empty());
        let kinds: Vec<Kind> = request.items.iter().map(|item| item.kind).collect();
        use Kind::{Assistant, Reasoning, Result, User};
        assert_eq!(kinds, [User, User, Reasoning, Assistant, Result, Assistant, Assistant]);
        let elsewhere = Content::Picture(Picture::Elsewhere("https://a.b/c.png".into()));
        assert_eq!(request.items[1].content[1], elsewhere);
        assert_eq!(request.items[2].content.len(), 2);
        assert_eq!(
            (&request.items[3].calls[..], &request.items[4].results[..]),
            (&["c1".into()][..], &["c1".into()][..])
        );
        assert!(request.items[5].calls.is_empty(), "the provider carries it out itself");
        let one = read(Protocol::Responses, r#"{"model":"m","input":"hi","conversation":"c"}"#);
        let one = one.unwrap();
        assert_eq!((one.items.len(), &one.stateful[..]), (1, &["conversation"][..]));
    }
}
