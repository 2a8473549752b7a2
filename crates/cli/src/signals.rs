//! Being asked to end (REL-11): by Ctrl+C, by the system that goes down, by a terminal that was
//! closed.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Who wants this process to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A person, by Ctrl+C.
    ByKey,
    BySystem,
}

/// Returns when somebody wants this process to end. It listens from the call on, not from when
/// it is first awaited. Where signals cannot be heard it waits for ever, and the system ends the
/// process as it always could.
#[cfg(unix)]
pub(crate) fn asked_to_end() -> impl Future<Output = Asked> + Send {
    let mut interrupt = signal(SignalKind::interrupt()).ok();
    let told = told_to_end();
    async move {
        tokio::select! {
            () = heard(&mut interrupt) => Asked::ByKey,
            () = told => Asked::BySystem,
        }
    }
}

/// The same without Ctrl+C, which means something else where somebody types.
#[cfg(unix)]
pub(crate) fn told_to_end() -> impl Future<Output = ()> + Send {
    let kinds = [SignalKind::terminate(), SignalKind::hangup()];
    let [mut terminate, mut hangup] = kinds.map(|kind| signal(kind).ok());
    async move {
        tokio::select! {
            () = heard(&mut terminate) => {}
            () = heard(&mut hangup) => {}
        }
    }
}

#[cfg(unix)]
async fn heard(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Returns when somebody presses Ctrl+C.
#[cfg(not(unix))]
pub(crate) async fn asked_to_end() -> Asked {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
    Asked::ByKey
}

/// Nothing else is heard.
#[cfg(not(unix))]
pub(crate) async fn told_to_end() {
    std::future::pending::<()>().await;
}
