//! From a draft to its plan: everything that is known now, gathered into a snapshot.

use std::{borrow::Cow, sync::Arc};

use plimsoll_domain::{Attachment, ContextKind, Delivery, File, Lifecycle, PairKind};
use plimsoll_send::{
    AttachedFile, Hash, Plan, Reference, Seen, SeenQuestion, Snapshot, WeighedMessage, plan,
};
use plimsoll_store::{PairRow, StoredPair};
use plimsoll_tokens::{Basis, RawTokens, odd_bytes};

use super::WorkspaceView;
use crate::{
    App, AppError, Draft, Purpose,
    attach::{FileCache, files_of},
    workspace_view::target::TargetModel,
};

impl WorkspaceView {
    /// What a draft would be sent with, with no provider asked and no history touched besides
    /// what a trigger of BND-4 made necessary.
    pub async fn plan(&mut self, app: &App, draft: &Draft) -> Result<Plan, AppError> {
        Ok(self.planned(app, draft).await?.0)
    }

    /// The same, and what a page that shows it holds (PAY-6).
    pub async fn planned_and_seen(
        &mut self,
        app: &App,
        draft: &Draft,
    ) -> Result<(Plan, Seen), AppError> {
        let (plan, question) = self.planned(app, draft).await?;
        let seen = plan.seen(self.instructions(app).into_iter().flatten().collect(), question);
        Ok((plan, seen))
    }

    async fn planned(
        &mut self,
        app: &App,
        draft: &Draft,
    ) -> Result<(Plan, Option<SeenQuestion>), AppError> {
        let (draft, question) = &with_its_question(app, draft).await?;
        self.refresh(app).await?;
        let before = self.drafted.clone();
        let references = self.resolve(app, draft).await?;
        if self.drafted != before {
            self.refresh_target(app).await?;
        }
        self.check_purpose(app, draft.purpose).await?;
        let snapshot = self.snapshot(app, draft, &references).await?;
        Ok((plan(&snapshot, app.settings().over_budget()), *question))
    }

    /// Everything that is known now of a draft and of what may go along with it.
    pub(super) async fn snapshot(
        &mut self,
        app: &App,
        draft: &Draft,
        references: &[Reference],
    ) -> Result<Arc<Snapshot>, AppError> {
        let selection = self.selection(app, draft.purpose).await?;
        Ok(Arc::new(Snapshot {
            within: self.within(),
            sent_before: self.sent_before(app, draft.purpose, &selection).await,
            selection,
            message: self.weigh_message(app, draft, references).await?,
            target: Arc::clone(&self.target.facts),
            input: *self.cache.input(),
            quota: app.used_lately(&self.target.facts.model).await?,
            now: app.clock.now(),
            warn_at: app.settings().warn_at(),
            catalog: app.catalog(),
        }))
    }

