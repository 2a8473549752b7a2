//! From Responses: what is asked for, besides the items of the conversation.

use plimsoll_send::{Message, Role, ToolChoice};

use super::{
    Draft, Element, Items,
    conversation::empty,
    elements,
    fields::{choose, definition, effort, flag, format, number, object, whole},
    losses::{Losses, Table, within},
    response_items::{contents, item},
};
use crate::{
    json::{Json, Members},
    refusal::Refusal,
};

const REQUEST: Table = Table {
    known: &[
        "model",
        "input",
        "instructions",
        "stream",
        "temperature",
        "top_p",
        "top_k",
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "max_output_tokens",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "text",
        "reasoning",
        "include",
    ],
    hints: &[
        "metadata",
        "client_metadata",
        "user",
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
        "stream_options",
        "context_management",
        // It bounds calls of tools that the provider carries out, and none of them is offered.
        "max_tool_calls",
    ],
    hint_values: &[
        ("store", "false"),
        ("service_tier", "\"auto\""),
        ("service_tier", "\"default\""),
        ("truncation", "\"auto\""),
        ("truncation", "\"disabled\""),
    ],
    nothing: &[("background", "false"), ("top_logprobs", "0")],
};

pub(super) fn translate(
    members: &Members<'_>,
    items: &Items<'_, '_>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let Draft { request, losses, conversation } = draft;
    losses.rest(members, "", &REQUEST)?;
    request.temperature = number(members, "temperature")?;
    let options = &mut request.options;
    options.top_p = number(members, "top_p")?;
    options.top_k = whole(members, "top_k")?;
    options.seed = whole(members, "seed")?;
    options.frequency_penalty = number(members, "frequency_penalty")?;
    options.presence_penalty = number(members, "presence_penalty")?;
    options.parallel_tool_calls = flag(members, "", "parallel_tool_calls")?;
    if let Some(wanted) = object(members, "", "text")? {
        let (known, hints) = (&["format"], &["verbosity"]);
        losses.rest(&wanted, "text", &Table { known, hints, ..Table::default() })?;
        if let Some(asked) = object(&wanted, "text", "format")? {
            options.format = format(&asked, "text.format", losses)?;
        }
    }
    if let Some(wanted) = object(members, "", "reasoning")? {
        let (known, hints) = (&["effort"], &["summary", "generate_summary", "context"]);
        losses.rest(&wanted, "reasoning", &Table { known, hints, ..Table::default() })?;
        options.effort = effort(&wanted, "reasoning", "effort", losses);
    }
    for asked in members.given("include").and_then(Json::elements).unwrap_or_default() {
        match asked.string().as_deref() {
            Some("reasoning.encrypted_content") => losses.hint("include"),
            _ => losses.lose("include", &format!("asks for {}", asked.text()))?,
        }
    }
    if let Some(tools) = members.given("tools") {
        for Element { kind, at, members: tool } in elements(tools, "tools")? {
            if kind == "function" {
                let known = &["type", "name", "description", "parameters", "strict"];
                let table = Table { known, hints: &["defer_loading"], ..Table::default() };
                losses.rest(&tool, &at, &table)?;
                request.tools.push(definition(&tool, &at, "parameters")?);
            } else {
                // It is only offered, and the model does without it.
                losses.hint(&within(&at, &kind));
            }
        }
    }
    let chosen = choice(members, losses)?;
    request.options.tool_choice = choose(chosen, &request.tools, losses)?;
    if let Some(instructions) = members.given("instructions") {
        let mut message = empty(Role::System);
        contents(instructions, "instructions", &mut message, losses)?;
        conversation.push(message);
    }
    for (at, json) in items.sent() {
        // An input that is a text alone is what the user says.
        if let Some(text) = json.string() {
            draft.conversation.push(Message::new(Role::User, text));
            continue;
        }
        let members = json.members().unwrap_or_default();
        let kind = members.string("type").unwrap_or_else(|| "message".into()).into_owned();
        item(&Element { kind, at: format!("input[{at}]"), members }, draft)?;
    }
    Ok(())
}

fn choice(members: &Members<'_>, losses: &mut Losses) -> Result<ToolChoice, Refusal> {
    let Some(given) = members.given("tool_choice") else { return Ok(ToolChoice::Auto) };
    let named = given.members().unwrap_or_default();
    let kind = named.string("type").unwrap_or_default();
    Ok(match (given.string().as_deref(), kind.as_ref(), named.string("name")) {
        (Some("auto"), ..) => ToolChoice::Auto,
        (Some("none"), ..) => ToolChoice::None,
        (Some("required"), ..) => ToolChoice::Required,
        (_, "function", Some(name)) => ToolChoice::Named(name.into_owned()),
        _ => {
            losses.lose("tool_choice", "chooses among tools in a way of its own")?;
            ToolChoice::Auto
        }
    })
}
