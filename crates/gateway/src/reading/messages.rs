//! `/v1/messages`: two roles, and blocks that say what they are.

use super::{ClientRequest, Content, Item, Kind, Picture, limit, listed, object};
use crate::{
    json::{Json, Members},
    refusal::Refusal,
};

pub(super) fn read<'a>(
    members: &Members<'a>,
    request: &mut ClientRequest<'a>,
) -> Result<(), Refusal> {
    request.max_output = limit(members, "max_tokens")?;
    if let Some(system) = members.given("system") {
        let mut said = Item::new(0..0, Kind::Instructions);
        blocks(system, &mut said, Depth::Message);
        request.instructions = said.content;
    }
    for (at, json) in listed(members, "messages")?.into_iter().enumerate() {
        let message = object(json, "messages", at)?;
        let role = message.string("role").unwrap_or_default();
        let kind = match role.as_ref() {
            "user" => Kind::User,
            "assistant" => Kind::Assistant,
            "system" => Kind::Instructions,
            "" => return Err(Refusal::of(format!("messages[{at}].role"), "the role is missing")),
            other => {
                let words = format!("'{other}' is no role of a message");
                return Err(Refusal::of(format!("messages[{at}].role"), words));
            }
        };
        let mut item = Item::new(json.place(request.text), kind);
        if let Some(content) = message.given("content") {
            blocks(content, &mut item, Depth::Message);
        }
        // A message of the user with a result in it goes on with what the model began.
        if kind == Kind::User && !item.results.is_empty() {
            item.kind = Kind::Result;
            item.says = says_more(message.given("content"));
        }
        request.items.push(item);
    }
    Ok(())
}

/// Whether something besides results of tools stands in it.
fn says_more(content: Option<Json<'_>>) -> bool {
    let blocks = content.and_then(Json::elements).unwrap_or_default();
    let kinds = blocks.into_iter().filter_map(|block| block.members()?.string("type"));
    kinds.into_iter().any(|kind| !kind.ends_with("tool_result"))
}

/// How deep a block stands. Results hold blocks, and those hold none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Message,
    Result,
}

fn blocks<'a>(content: Json<'a>, item: &mut Item<'a>, depth: Depth) {
    if content.is_string() {
        return item.text(content.string());
    }
    for block in content.elements().unwrap_or_default() {
        let members = block.members().unwrap_or_default();
        let kind = members.string("type").unwrap_or_default();
        match kind.as_ref() {
            "text" => item.text(members.string("text")),
            "image" => picture(&members, block, item),
            "thinking" => {
                item.thinking = true;
                item.text(members.string("thinking"));
            }
            "redacted_thinking" => {
                item.thinking = true;
                item.text(members.string("data"));
            }
            kind if kind.ends_with("tool_result") && depth == Depth::Message => {
                item.results.extend(members.string("tool_use_id"));
                if let Some(content) = members.given("content") {
                    blocks(content, item, Depth::Result);
                }
            }
            kind if kind.ends_with("tool_use") => {
                item.calls.extend(members.string("id"));
                item.text(members.string("name"));
                item.content.extend(members.get("input").map(|input| Content::Json(input.text())));
            }
            _ => item.content.push(Content::Json(block.text())),
        }
    }
}

fn picture<'a>(members: &Members<'a>, block: Json<'a>, item: &mut Item<'a>) {
    let source = members.get("source").and_then(Json::members).unwrap_or_default();
    let elsewhere = || source.string("url").or_else(|| source.string("file_id"));
    let picture = source.string("data").map(Picture::Base64);
    let picture = picture.or_else(|| elsewhere().map(Picture::Elsewhere));
    item.content.push(picture.map_or(Content::Json(block.text()), Content::Picture));
}

#[cfg(test)]
mod tests {
    use super::super::*;

    #[test]
    fn messages_are_read_whole() {
        let text = r#"{"model":"m","max_tokens":64,"system":[{"type":"text","text":"be brief"}],
          "messages":[{"role":"user","content":[{"type":"text","text":"look"},
              {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},
            {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},
              {"type":"tool_use","id":"t1","name":"look","input":{"at": 1}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[
              {"type":"text","text":"found"}]},{"type":"text","text":"and now?"}]},
            {"role":"assistant","content":"done"}]}"#;
        let request = read(Protocol::Messages, text).unwrap();
        assert_eq!(request.instructions, [Content::Text("be brief".into())]);
        let kinds: Vec<Kind> = request.items.iter().map(|item| item.kind).collect();
        assert_eq!(kinds, [Kind::User, Kind::Assistant, Kind::Result, Kind::Assistant]);
        let [user, call, result, _] = &request.items[..] else { panic!() };
        assert_eq!(user.content[1], Content::Picture(Picture::Base64("AAAA".into())));
        assert!(call.thinking && call.calls == ["t1"]);
        assert_eq!(call.content[2], Content::Json(r#"{"at": 1}"#));
        assert!(result.results == ["t1"] && result.says && user.says && !call.says);
        let texts = [Content::Text("found".into()), Content::Text("and now?".into())];
        assert_eq!(result.content, texts);
    }
}
