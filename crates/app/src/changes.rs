//! What other processes changed, and for how long that is kept (TEA-6).

use std::time::Duration;

use plimsoll_domain::{PairId, Timestamp};
use plimsoll_store::{News, Watched};

use crate::{App, AppError};

/// A client that was away for longer reads the state anew.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// So many changes may stand about where no server looks after the store.
const A_FEW: u64 = 1000;

impl App {
    /// What happened in watched workspaces, all asked for at once; of sends those that others
    /// carry out.
    pub async fn news(&self, watched: &[Watched]) -> Result<News, AppError> {
        Ok(self.store.news(watched, &self.owner).await?)
    }

    /// Whether this process carries out the send of a pair.
    pub fn is_sending(&self, pair: PairId) -> bool {
        self.under_way.has(pair)
    }

    /// Forgets changes that are old enough, in steps between which others write.
    pub async fn forget_old_changes(&self) -> Result<(), AppError> {
        let now = self.clock.now();
        let kept = i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
        let before = Timestamp::from_millis(now.millis().saturating_sub(kept));
        while self.store.forget_changes(before, now).await? {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// The same, for programs that run for a moment: only where many stand about.
    pub async fn forget_many_changes(&self) -> Result<(), AppError> {
        if self.store.changes_kept().await? > A_FEW {
            self.forget_old_changes().await
        } else {
            Ok(())
        }
    }
}
