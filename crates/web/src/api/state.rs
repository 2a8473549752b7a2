//! The state of a session as JSON: view, counter, boundary, window.

use std::sync::Arc;

use plimsoll_app::{AppError, WorkspaceView, tell_context_mark, topic_path};
use plimsoll_budget::{Binds, Boundary, ModelLimit, WindowSource};
use plimsoll_domain::FilesScope;
use plimsoll_send::{Counter, Plan, SendCost};
use plimsoll_tokens::{commas, compact_load, compact_tokens, dollars_at_most};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    LackDto,
    files::{AttachedDto, LimitsDto, SectionDto},
    seen::ShownDto,
};
use crate::{
    Web,
    event_id::EventId,
    formats::rfc3339,
    sessions::{Frozen, WorkspaceSession},
};

/// The filter and the selectors.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewDto {
    /// The applied filter.
    pub(crate) filter: String,
    /// The path of the topic that new pairs go to.
    pub(crate) topic: String,
    /// Its id: conversations may have the same title.
    pub(crate) topic_id: String,
    /// The title of that conversation: its name, or the first words of its first message.
    pub(crate) title: String,
    /// Whether somebody named it.
    named: bool,
    /// The model that would answer.
    pub(crate) model: String,
    /// Whose files it is told of and may read (FIL-6).
    #[serde(rename = "filesScope")]
    files: FilesScope,
    /// What was sent in this conversation cost, in US dollars, as far as prices were known; absent
    /// where everything is looked at (UI-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<f64>,
    /// The model that answered here last, where it lacks something and another would answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed_over: Option<PassedOverDto>,
}

/// A model that is not asked because it lacks something.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PassedOverDto {
    model: String,
    lacks: LackDto,
}

/// `X / Y`, or `[X-T]/Y` after a send that trimmed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CounterDto {
    /// X, predicted.
    x: usize,
    /// T, trimmed.
    t: usize,
    /// Y, visible.
    y: usize,
    /// As it is shown.
    pub(crate) text: String,
    /// Whether it is that of the last send.
    frozen: bool,
    /// What it was reckoned with (REC-3).
    title: String,
    /// The numbers of the last send, where the counter is that of the last send.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<SentTokens>,
}

/// What a send weighed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SentTokens {
    /// The history that was sent.
    history: u64,
    /// The message.
    aut: u64,
    /// All together.
    total: u64,
    /// ML at that send.
    ml: u64,
}

impl CounterDto {
    fn of(counter: Counter, frozen: bool, title: String) -> Self {
        let Counter { predicted, trimmed, visible } = counter;
        let text = counter.to_string();
        Self { x: predicted, t: trimmed, y: visible, text, frozen, title, sent: None }
    }

    fn frozen(frozen: &Frozen, title: String) -> Self {
        let Frozen { counter, history, aut, total, ml } = *frozen;
        let sent = Some(SentTokens { history, aut, total, ml });
        Self { sent, ..Self::of(counter, true, title) }
    }
}

/// Where the load line is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BoundaryDto {
    /// The position that the line is drawn above. Pairs before it are sent only if they are pinned.
    pub(crate) start: usize,
    /// What the line says: numbers with the words that follow them.
    #[schema(value_type = Vec<(String, String)>)]
    words: Vec<(String, &'static str)>,
    /// How many are aboard.
    pub(crate) x: usize,
    /// How many are visible.
    pub(crate) y: usize,
    /// What they weigh.
    pub(crate) history_tokens: u64,
    /// That and the user request allowance.
    total_tokens: u64,
    /// Said where nothing is aboard because the newest pair alone does not fit (BND-7), and
    /// where a limit that nobody states leaves pairs out (CAT-3, CAT-4).
    note: Option<String>,
    /// Whether that limit was learned and can be forgotten.
    forget: bool,
}

/// BND-7 in words.
const NEWEST_TOO_LARGE: &str =
    "the newest pair alone does not fit, so nothing of the history is sent";