    /// Looks up the files of a message. They are those that it would bring (FIL-6); words that
    /// are typed change nothing here.
    pub(super) async fn resolve(
        &mut self,
        app: &App,
        draft: &Draft,
    ) -> Result<Vec<Reference>, AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let (text, attachments) = (&draft.text, &draft.attachments);
        let references = renderer.resolve(&mut self.file_cache, text, attachments).await?;
        self.drafted = files_of(&references);
        Ok(references)
    }

    /// What a message weighs, and what is attached to it.
    async fn weigh_message(
        &mut self,
        app: &App,
        draft: &Draft,
        references: &[Reference],
    ) -> Result<WeighedMessage, AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let weighed = renderer.weigh(&mut self.file_cache, &draft.text, references).await?;
        let facts = &self.target.facts;
        let correction = self.cache.input().correction;
        let attached = renderer.attached(references, &weighed, &facts.file_limits, correction);
        Ok(WeighedMessage {
            raw: RawTokens::message(weighed.tokens, facts.model.message_overhead),
            odd_tokens: odd_tokens(&draft.text, &attached, &self.file_cache, &self.target),
            attached,
        })
    }

    /// What is attached to a message that was written before, as it would go out now.
    pub async fn attached(
        &mut self,
        app: &App,
        text: &str,
        attachments: &[Attachment],
    ) -> Result<Vec<AttachedFile>, AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let references = renderer.resolve(&mut self.file_cache, text, attachments).await?;
        let weighed = renderer.weigh(&mut self.file_cache, text, &references).await?;
        let correction = self.cache.input().correction;
        let limits = &self.target.facts.file_limits;
        Ok(renderer.attached(&references, &weighed, limits, correction))
    }

    /// LIM-3: how many of the first bytes of a text fit beside a draft, counted; at most so
    /// many.
    pub async fn head_that_fits(
        &mut self,
        app: &App,
        draft: &Draft,
        file: &File,
        at_most: u64,
    ) -> Result<u64, AppError> {
        let room = self.plan(app, draft).await?.room_for(file.id);
        let correction = self.cache.input().correction;
        let mut text = app.first_text(&self.workspace, file, at_most).await?;
        loop {
            let tokens = correction.apply(self.target.weigher.count(&text));
            if tokens <= room {
                return Ok((text.len() as u64).max(1));
            }
            // The parts of a text are not alike, so it is counted again.
            let share = room as f64 / tokens as f64 * 0.99;
            let end = text.floor_char_boundary((text.len() as f64 * share) as usize);
            text.truncate(end);
        }
    }

    /// SND-7, SND-8: what can be asked again.
    pub(super) async fn check_purpose(&self, app: &App, purpose: Purpose) -> Result<(), AppError> {
        match purpose {
            Purpose::New | Purpose::Summarise => Ok(()),
            Purpose::SendAgain(id) => match app.store.get(id).await?.pair.kind {
                PairKind::Chat => Ok(()),
                PairKind::Summary => Err(AppError::NotToSendAgain),
            },
            Purpose::ReAsk(id) => match app.store.get(id).await?.pair.lifecycle {
                Lifecycle::Error | Lifecycle::Cancelled => Ok(()),
                _ => Err(AppError::NotToReAsk),
            },
            Purpose::Regenerate(id) => {
                let complete = |pair: &&PairRow| {
                    pair.lifecycle == Lifecycle::Complete && pair.kind == PairKind::Chat
                };
                let newest = self.history.pairs.iter().rev().find(complete);
                match newest.is_some_and(|newest| newest.id == id) {
                    true => Ok(()),
                    false => Err(AppError::NotToRegenerate),
                }
            }
        }
    }

    /// The digests of the system message and of what is said about files.
    pub fn instructions(&self, app: &App) -> [Option<Hash>; 2] {
        let system = app.system_message(&self.topic).map(Hash::of);
        [system, self.target.files.digest()]
    }

    /// How many references to files were looked up.
    pub fn resolutions(&self) -> u64 {
        self.file_cache.resolutions
    }
}

/// A draft with the words that it is sent with. A question that is answered anew brings its own,
/// as they are kept at this moment (SND-8).
pub(super) async fn with_its_question<'a>(
    app: &App,
    draft: &'a Draft,
) -> Result<(Cow<'a, Draft>, Option<SeenQuestion>), AppError> {
    let Purpose::Regenerate(id) = draft.purpose else { return Ok((Cow::Borrowed(draft), None)) };
    let StoredPair { pair, revision, .. } = app.store.get(id).await?;
    let (text, attachments) = (pair.user_text, pair.attachments);
    let draft = Draft { text, attachments, ..draft.clone() };
    Ok((Cow::Owned(draft), Some(SeenQuestion { id, revision })))
}

/// What of a message is a picture, and, where its texts are only estimated, CJK or encoded.
fn odd_tokens(
    text: &str,
    attached: &[AttachedFile],
    file_cache: &FileCache,
    target: &TargetModel,
) -> u64 {
    let estimated = matches!(target.facts.basis, Basis::Learned { .. } | Basis::Approx);
    let odd_file = |one: &AttachedFile| match &one.file {
        Ok(_) if !matches!(one.delivery, Delivery::Inline | Delivery::Text) => 0,
        Ok(file) if file.context_kind() == ContextKind::Image => one.tokens,
        Ok(file) if estimated => file_cache.odd_tokens(file.id, one.delivery, one.tokens),
        _ => 0,
    };
    let files = attached.iter().map(odd_file).fold(0, u64::saturating_add);
    let odd = if estimated { odd_bytes(text) } else { 0 };
    if odd == 0 {
        return files;
    }
    let share = odd as f64 / text.len() as f64;
    files.saturating_add((target.weigher.count(text) as f64 * share) as u64)
}
