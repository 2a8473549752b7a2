//! What people change while a send waits or is under way (PAY-1). A wait for its turn is not
//! yet sending: what goes along is captured when the first call leaves. What is taken away
//! after that goes along with no further call.

use std::collections::HashSet;

use plimsoll_domain::{FileId, PairId};
use plimsoll_send::{Comparison, Seen};

use crate::{App, AppError, Draft, HistoryChoice, Prepared, Purpose, StartedSend, View};

impl App {
    /// Captures anew what a message that has waited for its turn goes with: what is visible
    /// now. Its pair is written down, so its model and topic stay.
    pub(crate) async fn capture_again(&self, started: &mut StartedSend) -> Result<(), AppError> {
        let before = &started.prepared;
        let purpose = before.purpose;
        let without = (!before.takes_a_place).then_some(started.pair);
        let history = match started.history_now.take() {
            // What is summarised was chosen by name.
            _ if purpose == Purpose::Summarise => before.history.clone(),
            Some(now) => now(without).await?,
            None => {
                let view = view_of(before, before.history.clone());
                let mut workspace_view = self.workspace_view(&before.workspace, view).await?;
                HistoryChoice::These(workspace_view.visible_now(self, without).await?)
            }
        };
        let draft = Draft {
            text: before.text.clone(),
            attachments: before.plan.settled_attachments(),
            // A message is not its own history.
            purpose: match purpose {
                Purpose::Regenerate(id) => Purpose::Regenerate(id),
                Purpose::Summarise => Purpose::Summarise,
                Purpose::New | Purpose::ReAsk(_) | Purpose::SendAgain(_) => {
                    Purpose::ReAsk(started.pair)
                }
            },
        };
        let question = before.seen.question;
        let view = view_of(before, history);
        let workspace_view = self.workspace_view(&before.workspace, view).await?;
        let mut now =
            workspace_view.with_line_at(before.line).capture(self, &draft, question).await?;
        // It is compared when it leaves (PAY-6). It goes all the same, since that is what is
        // visible now (PAY-1), and the difference is told.
        let compared = match before.compared {
            Comparison::Same if !same_request(&before.seen, &now.seen) => {
                Comparison::ChangedWhileWaiting
            }
            compared => compared,
        };
        now.replan(started.policy);
        let group = before.group;
        started.prepared = Prepared { purpose, compared, group, ..now };
        Ok(())
    }

    /// The pairs that were to go along and are no longer there.
    pub(crate) async fn deleted_since(&self, prepared: &Prepared) -> Result<Vec<PairId>, AppError> {
        if prepared.included.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.store.rows(&prepared.workspace).await?;
        let there: HashSet<PairId> = rows.iter().map(|row| row.id).collect();
        Ok(prepared.included_ids().into_iter().filter(|id| !there.contains(id)).collect())
    }

    /// Takes files out of the request that are no longer among the files of the workspace.
    /// `gone` are those that were taken out before.
    pub(crate) async fn take_out_files(
        &self,
        prepared: &mut Prepared,
        gone: &mut Vec<FileId>,
    ) -> Result<(), AppError> {
        let history = prepared.included.iter().flat_map(|stored| &stored.pair.attachments);
        let history = history.filter_map(|attachment| attachment.file);
        let own = prepared.plan.attached.iter().filter_map(|one| one.file.as_ref().ok());
        let used: HashSet<FileId> = own.map(|file| file.id).chain(history).collect();
        if used.is_empty() {
            return Ok(());
        }
        let files = self.store.files(&prepared.workspace).await?;
        let there: HashSet<FileId> = files.iter().map(|file| file.id).collect();
        let lost = |id: &FileId| !there.contains(id) && !gone.contains(id);
        let lost: Vec<FileId> = used.into_iter().filter(lost).collect();
        if lost.is_empty() {
            return Ok(());
        }
        gone.extend(lost);
        let view = view_of(prepared, HistoryChoice::Nothing);
        let mut workspace_view = self.workspace_view(&prepared.workspace, view).await?;
        workspace_view.render_again(self, prepared).await
    }
}

/// The view that a send was made with, with other pairs.
fn view_of(prepared: &Prepared, history: HistoryChoice) -> View {
    View {
        history,
        scope: prepared.scope,
        topic: Some(prepared.topic.id.to_string()),
        model: Some(prepared.plan.model().id.clone()),
        files: prepared.files_scope,
        said: prepared.said.clone(),
        person: prepared.person.clone(),
    }
}

/// Whether the same goes with a message. Where pairs stand on a page is no part of that: the
/// message itself stands there now.
fn same_request(then: &Seen, now: &Seen) -> bool {
    let pairs = |seen: &Seen| -> Vec<(PairId, u64)> {
        seen.pairs.iter().map(|pair| (pair.id, pair.revision)).collect()
    };
    then.model == now.model
        && then.instructions == now.instructions
        && then.files == now.files
        && pairs(then) == pairs(now)
}
