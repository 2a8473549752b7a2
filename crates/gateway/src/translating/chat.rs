//! From chat completions.

use plimsoll_send::{Message, Part, Role, ToolChoice};

use super::{
    Draft, Element, Items,
    conversation::{add_reasoning, add_text, call, empty, freeform},
    elements,
    fields::{
        choose, data_url, definition, effort, flag, format, number, object, picture, stop, text,
        whole,
    },
    losses::{Losses, Table, within},
};
use crate::{
    json::{Json, Members},
    refusal::Refusal,
};

const REQUEST: Table = Table {
    known: &[
        "model",
        "messages",
        "stream",
        "stream_options",
        "temperature",
        "top_p",
        "top_k",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "response_format",
        "reasoning_effort",
        "seed",
        "frequency_penalty",
        "presence_penalty",
    ],
    hints: &[
        "metadata",
        "user",
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
        "verbosity",
        "client_metadata",
    ],
    hint_values: &[
        ("store", "false"),
        ("service_tier", "\"auto\""),
        ("service_tier", "\"default\""),
    ],
    nothing: &[
        ("n", "1"),
        ("logprobs", "false"),
        ("top_logprobs", "0"),
        ("logit_bias", "{}"),
        ("modalities", "[\"text\"]"),
        ("functions", "[]"),
    ],
};

const MESSAGE: Table = Table {
    known: &["role", "content"],
    hints: &["cache_control"],
    hint_values: &[],
    nothing: &[("annotations", "[]"), ("tool_calls", "[]")],
};

pub(super) fn translate(
    members: &Members<'_>,
    items: &Items<'_, '_>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let Draft { request, losses, .. } = draft;
    losses.rest(members, "", &REQUEST)?;
    if let Some(options) = object(members, "", "stream_options")? {
        let (known, hints) = (&["include_usage"], &["include_obfuscation"]);
        losses.rest(&options, "stream_options", &Table { known, hints, ..Table::default() })?;
    }
    request.temperature = number(members, "temperature")?;
    let options = &mut request.options;
    options.top_p = number(members, "top_p")?;
    options.top_k = whole(members, "top_k")?;
    options.seed = whole(members, "seed")?;
    options.frequency_penalty = number(members, "frequency_penalty")?;
    options.presence_penalty = number(members, "presence_penalty")?;
    options.stop = stop(members, "stop")?;
    options.parallel_tool_calls = flag(members, "", "parallel_tool_calls")?;
    options.effort = effort(members, "", "reasoning_effort", losses);
    if let Some(asked) = object(members, "", "response_format")? {
        options.format = format(&asked, "response_format", losses)?;
    }
    if let Some(tools) = members.given("tools") {
        for Element { kind, at, members: tool } in elements(tools, "tools")? {
            match (kind.as_str(), object(&tool, &at, "function")?) {
                ("function", Some(function)) => {
                    let known = &["name", "description", "parameters", "strict"];
                    let table = Table { known, hints: &["cache_control"], ..Table::default() };
                    losses.rest(&function, &within(&at, "function"), &table)?;
                    request.tools.push(definition(&function, &at, "parameters")?);
                }
                // It is only offered, and the model does without it.
                _ => losses.hint(&within(&at, &kind)),
            }
        }
    }
    let chosen = choice(members, losses)?;
    request.options.tool_choice = choose(chosen, &request.tools, losses)?;
    for (at, json) in items.sent() {
        message(&json.members().unwrap_or_default(), &format!("messages[{at}]"), draft)?;
    }
    Ok(())
}

fn choice(members: &Members<'_>, losses: &mut Losses) -> Result<ToolChoice, Refusal> {
    let Some(given) = members.given("tool_choice") else { return Ok(ToolChoice::Auto) };
    let named = given.members().unwrap_or_default();
    let function = named.given("function").and_then(Json::members);
    let name = function.and_then(|function| function.string("name"));
    Ok(match (given.string().as_deref(), name) {
        (Some("auto"), _) => ToolChoice::Auto,
        (Some("none"), _) => ToolChoice::None,
        (Some("required"), _) => ToolChoice::Required,
        (_, Some(name)) => ToolChoice::Named(name.into_owned()),
        _ => {
            losses.lose("tool_choice", "chooses among tools in a way of its own")?;
            ToolChoice::Auto
        }
    })
}

