//! Ctrl+C outside of the line editor.

use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_app::Cancel;

/// What Ctrl+C would stop.
#[derive(Clone)]
enum Now {
    /// The editor has the keyboard, and reads Ctrl+C itself.
    Editing,
    /// Something that cannot be stopped piece by piece, such as fetching a model.
    Working,
    /// A send.
    Sending(Cancel),
}

/// Hears Ctrl+C for as long as the program runs.
pub(super) struct Stop(Arc<Mutex<Now>>);

impl Stop {
    pub(super) fn listen() -> Self {
        let now = Arc::new(Mutex::new(Now::Working));
        let heard = Arc::clone(&now);
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                let now = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match now {
                    Now::Editing => {}
                    Now::Sending(cancel) => cancel.cancel(),
                    // What a shell expects of a program that Ctrl+C ended.
                    Now::Working => std::process::exit(130),
                }
            }
        });
        Self(now)
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
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}