/// How the window is filled.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WindowDto {
    /// ML, the model limit.
    pub(crate) ml: u64,
    /// Which limit binds: `window`, `tpm`, `learned`, `assumed` …
    pub(crate) binds: &'static str,
    /// The same in words.
    pub(crate) bind_text: String,
    /// The system message, and what is said about files.
    pub(crate) prelude: u64,
    /// The pairs that are aboard.
    pub(crate) history: u64,
    /// AUT, the message with its attachments.
    pub(crate) aut: u64,
    /// What of the message is attached.
    pub(crate) attached: u64,
    /// URA: a message of this size fits beside the history without moving anything.
    ura: u64,
    /// What of the prelude is the system message.
    system: u64,
    /// What is kept for the answer.
    pub(crate) reserve: u64,
    /// What is left.
    pub(crate) free: u64,
    /// Prelude, history and message.
    pub(crate) total: u64,
    /// The total in percent of ML.
    pub(crate) percent: f64,
    /// `ok`, `warn`, `over` or `too_large`.
    pub(crate) verdict: &'static str,
    /// Whether the numbers are exact.
    pub(crate) exact: bool,
    /// The estimator in use.
    pub(crate) estimator: &'static str,
    /// What the numbers rest on: `exact`, `tokenizer`, `learned` or `approx`.
    basis: &'static str,
    /// The total with its band and basis: `3,100 ± 4 %, learned from 42 answers`.
    pub(crate) told: String,
    /// The least and the most that the total is expected to be.
    band: [u64; 2],
    /// What the prelude is made of.
    pub(crate) prelude_text: String,
    /// What it will cost, where the price of the model is known (UI-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<CostDto>,
    /// As it is shown: `~2.5K / 4K tokens`.
    pub(crate) load: String,
    /// The model.
    pub(crate) model: String,
}

/// What the prompt costs, in US dollars; the answer is not counted.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CostDto {
    /// Without any cache, at the high end of what the estimate may be.
    pub(crate) most: f64,
    /// The same as it is shown: `≤ $0.13`, or `free`.
    pub(crate) text: String,
    /// The whole of the request in short, such as `54K`.
    pub(crate) tokens: String,
    /// If the beginning that the last send had as well is still cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    cached: Option<f64>,
    /// What a million tokens of the prompt cost.
    input_price: f64,
}

impl CostDto {
    fn of(plan: &Plan) -> Option<Self> {
        Self::of_all(std::slice::from_ref(plan))
    }

    /// What one message costs that goes to several models (HIS-12); none where the price of one is
    /// not known.
    pub(super) fn of_all(plans: &[Plan]) -> Option<Self> {
        let first = plans.first()?;
        let cost = SendCost::sum(plans.iter().map(Plan::cost))?;
        let cached = plans.iter().any(|plan| plan.cost().is_some_and(|cost| cost.cached.is_some()));
        let prices = plans.iter().filter_map(|plan| plan.model().price);
        Some(Self {
            most: cost.most,
            text: dollars_at_most(cost.most),
            tokens: compact_tokens(first.weights.total(), first.limit().tokens),
            cached: cost.cached.filter(|_| cached),
            input_price: prices.map(|price| price.input).sum(),
        })
    }
}

/// Everything around the history.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateDto {
    /// The filter and the selectors.
    pub(crate) view: ViewDto,
    /// `X / Y`.
    pub(crate) counter: CounterDto,
    /// Where the load line is.
    pub(crate) boundary: BoundaryDto,
    /// Where somebody said that the context begins: the id of its first pair, or `after:` and
    /// the id of the last one before it (UI-17).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context_from: Option<String>,
    /// What is shown, for the digest of what was seen (PAY-6).
    pub(crate) shown: ShownDto,
    /// How the window is filled.
    pub(crate) window: WindowDto,
    /// The pair that is being answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    sending: Option<String>,
    /// Whether what is sent during a send waits for its end (SND-2).
    pub(crate) queue: bool,
    /// From how many characters a paste is a file (INS-1).
    long_paste_chars: u64,
    /// From how many lines it is.
    long_paste_lines: u64,
    /// The id of the newest event that this state knows of.
    pub(crate) event: String,
}