fn message(members: &Members<'_>, at: &str, draft: &mut Draft) -> Result<(), Refusal> {
    let Draft { conversation, losses, .. } = draft;
    let role = members.string("role").unwrap_or_default();
    let mut message = empty(match role.as_ref() {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        // Its answer would come back in a way that such a client does not read.
        "function" => return losses.lose(at, "is the result of a function; use tools"),
        _ => Role::User,
    });
    let table = match message.role {
        Role::Assistant => Table {
            known: &["role", "content", "refusal", "reasoning_content", "reasoning", "tool_calls"],
            hints: &["cache_control", "reasoning_details", "annotations"],
            ..MESSAGE
        },
        Role::Tool => Table { known: &["role", "content", "tool_call_id", "name"], ..MESSAGE },
        _ => MESSAGE,
    };
    losses.rest(members, at, &table)?;
    let thought = members.string("reasoning_content").or_else(|| members.string("reasoning"));
    add_reasoning(&mut message, &thought.unwrap_or_default());
    if let Some(content) = members.given("content") {
        contents(content, &within(at, "content"), &mut message, losses)?;
    }
    add_text(&mut message, &members.string("refusal").unwrap_or_default());
    if message.role == Role::Tool {
        let id = members.string("tool_call_id").unwrap_or_default();
        return conversation.result(at, &id, message, false);
    }
    if let Some(made) = members.given("tool_calls") {
        for made in elements(made, &within(at, "tool_calls"))? {
            message.parts.extend(tool_call(&made, losses)?);
        }
    }
    conversation.push(message);
    Ok(())
}

fn tool_call(
    Element { kind, at, members: made }: &Element<'_>,
    losses: &mut Losses,
) -> Result<Option<Part>, Refusal> {
    let known = &["id", "type", "index", "function", "custom"];
    losses.rest(made, at, &Table { known, hints: &["extra_content"], ..Table::default() })?;
    let id = made.string("id").unwrap_or_default();
    match (kind.as_str(), object(made, at, "function")?, object(made, at, "custom")?) {
        ("function" | "", Some(function), _) => {
            let name = function.string("name").unwrap_or_default();
            Ok(Some(call(&id, &name, text(&function, "arguments"))))
        }
        ("custom", _, Some(custom)) => {
            let name = custom.string("name").unwrap_or_default();
            Ok(Some(call(&id, &name, freeform(&text(&custom, "input")))))
        }
        _ => losses.lose(at, "is a call of a kind of its own").map(|()| None),
    }
}

fn contents(
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
        let inner = |name| part.given(name).and_then(Json::members).unwrap_or_default();
        let hints = &["cache_control"];
        match kind.as_str() {
            "text" | "refusal" => {
                let known = &["type", "text", "refusal"];
                losses.rest(&part, &at, &Table { known, hints, ..Table::default() })?;
                add_text(message, &part.string(&kind).unwrap_or_default());
            }
            "image_url" => {
                let (image, at) = (inner("image_url"), within(&at, "image_url"));
                let table = Table {
                    known: &["url"],
                    hints: &["detail"],
                    nothing: &[("detail", "\"auto\"")],
                    ..Table::default()
                };
                losses.rest(&image, &at, &table)?;
                message.parts.push(picture(&image.string("url").unwrap_or_default(), &at)?);
            }
            "file" if inner("file").given("file_data").is_some() => {
                let (file, at) = (inner("file"), within(&at, "file"));
                let table =
                    Table { known: &["file_data"], hints: &["filename"], ..Table::default() };
                losses.rest(&file, &at, &table)?;
                message.parts.push(data_url(&file.string("file_data").unwrap_or_default(), &at)?);
            }
            "file" => losses.lose(&within(&at, "file"), "names a file that only its keeper has")?,
            _ => losses.lose(&at, &format!("is '{kind}', which not every provider takes"))?,
        }
    }
    Ok(())
}
