//! The main ways in Firefox (UI-27): the same page, before another engine.

use std::{fs, path::Path};

use plimsoll_browser::{Firefox, FirefoxPage};
use plimsoll_testkit::scripted::{Gate, Reply, ScriptedServer, Step};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    bench::{HELPERS, after, answer, quoted},
    served::Served,
};

/// A tab in Firefox.
struct Tab {
    page: FirefoxPage,
}

/// A served workbench with a tab in Firefox.
struct Bench {
    tab: Tab,
    served: Served,
    server: ScriptedServer,
}

impl std::ops::Deref for Bench {
    type Target = Tab;

    fn deref(&self) -> &Tab {
        &self.tab
    }
}

/// A workbench as it is for a new user; none, and a loud word, where there is no Firefox.
fn open(replies: impl IntoIterator<Item = Reply>, models: &str) -> Option<Bench> {
    let firefox = Firefox::for_test().unwrap()?;
    let server = ScriptedServer::chats(replies).unwrap();
    let served = Served::start_with(&server, 4096, |home: &Path| {
        fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
        let file = home.join("models.toml");
        let known = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{known}{models}")).unwrap();
    });
    let tab = Tab::of(firefox.private_page().unwrap(), &format!("http://{}/", served.address));
    Some(Bench { tab, served, server })
}

impl Tab {
    fn of(page: FirefoxPage, address: &str) -> Self {
        page.before_load(HELPERS).unwrap();
        page.open(address).unwrap();
        let tab = Self { page };
        tab.ready();
        tab
    }

    #[track_caller]
    fn ready(&self) {
        self.wait("T.one('#history').dataset.ready && T.one('#counter b')");
    }

    #[track_caller]
    fn wait(&self, condition: &str) {
        if let Err(error) = self.page.wait_for(condition) {
            panic!("{error}");
        }
    }

    #[track_caller]
    fn js<T: DeserializeOwned>(&self, expression: &str) -> T {
        self.page.eval(expression).unwrap()
    }

    #[track_caller]
    fn click(&self, selector: &str) {
        if let Err(error) = self.page.click(selector) {
            panic!("{error}");
        }
    }

    #[track_caller]
    fn keys(&self, chords: &str) {
        self.page.keys(chords).unwrap();
    }

    #[track_caller]
    fn says(&self, selector: &str, part: &str) {
        self.wait(&format!("T.says({}, {})", quoted(selector), quoted(part)));
    }

    /// Writes a message and presses Enter.
    #[track_caller]
    fn press(&self, text: &str) {
        self.click("#draft");
        self.page.type_text(text).unwrap();
        self.wait(&format!("T.draft() === {}", quoted(text)));
        self.keys("Enter");
    }

    /// The same, until it is answered.
    #[track_caller]
    fn send(&self, text: &str) {
        let before: usize = self.js("T.pairs().length");
        self.press(text);
        self.wait(&format!(
            "T.pairs().length > {before} && T.state() === 'complete' && T.draft() === '' \
             && !document.body.classList.contains('sending')"
        ));
    }

    /// That nothing but answers of 4xx was ever said on the console. When a page is left Firefox ends
    /// its connections before it tells the page, and complains that the stream of events was
    /// interrupted, if the page does not get to close it first.
    #[track_caller]
    fn fine(&self) {
        let mut said = self.page.console();
        said.retain(|line| {
            let cut_off =
                ["was interrupted while the page was loading", "can’t establish a connection"];
            !(line.contains("/ui/events?") && cut_off.iter().any(|words| line.contains(words)))
        });
        assert!(said.is_empty(), "the page was not quiet: {said:#?}");
    }
}

impl Bench {
    /// Another tab that shows the same address.
    fn another(&self) -> Tab {
        let firefox = Firefox::for_test().unwrap().unwrap();
        let path: String = self.js("location.pathname");
        Tab::of(firefox.private_page().unwrap(), &format!("http://{}{path}", self.served.address))
    }

    /// The texts of the last request.
    fn sent(&self) -> Vec<String> {
        let requests = self.server.requests();
        let call = requests.iter().rfind(|request| request.method == "POST").unwrap();
        let body: Value = serde_json::from_str(&call.body).unwrap();
        let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
        body["messages"].as_array().unwrap().iter().map(text).collect()
    }
}

#[test]
fn ui_27_firefox_first_run_and_a_message() {
    let Some(bench) = open([answer("Because of *Archimedes*.")], "") else { return };
    bench.wait("location.pathname.startsWith('/c/') && T.says('#title', 'New chat')");
    bench.wait("document.activeElement === T.one('#draft')");
    bench.send("Why do ships float?");
    assert_eq!(bench.js::<String>("T.reply()"), "Because of Archimedes.");
    assert_eq!(bench.sent(), ["Why do ships float?"]);
    bench.says("#title", "Why do ships float?");
    bench.wait("T.counter() === '1 / 1'");
    bench.send("And iron ones?");
    let texts = ["Why do ships float?", "Because of *Archimedes*.", "And iron ones?"];
    assert_eq!(bench.sent(), texts);
    // What was written is there again after a reload, the message that was not sent included.
    bench.page.type_text("half a thought").unwrap();
    bench.wait("T.draft() === 'half a thought'");
    bench.page.reload().unwrap();
    bench.ready();
    bench.wait(
        "T.asked() === 'Why do ships float?|And iron ones?' && T.draft() === 'half a thought'",
    );
    bench.fine();
}

