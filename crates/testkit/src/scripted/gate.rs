//! A gate in a reply: what stands behind it is sent when a test says so.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Closed at first. Its clones are the same gate, so a test keeps one and puts another
/// into a reply; with it a test looks at a half-sent answer without counting time.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<AtomicBool>);

impl Gate {
    /// Lets everything through from now on.
    pub fn open(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Two gates are equal when they are one.
impl PartialEq for Gate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Gate {}
