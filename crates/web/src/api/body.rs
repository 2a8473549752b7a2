//! Bodies that are too large for memory.

use axum::body::{Body, Bytes};
use futures_util::StreamExt;
use plimsoll_app::AppError;

use crate::problem::Problem;

/// Parts that wait to be written.
const WAITING: usize = 8;

/// Bytes from the network to the disk: what has come waits in a short line for the thread
/// that writes, so memory stays flat and a slow disk slows the sender. `seen` hears of each part
/// before it is written.
pub(super) async fn pour<W, F>(
    body: Body,
    mut into: W,
    write: F,
    mut seen: impl FnMut(&[u8]),
) -> Result<W, Problem>
where
    W: Send + 'static,
    F: Fn(&mut W, &[u8]) -> Result<(), AppError> + Send + 'static,
{
    let (send, mut receive) = tokio::sync::mpsc::channel::<Bytes>(WAITING);
    let writer = tokio::task::spawn_blocking(move || -> Result<W, AppError> {
        while let Some(bytes) = receive.blocking_recv() {
            write(&mut into, &bytes)?;
        }
        Ok(into)
    });
    let mut stream = body.into_data_stream();
    let mut broken = false;
    while let Some(part) = stream.next().await {
        let Ok(bytes) = part else {
            broken = true;
            break;
        };
        seen(&bytes);
        // A writer that failed says why below.
        if send.send(bytes).await.is_err() {
            break;
        }
    }
    drop(send);
    let written = writer.await.map_err(|_| AppError::Ended)??;
    if broken {
        return Err(Problem::bad_request("the upload broke off; send it again"));
    }
    Ok(written)
}
