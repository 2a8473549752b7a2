//! `/v1/chat/completions`: messages with roles, calls beside the content, results by role.

use std::borrow::Cow;

use super::{ClientRequest, Content, Item, Kind, limit, listed, object};
use crate::{
    json::{Json, Members},
    refusal::Refusal,
};

pub(super) fn read<'a>(
    members: &Members<'a>,
    request: &mut ClientRequest<'a>,
) -> Result<(), Refusal> {
    request.stream_options = members.get("stream_options");
    let newer = limit(members, "max_completion_tokens")?;
    request.max_output = newer.or(limit(members, "max_tokens")?);
    // The older way to offer tools.
    for function in members.given("functions").and_then(Json::elements).unwrap_or_default() {
        request.tools.push(super::tool(function));
    }
    for (at, json) in listed(members, "messages")?.into_iter().enumerate() {
        let message = object(json, "messages", at)?;
        let place = json.place(request.text);
        request.items.push(item(&message, Item::new(place, Kind::User), at)?);
    }
    Ok(())
}

fn item<'a>(message: &Members<'a>, mut item: Item<'a>, at: usize) -> Result<Item<'a>, Refusal> {
    let role = message.string("role").unwrap_or_default();
    item.kind = match role.as_ref() {
        "system" | "developer" => Kind::Instructions,
        "user" => Kind::User,
        "assistant" => Kind::Assistant,
        "tool" | "function" => Kind::Result,
        "" => return Err(Refusal::of(format!("messages[{at}].role"), "the role is missing")),
        other => {
            let words = format!("'{other}' is no role of a chat message");
            return Err(Refusal::of(format!("messages[{at}].role"), words));
        }
    };
    item.says = item.kind == Kind::User;
    if item.kind == Kind::Result {
        // A result of the older way is known by the name of its function.
        let id = message.string("tool_call_id").or_else(|| message.string("name"));
        item.results.extend(id);
    }
    if let Some(content) = message.given("content") {
        parts(content, &mut item);
    }
    for name in ["refusal", "reasoning_content", "reasoning"] {
        item.text(message.string(name));
    }
    for call in message.given("tool_calls").and_then(Json::elements).unwrap_or_default() {
        let call = call.members().unwrap_or_default();
        let id = call.string("id").unwrap_or_default();
        item.calls.push(id);
        let inner = call.get("function").or_else(|| call.get("custom")).and_then(Json::members);
        written(&inner.unwrap_or_default(), &mut item);
    }
    if let Some(call) = message.given("function_call").and_then(Json::members) {
        item.calls.extend(call.string("name"));
        written(&call, &mut item);
    }
    Ok(item)
}

/// What a model wrote to call a tool.
fn written<'a>(call: &Members<'a>, item: &mut Item<'a>) {
    item.text(call.string("name"));
    item.text(call.string("arguments").or_else(|| call.string("input")));
}

fn parts<'a>(content: Json<'a>, item: &mut Item<'a>) {
    if content.is_string() {
        return item.text(content.string());
    }
    for part in content.elements().unwrap_or_default() {
        let members = part.members().unwrap_or_default();
        let picture = members.get("image_url").and_then(Json::members);
        let address: Option<Cow<'a, str>> = picture.and_then(|picture| picture.string("url"));
        match (members.string("type").as_deref(), address) {
            (Some("text"), _) => item.text(members.string("text")),
            (Some("refusal"), _) => item.text(members.string("refusal")),
            (_, Some(address)) => item.picture(address),
            _ => item.content.push(Content::Json(part.text())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    #[test]
    fn a_chat_is_read_whole() {
        let text = r#"{"model":"m","max_tokens":5,"stream":true,"tools":[
            {"type":"function","function":{"name":"look","parameters":{}}},{"type":"web_search"}],
          "messages":[{"role":"developer","content":"be brief"},
            {"role":"user","content":[{"type":"text","text":"a\nb"},
              {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},
              {"type":"input_audio","input_audio":{"data":"x"}}]},
            {"role":"assistant","content":null,"tool_calls":[
              {"id":"c1","type":"function","function":{"name":"look","arguments":"{\"at\":1}"}},
              {"id":"c2","type":"function","function":{"name":"look","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"c1","content":"found"},
            {"role":"tool","tool_call_id":"c2","content":"lost"}]}"#;
        let request = read(Protocol::Chat, text).unwrap();
        assert_eq!((request.max_output, request.stream), (Some(5), true));
        let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(tools, ["look", "web_search"]);
        let kinds: Vec<Kind> = request.items.iter().map(|item| item.kind).collect();
        let all = [Kind::Instructions, Kind::User, Kind::Assistant, Kind::Result, Kind::Result];
        assert_eq!(kinds, all);
        let user = &request.items[1];
        assert_eq!(user.content[0], Content::Text("a\nb".into()));
        assert_eq!(user.content[1], Content::Picture(Picture::Base64("AAAA".into())));
        assert!(matches!(user.content[2], Content::Json(json) if json.contains("input_audio")));
        assert_eq!(request.items[2].calls, ["c1", "c2"]);
        assert_eq!(request.items[2].content[1], Content::Text(r#"{"at":1}"#.into()));
        assert_eq!(request.items[4].results, ["c2"]);
        assert!(text[request.items[3].at.clone()].ends_with(r#""content":"found"}"#));
    }
}
