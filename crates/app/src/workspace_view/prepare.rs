//! From a draft to a message that is ready to go: its plan, and the texts that it is made of.

use std::collections::HashMap;

use plimsoll_budget::{Load, Verdict};
use plimsoll_domain::PairId;
use plimsoll_send::{
    AttemptPlan, Comparison, IncludedPair, Part, Plan, Reference, SeenQuestion, TrimStep,
    largest_answer, plan,
};
use plimsoll_store::{StoredPair, Workspace};

use super::{WorkspaceView, planning::with_its_question, target::TargetModel};
use crate::{App, AppError, Connection, Draft, Prepared, Purpose, View};

/// How often a message is planned before a send gives up, because pairs vanish while their texts
/// are read.
const PLANNING_ATTEMPTS: usize = 5;

/// The questions of the included pairs as they go out, where that is not their text alone, and
/// the message.
type Rendered = (Vec<Option<Vec<Part>>>, Vec<Part>);

impl App {
    /// Weighs one message and what would go along with it, in a view that is opened for it and let
    /// go.
    pub async fn prepare(
        &self,
        workspace: &Workspace,
        view: View,
        draft: &Draft,
    ) -> Result<Prepared, AppError> {
        self.workspace_view(workspace, view).await?.prepare(self, draft).await
    }
}

