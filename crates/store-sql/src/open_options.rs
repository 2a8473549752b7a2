//! How a store is opened, and what happened then.

use std::{path::PathBuf, time::Duration};

use crate::Faults;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCorrupt {
    /// Leave it where it is and refuse to open it.
    #[default]
    Refuse,
    /// Move it out of the way, under a name that is free, and start an empty store.
    SetAside,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    /// What to do with a damaged file. Setting one aside is only ever the user's wish.
    pub on_corrupt: OnCorrupt,
    /// How long to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// How many readers may work at once.
    pub readers: usize,
    /// How many connections a handle has to a database that is a server.
    pub connections: usize,
    /// A handle that falls silent for so long within a transaction loses it, so that it holds nobody
    /// up; where the database is a server.
    pub silent_for: Duration,
    /// The largest the store may grow, in bytes; the disk's own end without one.
    pub max_bytes: Option<u64>,
    /// A file up to this size is looked through when it is opened; of a larger one only
    /// the header and the length are, and the rest is for `Upkeep::check`.
    pub check_up_to_bytes: u64,
    /// Makes jobs fail, for tests.
    pub faults: Option<Faults>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            on_corrupt: OnCorrupt::Refuse,
            busy_timeout: Duration::from_secs(5),
            readers: 4,
            connections: 16,
            silent_for: Duration::from_secs(15),
            max_bytes: None,
            check_up_to_bytes: 8 << 20,
            faults: None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Whether there was no store before.
    pub made: bool,
    /// Where the damaged file stands now.
    pub set_aside: Option<PathBuf>,
    /// The backup that was written before the schema was changed (REL-3).
    pub backup: Option<PathBuf>,
    pub applied: Vec<String>,
}