/// What a draft weighs.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Weighed {
    /// `X / Y`.
    pub(crate) counter: CounterDto,
    /// How the window would be filled.
    pub(crate) window: WindowDto,
    /// What is attached, one entry a token.
    pub(crate) attachments: Vec<AttachedDto>,
    /// What of the message is attached, in tokens.
    attachment_tokens: u64,
    /// As it is shown while something is attached: `~2.5K / 4K tokens`.
    meter: String,
    /// What may be attached.
    limits: LimitsDto,
    /// What is said about files besides.
    files: Option<SectionDto>,
}

fn attached_tokens(plan: &Plan) -> u64 {
    plan.attached.iter().map(|one| one.tokens).fold(0, u64::saturating_add)
}

impl BoundaryDto {
    /// The boundary of a plan over some of the pairs of a view.
    pub(crate) fn of(plan: &Plan, view: &WorkspaceView) -> Self {
        let (boundary, start) = (plan.boundary(), plan.snapshot.selection.start);
        // What is being sent right now is not left out.
        let visible = view.visible_count().saturating_sub(view.in_flight(start));
        Self {
            start,
            words: line_words(boundary, start, visible),
            x: boundary.included,
            y: boundary.visible,
            history_tokens: boundary.predicted_history_tokens,
            total_tokens: boundary.predicted_total_tokens,
            note: line_note(plan),
            forget: can_be_forgotten(plan),
        }
    }
}

