//! `mem_stats`: what the memory holds and what this connection has sent (MBG-7).

use plimsoll_budget::Piece;
use plimsoll_tokens::commas;

use crate::{Memory, MemoryError, Reading, Reply, Stats, memory::Telling};

/// So many types and projects are named.
const MOST_GROUPS: usize = 10;

impl Memory {
    /// Counts, of one project or of all, and the ledger of the connection, within a budget.
    pub async fn stats(&self, ask: Stats) -> Result<Reply, MemoryError> {
        let scene = self.looks_at(ask.project.as_deref()).await?;
        let counts = self.store.memory_counts(&self.workspace, &scene.only()).await?;
        let of = scene.project("of");
        let holds = format!(
            "Memory{of}: {} observations, {} prompts, {} sessions, {} relations.{}",
            commas(counts.observations),
            commas(counts.prompts),
            commas(counts.sessions),
            commas(counts.relations),
            scene.hint
        );
        // The two sums are worth most; the place of a line is where it is printed.
        let mut pieces = vec![piece(0, holds), piece(3, self.sent())];
        let groups = [
            ("Types", &counts.kinds, counts.kind_count),
            ("Projects", &counts.projects, counts.project_count),
        ];
        for (place, (what, groups, total)) in (1..).zip(groups) {
            if !groups.is_empty() {
                pieces.push(piece(place, format!("{what}: {}", list(groups, total))));
            }
        }
        for (place, (tool, sent)) in (4..).zip(self.ledger().by_tool()) {
            let calls = if sent.calls == 1 { "call" } else { "calls" };
            let (tokens, count) = (commas(sent.tokens), commas(sent.calls));
            pieces.push(piece(place, format!("  {tool}: ~{tokens} tokens in {count} {calls}")));
        }
        let telling = Telling {
            tool: "mem_stats",
            head: &scene.head,
            intro: "",
            pieces: &pieces,
            ids: &[],
            total: pieces.len(),
            uncounted: false,
            noun: "lines",
            next_call: None,
            reading: Reading::whole(ask.max_tokens),
        };
        let told = self.told_plainly(&telling, "")?;
        // What is counted are observations, of which none is shown.
        let total = usize::try_from(counts.observations).unwrap_or(usize::MAX);
        Ok(Reply { shown: 0, total, ..told })
    }

    fn sent(&self) -> String {
        let ledger = self.ledger();
        let mut text = format!("Sent in this connection: ~{} tokens", commas(ledger.total()));
        if let (Some(budget), Some(left)) = (ledger.session_budget(), ledger.left()) {
            text.push_str(&format!(" of {}, {} left", commas(budget), commas(left)));
        }
        text.push('.');
        text
    }
}

fn piece(place: usize, text: String) -> Piece {
    Piece { text, place, heading: None, full_text: "mem_stats".to_owned(), lines_from: None }
}

/// The first ten groups, and how many more there are.
fn list(groups: &[(String, u64)], total: u64) -> String {
    let mut told: Vec<String> = groups
        .iter()
        .take(MOST_GROUPS)
        .map(|(name, count)| format!("{name} {}", commas(*count)))
        .collect();
    let more = total.saturating_sub(u64::try_from(told.len()).unwrap_or(u64::MAX));
    if more > 0 {
        told.push(format!("{} more", commas(more)));
    }
    told.join(", ")
}
