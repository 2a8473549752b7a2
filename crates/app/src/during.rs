//! What people take away while a send is under way goes along with no further call (PAY-1).

use std::collections::HashSet;

use plimsoll_domain::{FileId, PairId};

use crate::{App, AppError, HistoryChoice, Prepared, View, topic_path};

impl App {
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
        let topics = self.store.topics(&prepared.workspace).await?;
        let view = View {
            history: HistoryChoice::Nothing,
            topic: Some(topic_path(&topics, prepared.topic.id)),
            model: Some(prepared.outlook.model.id.clone()),
        };
        let mut board = self.board(&prepared.workspace, view).await?;
        board.pack_again(self, prepared).await
    }
}
