//! What the server holds between requests.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use plimsoll_app::{App, Gateway};
use plimsoll_memory::PresentMeaning;

use crate::{
    Configurator, answer_streams::AnswerStreams, event_log::EventLog, gateway::BodyRoom,
    imports::Imports, security::Access, sends::Sends, sessions::Sessions,
};

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
    /// Who signs in, where several people use this server (TEA-9).
    pub team: Option<crate::Team>,
    /// What else is served behind the same door, such as `/mcp`.
    pub mounted: axum::Router,
    /// The project of notes that name none.
    pub project: String,
    /// Where that project begins, if that is known: what notes name is looked at there.
    pub root: Option<PathBuf>,
    /// Search of the memory by meaning, as it is at this moment.
    pub meaning: PresentMeaning,
}

/// The server.
pub struct Web {
    pub(crate) app: Arc<App>,
    pub(crate) configurator: Arc<dyn Configurator>,
    /// Held from the change of a file until what it says now is in force: of two changes the
    /// later one tells both.
    pub(crate) configuring: tokio::sync::Mutex<()>,
    pub(crate) access: Access,
    pub(crate) team: Option<crate::Team>,
    pub(crate) zone: jiff::tz::TimeZone,
    pub(crate) sessions: Sessions,
    pub(crate) event_log: EventLog,
    pub(crate) sends: Sends,
    pub(crate) imports: Imports,
    pub(crate) answers: AnswerStreams,
    pub(crate) undo: crate::api::Undo,
    pub(crate) gateway: Arc<Gateway>,
    /// The memory for bodies of other people's programs.
    pub(crate) body_room: BodyRoom,
    pub(crate) mounted: axum::Router,
    pub(crate) project: String,
    pub(crate) root: Option<PathBuf>,
    pub(crate) meaning: PresentMeaning,
    /// Whether the process is about to end: nothing new is begun (REL-11).
    ending: AtomicBool,
}

impl Web {
    /// A server of these parts.
    pub fn new(parts: WebParts) -> Arc<Self> {
        let WebParts { app, configurator, access, team, zone, .. } = parts;
        let WebParts { mounted, project, root, meaning, .. } = parts;
        let event_log = EventLog::new(app.clock().now());
        let gateway = Gateway::new(Arc::clone(&app));
        let body_room = BodyRoom::new(app.settings().gateway_body_limit());
        Arc::new(Self {
            app,
            configurator,
            configuring: tokio::sync::Mutex::new(()),
            access,
            team,
            zone,
            sessions: Sessions::default(),
            event_log,
            sends: Sends::default(),
            imports: Imports::default(),
            answers: AnswerStreams::default(),
            undo: crate::api::Undo::default(),
            gateway,
            body_room,
            mounted,
            project,
            root,
            meaning,
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

    /// Stops what is being sent or imported, and waits until it is at rest, or for this long.
    pub async fn rest(&self, longest: std::time::Duration) {
        self.take_nothing_new();
        self.sends.cancel_all();
        self.imports.cancel_all();
        // Whoever does not end in time is found interrupted by the next start (SND-6).
        let ended = async { tokio::join!(self.sends.ended(), self.imports.ended()) };
        let _ = tokio::time::timeout(longest, ended).await;
        let _ = tokio::time::timeout(longest, self.gateway.settle()).await;
    }
}
