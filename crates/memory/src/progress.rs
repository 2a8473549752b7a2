//! `mem_progress`: one JSON document a project (MEM-8).

use plimsoll_budget::{Piece, quoted};
use plimsoll_store::ProgressDocument;
use serde_json::Value;

use crate::{
    Memory, MemoryError, Progress, Reading, Reply,
    checks::{self, MAX_CONTENT_BYTES},
    memory::Telling,
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
            return self.read_progress(project, namespace).await;
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
    ) -> Result<Reply, MemoryError> {
        let found = self.store.progress(&self.workspace, &project, namespace.as_deref()).await?;
        let intro = match &found {
            Some(document) => {
                format!("Progress of {project}, saved {}:", minute(document.updated_at))
            }
            None => {
                let hint = self.looks_at(Some(&project)).await?.hint;
                format!("No progress of {project} yet; save it with mem_progress content.{hint}")
            }
        };
        let pieces: Vec<Piece> = found
            .into_iter()
            .map(|document| Piece {
                text: quoted(&document.content).into_owned(),
                place: 0,
                heading: None,
                full_text: "raise --session-budget".to_owned(),
            })
            .collect();
        self.told_all(&Telling {
            tool: "mem_progress",
            head: "",
            intro: &intro,
            pieces: &pieces,
            ids: &[],
            total: pieces.len(),
            noun: "items",
            next_call: None,
            reading: Reading::whole(),
        })
    }
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
