//! `docs/tool-reference.md`, from the tables.

use crate::{
    all_tools,
    table::{Effect, Kind, Param, Part, ToolSpec},
};

/// The page, ready to be written.
pub fn tool_reference() -> String {
    let mut page = format!(
        "# Tool reference\n\n\
         <!-- Written from the code by `cargo xtask docs`. -->\n\n\
         {} tools. `*` marks what is required. Numbers may come as text (\"500\"). Tools with \
         `max_tokens` keep their whole answer, footers included, within it; see \
         [why](research-foundations.md). Every read keeps to the server's `--answer-limit` as \
         well. [docs/mcp.md](mcp.md) says how to connect.\n",
        all_tools().count(),
    );
    for (part, heading) in [(Part::Memory, "Memory"), (Part::Specs, "Specs")] {
        let tools: Vec<&ToolSpec> = all_tools().filter(|tool| tool.part == part).collect();
        page.push_str(&format!("\n## {heading} ({})\n", tools.len()));
        for tool in tools {
            page.push_str(&entry(tool));
        }
    }
    page
}

fn entry(tool: &ToolSpec) -> String {
    let effect = match tool.effect {
        Effect::Reads => "reads",
        Effect::Adds => "adds",
        Effect::Sets => "sets; safe to repeat",
        Effect::Destroys => "may take away",
    };
    let core = if tool.core { ", in `core`" } else { "" };
    let mut text =
        format!("\n### `{}`\n\n{}: {} ({effect}{core})\n", tool.name, tool.title, tool.about);
    if tool.has_footers() {
        text.push_str("\nTakes `max_tokens` and `detail_level`; ends with the 📏 footer.\n");
    } else if tool.has_budget() {
        text.push_str("\nTakes `max_tokens`; where something finds no room, its end says so.\n");
    }
    text.push_str("\n| parameter | is | about |\n|---|---|---|\n");
    for param in tool.listed() {
        let mark = if param.required { "*" } else { "" };
        let kind = match param.kind {
            Kind::Text => "text".to_owned(),
            Kind::Integer => "integer".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Ids => "list of ids".to_owned(),
            Kind::Texts => "list of texts".to_owned(),
            Kind::Json => "JSON or text".to_owned(),
            Kind::Choice(choices) => choices.join(" / "),
        };
        text.push_str(&format!("| `{}`{mark} | {kind} | {} |\n", param.name, param.about));
    }
    let also: Vec<String> = tool.params.iter().flat_map(also).collect();
    if !also.is_empty() {
        text.push_str(&format!("\nAlso taken: {}.\n", also.join(", ")));
    }
    text
}

/// The names under which a parameter is taken without being in the schema (MEM-14).
fn also(param: &Param) -> Vec<String> {
    let unlisted = (!param.listed).then(|| format!("`{}`", param.name));
    let aliases = param.aliases.iter().map(|alias| format!("`{alias}` for `{}`", param.name));
    unlisted.into_iter().chain(aliases).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mdc_2_the_reference_names_every_tool_and_every_budget() {
        let page = tool_reference();
        let (_, entries) = page.split_once("\n### ").unwrap();
        let entries: Vec<&str> = entries.split("\n### ").collect();
        assert_eq!(entries.len(), all_tools().count());
        for (entry, tool) in entries.iter().zip(all_tools()) {
            assert!(entry.starts_with(&format!("`{}`", tool.name)), "{entry}");
            assert_eq!(entry.contains("max_tokens"), tool.has_budget(), "{entry}");
        }
    }
}
