//! The way of an answer from the thread that computes to whoever waits for it.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use futures_core::Stream;
use plimsoll_provider::{Delta, ProviderFailure};

use crate::wire;

type Item = Result<Delta, ProviderFailure>;

/// Both ends. What is on the way is bounded by the window of the model.
pub(crate) fn pipe() -> (Inlet, Outlet) {
    let pipe = Arc::new(Pipe::default());
    (Inlet { pipe: Arc::clone(&pipe) }, Outlet { pipe })
}

#[derive(Debug, Default)]
struct Pipe {
    state: Mutex<State>,
    unwanted: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Item>,
    closed: bool,
    waker: Option<Waker>,
}

impl Pipe {
    /// No code can panic while it holds the lock, so a poisoned one is as good.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Where the answer goes in. Dropping it ends the stream.
#[derive(Debug)]
pub(crate) struct Inlet {
    pipe: Arc<Pipe>,
}

impl Inlet {
    pub(crate) fn send(&self, item: Item) {
        self.pipe.change(|state| state.waiting.push_back(item));
    }

    /// Whether nobody waits any more.
    pub(crate) fn unwanted(&self) -> bool {
        self.pipe.unwanted.load(Ordering::Relaxed)
    }
}

impl Drop for Inlet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.send(Err(wire::broken("the embedded model broke off; ask again")));
        }
        self.pipe.change(|state| state.closed = true);
    }
}

/// Where the answer comes out. Dropping it stops the computing.
#[derive(Debug)]
pub(crate) struct Outlet {
    pipe: Arc<Pipe>,
}

impl Stream for Outlet {
    type Item = Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Item>> {
        let mut state = self.pipe.state();
        match state.waiting.pop_front() {
            Some(item) => Poll::Ready(Some(item)),
            None if state.closed => Poll::Ready(None),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        self.pipe.unwanted.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_and_then_it_ends() {
        let (inlet, mut outlet) = pipe();
        let mut context = Context::from_waker(Waker::noop());
        let mut next = || Pin::new(&mut outlet).poll_next(&mut context);
        assert_eq!(next(), Poll::Pending);
        inlet.send(Ok(Delta::Loading));
        inlet.send(Ok(Delta::Text("a".into())));
        drop(inlet);
        assert_eq!(next(), Poll::Ready(Some(Ok(Delta::Loading))));
        assert_eq!(next(), Poll::Ready(Some(Ok(Delta::Text("a".into())))));
        assert_eq!(next(), Poll::Ready(None));
    }

    #[test]
    fn a_panic_does_not_look_like_an_end() {
        let (inlet, mut outlet) = pipe();
        let thread = std::thread::spawn(move || {
            let _inlet = inlet;
            panic!("on purpose");
        });
        assert!(thread.join().is_err());
        let mut context = Context::from_waker(Waker::noop());
        let next = Pin::new(&mut outlet).poll_next(&mut context);
        assert!(matches!(next, Poll::Ready(Some(Err(_)))), "{next:?}");
    }

    #[test]
    fn whoever_goes_away_is_noticed() {
        let (inlet, outlet) = pipe();
        assert!(!inlet.unwanted());
        drop(outlet);
        assert!(inlet.unwanted());
    }
}
