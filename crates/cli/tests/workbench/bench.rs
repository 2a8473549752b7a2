//! A workbench on a screen, and the hands before it.

use std::{ops::Deref, path::Path, sync::Arc};

use plimsoll_browser::{Browser, Level, Page, axe, or_skip};
use plimsoll_testkit::scripted::{Reply, ScriptedServer, Step};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    served::Served,
    watch::{Post, WATCH},
};

/// What tests ask of a page, in words of the page.
pub(crate) const HELPERS: &str = "globalThis.T = {
  one: (selector) => document.querySelector(selector),
  shown: (selector) => [...document.querySelectorAll(selector)].some((node) => node.checkVisibility()),
  says: (selector, part) => [...document.querySelectorAll(selector)]
    .some((node) => node.checkVisibility() && node.textContent.includes(part)),
  pairs: () => [...document.querySelectorAll('#rows .pair[data-id]')],
  last: () => T.pairs().at(-1),
  asked: () => T.pairs().map((pair) => pair.querySelector('.u .prose').textContent.trim()).join('|'),
  visible: () => Number(T.pane().dataset.visible),
  state: () => T.last()?.dataset.state,
  reply: () => T.last()?.querySelector('.a')?.textContent.trim() ?? '',
  counter: () => T.one('#counter').textContent.split(' visible')[0].trim(),
  current: () => Number(T.one('.pair.current')?.dataset.at ?? -1),
  mode: () => document.body.dataset.mode,
  draft: () => T.one('#draft').value,
  pane: () => T.one('#history'),
  atBottom: () => T.pane().scrollHeight - T.pane().scrollTop - T.pane().clientHeight <= 24,
  inView: (node) => {
    const [box, pane] = [node.getBoundingClientRect(), T.pane().getBoundingClientRect()];
    return box.bottom > pane.top && box.top < pane.bottom;
  },
  first: () => Number(T.pairs().find(T.inView)?.dataset.at ?? NaN),
  panel: () => T.shown('#panel') ? T.one('#panel-title').textContent : null,
  copied: [],
  // Rows wait for this promise, where a test set one; then they are counted.
  rowsAfter: null,
  rowsHeld: 0,
  // Answers to what is asked of such addresses wait until they are let go; those that wait are counted.
  // How calls were made that are to outlive the page.
  kept: [],
  slow: [],
  waiting: [],
  hold: (...parts) => { T.slow = parts; },
  letGo: () => { T.slow = []; T.waiting.splice(0).forEach((go) => go()); },
};
const ask = globalThis.fetch.bind(globalThis);
globalThis.fetch = async (url, how) => {
  if (T.rowsAfter && String(url).includes('/ui/rows')) { T.rowsHeld += 1; await T.rowsAfter; }
  const answer = await ask(url, how);
  if (how?.keepalive) T.kept.push(how.method);
  if (T.slow.some((part) => String(url).includes(part))) await new Promise((go) => T.waiting.push(go));
  return answer;
};
const write = navigator.clipboard?.writeText.bind(navigator.clipboard);
if (write) navigator.clipboard.writeText = (text) => (T.copied.push(text), write(text));";

/// An answer that reports about what such short messages weigh, so that nothing is learned.
pub(crate) fn answer(text: &str) -> Reply {
    Reply::openai(&[text], 14, 6)
}

/// The same reply behind other steps, such as a gate before its first byte.
pub(crate) fn after(steps: impl IntoIterator<Item = Step>, reply: &Reply) -> Reply {
    Reply::of(steps.into_iter().chain(reply.steps().iter().cloned()))
}

/// Paragraphs that are higher together than any pane.
pub(crate) fn tall() -> String {
    (1..=80).map(|n| format!("Paragraph {n} of a long answer.\n\n")).collect()
}

/// A tab that shows the workbench, and the hands before it.
pub(crate) struct Screen {
    pub(crate) page: Page,
    /// `http://127.0.0.1:port`
    origin: String,
}

