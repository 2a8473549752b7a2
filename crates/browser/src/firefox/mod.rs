//! Firefox, over WebDriver BiDi, which it speaks by itself: the same hands for the main ways of a
//! page, so that they are tested in a second engine.

mod page;
mod socket;
mod start;

pub use page::FirefoxPage;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::json;

use crate::{Error, Options, Result, or_skip, process::Process};
use socket::Socket;

/// A running Firefox without a window. Dropping it ends it with all its processes and removes its
/// profile.
pub struct Firefox {
    socket: Socket,
    options: Options,
    /// Ends when everything else was let go.
    _process: Process,
}

/// The browser that tests of one process share, for as long as one of them holds it.
static SHARED: Mutex<Weak<Firefox>> = Mutex::new(Weak::new());

impl Firefox {
    /// Starts Firefox with a fresh profile.
    pub fn launch(options: Options) -> Result<Self> {
        let (process, port) = start::start(&options)?;
        let socket = Socket::connect(port, options.patience)
            .map_err(|error| Error::Launch(format!("{error}\n{}", process.last_words())))?;
        socket.call("session.new", json!({ "capabilities": {} }))?;
        socket.call("session.subscribe", json!({ "events": ["log.entryAdded"] }))?;
        Ok(Self { socket, options, _process: process })
    }

    /// The browser of a test. None, and a loud word, where there is no Firefox: see [`or_skip`].
    pub fn for_test() -> Result<Option<Arc<Self>>> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(browser) = shared.upgrade() {
            return Ok(Some(browser));
        }
        let launched = or_skip(Self::launch(Options::default()))?.map(Arc::new);
        if let Some(browser) = &launched {
            *shared = Arc::downgrade(browser);
        }
        Ok(launched)
    }

    /// A new page with cookies and storage of its own, like a second person. It has a window of its
    /// own, since what is behind another tab is not drawn.
    pub fn private_page(self: &Arc<Self>) -> Result<FirefoxPage> {
        let made = self.socket.call("browser.createUserContext", json!({}))?;
        let user = made["userContext"].as_str().unwrap_or_default().to_owned();
        let params = json!({ "type": "window", "userContext": user });
        let made = self.socket.call("browsingContext.create", params)?;
        let context = made["context"].as_str().unwrap_or_default().to_owned();
        FirefoxPage::of(Arc::clone(self), context, user)
    }
}
