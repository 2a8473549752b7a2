//! Ctrl+C outside of the line editor, and being told to end (REL-11).

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use plimsoll_app::Cancel;

use crate::signals;

/// What a shell expects of a program that a signal ended.
const ENDED_BY_SIGNAL: i32 = 130;

/// What Ctrl+C would stop.
#[derive(Clone)]
enum Now {
    /// The editor has the keyboard, and reads Ctrl+C itself.
    Editing,
    /// Something that cannot be stopped piece by piece, such as fetching a model.
    Working,
    Sending(Cancel),
}

/// Hears Ctrl+C and the signals that end a program for as long as it runs.
pub(super) struct Stop {
    now: Arc<Mutex<Now>>,
    told_to_end: Arc<AtomicBool>,
}

impl Stop {
    /// Listens. `leave` takes away what the program would take away at its end: whoever reads
    /// from a terminal or a pipe cannot be woken up, so the program ends there and then.
    pub(super) fn listen(leave: impl Fn() + Send + 'static) -> Self {
        let now = Arc::new(Mutex::new(Now::Working));
        let told_to_end = Arc::new(AtomicBool::new(false));
        let (heard, told) = (Arc::clone(&now), Arc::clone(&told_to_end));
        let told_to_end_now = signals::told_to_end();
        tokio::spawn(async move {
            let mut told_to_end_now = std::pin::pin!(told_to_end_now);
            loop {
                let ctrl_c = tokio::select! {
                    () = &mut told_to_end_now, if !told.load(Ordering::SeqCst) => false,
                    heard = tokio::signal::ctrl_c() => match heard {
                        Ok(()) => true,
                        Err(_) => return,
                    },
                };
                if !ctrl_c {
                    told.store(true, Ordering::SeqCst);
                }
                let now = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match now {
                    Now::Editing if ctrl_c => {}
                    Now::Sending(cancel) => cancel.cancel(),
                    Now::Editing | Now::Working => {
                        leave();
                        std::process::exit(ENDED_BY_SIGNAL);
                    }
                }
            }
        });
        Self { now, told_to_end }
    }

    /// Whether the program is to end when what it does now has ended.
    pub(super) fn told_to_end(&self) -> bool {
        self.told_to_end.load(Ordering::SeqCst)
    }

    pub(super) fn editing(&self) {
        self.set(Now::Editing);
    }

    pub(super) fn working(&self) {
        self.set(Now::Working);
    }

    pub(super) fn sending(&self, cancel: &Cancel) {
        self.set(Now::Sending(cancel.clone()));
    }

    fn set(&self, now: Now) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}