/// A served workbench with a tab. Dropping it ends all of it.
pub(crate) struct Workbench {
    screen: Screen,
    pub(crate) served: Served,
    pub(crate) server: ScriptedServer,
    browser: Arc<Browser>,
}

impl Deref for Workbench {
    type Target = Screen;

    fn deref(&self) -> &Screen {
        &self.screen
    }
}

impl Workbench {
    /// A workbench whose provider gives these replies, the last one for ever. None, and a
    /// loud word, where there is no Chromium.
    pub(crate) fn open(replies: impl IntoIterator<Item = Reply>) -> Option<Self> {
        Self::prepared(replies, 4096, |_| {})
    }

    /// The same with a window of so many tokens, and with what was done before anybody looked.
    pub(crate) fn prepared(
        replies: impl IntoIterator<Item = Reply>,
        window: u64,
        before: impl FnOnce(&Served),
    ) -> Option<Self> {
        Self::at_home(replies, window, |_| {}, before)
    }

    /// The same, in a home that was prepared before it was served.
    pub(crate) fn at_home(
        replies: impl IntoIterator<Item = Reply>,
        window: u64,
        home: impl FnOnce(&Path),
        before: impl FnOnce(&Served),
    ) -> Option<Self> {
        let server = ScriptedServer::chats(replies).unwrap();
        Self::before(server, window, home, before)
    }

    /// A workbench before a provider that was started already.
    pub(crate) fn before(
        server: ScriptedServer,
        window: u64,
        home: impl FnOnce(&Path),
        before: impl FnOnce(&Served),
    ) -> Option<Self> {
        let browser = Browser::for_test().unwrap()?;
        let served = Served::start_with(&server, window, home);
        before(&served);
        // Private, since a port may have had another workbench with drafts of its own.
        let page = browser.private_page().unwrap();
        let screen = Screen::of(page, &served);
        screen.load();
        Some(Self { screen, served, server, browser })
    }

    /// What the provider was asked last.
    pub(crate) fn sent(&self) -> Value {
        let requests = self.server.requests();
        let call = requests.iter().rfind(|request| request.method == "POST").unwrap();
        serde_json::from_str(&call.body).unwrap()
    }

    /// How often the provider was asked for an answer.
    pub(crate) fn calls(&self) -> usize {
        self.server.requests().iter().filter(|request| request.method == "POST").count()
    }

    /// Another tab, as on another machine: it shares the workbench and nothing else.
    pub(crate) fn tab(&self) -> Screen {
        let screen = Screen::of(self.browser.private_page().unwrap(), &self.served);
        screen.load();
        screen
    }
}

impl Screen {
    fn of(page: Page, served: &Served) -> Self {
        page.before_load(HELPERS).unwrap();
        page.before_load(WATCH).unwrap();
        Self { page, origin: format!("http://{}", served.address) }
    }

    /// Opens the page and waits until it listens.
    pub(crate) fn load(&self) {
        self.page.open(&format!("{}/", self.origin)).unwrap();
        self.ready();
    }

    /// Loads the page again.
    pub(crate) fn reload(&self) {
        self.page.reload().unwrap();
        self.ready();
    }

    /// Waits until a page that was just loaded has its state.
    fn ready(&self) {
        self.wait("T.one('#history').dataset.ready && T.one('#counter b')");
    }

    #[track_caller]
    pub(crate) fn wait(&self, condition: &str) {
        if let Err(error) = self.page.wait_for(condition) {
            panic!("{error}");
        }
    }

    #[track_caller]
    pub(crate) fn js<T: DeserializeOwned>(&self, expression: &str) -> T {
        self.page.eval(expression).unwrap()
    }

    #[track_caller]
    pub(crate) fn keys(&self, chords: &str) {
        self.page.keys(chords).unwrap();
    }

