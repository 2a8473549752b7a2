//! From Anthropic's messages.

use plimsoll_send::{AnswerFormat, Message, Part, Role, ToolChoice};

use super::{
    Draft, Element, Items,
    conversation::{add_reasoning, add_text, call, calls, empty},
    elements,
    fields::{
        bytes, choose, definition, effort, flag, format, number, object, picture, stop, text, whole,
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
        "system",
        "max_tokens",
        "stream",
        "temperature",
        "top_p",
        "top_k",
        "stop_sequences",
        "tools",
        "tool_choice",
        "output_config",
        "output_format",
    ],
    hints: &[
        "metadata",
        // A permission to think is no order.
        "thinking",
        "context_management",
        "cache_control",
        "betas",
        "anthropic_beta",
        "anthropic_version",
        "speed",
    ],
    hint_values: &[("service_tier", "\"auto\""), ("service_tier", "\"standard_only\"")],
    nothing: &[("mcp_servers", "[]")],
};

const TOOL: Table = Table {
    known: &["type", "name", "description", "input_schema", "strict"],
    hints: &["cache_control", "defer_loading", "eager_input_streaming", "input_examples"],
    hint_values: &[("allowed_callers", "[\"direct\"]")],
    nothing: &[],
};

/// What every block may have.
const BLOCK: Table = Table {
    known: &["type"],
    hints: &["cache_control"],
    hint_values: &[],
    nothing: &[("citations", "{\"enabled\":false}"), ("citations", "[]")],
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
    options.stop = stop(members, "stop_sequences")?;
    if let Some(config) = object(members, "", "output_config")? {
        let table =
            Table { known: &["effort", "format"], hints: &["task_budget"], ..Table::default() };
        losses.rest(&config, "output_config", &table)?;
        options.effort = effort(&config, "output_config", "effort", losses);
        options.format = enforced(&config, "output_config", "format", losses)?;
    }
    // The name that it had before.
    if options.format.is_none() {
        options.format = enforced(members, "", "output_format", losses)?;
    }
    for Element { kind, at, members: tool } in match members.given("tools") {
        Some(tools) => elements(tools, "tools")?,
        None => Vec::new(),
    } {
        if !matches!(kind.as_str(), "" | "custom") {
            // It is only offered, and the model does without it.
            losses.hint(&within(&at, &kind));
            continue;
        }
        losses.rest(&tool, &at, &TOOL)?;
        request.tools.push(definition(&tool, &at, "input_schema")?);
    }
    if let Some(given) = object(members, "", "tool_choice")? {
        let one_by_one = flag(&given, "tool_choice", "disable_parallel_tool_use")?;
        request.options.parallel_tool_calls = one_by_one.map(|one_by_one| !one_by_one);
        let chosen = choice(&given, losses)?;
        request.options.tool_choice = choose(chosen, &request.tools, losses)?;
    }
    if let Some(system) = members.given("system") {
        let mut message = empty(Role::System);
        blocks(system, "system", &mut message, losses)?;
        conversation.push(message);
    }
    let mut last = None;
    for (at, json) in items.sent() {
        let at = format!("messages[{at}]");
        message(&json.members().unwrap_or_default(), &at, draft)?;
        last = Some(at);
    }
    let Draft { conversation, losses, .. } = draft;
    let begun = conversation.last().is_some_and(|last| {
        last.role == Role::Assistant && calls(last).next().is_none() && !last.parts.is_empty()
    });
    match last {
        Some(at) if begun => losses.lose(&at, "begins the answer, which others do not go on with"),
        _ => Ok(()),
    }
}

/// A schema of this protocol has no name, and is always followed to the letter.
fn enforced(
    members: &Members<'_>,
    at: &str,
    name: &str,
    losses: &mut Losses,
) -> Result<Option<AnswerFormat>, Refusal> {
    let Some(asked) = object(members, at, name)? else { return Ok(None) };
    let mut asked = format(&asked, &within(at, name), losses)?;
    if let Some(AnswerFormat::JsonSchema(schema)) = &mut asked {
        schema.strict = Some(true);
    }
    Ok(asked)
}

fn choice(given: &Members<'_>, losses: &mut Losses) -> Result<ToolChoice, Refusal> {
    let kind = given.string("type").unwrap_or_default();
    Ok(match (kind.as_ref(), given.string("name")) {
        ("auto", _) => ToolChoice::Auto,
        ("none", _) => ToolChoice::None,
        ("any", _) => ToolChoice::Required,
        ("tool", Some(name)) => ToolChoice::Named(name.into_owned()),
        _ => {
            losses.lose("tool_choice", "chooses among tools in a way of its own")?;
            ToolChoice::Auto
        }
    })
}

