//! A running Chromium and its pages.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
};

use serde_json::json;

use crate::{
    Error, Options, Page, Result, or_skip, page::Tab, process, process::Process, wire::Wire,
};

/// A running Chromium without a window. Dropping it ends it with all its processes and
/// removes its profile.
pub struct Browser {
    wire: Arc<Wire>,
    options: Arc<Options>,
    /// The pages that were given out.
    known: Mutex<HashSet<String>>,
    reading: Option<thread::JoinHandle<()>>,
    process: Option<Process>,
}

/// The browser that tests of one process share, for as long as one of them holds it.
static SHARED: Mutex<Weak<Browser>> = Mutex::new(Weak::new());

impl Browser {
    /// Starts Chromium with a fresh profile.
    pub fn launch(options: Options) -> Result<Self> {
        let started = process::start(&options)?;
        let (wire, reading) = Wire::new(started.input, started.output, options.patience)?;
        let browser = Self {
            wire,
            options: Arc::new(options),
            known: Mutex::default(),
            reading: Some(reading),
            process: Some(started.process),
        };
        match browser.version() {
            Ok(_) => Ok(browser),
            Err(error) => {
                let words = browser.process.as_ref().map(Process::last_words);
                Err(Error::Launch(format!("{error}\n{}", words.unwrap_or_default())))
            }
        }
    }

    /// The browser of a test: one for all tests of a process that run at the same time,
    /// since starting one takes a while. None, and a loud word, where there is no
    /// Chromium: see [`or_skip`].
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

    /// Which Chromium this is, such as `Chrome/148.0.7778.167`.
    pub fn version(&self) -> Result<String> {
        let answer = self.wire.call(None, "Browser.getVersion", json!({}))?;
        Ok(answer["product"].as_str().unwrap_or_default().to_owned())
    }

    /// A new page that shares cookies and storage with the others, like a second tab.
    pub fn page(&self) -> Result<Page> {
        self.new_page(None)
    }

    /// A new page with cookies and storage of its own, like a second person.
    pub fn private_page(&self) -> Result<Page> {
        let made = self.wire.call(None, "Target.createBrowserContext", json!({}))?;
        self.new_page(Some(made["browserContextId"].as_str().unwrap_or_default().to_owned()))
    }

    /// Pages that were opened by pages, through a link or `window.open`, since the last
    /// time this was asked.
    pub fn opened(&self) -> Result<Vec<Page>> {
        let answer = self.wire.call(None, "Target.getTargets", json!({}))?;
        let targets = answer["targetInfos"].as_array().cloned().unwrap_or_default();
        let mut pages = Vec::new();
        for target in targets.iter().filter(|target| target["type"] == "page") {
            let id = target["targetId"].as_str().unwrap_or_default().to_owned();
            let by_a_page = !target["openerId"].is_null();
            if by_a_page && self.remember(&id) {
                let tab = Tab { id, context: None };
                pages.push(Page::attach(Arc::clone(&self.wire), Arc::clone(&self.options), tab)?);
            }
        }
        Ok(pages)
    }

    /// The directory of all that this Chromium writes; it goes with the browser.
    pub fn home(&self) -> PathBuf {
        self.process.as_ref().map(Process::home).unwrap_or_default()
    }

    /// The id of its process, which is also the id of the group of all its processes.
    pub fn id(&self) -> u32 {
        self.process.as_ref().map(Process::id).unwrap_or_default()
    }

    fn new_page(&self, context: Option<String>) -> Result<Page> {
        // A window of its own for each, since a page behind another is not drawn.
        let mut params = json!({ "url": "about:blank", "newWindow": true });
        if let Some(context) = &context {
            params["browserContextId"] = context.as_str().into();
        }
        let made = self.wire.call(None, "Target.createTarget", params)?;
        let id = made["targetId"].as_str().unwrap_or_default().to_owned();
        self.remember(&id);
        Page::attach(Arc::clone(&self.wire), Arc::clone(&self.options), Tab { id, context })
    }

    /// Whether this page was not known before.
    fn remember(&self, id: &str) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.wire.hang_up();
        // The reader ends with the process, so the process goes first.
        drop(self.process.take());
        if let Some(reading) = self.reading.take() {
            let _ = reading.join();
        }
    }
}
