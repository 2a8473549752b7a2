//! From the items of Responses, which are put together to messages: a call belongs to what the
//! model said before it, and both to what it thought.

use plimsoll_send::{Message, Part, Role};

use super::{
    Draft, Element,
    conversation::{add_reasoning, add_text, call, empty, freeform},
    elements,
    fields::{data_url, picture, text},
    losses::{Losses, Table, within},
};
use crate::{
    json::{Json, Members},
    refusal::Refusal,
};

/// What every item may have. Ids and states mean something to the one who gave them alone.
const ITEM: Table = Table {
    known: &["type", "id", "status"],
    hints: &["phase", "end_turn", "namespace", "internal_chat_message_metadata_passthrough"],
    hint_values: &[],
    nothing: &[],
};

pub(super) fn item(
    Element { kind, at, members: item }: &Element<'_>,
    Draft { conversation, losses, .. }: &mut Draft,
) -> Result<(), Refusal> {
    let with = |known| Table { known, ..ITEM };
    let call_id = || item.string("call_id").or_else(|| item.string("id")).unwrap_or_default();
    match kind.as_str() {
        "message" => {
            losses.rest(item, at, &with(&["type", "id", "status", "role", "content"]))?;
            let role = match item.string("role").as_deref() {
                Some("system" | "developer") => Role::System,
                Some("assistant") => Role::Assistant,
                _ => Role::User,
            };
            let mut message = empty(role);
            if let Some(content) = item.given("content") {
                contents(content, &within(at, "content"), &mut message, losses)?;
            }
            if role == Role::Assistant {
                let turn = conversation.turn(Message::only_reasons);
                turn.parts.append(&mut message.parts);
            } else {
                conversation.push(message);
            }
        }
        "reasoning" => {
            let known = &["type", "id", "status", "summary", "content", "encrypted_content"];
            losses.rest(item, at, &with(known))?;
            let thought = thought(item, at)?;
            if item.given("encrypted_content").is_some() {
                let param = within(at, "encrypted_content");
                if thought.is_empty() {
                    losses.lose(&param, "can be read by its maker alone")?;
                }
                losses.hint(&param);
            }
            if !thought.is_empty() {
                add_reasoning(conversation.turn(Message::only_reasons), &thought);
            }
        }
        "function_call" | "custom_tool_call" | "local_shell_call" => {
            let known =
                &["type", "id", "status", "call_id", "name", "arguments", "input", "action"];
            losses.rest(item, at, &with(known))?;
            let arguments = match kind.as_str() {
                "function_call" => text(item, "arguments"),
                "custom_tool_call" => freeform(&text(item, "input")),
                _ => text(item, "action"),
            };
            let name = item.string("name").unwrap_or_else(|| "local_shell".into());
            let turn = conversation.turn(|_| true);
            turn.parts.push(call(&call_id(), &name, arguments));
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            losses.rest(item, at, &with(&["type", "id", "status", "call_id", "name", "output"]))?;
            let mut given = empty(Role::Tool);
            if let Some(output) = item.given("output") {
                contents(output, &within(at, "output"), &mut given, losses)?;
            }
            conversation.result(at, &call_id(), given, false)?;
        }
        // The note that its provider searched, without what was found; and an offer.
        "web_search_call" | "additional_tools" => losses.hint(&within("input", kind)),
        _ => losses.lose(at, &format!("is '{kind}', which others have no words for"))?,
    }
    Ok(())
}

/// What a model thought, as far as it can be read: all of it, else the summary.
fn thought(item: &Members<'_>, at: &str) -> Result<String, Refusal> {
    let mut all = empty(Role::System);
    for name in ["content", "summary"] {
        let Some(texts) = item.given(name).filter(|_| all.parts.is_empty()) else { continue };
        for text in elements(texts, &within(at, name))? {
            add_text(&mut all, &text.members.string("text").unwrap_or_default());
        }
    }
    Ok(all.text())
}

pub(super) fn contents(
    content: Json<'_>,
    at: &str,
    message: &mut Message,
    losses: &mut Losses,
) -> Result<(), Refusal> {
    if let Some(text) = content.string() {
        add_text(message, &text);
        return Ok(());
    }
    for Element { kind, at, members: part } in elements(content, at)? {
        match kind.as_str() {
            "input_text" | "output_text" | "text" | "refusal" => {
                let table = Table {
                    known: &["type", "text", "refusal"],
                    hints: &["annotations", "logprobs"],
                    nothing: &[("annotations", "[]"), ("logprobs", "[]")],
                    ..Table::default()
                };
                losses.rest(&part, &at, &table)?;
                let name = if kind == "refusal" { "refusal" } else { "text" };
                add_text(message, &part.string(name).unwrap_or_default());
            }
            "input_image" | "input_file" => {
                message.parts.extend(file(&kind, &part, &at, losses)?);
            }
            _ => losses.lose(&at, &format!("is '{kind}', which not every provider takes"))?,
        }
    }
    Ok(())
}

fn file(
    kind: &str,
    part: &Members<'_>,
    at: &str,
    losses: &mut Losses,
) -> Result<Option<Part>, Refusal> {
    let table = Table {
        known: &["type", "image_url", "file_data"],
        hints: &["detail", "filename"],
        nothing: &[("detail", "\"auto\"")],
        ..Table::default()
    };
    // The id or the address of a file is refused here, as what nobody else can read.
    losses.rest(part, at, &table)?;
    let name = if kind == "input_image" { "image_url" } else { "file_data" };
    let Some(address) = part.string(name) else {
        return losses.lose(at, "names a file that only its keeper has").map(|()| None);
    };
    let param = within(at, name);
    let read = if kind == "input_image" { picture } else { data_url };
    read(&address, &param).map(Some)
}
