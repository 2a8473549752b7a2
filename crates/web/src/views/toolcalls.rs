//! Calls of tools in the history: what was asked, what it gave, and what it made (PRV-5).

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_domain::{File, file_label, json_is_bounded, parse_file_id, plain_name};
use plimsoll_store::{ToolCallRecord, Workspace};
use plimsoll_tokens::commas;
use serde_json::Value;

use super::chips;
use crate::{Web, api::files::thumbnail_url};

/// So much of a call is seen while it is folded.
const LINE: usize = 120;

/// A call with the files that it names and made.
pub(crate) struct CallView {
    name: String,
    /// What was asked, as one line.
    line: String,
    /// The program that was run, whole.
    code: Option<String>,
    said: Option<ToolCallRecord>,
    made: Vec<File>,
    workspace: Workspace,
}

impl CallView {
    /// Looks up what the files of a call are called. One that is gone keeps its id.
    pub(crate) async fn of(
        web: &Arc<Web>,
        at: &Workspace,
        name: &str,
        arguments: &str,
        said: Option<&ToolCallRecord>,
    ) -> Self {
        let bounded = Some(arguments).filter(|text| json_is_bounded(text.as_bytes()));
        let asked: Option<Value> = bounded.and_then(|text| serde_json::from_str(text).ok());
        let mut named = Vec::new();
        for id in asked.iter().flat_map(ids_in) {
            let Some(parsed) = parse_file_id(&id) else { continue };
            if let Ok(file) = web.app.store().file(at, parsed).await {
                named.push((id, plain_name(&file.name)));
            }
        }
        let mut made = Vec::new();
        for id in said.iter().flat_map(|said| &said.made) {
            made.extend(web.app.store().file(at, *id).await.ok());
        }
        let code = asked.as_ref().and_then(|asked| asked["code"].as_str()).map(str::to_owned);
        let line = match &asked {
            Some(Value::Object(_)) => asked_line(asked.as_ref(), &named),
            _ => arguments.to_owned(),
        };
        Self {
            name: name.to_owned(),
            line: line.chars().take(LINE).collect(),
            code,
            said: said.cloned(),
            made,
            workspace: at.clone(),
        }
    }

    /// The call, folded, and what it made below it; the same while it runs and when it is
    /// read later.
    pub(crate) fn card(&self) -> Markup {
        let said = self.said.as_ref();
        html! {
            div.toolstep {
                details.toolcall.running[said.is_none()] data-failed[said.is_some_and(|said| said.failed)] {
                    summary {
                        span.tool-name { (self.name) }
                        span.tool-args.mono { (self.line) }
                        span.tool-tok { (call_words(said)) }
                    }
                    @if let Some(code) = &self.code { pre.mono.tool-code { (code) } }
                    pre.mono { @if let Some(said) = said { (said.result) } }
                }
                @if !self.made.is_empty() {
                    div.made { @for file in &self.made { (made(&self.workspace, file)) } }
                }
            }
        }
    }
}

/// A file that a tool made: its picture, or its name.
fn made(at: &Workspace, file: &File) -> Markup {
    let name = plain_name(&file.name);
    match thumbnail_url(at, file) {
        Some(url) => {
            let (width, height) = chips::fitted(file.pixels.unwrap_or((1, 1)));
            html! {
                button.thumb type="button" data-act="file" data-file=(file_label(file.id)) title=(name) {
                    img src=(url) alt=(name) width=(width) height=(height) loading="lazy";
                }
            }
        }
        None => html! {
            span.chip data-file=(file_label(file.id)) {
                button.chip-name type="button" data-act="file" { (name) }
                span.chip-size { (plimsoll_files::size_words(file.size)) }
            }
        },
    }
}

/// The ids of files that a call names.
fn ids_in(asked: &Value) -> Vec<String> {
    let one = asked["file_id"].as_str().into_iter();
    let many = asked["file_inputs"].as_array().into_iter().flatten().filter_map(Value::as_str);
    one.chain(many).map(str::to_owned).collect()
}

/// What was asked, files by their names: `sales.csv offset=100`.
fn asked_line(asked: Option<&Value>, named: &[(String, String)]) -> String {
    let Some(Value::Object(asked)) = asked else { return String::new() };
    let called = |id: &str| {
        let known = named.iter().find(|(one, _)| one == id);
        known.map_or_else(|| id.to_owned(), |(_, name)| name.clone())
    };
    let (mut files, mut rest) = (Vec::new(), Vec::new());
    for (key, value) in asked {
        match (key.as_str(), value) {
            ("file_id", Value::String(id)) => files.push(called(id)),
            ("file_inputs", Value::Array(ids)) => {
                files.extend(ids.iter().filter_map(Value::as_str).map(called));
            }
            ("code", Value::String(code)) => {
                let first = code.lines().map(str::trim).find(|line| !line.is_empty());
                rest.extend(first.map(str::to_owned));
            }
            (key, Value::String(text)) => rest.push(format!("{key}={text}")),
            (key, value) => rest.push(format!("{key}={value}")),
        }
    }
    files.extend(rest);
    files.join(" ")
}

/// What stands at the end of a call's line.
fn call_words(said: Option<&ToolCallRecord>) -> String {
    let Some(said) = said else { return "running …".to_owned() };
    let failed = if said.failed { "failed · " } else { "" };
    let slow = said.millis >= 1000;
    let took =
        if slow { format!(" · {:.1} s", said.millis as f64 / 1000.0) } else { String::new() };
    format!("{failed}{} tokens{took}", commas(said.tokens))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_says_what_it_gave_and_what_that_took() {
        let call = |failed, millis| ToolCallRecord {
            name: "read_file".to_owned(),
            arguments: "{}".to_owned(),
            result: "text".to_owned(),
            failed,
            tokens: 1312,
            millis,
            made: Vec::new(),
        };
        assert_eq!(call_words(None), "running …");
        assert_eq!(call_words(Some(&call(false, 999))), "1,312 tokens");
        assert_eq!(call_words(Some(&call(true, 1500))), "failed · 1,312 tokens · 1.5 s");
    }

    #[test]
    fn a_call_names_its_files() {
        let named = [("file-1".to_owned(), "sales.csv".to_owned())];
        let line = |asked: Value| asked_line(Some(&asked), &named);
        assert_eq!(line(json!({"file_id": "file-1", "offset": 100})), "sales.csv offset=100");
        assert_eq!(line(json!({"file_id": "file-2"})), "file-2", "one that is gone keeps its id");
        let code = json!({"code": "\n# Sales\nprint(1)", "file_inputs": ["file-1", "file-2"]});
        assert_eq!(line(code), "sales.csv file-2 # Sales");
    }
}
