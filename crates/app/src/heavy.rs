//! Heavy work beside the async workers (REL-9). There are two workers, and every connection needs
//! one of them for a moment: whoever counts a long text or renders a page on them holds up all
//! others, `/healthz` included.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::Poll,
};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::Semaphore,
};

/// Does work that may take long. Another thread takes the worker's place meanwhile.
pub fn heavy<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        // A runtime of one thread has nobody to take its place.
        _ => work(),
    }
}

/// Runs a future any step of which may take long. A step that is short costs the waking of a
/// thread, some microseconds: what has very many short steps does not belong here.
pub async fn heavy_steps<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| heavy(|| future.as_mut().poll(context))).await
}

/// The same for what there may be very many of at once: each step at work is a thread, and a
/// thread takes memory, so there are as many as there are places. Not to be nested: a step that
/// waits for a second place would keep the first.
pub async fn heavy_steps_within<F: Future>(places: &Semaphore, future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        // It is never closed.
        let place = places.acquire().await;
        let step = step(future.as_mut()).await;
        drop(place);
        match step {
            Poll::Ready(done) => return done,
            Poll::Pending => woken().await,
        }
    }
}

/// One step, whatever comes of it.
async fn step<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(heavy(|| future.as_mut().poll(context)))).await
}

/// Waits until the task is woken by whatever its last step waits for.
async fn woken() {
    let mut asked = false;
    poll_fn(|_| match std::mem::replace(&mut asked, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}
