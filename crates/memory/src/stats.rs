//! `mem_stats`: what the memory holds and what this connection has sent (MBG-7).

use plimsoll_tokens::commas;

use crate::{Memory, MemoryError, Reply, checks};

impl Memory {
    /// Counts, of one project or of all, and the ledger of the connection.
    pub async fn stats(&self, project: Option<String>) -> Result<Reply, MemoryError> {
        self.ledger().cap(None)?;
        let project = checks::opt_name("project", project.as_deref())?;
        let counts = self.store.memory_counts(&self.workspace, project.as_deref()).await?;
        let of = project.map_or_else(String::new, |project| format!(" of project {project}"));
        let mut text = format!(
            "Memory{of}: {} observations, {} prompts, {} sessions, {} relations.",
            commas(counts.observations),
            commas(counts.prompts),
            commas(counts.sessions),
            commas(counts.relations)
        );
        for (what, groups) in [("Types", &counts.kinds), ("Projects", &counts.projects)] {
            if !groups.is_empty() {
                text.push_str(&format!("\n{what}: {}", list(groups)));
            }
        }
        let ledger = self.ledger();
        text.push_str(&format!("\nSent in this connection: ~{} tokens", commas(ledger.total())));
        if let (Some(budget), Some(left)) = (ledger.session_budget(), ledger.left()) {
            text.push_str(&format!(" of {}, {} left", commas(budget), commas(left)));
        }
        text.push('.');
        for (tool, sent) in ledger.by_tool() {
            let calls = if sent.calls == 1 { "call" } else { "calls" };
            text.push_str(&format!(
                "\n  {tool}: ~{} tokens in {} {calls}",
                commas(sent.tokens),
                commas(sent.calls)
            ));
        }
        let total = usize::try_from(counts.observations).unwrap_or(usize::MAX);
        Ok(Reply { total, ..self.said("mem_stats", text, Vec::new()) })
    }
}

/// The first ten groups, and how many more there are.
fn list(groups: &[(String, u64)]) -> String {
    let mut told: Vec<String> =
        groups.iter().take(10).map(|(name, count)| format!("{name} {}", commas(*count))).collect();
    if groups.len() > 10 {
        told.push(format!("{} more", groups.len() - 10));
    }
    told.join(", ")
}
