//! Summaries that can be seen (HIS-11): what would be summarised, in how many requests, and the
//! pair that each becomes.

use std::collections::HashSet;

use plimsoll_domain::{Lifecycle, MessagePair, PairId, PairKind, PairUse, Summarised};
use plimsoll_send::{Plan, Seen};
use plimsoll_store::{PairRow, StoredPair, Workspace};

use crate::{App, AppError, Draft, HistoryChoice, Prepared, Purpose, View, WorkspaceView};

/// What a model is asked for below the pairs that it is to summarise.
const INSTRUCTION: &str = "Summarise the conversation above, so that it can be continued from your \
    summary alone. Keep the facts, names, numbers, decisions, open questions and requests that later \
    messages may rely on, and quote code or wording that was agreed on. Leave out greetings and \
    repetition. Use the language of the conversation, and begin with the summary itself.";

/// One request for a summary, and what it weighs.
pub struct SummaryPart {
    /// The pairs that it would stand for, oldest first.
    pub pairs: Vec<PairId>,
    pub plan: Plan,
    /// What whoever agrees to it has seen (PAY-6).
    pub seen: Seen,
}

impl App {
    /// What summarising these pairs would take: as many requests as they need to fit.
    pub async fn plan_summary(
        &self,
        workspace: &Workspace,
        view: &View,
        pairs: &[PairId],
    ) -> Result<Vec<SummaryPart>, AppError> {
        let whole = summarising(view, pairs);
        let mut workspace_view = self.workspace_view(workspace, whole).await?;
        let parts = workspace_view.parts_that_fit(self, INSTRUCTION).await?;
        let mut planned = Vec::with_capacity(parts.len());
        for pairs in parts {
            workspace_view.choose(self, summarising(view, &pairs)).await?;
            let (plan, seen) = workspace_view.planned_and_seen(self, &draft()).await?;
            planned.push(SummaryPart { pairs, plan, seen });
        }
        Ok(planned)
    }

    /// The view that some pairs are summarised in, and what is asked there: for whoever shows the
    /// request before it goes (PAY-5).
    pub async fn summary_request(
        &self,
        workspace: &Workspace,
        view: &View,
        pairs: &[PairId],
    ) -> Result<(WorkspaceView, Draft), AppError> {
        Ok((self.workspace_view(workspace, summarising(view, pairs)).await?, draft()))
    }

    /// A request for the summary of these pairs, ready to go.
    pub async fn prepare_summary(
        &self,
        workspace: &Workspace,
        view: &View,
        pairs: &[PairId],
    ) -> Result<Prepared, AppError> {
        let prepared = self.prepare(workspace, summarising(view, pairs), &draft()).await?;
        match prepared.included.len() == pairs.len() {
            true => Ok(prepared),
            // One of them was deleted or grew meanwhile.
            false => Err(AppError::ViewChanged),
        }
    }
}

impl WorkspaceView {
    /// The visible pairs that do not go along because there is no room for them, or because they
    /// stand before the line; oldest first. What was left out by hand stays out.
    pub async fn without_room(&mut self, app: &App) -> Result<Vec<PairId>, AppError> {
        use plimsoll_budget::ExcludedBecause::{BeforeTheLine, Budget};

        let shown = self.selection(app, Purpose::New).await?;
        let left = shown.excluded.iter().filter(|(_, why)| matches!(why, Budget | BeforeTheLine));
        let left: HashSet<PairId> = left.map(|(id, _)| *id).collect();
        let rows = self.rows_shown(app).await?;
        let wanted =
            |row: &&PairRow| row.lifecycle == Lifecycle::Complete && left.contains(&row.id);
        Ok(rows.iter().filter(wanted).map(|row| row.id).collect())
    }

    /// The visible pairs up to one of them that may be summarised; oldest first. What was left out
    /// by hand stays out, and a summary is not summarised.
    pub async fn up_to(&mut self, app: &App, last: PairId) -> Result<Vec<PairId>, AppError> {
        let rows = self.rows_shown(app).await?;
        let end = rows.iter().position(|row| row.id == last).map_or(0, |at| at + 1);
        let wanted = |row: &&PairRow| {
            row.lifecycle == Lifecycle::Complete
                && row.pair_use != PairUse::Out
                && row.kind == PairKind::Chat
        };
        Ok(rows[..end].iter().filter(wanted).map(|row| row.id).collect())
    }
}

/// The view in which some pairs, and no others, are sent to be summarised.
fn summarising(view: &View, pairs: &[PairId]) -> View {
    View { history: HistoryChoice::Summarised(pairs.to_vec()), ..view.clone() }
}

fn draft() -> Draft {
    Draft { text: INSTRUCTION.to_owned(), attachments: Vec::new(), purpose: Purpose::Summarise }
}

/// The pair that a summary of others becomes. It stands right after the newest of them, in the same
/// conversation; its id tells when it was made.
pub(crate) fn summary_of(pair: MessagePair, pairs: &[StoredPair]) -> MessagePair {
    let link = |stored: &StoredPair| Summarised {
        pair: stored.pair.id,
        revision: stored.revision,
        use_before: stored.pair.pair_use,
    };
    let messages: usize =
        pairs.iter().map(|stored| 1 + usize::from(stored.pair.assistant_text.is_some())).sum();
    let newest = pairs.last().map(|stored| &stored.pair);
    MessagePair {
        user_text: format!("Summary of {messages} earlier messages"),
        kind: PairKind::Summary,
        pair_use: PairUse::Pinned,
        summarises: pairs.iter().map(link).collect(),
        created_at: newest.map_or(pair.created_at, |newest| newest.created_at),
        topic_id: newest.map_or(pair.topic_id, |newest| newest.topic_id),
        attachments: Vec::new(),
        ..pair
    }
}
