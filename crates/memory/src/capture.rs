//! `mem_capture_passive`: what was learned, out of a longer text (MEM-7).

use plimsoll_domain::Timestamp;
use plimsoll_store::{NewObservation, Saved};

use crate::{
    CapturePassive, Memory, MemoryError, Reply,
    checks::{self, one_line},
    lines::snippet,
    review::waits,
    sessions::of_session,
};

/// The most items that are taken from one text.
const MOST: usize = 100;
/// Characters of the title that an item gets.
const TITLE: usize = 80;

impl Memory {
    /// Saves each item under a "Key Learnings" heading that is not known yet.
    pub async fn capture_passive(&self, ask: CapturePassive) -> Result<Reply, MemoryError> {
        let content = checks::text("content", &ask.content)?;
        let session = self.session_id(ask.session_id.as_deref())?;
        let project = self.writes_in(&session, ask.project.as_deref()).await?;
        let tool_name = checks::opt_name("source", ask.source.as_deref())?;
        let notes: Vec<NewObservation> = learnings(&content)
            .into_iter()
            .map(|item| NewObservation {
                session: session.clone(),
                kind: "learning".to_owned(),
                title: snippet(&item, TITLE),
                content: item,
                tool_name: tool_name.clone(),
                project: project.clone(),
                author: self.writer.name.clone(),
                ..NewObservation::default()
            })
            .collect();
        if notes.is_empty() {
            let text = "Nothing captured: no numbered or bulleted items under a \"Key \
                        Learnings\" heading."
                .to_owned();
            let named = ask.project.as_deref();
            return Ok(self.said_in("mem_capture_passive", &session, named, text, Vec::new()));
        }
        if self.is_reviewed() {
            let ids = self.propose(notes, &project).await?;
            let text = format!("What was learned {}", waits(&ids));
            let named = ask.project.as_deref();
            return Ok(self.said_in("mem_capture_passive", &session, named, text, ids));
        }
        // The same lesson is learned once, however long ago.
        let ever = Timestamp::from_millis(i64::MIN);
        let saved = self
            .store
            .save_observations(&self.workspace, &notes, self.now(), ever)
            .await
            .map_err(of_session(&project))?;
        let mut ids: Vec<u64> = Vec::new();
        for one in saved.iter().filter(|one| one.saved == Saved::Added) {
            ids.push(one.id);
        }
        let known = saved.len() - ids.len();
        let list: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
        let mut text = match list.len() {
            0 => "Captured nothing new".to_owned(),
            1 => format!("Captured 1 learning: {}", list.join(", ")),
            count => format!("Captured {count} learnings: {}", list.join(", ")),
        };
        if known > 0 {
            text.push_str(&format!("; {known} known already"));
        }
        text.push('.');
        Ok(self.said_in("mem_capture_passive", &session, ask.project.as_deref(), text, ids))
    }
}

/// The items under each heading of learnings, on one line each.
fn learnings(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut inside = false;
    let mut within_item = false;
    for line in text.lines() {
        if is_heading(line) {
            (inside, within_item) = (true, false);
            continue;
        }
        if !inside {
            continue;
        }
        if let Some(item) = item(line) {
            if items.len() == MOST {
                break;
            }
            items.push(item.to_owned());
            within_item = true;
        } else if line.trim().is_empty() {
            within_item = false;
        } else if line.starts_with([' ', '\t']) && within_item {
            if let Some(last) = items.last_mut() {
                last.push(' ');
                last.push_str(line.trim());
            }
        } else {
            // Another heading or a paragraph ends the list.
            inside = false;
        }
    }
    items.iter().map(|item| one_line(item)).filter(|item| !item.is_empty()).collect()
}

/// `## Key Learnings:`, `**Learnings**`, `Key learnings:`.
fn is_heading(line: &str) -> bool {
    let bare: String = line.trim().trim_matches(|c: char| "#*_: ".contains(c)).to_lowercase();
    let marked = line.trim_start().starts_with(['#', '*', '_']) || line.trim_end().ends_with(':');
    let plain = line.trim().to_lowercase() == bare;
    (marked || plain) && (bare == "key learnings" || bare == "learnings")
}

/// What an item says: `1. text`, `2) text`, `- text`, `* text`, `• text`.
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    let bullet = ["- ", "* ", "• ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    let rest = bullet.or_else(|| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = rest.len() < line.len() && line.len() - rest.len() <= 4;
        numbered.then(|| rest.strip_prefix(['.', ')']))?.filter(|rest| rest.starts_with(' '))
    })?;
    Some(rest.trim()).filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mem_7_items_under_a_heading_of_learnings() {
        let text = "# Done\n- not this\n\n## Key Learnings:\n\n1. First one\n   goes on\n2) Second\n\
                    - Third\n* **Fourth** 語\n\nA paragraph.\n- not this either\n\nLearnings:\n\
                    • Fifth\n";
        assert_eq!(
            learnings(text),
            ["First one goes on", "Second", "Third", "**Fourth** 語", "Fifth"]
        );
        for none in ["", "- a\n- b", "My learnings today were:\n- a", "## Learnings\nnothing"] {
            assert!(learnings(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn only_so_many_items_are_taken() {
        assert_eq!(learnings(&format!("Learnings\n{}", "- x\n".repeat(500))).len(), MOST);
    }
}
