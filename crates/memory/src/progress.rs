//! `mem_progress`: one JSON document a project (MEM-8).

use plimsoll_budget::{Answer, TextPart, quoted};
use plimsoll_store::ProgressDocument;
use serde_json::Value;

use crate::{
    Memory, MemoryError, Progress, Reply,
    checks::{self, MAX_CONTENT_BYTES},
    redact,
    time::minute,
};

impl Memory {
    /// Reads the document of a project, or replaces it.
    pub async fn progress(&self, ask: Progress) -> Result<Reply, MemoryError> {
        checks::name("project", &ask.project)?;
        let project = self.writes_to(Some(&ask.project)).await?;
        let namespace = checks::opt_name("namespace", ask.namespace.as_deref())?;
        let Some(content) = ask.content else {
            return self.read_progress(project, namespace, ask.max_tokens).await;
        };
        let content = document(&content)?;
        let bytes = content.len();
        let document = ProgressDocument {
            project: project.clone(),
            namespace,
            content,
            updated_at: self.now(),
        };
        self.store.put_progress(&self.workspace, &document).await?;
        let text = format!("Progress of {project} saved ({bytes} bytes).");
        Ok(self.said("mem_progress", text, Vec::new()))
    }

    async fn read_progress(
        &self,
        project: String,
        namespace: Option<String>,
        max_tokens: Option<u64>,
    ) -> Result<Reply, MemoryError> {
        let found = self.store.progress(&self.workspace, &project, namespace.as_deref()).await?;
        let Some(document) = found else {
            let hint = self.looks_at(Some(&project)).await?.hint;
            let text =
                format!("No progress of {project} yet; save it with mem_progress content.{hint}");
            return self.read_document(&text, "", max_tokens);
        };
        let head = format!("Progress of {project}, saved {}:", minute(document.updated_at));
        self.read_document(&head, &quoted(&document.content), max_tokens)
    }

    /// The document under its head. One that does not fit is told by lines, so that it can be
    /// cut where one ends.
    fn read_document(
        &self,
        head: &str,
        document: &str,
        max_tokens: Option<u64>,
    ) -> Result<Reply, MemoryError> {
        let answer = self.read("mem_progress", max_tokens, |allowance| {
            let text = format!("{head}\n{document}").trim_end().to_owned();
            let estimated_tokens = self.counter.count(&text);
            if allowance.max_tokens().is_none_or(|most| estimated_tokens <= most) {
                let shown = usize::from(!document.is_empty());
                let (total, pieces) = (shown, shown);
                return Answer { text, shown, pieces, total, estimated_tokens, cut: false };
            }
            let part = TextPart {
                heads: &[head],
                text: &by_lines(document),
                from: 1,
                lines: None,
                call: None,
                allowance,
                counter: self.counter,
            };
            part.build()
        })?;
        Ok(Reply::of(answer, &[]))
    }
}

/// A JSON document with a line for each value.
fn by_lines(document: &str) -> String {
    let value = serde_json::from_str::<Value>(document);
    let lines = value.and_then(|value| serde_json::to_string_pretty(&value));
    lines.unwrap_or_else(|_| document.to_owned())
}

/// A document as it is kept: checked, redacted, without needless spaces.
pub(crate) fn document(text: &str) -> Result<String, MemoryError> {
    let bounded = |text: &str| {
        let (what, bytes, limit) = ("content", text.len(), MAX_CONTENT_BYTES);
        if bytes > limit { Err(MemoryError::TooLong { what, bytes, limit }) } else { Ok(()) }
    };
    bounded(text)?;
    let mut value: Value =
        serde_json::from_str(text).map_err(|error| MemoryError::BadJson(error.to_string()))?;
    redact_strings(&mut value);
    let kept = value.to_string();
    bounded(&kept)?;
    Ok(kept)
}

/// A private part may not reach over the string that it stands in, or the rest would be no
/// JSON any more.
fn redact_strings(value: &mut Value) {
    match value {
        Value::String(text) => *text = redact(text),
        Value::Array(items) => items.iter_mut().for_each(redact_strings),
        Value::Object(members) => {
            let old = std::mem::take(members);
            for (name, mut member) in old {
                redact_strings(&mut member);
                members.insert(redact(&name), member);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_json_without_secrets() {
        let kept = document(r#"{"a": ["<private>x</private>", 1], "n": {"<private>k": null}}"#);
        assert_eq!(kept.unwrap(), r#"{"a":["[REDACTED]",1],"n":{"[REDACTED]":null}}"#);
        assert!(matches!(document("{"), Err(MemoryError::BadJson(_))));
        let long = format!("\"{}\"", "a".repeat(MAX_CONTENT_BYTES));
        assert!(matches!(document(&long), Err(MemoryError::TooLong { bytes: 65538, .. })));
    }
}
