//! From a draft to what would be sent: boundary → weights → plan → payload.

use std::{borrow::Cow, collections::HashMap};

use plimsoll_budget::{
    Attached, Boundary, BoundaryInput, IncludedTokens, Judged, Verdict, Weights, suggestions,
    validate,
};
use plimsoll_domain::{Attachment, ContextKind, Delivery, File, Lifecycle, PairId};
use plimsoll_send::{
    Comparison, IncludedPair, Part, SeenQuestion, SendPlan, TrimStep, largest_answer,
};
use plimsoll_store::StoredPair;
use plimsoll_tokens::{Basis, RawTokens, odd_bytes};

use super::{WorkspaceView, target::TargetModel};
use crate::{
    App, AppError, AttachedFile, Draft, Planned, Prepared, Purpose, SendPreview, attach::FileCache,
};

/// A message on the scales.
struct Message {
    /// Its raw tokens, overhead included.
    raw: RawTokens,
    /// What of them estimates misjudge by far (EST-9).
    odd: u64,
    attached: Vec<AttachedFile>,
}

impl WorkspaceView {
    /// How a draft would stand, with no provider asked and no history touched besides
    /// what a trigger of BND-4 made necessary.
    pub async fn preview(&mut self, app: &App, draft: &Draft) -> Result<SendPreview, AppError> {
        self.refresh(app).await?;
        if self.bring_files(app, draft).await? {
            self.refresh_target(app).await?;
        }
        let boundary = self.boundary(app).await?;
        let message = self.weigh_message(app, draft).await?;
        let rules = self.rules(app);
        let aboard = || {
            let loads = (boundary.start..self.visible.len()).map(|at| self.load(at, &rules));
            loads.filter(|load| load.sendable).map(|load| load.tokens).collect()
        };
        self.weigh_up(app, boundary, aboard, message).await
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
        let room = self.preview(app, draft).await?.room_for(file.id);
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

    /// Takes the files of a message as those that it would bring (FIL-6); says whether they
    /// are others than before. Words that are typed change nothing here.
    async fn bring_files(&mut self, app: &App, draft: &Draft) -> Result<bool, AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let files = renderer.files(&mut self.file_cache, &draft.text, &draft.attachments).await?;
        let changed = files != self.drafted;
        self.drafted = files;
        Ok(changed)
    }

    /// What a draft would be sent with, pair by pair: what a page marks (PAY-6).
    pub async fn planned(&mut self, app: &App, draft: &Draft) -> Result<Planned, AppError> {
        let (draft, question) = &with_its_question(app, draft).await?;
        self.refresh(app).await?;
        if self.bring_files(app, draft).await? {
            self.refresh_target(app).await?;
        }
        self.check_purpose(app, draft.purpose).await?;
        let choice = self.choice(app, draft.purpose).await?;
        let message = self.weigh_message(app, draft).await?;
        let mut preview =
            self.weigh_up(app, choice.boundary, || choice.raw_tokens.clone(), message).await?;
        preview.newest_too_large &= choice.sendable;
        let seen = self.seen(app, &preview, choice.aboard, *question);
        Ok(Planned { preview, seen, start: choice.start, end: choice.end })
    }

