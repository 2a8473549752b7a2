//! Async calls for those who wait on a thread.

use std::{fmt, io, sync::mpsc};

use tokio::runtime::{Builder, Runtime};

use super::S3Error;

/// Threads of its own, so that whoever waits may be anywhere: on a plain thread, on one of a
/// runtime's blocking threads, even on one of its workers.
pub(crate) struct Running {
    /// Taken only when it ends.
    runtime: Option<Runtime>,
}

/// Something that runs already.
pub(crate) struct Pending<T>(mpsc::Receiver<T>);

impl Running {
    pub(crate) fn new() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("object-store")
            .enable_all()
            .build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Begins this, and goes on.
    pub(crate) fn start<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Pending<T> {
        let (done, answer) = mpsc::sync_channel(1);
        if let Some(runtime) = &self.runtime {
            runtime.spawn(async move {
                // Nobody hears it where one that was begun together with it has failed.
                let _ = done.send(work.await);
            });
        }
        Pending(answer)
    }
}

impl<T> Pending<T> {
    /// Waits until it is done.
    pub(crate) fn wait(self) -> Result<T, S3Error> {
        self.0.recv().map_err(|_| S3Error::Ended)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Waiting for its threads is not allowed on those of another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running")
    }
}