#[test]
fn ui_27_firefox_an_answer_grows_and_is_stopped() {
    let gate = Gate::default();
    let slow = Reply::stalls_after(&["It begins", " and goes on."]);
    let gated = after([Step::Gate(gate.clone())], &slow);
    let Some(bench) = open([gated, answer("fine")], "") else { return };
    bench.press("Tell me");
    bench.wait("T.state() === 'sending' && T.one('#send').textContent === 'Cancel'");
    gate.open();
    bench.wait("T.reply().includes('It begins and goes on.') && T.state() === 'sending'");
    bench.click("#send");
    bench.wait("T.state() === 'cancelled' && !document.body.classList.contains('sending')");
    bench.says(".pair", "It begins and goes on.");
    bench.send("Again");
    assert_eq!(bench.js::<String>("T.reply()"), "fine");
    bench.fine();
}

#[test]
fn ui_27_firefox_conversations_open_and_go_back() {
    let Some(bench) = open([answer("fine")], "") else { return };
    bench.send("first");
    let first: String = bench.js("location.pathname");
    bench.click("#new-chat");
    bench.wait(&format!("location.pathname !== {} && T.one('#counter b')", quoted(&first)));
    bench.wait("T.pairs().length === 0 && T.one('#history').dataset.ready");
    bench.send("second");
    assert_eq!(bench.sent(), ["second"], "nothing of another conversation goes along");
    bench.click(".conv:not(.on) a");
    bench.wait("T.asked() === 'first' && T.one('#counter b')");
    bench.page.back().unwrap();
    bench.wait("T.asked() === 'second' && T.one('#counter b')");
    bench.click("#scope");
    bench.wait("T.asked() === 'first|second' && T.says('#scope', 'everything')");
    bench.fine();
}

#[test]
fn ui_27_firefox_leave_out_pin_and_move_the_line() {
    let Some(bench) = open([answer("fine")], "") else { return };
    for text in ["one", "two", "three"] {
        bench.send(text);
    }
    bench.click(".pair [data-act=out]");
    bench.wait("T.pairs()[0].dataset.use === 'out' && T.counter() === '2 / 3'");
    bench.send("four");
    assert_eq!(bench.sent(), ["two", "fine", "three", "fine", "four"]);
    bench.keys("Escape");
    bench.wait("T.mode() === 'VIEW'");
    bench.keys("g J +");
    bench.wait("T.pairs()[1].dataset.use === 'pinned'");
    bench.keys("]");
    bench.wait("T.says('#load', 'set by hand')");
    bench.keys("u");
    bench.wait("!T.says('#load', 'set by hand')");
    bench.fine();
}

#[test]
fn ui_27_firefox_a_filter_shows_and_sends_what_it_finds() {
    let Some(bench) = open([answer("fine")], "") else { return };
    for text in ["a ship", "a train"] {
        bench.send(text);
    }
    bench.click("#filter");
    bench.page.type_text("c'*ship*'").unwrap();
    // What was offered for the first letters is not taken for the whole.
    bench.wait("T.one('#filter').value === \"c'*ship*'\"");
    bench.wait("!T.shown('#filter-menu [aria-selected=true]')");
    bench.keys("Enter");
    bench.wait("T.asked() === 'a ship' && T.counter() === '1 / 1'");
    bench.wait("location.search.includes('filter=')");
    bench.send("a ship in a bottle");
    assert_eq!(bench.sent(), ["a ship", "fine", "a ship in a bottle"]);
    bench.click("#filter");
    bench.keys("Ctrl+A Delete Enter");
    bench.wait("T.pairs().length === 3");
    bench.fine();
}

#[test]
fn ui_27_firefox_a_file_is_attached_and_sent() {
    let Some(bench) = open([answer("read")], "") else { return };
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("notes.md");
    fs::write(&path, "the hull is sound").unwrap();
    bench.click("#draft");
    bench.page.type_text("See ").unwrap();
    bench.page.choose_files("#picker", &[&path]).unwrap();
    bench.says("#chips > li", "notes.md");
    bench.wait("/\\d tok/.test(T.one('#chips').textContent)");
    bench.click("#draft");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    let sent = bench.sent().pop().unwrap();
    assert!(sent.starts_with("See ") && sent.contains("the hull is sound"), "{sent}");
    bench.says(".pair .chip", "notes.md");
    bench.fine();
}

#[test]
fn ui_27_firefox_settings_and_panels_open() {
    let Some(bench) = open([answer("fine")], "") else { return };
    bench.send("hello");
    let names: Vec<String> =
        bench.js("[...document.querySelectorAll('[data-panel]')].map((one) => one.dataset.panel)");
    assert!(names.len() >= 5, "{names:?}");
    for name in names {
        let button = format!("[data-panel={name}]");
        bench.js::<()>(&format!("T.one('{button}').click()"));
        bench.wait("T.panel() !== null || T.shown('#hud')");
        bench.js::<()>(&format!("T.one('{button}').click()"));
        bench.wait("T.panel() === null && !T.shown('#hud')");
    }
    bench.fine();
}

#[test]
fn ui_27_firefox_two_tabs_agree() {
    let Some(bench) = open([answer("fine")], "") else { return };
    bench.send("one");
    let other = bench.another();
    other.wait("T.asked() === 'one'");
    other.send("two");
    bench.wait("T.asked() === 'one|two' && T.state() === 'complete'");
    bench.click(".pair [data-act=out]");
    other.wait("T.pairs()[0].dataset.use === 'out' && T.counter() === '1 / 2'");
    bench.click("#draft");
    bench.page.type_text("the same words").unwrap();
    other.wait("T.draft() === 'the same words'");
    bench.fine();
    other.fine();
}