impl WorkspaceView {
    /// Plans a message and reads what goes along with it. Nothing is sent or written, except
    /// estimates that were counted on the way.
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
        let (connection, references) = self.reach(app, draft).await?;
        let (plan, included) = self.plan_and_texts(app, draft, &references).await?;
        let instructions = self.instructions(app).into_iter().flatten().collect();
        // What is compared with the page is what was read for this send (PAY-6).
        let mut seen = plan.seen(instructions, question);
        for (pair, stored) in seen.pairs.iter_mut().zip(&included) {
            pair.revision = stored.revision;
        }
        let mut attempts = self.attempts(app, &plan, &included, &connection);
        if draft.purpose == Purpose::Summarise {
            // A summary that lacks what it stands for would be a false one.
            attempts.max_trim_attempts = 0;
        }
        let (questions, message) = self.render(app, &included, draft, &references).await?;
        let raw_history = plan.snapshot.selection.raw_history();
        Ok(Prepared {
            workspace: self.workspace.clone(),
            provider: connection.provider,
            served_model: connection.model,
            included,
            system: app.system_message(&self.topic).map(str::to_owned),
            topic: self.topic.clone(),
            scope: self.view.scope,
            files_scope: self.view.files,
            purpose: draft.purpose,
            raw_prompt_tokens: self.target.raw_prelude + plan.snapshot.message.raw + raw_history,
            newest: self.history.pairs.last().map(|pair| pair.created_at),
            text: draft.text.clone(),
            questions,
            message,
            files: self.target.files.clone(),
            weigher: self.target.weigher.clone(),
            plan,
            seen,
            shown_as_sent: true,
            compared: Comparison::default(),
            takes_a_place: match draft.purpose {
                Purpose::New | Purpose::SendAgain(_) | Purpose::Summarise => false,
                Purpose::ReAsk(id) => self.position(id).is_some(),
                Purpose::Regenerate(_) => true,
            },
            line: self.line,
            attempts,
            history: self.view.history.clone(),
            said: self.view.said.clone(),
            person: self.view.person.clone(),
            group: None,
        })
    }

    /// Makes sure of who answers, and looks up the files of a message. Who answers may count
    /// tokens itself, or tell a window, only now.
    async fn reach(
        &mut self,
        app: &App,
        draft: &Draft,
    ) -> Result<(Connection, Vec<Reference>), AppError> {
        let model = self.target.facts.model.clone();
        let payer = self.view.payer(&self.workspace);
        let connection = app.providers.reach(&model, payer.as_ref()).await?;
        let references = self.resolve(app, draft).await?;
        let (at, view, topic) = (&self.workspace, &self.view, &self.topic);
        let reached = Some(connection.clone());
        let target = TargetModel::with(app, at, view, topic, &self.drafted, model, reached).await?;
        self.take_target(app, target).await?;
        Ok((connection, references))
    }

    /// The plan, and the pairs that go along as they are kept at this moment.
    async fn plan_and_texts(
        &mut self,
        app: &App,
        draft: &Draft,
        references: &[Reference],
    ) -> Result<(Plan, Vec<StoredPair>), AppError> {
        for _ in 0..PLANNING_ATTEMPTS {
            let snapshot = self.snapshot(app, draft, references).await?;
            let ids: Vec<PairId> = snapshot.selection.included.iter().map(|pair| pair.id).collect();
            let included = app.store.get_many(&ids).await?;
            if included.len() == ids.len() {
                return Ok((plan(&snapshot, app.settings().over_budget()), included));
            }
            // Somebody deleted one of them at this moment.
            self.reload(app).await?;
        }
        Err(AppError::ViewChanged)
    }

    /// The numbers that the attempts start from.
    fn attempts(
        &self,
        app: &App,
        plan: &Plan,
        included: &[StoredPair],
        connection: &Connection,
    ) -> AttemptPlan {
        let (input, settings) = (&plan.snapshot.input, app.settings());
        let pair = |(stored, load): (&StoredPair, &Load)| IncludedPair {
            id: stored.pair.id,
            model: stored.pair.model.clone(),
            tokens: load.tokens,
            pinned: load.pinned,
        };
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        AttemptPlan {
            model: plan.model().id.clone(),
            limit: input.limit,
            limit_uncertain: !plan.limit().binds.is_stated(),
            too_large: plan.validation.verdict == Verdict::TooLarge,
            allowance: input.allowance,
            message: plan.weights.message,
            prelude: plan.weights.prelude,
            reply_reserve: input.reply_reserve,
            correction: input.correction,
            chars_per_token: settings.chars_per_token(),
            included: included.iter().zip(&plan.snapshot.selection.loads).map(pair).collect(),
            fit_drop: plan.left_out_first(),
            max_trim_attempts: small(settings.max_trim_attempts()),
            trim_step: if settings.smart_trim() { TrimStep::Smart } else { TrimStep::One },
            max_output: largest_answer(
                self.topic.max_output,
                connection.provider.required_max_output(),
                input.limit.saturating_sub(plan.weights.total()),
                input.reply_reserve,
            ),
            max_retries: small(settings.retries()),
        }
    }

    /// The words of a send anew, after a file was taken away: what stood for it is gone.
    pub(crate) async fn render_again(
        &mut self,
        app: &App,
        prepared: &mut Prepared,
    ) -> Result<(), AppError> {
        let draft = Draft {
            text: prepared.text.clone(),
            attachments: prepared.plan.settled_attachments(),
            ..Draft::default()
        };
        let (_, references) = self.reach(app, &draft).await?;
        let rendered = self.render(app, &prepared.included, &draft, &references).await?;
        (prepared.questions, prepared.message) = rendered;
        prepared.files = self.target.files.clone();
        Ok(())
    }

    async fn render(
        &mut self,
        app: &App,
        included: &[StoredPair],
        draft: &Draft,
        references: &[Reference],
    ) -> Result<Rendered, AppError> {
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let (file_cache, mut loaded) = (&mut self.file_cache, HashMap::new());
        let mut questions = Vec::with_capacity(included.len());
        for StoredPair { pair, .. } in included {
            if !pair.attachment_kinds().1 {
                questions.push(None);
                continue;
            }
            let (text, attachments) = (&pair.user_text, &pair.attachments);
            let references = renderer.resolve(file_cache, text, attachments).await?;
            questions.push(Some(renderer.render(&mut loaded, text, &references).await?));
        }
        let message = renderer.render(&mut loaded, &draft.text, references).await?;
        Ok((questions, message))
    }
}