/// What the load line says besides its numbers.
pub(crate) fn line_note(plan: &Plan) -> Option<String> {
    let limit = plan.limit();
    let doubt = plan
        .left_out_in_doubt()
        .then(|| format!("the limit of {} tokens is {}", commas(limit.tokens), bind_text(limit)));
    let too_large = plan.newest_too_large().then(|| NEWEST_TOO_LARGE.to_owned());
    let told: Vec<String> = [too_large, doubt].into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Whether the line would move if a learned limit were forgotten.
pub(crate) fn can_be_forgotten(plan: &Plan) -> bool {
    plan.left_out_in_doubt() && matches!(plan.limit().binds, Binds::Learned(_))
}

/// What the load line says: what stands above it, what goes, and what stands below it and does
/// not go for a reason of its own.
pub(crate) fn line_words(
    boundary: &Boundary,
    start: usize,
    visible: usize,
) -> Vec<(String, &'static str)> {
    let count = |number: usize| commas(number as u64);
    let ashore = start.saturating_sub(boundary.pinned_above);
    let mut words = vec![(count(ashore), "ashore"), (count(boundary.included), "aboard")];
    let below = visible.saturating_sub(ashore.saturating_add(boundary.included));
    if below > 0 {
        words.push((count(below), "not sent"));
    }
    words.push((commas(boundary.predicted_history_tokens), "tokens"));
    words
}

impl StateDto {
    pub(crate) async fn of(
        web: &Arc<Web>,
        session: &mut WorkspaceSession,
    ) -> Result<Self, AppError> {
        let draft = session.draft.clone();
        let newest = web.event_log.newest();
        let (plan, seen) = session.workspace_view.planned_and_seen(&web.app, &draft).await?;
        let Weighed { counter, window, .. } = Weighed::of(web, &plan, session);
        let shown = ShownDto::of(web, session, &seen);
        let workspace_view = &session.workspace_view;
        let cost = match workspace_view.within() {
            Some(topic) => web.app.store().cost(topic).await?,
            None => None,
        };
        Ok(Self {
            view: ViewDto {
                cost,
                filter: session.filter().to_owned(),
                topic: topic_path(workspace_view.topics(), workspace_view.topic().id),
                topic_id: workspace_view.topic().id.to_string(),
                title: workspace_view.topic().name.clone(),
                named: workspace_view.topic().named,
                model: plan.model().id.clone(),
                files: workspace_view.files_scope(&web.app),
                passed_over: workspace_view.passed_over().map(|passed| PassedOverDto {
                    model: passed.model.clone(),
                    lacks: LackDto::of(&passed.lack),
                }),
            },
            counter,
            boundary: BoundaryDto::of(&plan, workspace_view),
            context_from: workspace_view.mark().as_ref().map(tell_context_mark),
            shown,
            window,
            queue: web.app.settings().queue_while_sending(),
            long_paste_chars: web.app.settings().long_paste().0,
            long_paste_lines: web.app.settings().long_paste().1,
            sending: web
                .sends
                .current(&session.place)
                .or_else(|| web.answers.elsewhere(&session.place))
                .map(|pair| pair.to_string()),
            event: EventId {
                number: workspace_view.seen_change(),
                place: Some(web.event_log.place(newest)),
                ..EventId::default()
            }
            .to_string(),
        })
    }
}

impl Weighed {
    pub(crate) fn of(web: &Web, plan: &Plan, session: &WorkspaceSession) -> Self {
        let estimator = plan.target().estimator.0;
        // The estimate itself is a row of the tip; that of a counter which is frozen is not of
        // what would be sent now.
        let title = format!("URA {} · counted {estimator}", session.workspace_view.allowance());
        let counter = match &session.frozen {
            Some(frozen) => CounterDto::frozen(frozen, title),
            // A pair that is asked again is none of the candidates, and still visible.
            None => {
                let counter =
                    Counter { visible: session.workspace_view.visible_count(), ..plan.counter() };
                CounterDto::of(counter, false, title)
            }
        };
        let at = session.workspace_view.workspace();
        let scope = session.workspace_view.files_scope(&web.app);
        let window = WindowDto::of(plan, session.workspace_view.allowance());
        Self {
            counter,
            attachments: plan.attached.iter().map(|one| AttachedDto::of(at, one)).collect(),
            attachment_tokens: window.attached,
            meter: window.load.clone(),
            limits: LimitsDto::of(plan),
            files: plan.target().files.as_ref().map(|_| SectionDto::of(web, plan, scope)),
            window,
        }
    }
}

impl WindowDto {
    fn of(plan: &Plan, ura: u64) -> Self {
        let weights = &plan.weights;
        let (ml, total) = (plan.limit().tokens, weights.total());
        let (estimator, exact) = plan.target().estimator;
        Self {
            ml,
            binds: plan.limit().binds.name(),
            bind_text: bind_text(plan.limit()),
            prelude: weights.prelude,
            history: weights.history,
            aut: weights.message,
            attached: attached_tokens(plan),
            ura,
            system: plan.system_tokens(),
            reserve: plan.reply_reserve(),
            free: ml.saturating_sub(total.saturating_add(plan.reply_reserve())),
            total,
            percent: weights.permille() as f64 / 10.0,
            verdict: plan.validation.verdict.name(),
            exact,
            estimator,
            basis: plan.target().basis.name(),
            told: plan.total_in_words(),
            band: [plan.band().low, plan.band().high],
            prelude_text: prelude_text(plan),
            cost: CostDto::of(plan),
            load: compact_load(total, ml, exact),
            model: plan.model().id.clone(),
        }
    }
}

/// What the prelude is made of: its parts add up to it.
fn prelude_text(plan: &Plan) -> String {
    let (section, tools) = plan.files_tokens();
    let parts = [
        ("system message", plan.system_tokens()),
        ("files and tools", section.saturating_add(tools)),
        ("chat format", plan.request_tokens()),
    ];
    let told = parts.iter().filter(|(_, tokens)| *tokens > 0);
    let told: Vec<String> =
        told.map(|(name, tokens)| format!("{name} {}", commas(*tokens))).collect();
    told.join(" · ")
}

/// CAT-3: which limit binds, in words.
pub(crate) fn bind_text(limit: &ModelLimit) -> String {
    match limit.binds {
        Binds::Assumed => "assumed: its window is not known".to_owned(),
        Binds::Given => "given".to_owned(),
        Binds::Tpm => "its tokens a minute".to_owned(),
        Binds::Learned(at) => {
            let day: String = rfc3339(at).chars().take(10).collect();
            format!("learned from the provider on {day}")
        }
        Binds::Window(WindowSource::User) => "context window, by your models.toml".to_owned(),
        Binds::Window(WindowSource::Server) => "context window, told by the server".to_owned(),
        Binds::Window(WindowSource::Catalog) => "context window".to_owned(),
    }
}
