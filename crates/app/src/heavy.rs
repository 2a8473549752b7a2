//! Heavy work beside the async workers (REL-9). There are few workers, and every connection needs
//! one of them for a moment: whoever counts or renders a long text on them holds up all others,
//! `/healthz` included.

use tokio::runtime::{Handle, RuntimeFlavor};

/// What is done with so many bytes is done before anybody notices.
const LITTLE: usize = 64 << 10;

/// Does work on so many bytes of text. If they are many, another thread takes the worker's
/// place meanwhile; the order of things is the same.
pub fn heavy<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) if bytes > LITTLE => tokio::task::block_in_place(work),
        // A runtime of one thread has nobody to take its place.
        _ => work(),
    }
}