    /// What is attached to a message that was written before, as it would go out now.
    pub async fn attached(
        &mut self,
        app: &App,
        text: &str,
        attachments: &[Attachment],
    ) -> Result<Vec<AttachedFile>, AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let (limits, correction) = (&self.target.limits, self.cache.input().correction);
        renderer.look(&mut self.file_cache, text, attachments, limits, correction).await
    }

    /// What a message weighs, and what is attached to it.
    async fn weigh_message(&mut self, app: &App, draft: &Draft) -> Result<Message, AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let (file_cache, target) = (&mut self.file_cache, &self.target);
        let (text, attachments) = (&draft.text, &draft.attachments);
        let tokens = renderer.weigh(file_cache, text, attachments).await?;
        let raw = RawTokens::message(tokens, target.model.message_overhead);
        let (limits, correction) = (&target.limits, self.cache.input().correction);
        let attached = renderer.look(file_cache, text, attachments, limits, correction).await?;
        let odd = odd_tokens(text, &attached, file_cache, target);
        Ok(Message { raw, odd, attached })
    }

    /// Weighs a message and what would go along with it. Nothing is sent or written,
    /// except estimates that were counted on the way.
    pub async fn prepare(&mut self, app: &App, draft: &Draft) -> Result<Prepared, AppError> {
        let (draft, question) = &with_its_question(app, draft).await?;
        if !plimsoll_budget::is_emitted(&draft.text) {
            return Err(AppError::EmptyMessage);
        }
        self.refresh(app).await?;
        self.check_purpose(app, draft.purpose).await?;
        self.capture(app, draft, *question).await
    }

    /// What a draft is sent with, as everything stands now (PAY-1).
    pub(crate) async fn capture(
        &mut self,
        app: &App,
        draft: &Draft,
        question: Option<SeenQuestion>,
    ) -> Result<Prepared, AppError> {
        let connection = app.providers.reach(&self.target.model).await?;
        // Who answers may count tokens itself, or tell a window, only now.
        let model = self.target.model.clone();
        self.bring_files(app, draft).await?;
        let (at, topic, drafted) = (&self.workspace, &self.topic, &self.drafted);
        let target =
            TargetModel::with(app, at, topic, drafted, model, Some(connection.clone())).await?;
        self.stand(app, target).await?;
        let choice = self.choice(app, draft.purpose).await?;
        let message = self.weigh_message(app, draft).await?;
        let raw_aut = message.raw;
        let mut preview =
            self.weigh_up(app, choice.boundary, || choice.raw_tokens.clone(), message).await?;
        preview.newest_too_large &= choice.sendable;
        let input = *self.cache.input();
        let ids: Vec<PairId> = choice.aboard.iter().map(|pair| pair.id).collect();
        let included = app.store.get_many(&ids).await?;
        // What is compared with the page is what was read for this send (PAY-6).
        let mut seen = self.seen(app, &preview, choice.aboard, question);
        for (pair, stored) in seen.pairs.iter_mut().zip(&included) {
            (pair.id, pair.revision) = (stored.pair.id, stored.revision);
        }
        let settings = app.settings();
        let max_output = largest_answer(
            self.topic.max_output,
            connection.provider.required_max_output(),
            input.ml.saturating_sub(preview.weights.total()),
            input.reply_reserve,
        );
        let pair = |(stored, tokens): (&StoredPair, &RawTokens)| IncludedPair {
            id: stored.pair.id,
            model: stored.pair.model.clone(),
            tokens: *tokens,
        };
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let plan = SendPlan {
            model: preview.model.id.clone(),
            ml: input.ml,
            ml_uncertain: !preview.limit.binds.is_stated(),
            too_large: preview.validation.verdict == Verdict::TooLarge,
            ura: input.ura,
            aut: preview.weights.aut,
            prelude: preview.weights.prelude,
            reply_reserve: input.reply_reserve,
            correction: input.correction,
            chars_per_token: settings.chars_per_token(),
            included: included.iter().zip(&choice.raw_tokens).map(pair).collect(),
            fit_drop: 0,
            max_trim_attempts: small(settings.max_trim_attempts()),
            trim_step: if settings.smart_trim() { TrimStep::Smart } else { TrimStep::One },
            max_output,
            max_retries: small(settings.retries()),
        };
        let (questions, message) = self.render(app, &included, draft).await?;
        let raw_history: RawTokens = choice.raw_tokens.iter().sum();
        let raw_prelude = self.target.raw_prelude;
        Ok(Prepared {
            workspace: self.workspace.clone(),
            provider: connection.provider,
            served_model: connection.model,
            included,
            system: app.system_message(&self.topic).map(str::to_owned),
            topic: self.topic.clone(),
            purpose: draft.purpose,
            raw_prompt_tokens: raw_prelude + raw_aut + raw_history,
            newest: self.history.pairs.last().map(|pair| pair.created_at),
            text: draft.text.clone(),
            questions,
            message,
            files: self.target.files.clone(),
            weigher: self.target.weigher.clone(),
            preview,
            seen,
            compared: Comparison::default(),
            takes_a_place: match draft.purpose {
                Purpose::New => false,
                Purpose::ReAsk(id) => self.position(id).is_some(),
                Purpose::Regenerate(_) => true,
            },
            line: self.line,
            ashore: choice.ashore,
            plan,
            history: self.view.history.clone(),
        })
    }

    /// The words of a send anew, after a file was taken away: what stood for it is gone.
    pub(crate) async fn pack_again(
        &mut self,
        app: &App,
        prepared: &mut Prepared,
    ) -> Result<(), AppError> {
        let model = self.target.model.clone();
        let connection = app.providers.reach(&model).await?;
        let draft = Draft {
            text: prepared.text.clone(),
            attachments: prepared.settled_attachments(),
            ..Draft::default()
        };
        self.bring_files(app, &draft).await?;
        let (at, topic, drafted) = (&self.workspace, &self.topic, &self.drafted);
        let target = TargetModel::with(app, at, topic, drafted, model, Some(connection)).await?;
        self.stand(app, target).await?;
        let rendered = self.render(app, &prepared.included, &draft).await?;
        (prepared.questions, prepared.message) = rendered;
        prepared.files = self.target.files.clone();
        Ok(())
    }

    /// Questions as they go out, where that is not their text alone, and the message.
    async fn render(
        &mut self,
        app: &App,
        included: &[StoredPair],
        draft: &Draft,
    ) -> Result<(Vec<Option<Vec<Part>>>, Vec<Part>), AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let (file_cache, mut loaded) = (&mut self.file_cache, HashMap::new());
        let mut questions = Vec::with_capacity(included.len());
        for StoredPair { pair, .. } in included {
            let (text, attachments) = (&pair.user_text, &pair.attachments);
            questions.push(match pair.attachment_kinds().1 {
                true => Some(renderer.render(file_cache, &mut loaded, text, attachments).await?),
                false => None,
            });
        }
        let (text, attachments) = (&draft.text, &draft.attachments);
        let message = renderer.render(file_cache, &mut loaded, text, attachments).await?;
        Ok((questions, message))
    }

    /// SND-7, SND-8: what can be asked again.
    async fn check_purpose(&self, app: &App, purpose: Purpose) -> Result<(), AppError> {
        let state =
            |id: PairId| async move { app.store.get(id).await.map(|stored| stored.pair.lifecycle) };
        match purpose {
            Purpose::New => Ok(()),
            Purpose::ReAsk(id) => match state(id).await? {
                Lifecycle::Error | Lifecycle::Cancelled => Ok(()),
                _ => Err(AppError::NotToReAsk),
            },
            Purpose::Regenerate(id) => {
                let complete =
                    |pair: &&plimsoll_store::PairRow| pair.lifecycle == Lifecycle::Complete;
                let newest = self.history.pairs.iter().rev().find(complete);
                if newest.is_some_and(|newest| newest.id == id) {
                    Ok(())
                } else {
                    Err(AppError::NotToRegenerate)
                }
            }
        }
    }

    /// Whether any of the first so many visible pairs could be sent, if there were room.
    fn has_sendable(&self, app: &App, first: usize) -> bool {
        let rules = self.rules(app);
        (0..first.min(self.visible.len())).rev().any(|at| self.load(at, &rules).sendable)
    }

    /// Puts a message on the scales. The pairs themselves are looked at only when it is
    /// over the limit and their weights say what would help.
    async fn weigh_up(
        &self,
        app: &App,
        boundary: Boundary,
        raw_history: impl FnOnce() -> Vec<RawTokens>,
        message: Message,
    ) -> Result<SendPreview, AppError> {
        let input: &BoundaryInput = self.cache.input();
        let weights = Weights {
            ml: input.ml,
            prelude: input.prelude(),
            history: boundary.predicted_history_tokens,
            aut: input.correction.apply(message.raw),
        };
        let target = &self.target;
        let odd_tokens = message.odd.saturating_add(target.files.tool_tokens);
        let least_alone = || target.basis.band(weights.alone(), odd_tokens).low;
        let least_alone = target.limit.binds.is_stated().then(least_alone);
        let validation = validate(&weights, app.settings().warn_at(), least_alone);
        let model = &target.model;
        let helpful = match validation.verdict {
            Verdict::Ok | Verdict::Warn => Vec::new(),
            Verdict::Over | Verdict::TooLarge => {
                let raw = raw_history();
                let history = IncludedTokens { raw: &raw, correction: input.correction };
                let attached = attached_weights(&message.attached);
                let catalog = app.catalog();
                suggestions(&Judged {
                    weights: &weights,
                    validation: &validation,
                    limit: target.limit,
                    attached: &attached,
                    history: &history,
                    catalog: &catalog,
                    model: &model.id,
                })
            }
        };
        let mut preview = SendPreview {
            suggestions: helpful,
            quota: app.quota(model, weights.total()).await?,
            model: model.clone(),
            limit: target.limit,
            boundary,
            newest_too_large: boundary.x == 0 && self.has_sendable(app, self.visible.len()),
            left_out_in_doubt: !target.limit.binds.is_stated()
                && self.has_sendable(app, boundary.start),
            reply_reserve: input.reply_reserve,
            weights,
            validation,
            basis: target.basis,
            odd_tokens,
            slope: input.correction.slope(),
            request_tokens: input.correction.offset(),
            estimator: (target.weigher.name(), target.weigher.is_exact()),
            system_tokens: input.correction.apply(target.raw_system),
            attached: message.attached,
            limits: target.limits.clone(),
            capabilities: target.capabilities,
            files: target.files_preview(input.correction),
            hidden_prompt_notice: target.hidden_prompt_notice,
        };
        preview.tell_heads();
        Ok(preview)
    }
}

/// A draft with the words that it is sent with. A question that is answered anew brings its own,
/// as they are kept at this moment (SND-8).
async fn with_its_question<'a>(
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
    let estimated = matches!(target.basis, Basis::Learned { .. } | Basis::Approx);
    let odd_file = |one: &AttachedFile| match &one.file {
        Ok(_) if one.delivery != Delivery::Inline => 0,
        Ok(file) if file.context_kind() == ContextKind::Image => one.tokens,
        Ok(file) if estimated => file_cache.odd_tokens(file.id, one.tokens),
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

/// What is attached, as the suggestions of VAL-1 name it.
pub(crate) fn attached_weights(attached: &[AttachedFile]) -> Vec<Attached> {
    let weight = |one: &AttachedFile| {
        let name = one.file.as_ref().ok()?.name.clone();
        let AttachedFile { tokens, on_demand_tokens, .. } = *one;
        Some(Attached { name, tokens, on_demand_tokens })
    };
    attached.iter().filter_map(weight).collect()
}
