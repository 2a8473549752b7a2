//! Estimates of pairs, kept under a version stamp (EST-7).

use std::collections::HashMap;

use plimsoll_domain::PairId;

use crate::{Workspace, sql::estimates};

/// The raw tokens of a pair's texts; no factor is applied (EST-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Estimate {
    /// The revision of the texts that were weighed.
    pub revision: u64,
    pub user_tokens: u64,
    pub assistant_tokens: u64,
}

jobs! {
    /// What pairs weigh, computed once for each text and stamp.
    ///
    /// A stamp names estimator, characters a token and tokenizer. Estimates of several stamps
    /// are kept beside each other, so that going back to a model costs nothing. Every change
    /// of a text makes all estimates of its pair stale.
    pub trait Estimates {
        /// Keeps estimates. One whose revision is not that of the pair any more is dropped:
        /// the text was changed while it was weighed, and the pair stays stale.
        write_lazily put_estimates(estimates: &[(PairId, Estimate)], stamp: &str)
            -> () = estimates::put;

        /// All estimates of a workspace under this stamp.
        read estimates(workspace: &Workspace, stamp: &str)
            -> HashMap<PairId, Estimate> = estimates::load;
    }
}
