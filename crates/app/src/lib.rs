//! Use cases: what happens when somebody sends a message.
//!
//! The app drives the pure middle: it loads what the store keeps, asks `filter`,
//! `budget` and `send` what follows, calls a provider, and writes down what came of
//! it. It holds no rule of its own, knows no surface, and names no concrete store,
//! provider, clock or source of chance: they are handed in.

mod ask;
mod driver;
mod error;
mod events;
mod history;
mod ledger;
mod ports;
mod prepare;
mod receipt;
mod topics;
mod weigher;

pub use ask::{Ask, HistoryChoice, Prepared};
pub use driver::Sent;
pub use error::AppError;
pub use events::{AppEvent, Cancel, Progress};
pub use ports::{Chance, Clock, NoProvider, ProviderBook, Reached};
pub use receipt::Receipt;
pub use topics::NewTopic;

use std::sync::Arc;

use plimsoll_budget::Catalog;
use plimsoll_config::Settings;
use plimsoll_store::{Interrupted, Store, Workspace};

/// Everything that a use case needs.
pub struct App {
    store: Arc<dyn Store>,
    settings: Settings,
    catalog: Catalog,
    providers: Arc<dyn ProviderBook>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    /// Tells this run of the program from all others (SND-6).
    owner: String,
    events: events::Bus,
}

/// What an [`App`] is made of.
pub struct AppParts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Resolved settings.
    pub settings: Settings,
    /// Known models.
    pub catalog: Catalog,
    /// Who answers.
    pub providers: Arc<dyn ProviderBook>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub chance: Arc<dyn Chance>,
    /// Tells this run of the program from all others.
    pub owner: String,
}

impl App {
    /// An app of these parts.
    pub fn new(parts: AppParts) -> Self {
        let AppParts { store, settings, catalog, providers, clock, chance, owner } = parts;
        let events = events::Bus::default();
        Self { store, settings, catalog, providers, clock, chance, owner, events }
    }

    /// The store, for what needs no rule: lists, labels, backups.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The known models.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Everything that happens from now on.
    pub fn events(&self) -> tokio::sync::broadcast::Receiver<AppEvent> {
        self.events.subscribe()
    }

    /// SND-6: pairs that a dead process left in `sending` become errors that can be
    /// read, asked again or deleted.
    pub async fn recover(
        &self,
        is_alive: &(dyn for<'o> Fn(&'o str) -> bool + Send + Sync),
    ) -> Result<Vec<Interrupted>, AppError> {
        Ok(self.store.recover(is_alive).await?)
    }

    /// The workspace, made if it is not there.
    pub async fn open_workspace(&self, workspace: &Workspace) -> Result<(), AppError> {
        Ok(self.store.create_workspace(workspace, self.clock.now()).await?)
    }
}
