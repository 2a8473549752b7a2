//! ChatGPT's conversations: a tree of messages, of which one path is the current one.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::{json::bounded, parts::Parts};
use crate::{
    Conversation, LeftOut,
    conversation::{Said, Speaker, Turns, key, model_name},
    times::from_seconds,
};

#[derive(Deserialize)]
struct Exported {
    id: Option<String>,
    conversation_id: Option<String>,
    title: Option<String>,
    create_time: Option<f64>,
    current_node: Option<String>,
    default_model_slug: Option<String>,
    mapping: HashMap<String, Node>,
}

#[derive(Deserialize)]
struct Node {
    parent: Option<String>,
    // A map has more room than it has nodes, and most of a node is its message.
    message: Option<Box<Message>>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    author: Option<Author>,
    create_time: Option<f64>,
    content: Option<Content>,
    recipient: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Author {
    role: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    content_type: Option<String>,
    parts: Option<Parts<true>>,
    text: Option<String>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    model_slug: Option<String>,
    is_visually_hidden_from_conversation: Option<bool>,
}

/// What a message is to us.
enum Kind {
    Said(Speaker, String),
    System,
    Tool,
    Nothing,
}

pub(super) fn read(raw: &str) -> Result<(Conversation, LeftOut), String> {
    let mut exported: Exported =
        serde_json::from_str(bounded(raw)?).map_err(|error| error.to_string())?;
    let path = current_path(&exported)?;
    let key = match exported.id.as_ref().or(exported.conversation_id.as_ref()) {
        Some(id) => key("chatgpt", &[id.as_bytes()]),
        None => key("chatgpt without an id", &[raw.as_bytes()]),
    };
    let mut left_out = LeftOut::default();
    let mut turns = Turns::new(key, exported.create_time.and_then(from_seconds));
    let usual_model = exported.default_model_slug.take().map(model_name);
    for name in path {
        let Some(message) = exported.mapping.remove(&name).and_then(|node| node.message) else {
            continue;
        };
        let at = message.create_time.and_then(from_seconds);
        let id = Some(message.id.clone().unwrap_or(name));
        let metadata = message.metadata.as_ref();
        let model = metadata.and_then(|metadata| metadata.model_slug.clone());
        let (kind, attachments) = kind(*message);
        left_out.attachments += attachments;
        match kind {
            Kind::Said(speaker, text) => {
                let model = model.or_else(|| usual_model.clone());
                turns.say(Said { id, speaker, text, model, at })?;
            }
            Kind::System => left_out.system += 1,
            Kind::Tool => left_out.tool += 1,
            Kind::Nothing => {}
        }
    }
    // What is left in the map is not on the path.
    for message in exported.mapping.into_values().filter_map(|node| node.message) {
        if matches!(kind(*message).0, Kind::Said(..)) {
            left_out.branches += 1;
        }
    }
    Ok((Conversation { key, title: exported.title, turns: turns.finish() }, left_out))
}

/// The names of the messages from the root to the current one.
fn current_path(exported: &Exported) -> Result<Vec<String>, String> {
    let mut at = match &exported.current_node {
        Some(node) if exported.mapping.contains_key(node) => Some(node.as_str()),
        Some(_) | None => newest_leaf(&exported.mapping),
    };
    let mut seen = HashSet::new();
    let mut path = Vec::new();
    while let Some(name) = at {
        if !seen.insert(name) {
            return Err("its messages go in a circle".to_owned());
        }
        let Some(node) = exported.mapping.get(name) else { break };
        path.push(name.to_owned());
        at = node.parent.as_deref();
    }
    path.reverse();
    Ok(path)
}

/// Without a current message the newest one that nothing follows stands in for it.
fn newest_leaf(mapping: &HashMap<String, Node>) -> Option<&str> {
    let parents: HashSet<&str> =
        mapping.values().filter_map(|node| node.parent.as_deref()).collect();
    let time = |name: &str| {
        let message = mapping.get(name).and_then(|node| node.message.as_ref());
        message.and_then(|message| message.create_time).and_then(from_seconds)
    };
    let names = mapping.keys().map(String::as_str);
    names.filter(|name| !parents.contains(name)).max_by_key(|name| (time(name), *name))
}

/// What a message is, and how many things it holds that are no text.
fn kind(message: Message) -> (Kind, u64) {
    let metadata = message.metadata.unwrap_or_default();
    let Some(content) = message.content else { return (Kind::Nothing, 0) };
    let role = message.author.and_then(|author| author.role).unwrap_or_default();
    let content_type = content.content_type.unwrap_or_default();
    let mut parts = content.parts.unwrap_or_default();
    content.text.into_iter().for_each(|text| parts.add(text));
    let (text, attachments) = (parts.text, parts.things);
    let hidden = metadata.is_visually_hidden_from_conversation == Some(true);
    let to_tool = message.recipient.is_some_and(|recipient| recipient != "all");
    let of_tool = matches!(
        content_type.as_str(),
        "thoughts" | "reasoning_recap" | "execution_output" | "tether_browsing_display"
    );
    let instructions = content_type.ends_with("editable_context");
    let kind = match role.as_str() {
        "tool" => Kind::Tool,
        "assistant" if to_tool || of_tool => Kind::Tool,
        _ if text.is_empty() => Kind::Nothing,
        "user" if hidden || instructions => Kind::System,
        "user" => Kind::Said(Speaker::User, text),
        "assistant" if hidden => Kind::Tool,
        "assistant" => Kind::Said(Speaker::Assistant, text),
        _ => Kind::System,
    };
    (kind, attachments)
}
