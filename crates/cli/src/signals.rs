//! Being asked to end (REL-11): by Ctrl+C, by the system that goes down, by a terminal that was
//! closed.

/// Returns when somebody wants this process to end. It listens from the call on, not from when
/// it is first awaited. Where signals cannot be heard it waits for ever, and the system ends the
/// process as it always could.
#[cfg(unix)]
pub(crate) fn asked_to_end() -> impl Future<Output = ()> + Send {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let [mut interrupt, mut terminate, mut hangup] = kinds.map(|kind| signal(kind).ok());
    async fn heard(signal: &mut Option<Signal>) {
        match signal {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
    async move {
        tokio::select! {
            () = heard(&mut interrupt) => {}
            () = heard(&mut terminate) => {}
            () = heard(&mut hangup) => {}
        }
    }
}

/// Returns when somebody presses Ctrl+C.
#[cfg(not(unix))]
pub(crate) async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
