//! What would go and what stays, by name, with the load line between them: `/plan` of a chat and
//! `--dry-run` of a send.

use plimsoll_app::{App, Inclusion, Shown, WorkspaceView};
use plimsoll_budget::ExcludedBecause;
use plimsoll_domain::PairUse;
use plimsoll_send::Plan;
use plimsoll_tokens::commas;

use crate::{
    failure::Failure,
    output::{columns, printable},
};

/// So many pairs are named on each side of the line.
const NAMED: usize = 20;

/// The first words of a message, in so many characters.
pub(crate) fn first_words(text: &str, longest: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let name = printable(&words.join(" "));
    match name.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// One row: what it weighs, and what it is, cut to the terminal.
pub(crate) fn row(tokens: &str, what: &str, note: &str) -> String {
    const LONGEST: usize = 60;
    const WEIGHT: usize = 12;
    let room = columns().map_or(LONGEST, |columns| {
        columns.saturating_sub(WEIGHT + note.chars().count()).clamp(8, LONGEST)
    });
    format!("  {tokens:>7}  {}{note}\n", first_words(what, room))
}

/// Whether it goes because somebody pinned it.
fn is_pinned(shown: &Shown) -> bool {
    shown.place == Inclusion::Included && shown.pair_use == PairUse::Pinned
}

/// The pairs on both sides of the line, oldest first, and the system message under it.
pub(crate) async fn picture(
    app: &App,
    workspace_view: &mut WorkspaceView,
    plan: &Plan,
    line: &str,
) -> Result<String, Failure> {
    let start = plan.boundary().start;
    let above = start.saturating_sub(NAMED)..start;
    let below = start.max(plan.boundary().visible.saturating_sub(NAMED))..plan.boundary().visible;
    let unnamed = [above.start, below.start - start];
    let shown = [workspace_view.shown(app, above).await?, workspace_view.shown(app, below).await?];
    let mut text = String::new();
    for (side, (shown, unnamed)) in shown.iter().zip(unnamed).enumerate() {
        if unnamed > 0 {
            let named = shown.iter().filter(|pair| is_pinned(pair)).count();
            let pins = plan.boundary().pinned_above.saturating_sub(named);
            let sent = match pins {
                0 => String::new(),
                _ if side > 0 => String::new(),
                pins => format!(", {} of them pinned and sent", commas(pins as u64)),
            };
            text.push_str(&format!("          … {} older{sent}\n", commas(unnamed as u64)));
        }
        text.push_str(&rows(app, workspace_view, shown).await?);
        if side == 0 {
            text.push_str(&format!("{line}\n"));
            if let Some(system) = app.system_message(workspace_view.topic()) {
                let tokens = commas(plan.weights.prelude);
                text.push_str(&row(&tokens, &format!("system: {system}"), ""));
            }
        }
    }
    Ok(text)
}

async fn rows(
    app: &App,
    workspace_view: &WorkspaceView,
    shown: &[Shown],
) -> Result<String, Failure> {
    let ids: Vec<_> = shown.iter().map(|pair| pair.id).collect();
    let stored = app.store().get_many(&ids).await?;
    let mut text = String::new();
    for pair in shown {
        let found = stored.iter().find(|stored| stored.pair.id == pair.id);
        let name = match found {
            Some(stored) => app.for_people(workspace_view.workspace(), &stored.pair).await?,
            None => String::new(),
        };
        let tokens = pair.tokens.map_or_else(|| "–".to_owned(), commas);
        let why = match pair.place {
            Inclusion::Included if is_pinned(pair) => "  (pinned)".to_owned(),
            Inclusion::Included => String::new(),
            Inclusion::Excluded(ExcludedBecause::Budget) => "  (ashore)".to_owned(),
            Inclusion::Excluded(why) => format!("  (ashore: {})", why.name()),
        };
        text.push_str(&row(&tokens, &name, &why));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_harmless() {
        assert_eq!(first_words(" a\n\n b\x1b[2J ", 60), "a b\u{fffd}[2J");
        assert_eq!(first_words(&"x".repeat(100), 60).chars().count(), 61);
    }
}