    #[track_caller]
    pub(crate) fn types(&self, text: &str) {
        self.page.type_text(text).unwrap();
    }

    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        if let Err(error) = self.page.click(selector) {
            panic!("{error}");
        }
    }

    /// Waits for a mode.
    #[track_caller]
    pub(crate) fn mode(&self, mode: &str) {
        self.wait(&format!("T.mode() === '{mode}' && T.one('#mode').textContent === '{mode}'"));
    }

    /// From INPUT to VIEW, with a pair selected.
    #[track_caller]
    pub(crate) fn view(&self) {
        self.keys("Escape");
        self.mode("VIEW");
    }

    /// Waits until something that can be seen says so.
    #[track_caller]
    pub(crate) fn says(&self, selector: &str, part: &str) {
        let (selector, part) = (quoted(selector), quoted(part));
        self.wait(&format!("T.says({selector}, {part})"));
    }

    /// Waits until rows, marks and counter are what the server says.
    #[track_caller]
    pub(crate) fn agrees(&self) {
        if self.page.wait_for("T.different().then((words) => words === '')").is_err() {
            panic!("{}", self.js::<String>("T.different()"));
        }
    }

    /// The last send of this tab, once it was answered.
    #[track_caller]
    pub(crate) fn post(&self, after: usize) -> Post {
        self.wait(&format!("T.posts.length > {after} && T.posts.at(-1).status > 0"));
        self.js("T.posts.at(-1)")
    }

    /// Waits for the counter.
    #[track_caller]
    pub(crate) fn counter(&self, text: &str) {
        self.wait(&format!("T.counter() === {}", quoted(text)));
    }

    /// Types a message, sends it and waits until it is answered.
    #[track_caller]
    pub(crate) fn send(&self, text: &str) {
        let before: usize = self.js("T.pairs().length");
        self.types(text);
        self.keys("Enter");
        // The box is emptied when the request was answered, which may come after the reply, and
        // rows may show the reply before the page hears that the send is over.
        let answered = format!(
            "T.pairs().length > {before} && T.state() === 'complete' && T.draft() === '' \
             && !document.body.classList.contains('sending')"
        );
        // What changed as the key was pressed is shown first, and the next press sends it (PAY-6).
        let asks = "T.says('#notice', 'Enter sends what is shown')";
        self.wait(&format!("({answered}) || {asks}"));
        if self.js(asks) {
            self.keys("Enter");
            self.wait(&answered);
        }
    }

    /// Types a filter and applies it.
    #[track_caller]
    pub(crate) fn filter(&self, text: &str) {
        self.click("#filter");
        self.keys("Ctrl+A Delete");
        self.types(text);
        self.keys("Enter");
    }

    /// That axe finds nothing in what is shown, serious or not (UI-10, UI-27).
    #[track_caller]
    pub(crate) fn accessible(&self, scene: &str) {
        self.page.settle().unwrap();
        let Some(found) = or_skip(axe(&self.page)).unwrap() else { return };
        let bad: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert!(bad.is_empty(), "{scene}:\n{}", bad.join("\n"));
    }

    /// That the page did nothing wrong and asked nobody else. Answers of 4xx are part of
    /// the game; Chromium tells of each on the console.
    #[track_caller]
    pub(crate) fn fine(&self) {
        self.fine_but(&["status of 4"]);
    }

    /// The same, with other words of Chromium's that are expected here.
    #[track_caller]
    pub(crate) fn fine_but(&self, expected: &[&str]) {
        if let Err(error) = self.page.assert_only(&self.origin) {
            panic!("{error}");
        }
        let loud: Vec<String> = (self.page.console().iter())
            .filter(|message| message.level >= Level::Warning)
            .filter(|message| !expected.iter().any(|part| message.text.contains(part)))
            .map(ToString::to_string)
            .collect();
        assert!(loud.is_empty(), "the page was not quiet: {loud:#?}");
        assert_eq!(self.page.csp_violations(), []);
        assert_eq!(self.page.dialogs(), [] as [String; 0]);
    }
}

/// A text as JavaScript has it.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
