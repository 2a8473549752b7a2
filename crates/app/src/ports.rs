//! What the app is given: the time, randomness, and who answers.

use std::{ops::Range, sync::Arc};

use plimsoll_budget::Model;
use plimsoll_domain::Timestamp;
use plimsoll_filter::Date;
use plimsoll_provider::Provider;
use plimsoll_store::Workspace;
use thiserror::Error;

use crate::Lack;

/// The time, and the calendar of the place.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// The start of a local calendar day and the start of the next one.
    fn day(&self, date: Date) -> Range<Timestamp>;
}

/// Randomness for ids and for jitter.
pub trait Chance: Send + Sync {
    /// Ten random bytes.
    fn bytes(&self) -> [u8; 10];

    /// A number from 0 to 1.
    fn fraction(&self) -> f64 {
        let [high, low, ..] = self.bytes();
        f64::from(u16::from_be_bytes([high, low])) / f64::from(u16::MAX)
    }
}

/// A provider that can be asked now, and what it told about the model.
#[derive(Clone)]
pub struct Connection {
    /// Who answers.
    pub provider: Arc<dyn Provider>,
    /// The name of the model there.
    pub model: String,
    /// The window that the server told.
    pub server_window: Option<u64>,
}

/// Why there is nobody to ask.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct NoProvider {
    /// What is missing.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Who asks in which project, where people sign in: their keys go along (TEA-10).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Payer {
    /// The person.
    pub person: Arc<str>,
    /// Where they ask.
    pub project: Arc<str>,
}

impl Payer {
    /// Who asks in a workspace; nobody where nobody signs in.
    pub(crate) fn in_workspace(person: Option<&Arc<str>>, workspace: &Workspace) -> Option<Self> {
        Some(Self { person: Arc::clone(person?), project: workspace.project().into() })
    }
}

/// Who answers for which model. Without a payer it is asked for whoever runs the program.
#[async_trait::async_trait]
pub trait ProviderSource: Send + Sync {
    /// The provider of a model, ready to be asked.
    async fn reach(&self, model: &Model, payer: Option<&Payer>) -> Result<Connection, NoProvider>;

    /// The provider of a model if that is known without waiting: nothing is fetched,
    /// loaded or asked over a network for it. What the view is drawn with.
    async fn cached(&self, model: &Model, payer: Option<&Payer>) -> Option<Connection>;

    /// What a model lacks before it can be asked, as far as that is known without waiting.
    async fn lacks(&self, model: &Model, payer: Option<&Payer>) -> Option<Lack> {
        let _ = (model, payer);
        None
    }

    /// The id of the key that goes along for a payer, where it is one that the store keeps: who
    /// keeps a connection asks whether it is still the same.
    async fn kept_key(
        &self,
        model: &Model,
        payer: Option<&Payer>,
    ) -> Result<Option<String>, NoProvider> {
        let _ = (model, payer);
        Ok(None)
    }
}
