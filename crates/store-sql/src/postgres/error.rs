//! What PostgreSQL says, as decisions.

use deadpool_postgres::PoolError;
use plimsoll_store::StoreError;
use tokio_postgres::{Error, error::SqlState};

/// Why a try failed.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Nothing was changed, and the same may work in a moment.
    Passing(StoreError),
    Lasting(StoreError),
}

impl Trouble {
    pub(super) fn error(self) -> StoreError {
        match self {
            Self::Passing(error) | Self::Lasting(error) => error,
        }
    }
}

pub(super) fn ended() -> Trouble {
    Trouble::Lasting(StoreError::Failed("its transaction has ended".to_owned()))
}

pub(super) fn of_pool(error: PoolError) -> Trouble {
    match error {
        PoolError::Backend(error) => decide(error),
        PoolError::Timeout(_) => Trouble::Lasting(StoreError::Locked),
        other => Trouble::Lasting(StoreError::Failed(other.to_string())),
    }
}

pub(super) fn decide(error: Error) -> Trouble {
    let Some(said) = error.as_db_error() else {
        return without_code(&error);
    };
    let words = said.message().to_owned();
    let code = said.code();
    match code.code() {
        _ if *code == SqlState::T_R_SERIALIZATION_FAILURE
            || *code == SqlState::T_R_DEADLOCK_DETECTED =>
        {
            Trouble::Passing(StoreError::Locked)
        }
        _ if *code == SqlState::LOCK_NOT_AVAILABLE => Trouble::Lasting(StoreError::Locked),
        _ if *code == SqlState::DISK_FULL => Trouble::Lasting(StoreError::DiskFull),
        _ if *code == SqlState::READ_ONLY_SQL_TRANSACTION
            || *code == SqlState::INSUFFICIENT_PRIVILEGE =>
        {
            Trouble::Lasting(StoreError::NotAllowed(words))
        }
        // Who is to enter, and where, does not change by waiting.
        code if code.starts_with("28") || code.starts_with("3D") => {
            Trouble::Lasting(StoreError::Unreachable(words))
        }
        // It ends, starts, or has no room for one more.
        code if code.starts_with("08") || code.starts_with("57P") || code.starts_with("53") => {
            Trouble::Passing(StoreError::Unreachable(words))
        }
        code => Trouble::Lasting(StoreError::Failed(format!("{words} ({code})"))),
    }
}

/// Nobody answered, or somebody else than a database.
fn without_code(error: &Error) -> Trouble {
    let mut words = error.to_string();
    let mut all = words.clone();
    let mut source = std::error::Error::source(error);
    while let Some(why) = source {
        words = why.to_string();
        all.push_str(&words);
        source = why.source();
    }
    // A certificate that is not trusted, or a password that is not given, stays so.
    let lasting = all.contains("certificate") || all.contains("invalid configuration");
    let unreachable = StoreError::Unreachable(words);
    if lasting { Trouble::Lasting(unreachable) } else { Trouble::Passing(unreachable) }
}
