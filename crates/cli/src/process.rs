//! What the system is told about this process: its memory holds keys, and its clients need
//! descriptors.

/// Keeps keys and tokens out of core dumps, and other programs of the same account out of the
/// memory of this one (SEC-9). Where the system cannot do that, nothing else changes.
pub(crate) fn keep_memory_private() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Programs that are started inherit the number, and some go through all that they may have.
#[cfg(unix)]
const ENOUGH_DESCRIPTORS: u64 = 4096;

/// Asks for as many descriptors as many clients need, and gives how many there may be; none if
/// there is no bound that is known.
pub(crate) fn descriptors() -> Option<u64> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let most = limit.maximum.unwrap_or(u64::MAX).min(ENOUGH_DESCRIPTORS);
        if limit.current.is_some_and(|current| current < most) {
            let more = Rlimit { current: Some(most), maximum: limit.maximum };
            let _ = setrlimit(Resource::Nofile, more);
        }
        getrlimit(Resource::Nofile).current
    }
    #[cfg(not(unix))]
    None
}
