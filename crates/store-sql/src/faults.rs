//! Jobs that fail on purpose, for tests of what comes after them (REL-6).

use std::{
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use plimsoll_store::{StoreError, StoreResult};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not done: there is no room.
    Refused,
    /// It is done and said to have failed, as where the disk did not confirm it.
    Unconfirmed,
}

/// Says which jobs of a store fail. Clones say the same.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Plan>>);

#[derive(Debug, Default)]
struct Plan {
    jobs: u64,
    fails: Option<(Range<u64>, Fault)>,
}

impl PartialEq for Faults {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Faults {}

impl Faults {
    pub fn jobs(&self) -> u64 {
        self.plan().jobs
    }

    /// Makes jobs fail, counted from the next one.
    pub fn fail(&self, jobs: Range<u64>, fault: Fault) {
        let mut plan = self.plan();
        let shifted = |at: u64| plan.jobs.saturating_add(at);
        plan.fails = Some((shifted(jobs.start)..shifted(jobs.end), fault));
    }

    /// No job fails from now on.
    pub fn heal(&self) {
        self.plan().fails = None;
    }

    /// Counts a job; says how it fails, if it does.
    pub(crate) fn next(&self) -> Option<Fault> {
        let mut plan = self.plan();
        let job = plan.jobs;
        plan.jobs += 1;
        let fails = plan.fails.as_ref().filter(|(jobs, _)| jobs.contains(&job));
        fails.map(|(_, fault)| *fault)
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does a job unless it is to fail.
pub(crate) async fn failing<T>(
    fault: Option<Fault>,
    job: impl Future<Output = StoreResult<T>>,
) -> StoreResult<T> {
    match fault {
        None => job.await,
        Some(Fault::Refused) => Err(StoreError::DiskFull),
        Some(Fault::Unconfirmed) => {
            job.await?;
            Err(StoreError::Failed("the disk did not confirm what was written".to_owned()))
        }
    }
}
