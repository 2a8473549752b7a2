//! What people change while a send waits or is under way (PAY-1). A wait for its turn is not
//! yet sending: what goes along is captured when the first call leaves. What is taken away
//! after that goes along with no further call.

use std::collections::HashSet;

use plimsoll_domain::{FileId, PairId};

use crate::{App, AppError, Begun, Draft, HistoryChoice, Prepared, Purpose, View, topic_path};

impl App {
    /// Captures anew what a message that has waited for its turn goes with. Its pair is
    /// written down, so its model and topic stay.
    pub(crate) async fn capture_again(&self, begun: &mut Begun) -> Result<(), AppError> {
        let history = match begun.history_now.take() {
            Some(now) => now().await,
            None => begun.prepared.history.clone(),
        };
        let before = &begun.prepared;
        let purpose = before.purpose;
        let draft = Draft {
            text: before.text.clone(),
            attachments: before.settled_attachments(),
            // A message is not its own history.
            purpose: match purpose {
                Purpose::Regenerate(id) => Purpose::Regenerate(id),
                Purpose::New | Purpose::ReAsk(_) => Purpose::ReAsk(begun.pair),
            },
            over_budget: begun.over_budget,
        };
        let mut board = self.board(&before.workspace, self.view_of(before, history).await?).await?;
        let now = board.capture(self, &draft, before.seen.question).await?;
        // It is compared when it leaves: what changed since was seen by nobody (PAY-6).
        let compared = before.compared && now.seen.digest() == before.seen.digest();
        begun.prepared = Prepared { purpose, compared, ..now };
        Ok(())
    }

    /// The view that a send was made with, with other pairs.
    async fn view_of(&self, prepared: &Prepared, history: HistoryChoice) -> Result<View, AppError> {
        let topics = self.store.topics(&prepared.workspace).await?;
        Ok(View {
            history,
            topic: Some(topic_path(&topics, prepared.topic.id)),
            model: Some(prepared.outlook.model.id.clone()),
        })
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
        let own = prepared.outlook.attached.iter().filter_map(|one| one.file.as_ref().ok());
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
        let view = self.view_of(prepared, HistoryChoice::Nothing).await?;
        let mut board = self.board(&prepared.workspace, view).await?;
        board.pack_again(self, prepared).await
    }
}
