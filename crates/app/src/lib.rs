//! Use cases: what happens when somebody sends a message.
//!
//! The app drives the pure middle: it loads what the store keeps, asks `filter`,
//! `budget` and `send` what follows, calls a provider, and writes down what came of
//! it. It holds no rule of its own, knows no surface, and names no concrete store,
//! provider, clock or source of chance: they are handed in.

mod ask;
mod attach;
mod begin;
mod bus;
mod calling;
mod changes;
mod compare;
mod context_mark;
mod conversations;
mod deletions;
mod driver;
mod during;
mod edits;
mod ending;
mod error;
mod events;
mod export;
mod export_files;
mod for_people;
mod gateway;
mod heavy;
mod history;
mod import;
mod import_blobs;
mod import_files;
mod import_words;
mod importer;
mod lack;
mod lease;
mod ledger;
mod model_facts;
mod pair_error;
mod ports;
mod quota;
mod request;
mod scope;
mod shelf;
mod snippets;
mod summaries;
mod team;
mod tool_models;
mod tooling;
mod topics;
mod weigher;
mod workspace_view;

pub use plimsoll_domain::{Draft, Purpose};
pub use plimsoll_exchange::{PersonArchive, PersonWorkspace, PersonWriter};
pub use plimsoll_filter::{ExportFormat, ExportOrder};
pub use plimsoll_provider::Secret;

pub use ask::{HistoryChoice, Prepared, SaidForNow, SeenDigest, SendChoices, View};
pub use begin::{HistoryNow, StartedSend};
pub use bus::{Events, Heard};
pub use compare::{ComparedPlan, MOST_COMPARED};
pub use context_mark::{ContextFrom, tell as tell_context_mark};
pub use deletions::{Deleted, restored_words};
pub use driver::Sent;
pub use edits::Label;
pub use error::AppError;
pub use events::{AppEvent, Attempt, Cancel, Progress, ToolStep};
pub use export::{ExportAsk, Exported};
pub use gateway::{
    AnswerBody, CallHead, CallRefused, ClientAnswer, ClientCall, DryRun, Gateway, KEY_PREFIX,
    PassedCall, key_hash,
};
pub use heavy::heavy;
pub use import::{ImportAsk, ImportProgress, ImportSource, Imported};
pub use lack::{Lack, PassedOver};
pub use ports::{Chance, Clock, Connection, NoProvider, Payer, ProviderSource};
pub use quota::{OverQuota, QuotaChoice};
pub use shelf::{
    BlobUsage, Collected, FilePlace, Garbage, LARGEST_FILE, Origin, ReadData, Secrets, TakeIn,
    Verified, blob_name, refuse_secret,
};
pub use summaries::SummaryPart;
pub use team::{
    AT_THE_TERMINAL, Audited, Doer, Left, OwnProject, TOKEN_DIGITS, before, name_in_token,
    person_token,
};
pub use topics::{FIRST_TOPIC, NewTopic, TopicChange, TopicPaths, find_topic, topic_path};
pub use workspace_view::{GivenTarget, Inclusion, Shown, WorkspaceView};

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use plimsoll_budget::Catalog;
use plimsoll_config::Settings;
use plimsoll_store::{Store, Workspace};

/// Says of an owner of sends whether its process is alive; none where that cannot be told, such as
/// of a process on another machine: then its lease decides (TEA-7).
pub type IsAlive = Arc<dyn Fn(&str) -> Option<bool> + Send + Sync>;

/// Everything that a use case needs.
pub struct App {
    store: Arc<dyn Store>,
    settings: RwLock<Arc<Settings>>,
    catalog: RwLock<Arc<Catalog>>,
    providers: Arc<dyn ProviderSource>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    /// Tells this run of the program from all others (SND-6).
    owner: String,
    is_alive: IsAlive,
    under_way: ending::UnderWay,
    events: bus::Bus,
    /// Where the files of all workspaces are, below `<project>/<workspace>/context/`.
    conversations: Arc<Path>,
    /// Where the blobs are, if not there.
    objects: Option<plimsoll_blobs::S3Store>,
    local_tools: tooling::LocalTools,
    /// Counts the changes of settings, models and keys.
    generation: AtomicU64,
    /// Whether the process ends: what is stopped from now on is interrupted.
    handing_back: std::sync::atomic::AtomicBool,
}

/// What an [`App`] is made of.
pub struct AppParts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    pub settings: Settings,
    /// Known models.
    pub catalog: Catalog,
    /// Who answers.
    pub providers: Arc<dyn ProviderSource>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub chance: Arc<dyn Chance>,
    /// Tells this run of the program from all others.
    pub owner: String,
    /// Whether the process of an owner is alive.
    pub is_alive: IsAlive,
    /// Where the files of all workspaces are kept (BLB-1).
    pub conversations: PathBuf,
    /// An object store that holds the blobs of all workspaces instead (TEA-1).
    pub objects: Option<plimsoll_blobs::S3Store>,
}

impl App {
    /// An app of these parts.
    pub fn new(parts: AppParts) -> Self {
        let AppParts { store, settings, catalog, providers, clock, chance, .. } = parts;
        let AppParts { owner, is_alive, conversations, objects, .. } = parts;
        let conversations = Arc::from(conversations);
        let local_tools = tooling::LocalTools::default();
        let events = bus::Bus::default();
        let settings = RwLock::new(Arc::new(settings));
        let catalog = RwLock::new(Arc::new(catalog));
        Self {
            store,
            settings,
            catalog,
            providers,
            clock,
            chance,
            owner,
            is_alive,
            under_way: ending::UnderWay::default(),
            events,
            conversations,
            objects,
            local_tools,
            generation: AtomicU64::new(0),
            handing_back: std::sync::atomic::AtomicBool::new(false),
        }
    }

    /// The store, for what needs no rule: lists, labels, backups.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The settings, as they are now.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The known models, as they are now.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Goes on with other settings and models: a boundary trigger (BND-4).
    pub fn configure(&self, settings: Settings, catalog: Catalog) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.events.publish_everywhere(Progress::Settings);
    }

    /// A key or a server is another one: who would answer is found out again.
    pub fn reconsider(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.events.publish_everywhere(Progress::Settings);
    }

    /// Another number after each change of what is configured.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// The time.
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Everything that happens from now on.
    pub fn events(&self) -> Events {
        self.events.subscribe(|_| true)
    }

    /// Tells those who watch that somebody wrote into the memory of a workspace.
    pub fn memory_changed(&self, workspace: &Workspace) {
        self.events.publish(workspace, Progress::Memory);
    }

    /// The workspace, made if it is not there. Who only looks waits for nobody who writes, and may
    /// look into a store that cannot be written to.
    pub async fn open_workspace(&self, workspace: &Workspace) -> Result<(), AppError> {
        if self.store.has_workspace(workspace).await? {
            return Ok(());
        }
        Ok(self.store.create_workspace(workspace, self.clock.now()).await?)
    }
}
