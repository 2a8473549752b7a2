//! Heavy work beside the async workers (REL-9). There are two workers, and every connection needs
//! one of them for a moment: whoever counts a long text or renders a page on them holds up all
//! others, `/healthz` included.

use std::{
    future::{pending, poll_fn},
    pin::pin,
};

use tokio::{
    runtime::{Builder, Handle, Runtime, RuntimeFlavor},
    task::AbortHandle,
};

/// Does work that may take long. Another thread takes the worker's place meanwhile.
pub fn heavy<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        // A runtime of one thread has nobody to take its place.
        _ => work(),
    }
}

/// Runs a future any step of which may take long. Each step wakes a thread, and where there are
/// many at once each may begin one: what comes in numbers belongs into [`HeavyThreads`].
pub async fn heavy_steps<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| heavy(|| future.as_mut().poll(context))).await
}

/// Threads of their own for futures any step of which may take long, and of which there may be
/// very many at once. What they begin runs where the caller runs.
pub struct HeavyThreads(Option<Runtime>);

impl HeavyThreads {
    /// So many. Where the system has no threads left, the work is done without them.
    pub fn start(threads: usize) -> Self {
        let mut builder = Builder::new_multi_thread();
        Self(builder.worker_threads(threads).thread_name("plimsoll-heavy").build().ok())
    }

    /// Runs a future there. Whoever stops waiting ends it.
    pub async fn run<F>(&self, future: F) -> F::Output
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let Some(runtime) = &self.0 else { return heavy_steps(future).await };
        let here = Handle::current();
        let mut future = Box::pin(future);
        let there = runtime.spawn(poll_fn(move |context| {
            // Timers, sockets and tasks are those of the caller's runtime.
            let _here = here.enter();
            future.as_mut().poll(context)
        }));
        let _end = EndWithCaller(there.abort_handle());
        match there.await {
            Ok(done) => done,
            Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
            // The threads have ended, and so does whoever waits.
            Err(_) => pending().await,
        }
    }
}

impl Drop for HeavyThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // It may be a worker that drops it, which must not wait.
            runtime.shutdown_background();
        }
    }
}

struct EndWithCaller(AbortHandle);

impl Drop for EndWithCaller {
    fn drop(&mut self) {
        self.0.abort();
    }
}
