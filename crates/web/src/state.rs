//! What the server holds between requests.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use plimsoll_app::App;
use plimsoll_budget::{Catalog, Model, ModelLimit, WindowFacts};
use plimsoll_config::Settings;
use plimsoll_store::LearnedLimits;

use crate::{
    answer_streams::AnswerStreams, event_log::EventLog, security::Access, sends::Sends,
    sessions::Sessions,
};

/// A model as the selector shows it.
#[derive(Clone, Debug)]
pub struct ListedModel {
    pub id: String,
    /// Whether a message could be sent to it now.
    pub available: bool,
    /// The window that a server told.
    pub server_window: Option<u64>,
    /// Where it is served, as far as that is known: what is learned of it is kept by this.
    pub base_url: Option<String>,
}

impl ListedModel {
    /// ML with all that is known of the window (CAT-3).
    pub(crate) fn limit(&self, model: &Model, learned: &LearnedLimits) -> ModelLimit {
        let learned = learned.of(self.base_url.as_deref(), &model.id);
        ModelLimit::of(model, WindowFacts { server_window: self.server_window, learned })
    }
}

/// The files behind settings and models, and who knows which models can be asked.
#[async_trait]
pub trait Configurator: Send + Sync {
    /// Sets a setting, or takes it back, in the user's file. Gives all as they are then,
    /// or says what is wrong.
    async fn set(&self, key: &str, value: Option<&str>) -> Result<(Settings, Catalog), String>;

    /// Sets fields of a model in the user's file; a field that is null goes.
    async fn put_model(
        &self,
        id: &str,
        fields: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<(Settings, Catalog), String>;

    /// All models that are known or found, asked quickly and remembered for a while.
    async fn models(&self) -> Vec<ListedModel>;

    /// Where the user's files are, for people.
    fn place(&self) -> String;
}

/// What a [`Web`] is made of.
pub struct WebParts {
    /// The use cases.
    pub app: Arc<App>,
    /// Settings and models.
    pub configurator: Arc<dyn Configurator>,
    /// Who may come in.
    pub access: Access,
    /// The zone that times are shown in.
    pub zone: jiff::tz::TimeZone,
    /// What else is served behind the same door, such as `/mcp`.
    pub mounted: axum::Router,
    /// The project of notes that name none.
    pub project: String,
}

/// The server.
pub struct Web {
    pub(crate) app: Arc<App>,
    pub(crate) configurator: Arc<dyn Configurator>,
    /// Held from the change of a file until what it says now is in force: of two changes the
    /// later one tells both.
    pub(crate) configuring: tokio::sync::Mutex<()>,
    pub(crate) access: Access,
    pub(crate) zone: jiff::tz::TimeZone,
    pub(crate) sessions: Sessions,
    pub(crate) event_log: EventLog,
    pub(crate) sends: Sends,
    pub(crate) answers: AnswerStreams,
    pub(crate) undo: crate::api::Undo,
    pub(crate) mounted: axum::Router,
    pub(crate) project: String,
    /// Whether the process is about to end: nothing new is begun (REL-11).
    ending: AtomicBool,
}

impl Web {
    /// A server of these parts.
    pub fn new(parts: WebParts) -> Arc<Self> {
        let WebParts { app, configurator, access, zone, mounted, project } = parts;
        let event_log = EventLog::new(app.clock().now());
        Arc::new(Self {
            app,
            configurator,
            configuring: tokio::sync::Mutex::new(()),
            access,
            zone,
            sessions: Sessions::default(),
            event_log,
            sends: Sends::default(),
            answers: AnswerStreams::default(),
            undo: crate::api::Undo::default(),
            mounted,
            project,
            ending: AtomicBool::new(false),
        })
    }

    /// Whether the settings' model is one of this provider.
    pub fn default_is(&self, provider: &str) -> bool {
        let name = self.app.settings().default_model().to_owned();
        self.app.model(&name).provider == provider
    }

    /// From now on nothing is begun: clients that are still connected are told so.
    pub(crate) fn take_nothing_new(&self) {
        self.ending.store(true, Ordering::SeqCst);
    }

    /// Whether nothing new is begun.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    /// Stops what is being sent, and waits until it is at rest, or for this long.
    pub async fn rest(&self, longest: std::time::Duration) {
        self.take_nothing_new();
        self.sends.cancel_all();
        // Whoever does not end in time is found interrupted by the next start (SND-6).
        let _ = tokio::time::timeout(longest, self.sends.ended()).await;
    }
}
