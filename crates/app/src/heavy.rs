//! Heavy work beside the async workers (REL-9). There are few workers, and every connection needs
//! one of them for a moment: whoever counts or renders a long text on them holds up all others,
//! `/healthz` included.

use tokio::runtime::{Handle, RuntimeFlavor};

/// What is done with so many bytes is done before anybody notices.
const LITTLE_BYTES: usize = 64 << 10;

/// Does work on so many bytes of text. If they are many, another thread takes the worker's
/// place meanwhile; the order of things is the same.
pub fn heavy<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) if bytes > LITTLE_BYTES => tokio::task::block_in_place(work),
        // A runtime of one thread has nobody to take its place.
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use super::*;

    /// REL-9: the only worker has somebody in its place while long texts are counted. If it had
    /// not, the work would wait for itself; it goes on by itself after a minute, so that a
    /// failure is seen.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn rel_9_others_are_served_while_a_long_text_is_worked_on() {
        let (go_on, wait) = mpsc::channel();
        let at_work = tokio::spawn(async move {
            heavy(LITTLE_BYTES + 1, || wait.recv_timeout(Duration::from_secs(60)))
        });
        let other = tokio::spawn(async move { go_on.send("served") });
        assert_eq!(at_work.await.unwrap(), Ok("served"));
        other.await.unwrap().unwrap();
    }

    /// A runtime of one thread has nobody to take its place, and a thread without one needs none.
    #[test]
    fn it_is_done_everywhere() {
        assert_eq!(heavy(usize::MAX, || 1), 1);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(async { heavy(usize::MAX, || 2) }), 2);
    }
}
