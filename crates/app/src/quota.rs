//! The account's windows (VAL-4), over the usage log of the store.

use std::{fmt, time::Duration};

use plimsoll_budget::{Model, Quota, QuotaKind, QuotaLimits, QuotaVerdict};
use plimsoll_domain::Timestamp;

use crate::{App, AppError};

/// The longest window.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What is done when the account's windows have no room for a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaChoice {
    /// The call is made once there is room, if that is within this time; else the send
    /// is refused with [`OverQuota`].
    WaitUpTo(Duration),
    /// The call is made all the same; the provider decides.
    Go,
}

impl Default for QuotaChoice {
    /// As long as a provider's own Retry-After is waited for (FAU-6).
    fn default() -> Self {
        Self::WaitUpTo(Duration::from_secs(60))
    }
}

impl QuotaChoice {
    /// How long to wait before the first call.
    pub(crate) fn wait(
        self,
        verdict: QuotaVerdict,
    ) -> Result<Option<(Duration, QuotaKind)>, OverQuota> {
        match (verdict, self) {
            (QuotaVerdict::Fits, _) | (_, Self::Go) => Ok(None),
            (QuotaVerdict::Wait { after, kind }, Self::WaitUpTo(most)) if after <= most => {
                Ok(Some((after, kind)))
            }
            (QuotaVerdict::Wait { after, kind }, Self::WaitUpTo(_)) => {
                Err(OverQuota { after: Some(after), kind })
            }
            (QuotaVerdict::Never(kind), Self::WaitUpTo(_)) => Err(OverQuota { after: None, kind }),
        }
    }
}

/// A send that the account's windows have no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverQuota {
    /// When there is room; never, if there is none.
    pub after: Option<Duration>,
    /// Which window is full.
    pub kind: QuotaKind,
}

impl fmt::Display for OverQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let window = match self.kind {
            QuotaKind::RequestsPerMinute => "requests per minute",
            QuotaKind::TokensPerMinute => "tokens per minute",
            QuotaKind::TokensPerDay => "tokens per day",
        };
        match self.after {
            Some(after) => {
                let time = plimsoll_fault::wait_words(after);
                write!(f, "the limit of {window} is used up: {time} until this fits")
            }
            None => write!(f, "this is more than the whole limit of {window}"),
        }
    }
}

impl App {
    /// What the account used of a model lately. The log is read only for models that have a
    /// limit.
    pub(crate) async fn used_lately(&self, model: &Model) -> Result<Quota, AppError> {
        let mut quota = Quota::default();
        if QuotaLimits::of(model) == QuotaLimits::default() {
            return Ok(quota);
        }
        let from = Timestamp::from_millis(self.clock.now().millis() - DAY_MS);
        for entry in self.store.usage_since(&model.id, from).await? {
            quota.record(entry.at, entry.tokens);
        }
        Ok(quota)
    }
}
