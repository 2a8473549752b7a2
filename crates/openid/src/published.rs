//! What a provider publishes about itself: addresses and keys. It is asked for when it is needed,
//! kept for a time, and asked for anew when a signature does not fit.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use openidconnect::{DiscoveryError, IssuerUrl, core::CoreProviderMetadata};
use tokio::sync::Mutex;

use crate::{Ask, Failure, NotAnswered, asking};

/// So long it is believed. Providers change their keys in days and announce the next one before.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// The provider as it was when it was asked.
#[derive(Clone)]
pub(crate) struct Published {
    pub(crate) metadata: Arc<CoreProviderMetadata>,
    since: Instant,
}

pub(crate) struct Publisher {
    issuer: IssuerUrl,
    ask: Arc<dyn Ask>,
    kept: Mutex<Option<Published>>,
}

impl Publisher {
    pub(crate) fn new(issuer: IssuerUrl, ask: Arc<dyn Ask>) -> Self {
        Self { issuer, ask, kept: Mutex::default() }
    }

    /// Whether nobody can read or change what is said to the provider.
    pub(crate) fn is_private(&self) -> bool {
        self.issuer.url().scheme() == "https"
    }

    /// What is known of the provider. Whoever comes meanwhile waits for the same answer; what is
    /// too old is better than nothing while the provider does not answer.
    pub(crate) async fn known(&self) -> Result<Published, Failure> {
        let mut kept = self.kept.lock().await;
        if let Some(known) = kept.as_ref().filter(|known| known.since.elapsed() < KEPT) {
            return Ok(known.clone());
        }
        match (self.asked().await, kept.as_ref()) {
            (Ok(new), _) => Ok(kept.insert(new).clone()),
            (Err(Failure::Unreachable(_)), Some(old)) => Ok(old.clone()),
            (Err(failure), _) => Err(failure),
        }
    }

    /// The same when this is known already and was not enough: its keys may have changed.
    pub(crate) async fn newer_than(&self, old: &Published) -> Result<Published, Failure> {
        let mut kept = self.kept.lock().await;
        if let Some(known) = kept.as_ref().filter(|known| known.since > old.since) {
            return Ok(known.clone());
        }
        let new = self.asked().await?;
        Ok(kept.insert(new).clone())
    }

    async fn asked(&self) -> Result<Published, Failure> {
        let client = asking::client(&self.ask, self.is_private());
        let found = CoreProviderMetadata::discover_async(self.issuer.clone(), &client).await;
        let metadata = Arc::new(found.map_err(|error| failure(&error))?);
        if self.is_private() && metadata.authorization_endpoint().url().scheme() != "https" {
            let words = "people would be sent to it by plain HTTP, and the issuer is not";
            return Err(Failure::Misconfigured(words.to_owned()));
        }
        Ok(Published { metadata, since: Instant::now() })
    }
}

fn failure(error: &DiscoveryError<NotAnswered>) -> Failure {
    match error {
        DiscoveryError::Request(why) => Failure::Unreachable(why.to_string()),
        DiscoveryError::Response(status, _, words) if status.is_server_error() => {
            Failure::Unreachable(words.clone())
        }
        DiscoveryError::Response(_, _, words) => Failure::Misconfigured(words.clone()),
        DiscoveryError::Parse(why) => Failure::Misconfigured(format!("it cannot be read: {why}")),
        error => Failure::Misconfigured(error.to_string()),
    }
}