fn message(members: &Members<'_>, at: &str, draft: &mut Draft) -> Result<(), Refusal> {
    let Draft { conversation, losses, .. } = draft;
    // Claude Code says on a message how much is to be thought from there on.
    let (known, hints) = (&["role", "content"], &["output_config"]);
    losses.rest(members, at, &Table { known, hints, ..Table::default() })?;
    let mut message = empty(match members.string("role").as_deref() {
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        _ => Role::User,
    });
    let Some(content) = members.given("content") else {
        conversation.push(message);
        return Ok(());
    };
    let at = within(at, "content");
    let mut gave = false;
    if message.role == Role::User && !content.is_string() {
        for Element { at, members: block, .. } in results(content, &at)? {
            let table = Table { known: &["type", "tool_use_id", "content", "is_error"], ..BLOCK };
            losses.rest(&block, &at, &table)?;
            let mut given = empty(Role::Tool);
            if let Some(content) = block.given("content") {
                blocks(content, &within(&at, "content"), &mut given, losses)?;
            }
            let failed = flag(&block, &at, "is_error")?.unwrap_or(false);
            let id = block.string("tool_use_id").unwrap_or_default();
            conversation.result(&at, &id, given, failed)?;
            gave = true;
        }
    }
    blocks(content, &at, &mut message, losses)?;
    if !(gave && message.parts.is_empty()) {
        conversation.push(message);
    }
    Ok(())
}

fn results<'a>(content: Json<'a>, at: &str) -> Result<Vec<Element<'a>>, Refusal> {
    let mut all = elements(content, at)?;
    all.retain(|block| block.kind == "tool_result");
    Ok(all)
}

/// Everything but the results of tools, which stand in a message of the user and are no words of
/// theirs.
fn blocks(
    content: Json<'_>,
    at: &str,
    message: &mut Message,
    losses: &mut Losses,
) -> Result<(), Refusal> {
    if let Some(text) = content.string() {
        add_text(message, &text);
        return Ok(());
    }
    for block in elements(content, at)? {
        if !(block.kind == "tool_result" && message.role == Role::User) {
            self::block(&block, message, losses)?;
        }
    }
    Ok(())
}

fn block(
    Element { kind, at, members: block }: &Element<'_>,
    message: &mut Message,
    losses: &mut Losses,
) -> Result<(), Refusal> {
    match (kind.as_str(), message.role) {
        ("text", _) => {
            let hints = &["cache_control", "citations"];
            losses.rest(block, at, &Table { known: &["type", "text"], hints, ..BLOCK })?;
            add_text(message, &block.string("text").unwrap_or_default());
        }
        ("image" | "document", Role::User | Role::Tool) => {
            losses.rest(block, at, &Table { known: &["type", "source"], ..BLOCK })?;
            source(block, at, message, losses)?;
        }
        ("thinking", Role::Assistant) => {
            let hints = &["signature", "cache_control"];
            losses.rest(block, at, &Table { known: &["type", "thinking"], hints, ..BLOCK })?;
            add_reasoning(message, &block.string("thinking").unwrap_or_default());
        }
        // Only its maker could read it, and only that one wants it back.
        ("redacted_thinking", Role::Assistant) => losses.hint(&within(at, kind)),
        ("tool_use", Role::Assistant) => {
            let (known, hints) = (&["type", "id", "name", "input"], &["cache_control", "caller"]);
            losses.rest(block, at, &Table { known, hints, ..BLOCK })?;
            let id = block.string("id").unwrap_or_default();
            let name = block.string("name").unwrap_or_default();
            message.parts.push(call(&id, &name, text(block, "input")));
        }
        _ => losses.lose(at, &format!("is '{kind}', which not every provider takes"))?,
    }
    Ok(())
}

fn source(
    block: &Members<'_>,
    at: &str,
    message: &mut Message,
    losses: &mut Losses,
) -> Result<(), Refusal> {
    let at = within(at, "source");
    let source = block.given("source").and_then(Json::members).unwrap_or_default();
    let is_picture = block.string("type").as_deref() == Some("image");
    let data = source.string("data").unwrap_or_default();
    let part: Part = match source.string("type").as_deref() {
        Some("base64") => bytes(&source.string("media_type").unwrap_or_default(), &data, &at)?,
        Some("url") if is_picture => picture(&source.string("url").unwrap_or_default(), &at)?,
        Some("text") => {
            add_text(message, &data);
            return Ok(());
        }
        _ => return losses.lose(&at, "names a file that only its keeper has"),
    };
    message.parts.push(part);
    Ok(())
}
