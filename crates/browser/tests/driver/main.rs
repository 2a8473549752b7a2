//! The driver against pages of its own, in a real Chromium. Where there is none, each
//! test says so on standard error and does nothing.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod input;
mod life;
mod looks;
mod watching;

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use plimsoll_browser::{Browser, Page};
use plimsoll_testkit::scripted::{Reply, ScriptedServer};

/// Without it Chromium asks for `/favicon.ico`, and its absence is an error on the console.
const ICON: &str = "<link rel=icon href='data:,'>";

/// Waits for what nothing in the page tells of.
fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < until, "{what} did not come");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A browser, a server of pages, and one page that is open.
struct Stage {
    page: Page,
    server: ScriptedServer,
    browser: Arc<Browser>,
}

impl Stage {
    /// Opens a page with this body; none where there is no Chromium.
    fn with(body: &str) -> Option<Self> {
        Self::serving(&[("/", body)], &[])
    }

    /// Opens the first of several pages, by path, all with these headers.
    fn serving(pages: &[(&str, &str)], headers: &[(&str, &str)]) -> Option<Self> {
        let browser = Browser::for_test().unwrap()?;
        let mut headers = headers.to_vec();
        let script = ("Content-Type", "text/javascript");
        let html = ("Content-Type", "text/html; charset=utf-8");
        let replies: Vec<(String, Reply)> = pages
            .iter()
            .map(|(path, body)| {
                headers.push(if path.ends_with(".js") { script } else { html });
                let body = if path.ends_with(".js") {
                    (*body).to_owned()
                } else {
                    format!("<!doctype html><html lang=en><title>T</title>{ICON}{body}")
                };
                let reply = Reply::whole(200, &headers, body);
                headers.pop();
                ((*path).to_owned(), reply)
            })
            .collect();
        let server = ScriptedServer::routes(replies).unwrap();
        let page = browser.private_page().unwrap();
        page.open(&format!("{}{}", server.root_url(), pages[0].0)).unwrap();
        Some(Self { page, server, browser })
    }
}
