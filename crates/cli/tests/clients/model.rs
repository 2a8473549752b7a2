//! What the scripted model says: a task with tools, or whatever a request asks for.

use serde_json::{Map, Value, json};

use crate::{
    asked::{Asked, Choice},
    upstream::{Call, Turn},
};

/// What stands in the file that each agent writes, and what the model says at the end.
pub(crate) const NOTE: &str = "load line";
pub(crate) const LAST: &str = "The note says: load line.";

/// A task of several turns. The turn is found by the results that the conversation holds, so
/// that a client may send a call twice, or forget all of it and begin again.
pub(crate) struct Task {
    turns: Vec<Vec<Call>>,
}

impl Task {
    pub(crate) fn new(turns: Vec<Vec<(&str, Value)>>) -> Self {
        let call = |(name, arguments): (&str, Value)| Call { name: name.to_owned(), arguments };
        let turn = |calls: Vec<(&str, Value)>| calls.into_iter().map(call).collect();
        Self { turns: turns.into_iter().map(turn).collect() }
    }

    /// How many results a finished task leaves in a conversation.
    pub(crate) fn results(&self) -> usize {
        self.turns.iter().map(Vec::len).sum()
    }

    pub(crate) fn turn(&self, asked: &Asked) -> Turn {
        let offered = asked.tools();
        let mut done = asked.results().len();
        // Claude Code offers its tools when it asks for a summary too, and forbids them in words.
        let summary = asked.last().to_string().contains("TEXT ONLY");
        for calls in &self.turns {
            if done == 0 && !summary {
                let known = |call: &Call| offered.iter().any(|tool| tool.name == call.name);
                // Titles and summaries are asked for without tools.
                if calls.iter().all(known) {
                    return Turn::Calls(calls.clone());
                }
            }
            done = done.saturating_sub(calls.len());
        }
        Turn::Text(LAST.to_owned())
    }
}

/// Follows what a request asks for: its schema, its tools, else a sentence.
pub(crate) fn obliging(asked: &Asked) -> Turn {
    let said = asked.last().to_string();
    if let Some(schema) = asked.schema() {
        return Turn::Text(Example { schema, said: &said }.of(schema, "").to_string());
    }
    if asked.format()["type"] == "json_object" {
        return Turn::Text(json!({"setup": "a ship", "punchline": "a line"}).to_string());
    }
    let tools = asked.tools();
    let tool = match asked.choice() {
        Choice::Never => None,
        Choice::Free if asked.brings_result() => None,
        Choice::Free | Choice::Any => tools.first(),
        Choice::Named(name) => tools.iter().find(|tool| tool.name == name),
    };
    match tool {
        Some(tool) => {
            let arguments = Example { schema: &tool.schema, said: &said }.of(&tool.schema, "");
            let arguments = if arguments.is_object() { arguments } else { json!({}) };
            Turn::Calls(vec![Call { name: tool.name.clone(), arguments }])
        }
        None => Turn::Text(LAST.to_owned()),
    }
}

/// Makes up a value that follows a schema.
struct Example<'a> {
    schema: &'a Value,
    said: &'a str,
}

impl Example<'_> {
    fn of(&self, part: &Value, member: &str) -> Value {
        if let Some(name) = part["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            return self.of(&self.schema["$defs"][name], member);
        }
        let variants = ["anyOf", "oneOf", "allOf"].iter().find_map(|kind| part[kind].get(0));
        if let Some(first) = variants {
            return self.of(first, member);
        }
        if let Some(first) = part["enum"].get(0) {
            return first.clone();
        }
        let kind = part["type"].as_str().or(part["type"][0].as_str());
        match (kind, part["properties"].as_object()) {
            (_, Some(properties)) => {
                let value = |(name, part): (&String, &Value)| (name.clone(), self.of(part, name));
                properties.iter().map(value).collect::<Map<_, _>>().into()
            }
            (Some("object"), None) => json!({}),
            (Some("integer" | "number"), None) => json!(3),
            (Some("array"), None) => json!([self.of(&part["items"], member)]),
            (Some("boolean"), None) => json!(true),
            (Some("null"), None) => Value::Null,
            _ => json!(self.text(member)),
        }
    }

    /// A name is taken from the quotes of what was said, as a model would.
    fn text(&self, member: &str) -> &str {
        let quoted = self.said.split('\'').nth(1);
        quoted.filter(|_| member.contains("name")).unwrap_or("a ship")
    }
}
