//! Random days before two tabs: after each step both mark what would be sent, and at each send
//! what was marked is what goes (promise 1, PAY-6). The seed is printed; PLIMSOLL_SEED repeats
//! a day, and PLIMSOLL_LONG=1 makes it a long one.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use plimsoll_browser::Viewport;
use plimsoll_testkit::{
    history::Random,
    scripted::{Gate, Recorded, Reply, ScriptedServer, Step},
};
use serde_json::{Value, json};

use crate::bench::{Post, Screen, Workbench, after, quoted};

/// Steps of a normal run and of a long one, which is of several days side by side.
const STEPS: (u64, u64) = (2_000, 50_000);
const LONG_DAYS: u64 = 4;

/// More pairs than this are thinned out, so that one list holds them all.
const MOST_PAIRS: usize = 30;

const FILTERS: [&str; 14] =
    ["", "", "", "r1", "r3", "t2", "o", "o2", "!o", "d<1h", "s1", "!e", "c'm1*'", "k>9"];

const MODELS: [&str; 3] = ["test", "small", "tiny"];

struct Day {
    bench: Workbench,
    /// The second tab; the first is the workbench's own.
    other: Screen,
    dice: Random,
    seed: u64,
    /// What was sent to the provider since the last look.
    calls: Arc<Mutex<Vec<Value>>>,
    /// What the provider answers next; else that all is well.
    replies: Arc<Mutex<VecDeque<Reply>>>,
    said: usize,
    sent: u64,
    refused: u64,
    step: u64,
    /// What was done, the newest last.
    log: VecDeque<String>,
}

/// A fine answer whose usage is what such a request weighs, so that nothing odd is learned.
fn fine(request: &Value) -> Reply {
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let chars = |message: &Value| message["content"].as_str().map_or(0, str::len) as u64;
    let tokens: u64 = messages.iter().map(|message| chars(message).div_ceil(3) + 4).sum();
    Reply::openai(&["fine"], tokens, 2)
}

fn questions(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap();
    let users = messages.iter().filter(|message| message["role"] == "user");
    users.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
}

impl Day {
    fn begin(seed: u64) -> Option<Self> {
        let calls: Arc<Mutex<Vec<Value>>> = Arc::default();
        let replies: Arc<Mutex<VecDeque<Reply>>> = Arc::default();
        let (heard, script) = (Arc::clone(&calls), Arc::clone(&replies));
        let answer = move |request: &Recorded| {
            if request.method != "POST" {
                return Reply::model_missing("any");
            }
            let body: Value = serde_json::from_str(&request.body).unwrap();
            let reply = script.lock().unwrap().pop_front().unwrap_or_else(|| fine(&body));
            heard.lock().unwrap().push(body);
            reply
        };
        let server = ScriptedServer::answering(answer).unwrap();
        let address = server.base_url();
        let more_models = |home: &std::path::Path| {
            let mut models = std::fs::read_to_string(home.join("models.toml")).unwrap();
            for (id, window) in [("small", 420), ("tiny", 260)] {
                models.push_str(&format!(
                    "[[model]]\nid = \"{id}\"\nprovider = \"openai\"\nbaseUrl = \"{address}\"\n\
                     keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = {window}\n"
                ));
            }
            std::fs::write(home.join("models.toml"), models).unwrap();
            let config = "defaultModel = \"test\"\noverBudget = \"trim\"\nretries = 0\n";
            std::fs::write(home.join("config.toml"), config).unwrap();
        };
        let bench = Workbench::before(server, 900, more_models, |_| {})?;
        let other = bench.tab();
        // Nobody looks: what is drawn costs more than all the rest of a step.
        for screen in [&*bench, &other] {
            screen.page.reduced_motion(true).unwrap();
            screen.page.viewport(Viewport::new(900, 560)).unwrap();
        }
        let dice = Random::new(seed);
        let log = VecDeque::new();
        let (said, sent, refused, step) = (0, 0, 0, 0);
        Some(Self { bench, other, dice, seed, calls, replies, said, sent, refused, step, log })
    }

    fn tabs(&self) -> [&Screen; 2] {
        [&self.bench, &self.other]
    }

    fn tab(&self, tab: usize) -> &Screen {
        self.tabs()[tab]
    }

    /// A number below a bound.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.dice.below(bound as u64)).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn fail(&self, what: &str) -> ! {
        let log: Vec<&str> = self.log.iter().map(String::as_str).collect();
        panic!("seed {}, step {}: {what}\n{}", self.seed, self.step, log.join("\n"));
    }

    /// Waits for something in a tab.
    fn until(&self, tab: usize, condition: &str) {
        if let Err(error) = self.tab(tab).page.wait_for(condition) {
            let heard: Vec<String> = self.tab(tab).js("[...T.heard, ...T.asks]");
            self.fail(&format!("tab {tab}: {error}\n{}\n", heard.join("\n")));
        }
    }

    fn note(&mut self, what: String) {
        self.log.push_back(format!("{}: {what}", self.step));
        if self.log.len() > 25 {
            self.log.pop_front();
        }
    }

    /// Something that was not said before.
    fn words(&mut self, letter: char) -> String {
        self.said += 1;
        format!("{letter}{}", self.said)
    }

    /// All pairs, whatever the filter shows.
    fn all_pairs(&self) -> Vec<Value> {
        let all = self.bench.served.json("GET", "/api/export?filter=", None);
        all["pairs"].as_array().unwrap().clone()
    }

    fn view(&self, change: Value) {
        self.bench.served.json("PUT", "/api/view", Some(change));
    }

    /// Both tabs agree with the server, in rows, marks and counter. The server is asked once
    /// for both; again only where one does not agree soon.
    fn check(&self) {
        let truth = self.truth();
        for (tab, screen) in self.tabs().into_iter().enumerate() {
            let soon = std::time::Duration::from_secs(1);
            if screen.page.wait_at_most(soon, &format!("T.differs({truth}) === ''")).is_ok() {
                continue;
            }
            if screen.page.wait_for("T.different().then((words) => words === '')").is_err() {
                let words: String = screen.js("T.different()");
                let heard: Vec<String> = screen.js("[...T.heard, ...T.asks]");
                self.fail(&format!("tab {tab}: {words}\n{}\n", heard.join("\n")));
            }
        }
    }

    /// What the server says now, as `T.truth` has it.
    fn truth(&self) -> Value {
        let get = |path| self.bench.served.json("GET", path, None);
        let (state, page) = (get("/api/state"), get("/api/pairs?from=0&limit=200"));
        let row =
            |pair: &Value| json!([pair["id"], pair["included"], pair["revision"].to_string()]);
        let rows: Vec<Value> = page["pairs"].as_array().unwrap().iter().map(row).collect();
        json!({
            "x": state["boundary"]["x"], "counter": state["counter"]["text"],
            "visible": page["visible"], "rows": rows,
        })
    }

    /// Waits until the last post of a tab was answered.
    fn posted(&self, tab: usize, before: usize) -> Post {
        let answered = format!("T.posts.length > {before} && T.posts.at(-1).status > 0");
        self.until(tab, &answered);
        self.tab(tab).js("T.posts.at(-1)")
    }

    /// The post of a key that was pressed just now. Where the page changed in that very moment it
    /// sends nothing and says so; the next press sends what is shown.
    fn pressed(&self, tab: usize, before: usize, press: impl Fn(&Screen)) -> Post {
        let said = "T.says('#notice', 'changed as you sent it')";
        let posted = format!("(T.posts.length > {before} && T.posts.at(-1).status > 0)");
        for _ in 0..5 {
            self.until(tab, &format!("{posted} || {said}"));
            if self.posts(tab) > before {
                break;
            }
            press(self.tab(tab));
        }
        self.posted(tab, before)
    }

    fn posts(&self, tab: usize) -> usize {
        self.tab(tab).js("T.posts.length")
    }

    /// The calls that ask this, from the first on.
    fn calls_for(&self, question: &str) -> Vec<Vec<String>> {
        let calls = self.calls.lock().unwrap();
        let all = calls.iter().map(questions);
        all.filter(|texts| texts.last().is_some_and(|last| last == question)).collect()
    }

    /// What went is what was marked, as far as the page had it.
    fn compare(&mut self, post: &Post, question: &str) {
        let calls = self.calls_for(question);
        match (post.status, calls.first()) {
            (202, Some(first)) => {
                self.sent += 1;
                let history = &first[..first.len() - 1];
                let loaded = |text: &&String| post.loaded.contains(text);
                let went: Vec<&String> = history.iter().filter(loaded).collect();
                let marked: Vec<&String> = post.marked.iter().collect();
                if went != marked {
                    self.fail(&format!("marked {marked:?}, sent {went:?} for {}", post.body));
                }
            }
            (202, None) => self.fail(&format!("{question} never reached the provider")),
            (_, None) => self.refused += 1,
            (status, Some(_)) => self.fail(&format!("{question} was refused ({status}) and sent")),
        }
        self.calls.lock().unwrap().clear();
    }

    fn send(&mut self) {
        let tab = self.below(2);
        let text = self.words('m');
        let gate = Gate::default();
        let kind = self.below(10);
        let reply = match kind {
            0 => Some(Reply::invalid()),
            1 => Some(Reply::overflow(200, 500)),
            2 => Some(after([Step::Gate(gate.clone())], &Reply::openai(&["late"], 20, 1))),
            _ => None,
        };
        self.note(format!("tab {tab} sends {text} (kind {kind})"));
        self.replies.lock().unwrap().extend(reply);
        let screen = self.tab(tab);
        screen.click("#draft");
        screen.keys("Ctrl+A Delete");
        screen.types(&text);
        let mut before = self.posts(tab);
        screen.keys("Enter");
        let enter = |screen: &Screen| screen.keys("Enter");
        let mut post = self.pressed(tab, before, enter);
        for _ in 0..3 {
            if post.status != 409 {
                break;
            }
            self.compare(&post, &text);
            // It is shown now; one key sends it.
            self.tab(tab).says("#notice", "Enter sends what is shown");
            before = self.posts(tab);
            self.tab(tab).keys("Enter");
            post = self.pressed(tab, before, enter);
        }
        if kind == 2 && post.status == 202 {
            self.tab(tab).wait("document.body.classList.contains('sending')");
            self.tab(tab).keys("Ctrl+C");
            self.tab(tab).wait("!document.body.classList.contains('sending')");
        }
        gate.open();
        self.rest();
        self.compare(&post, &text);
        self.replies.lock().unwrap().clear();
        if post.status != 202 {
            self.tab(tab).keys("Escape");
            self.tab(tab).click("#draft");
            self.tab(tab).keys("Ctrl+A Delete");
        }
    }

    /// Waits until nothing is being sent.
    fn rest(&self) {
        // It may take a moment; who fails here was not answered for very long.
        for _ in 0..6_000 {
            let state = self.bench.served.json("GET", "/api/state", None);
            if state["sending"].is_null() || state["sending"] == false {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        for screen in self.tabs() {
            screen.wait("!document.body.classList.contains('sending')");
        }
    }

    fn regenerate(&mut self) {
        let newest = self.all_pairs();
        let newest = newest.iter().rfind(|pair| pair["lifecycleState"] == "complete");
        let Some(newest) = newest.cloned() else { return };
        let tab = self.below(2);
        let id = quoted(newest["id"].as_str().unwrap());
        let question = newest["userText"].as_str().unwrap().to_owned();
        let visible: bool =
            self.tab(tab).js(&format!("T.pairs().some((pair) => pair.dataset.id === {id})"));
        if !visible {
            return;
        }
        self.note(format!("tab {tab} regenerates {question}"));
        self.check();
        let screen = self.tab(tab);
        let press = format!(
            "(() => {{
               const pair = T.pairs().find((pair) => pair.dataset.id === {id});
               pair?.querySelector('[data-act=regenerate]').click();
               return Boolean(pair);
             }})()"
        );
        // It may stand above what is drawn; nobody can press it there.
        if !screen.js::<bool>(&press) {
            return;
        }
        self.until(tab, "T.shown('.popup [role=option]')");
        let before = self.posts(tab);
        screen.keys("Enter");
        self.until(tab, "T.says('#notice', 'Answer again with')");
        screen.click("#notice button");
        let post = self.pressed(tab, before, |screen| screen.click("#notice button"));
        self.rest();
        self.compare(&post, &question);
        if post.status != 202 {
            self.tab(tab).keys("Escape");
        }
    }

    fn someone_edits(&mut self) {
        let pairs = self.all_pairs();
        if pairs.is_empty() {
            return;
        }
        let id = self.one(&pairs)["id"].as_str().unwrap().to_owned();
        let text = self.words('e');
        self.note(format!("edit {id} to {text}"));
        let path = format!("/api/pairs/{id}");
        self.bench.served.json("PATCH", &path, Some(json!({ "userText": text })));
    }

    fn someone_labels(&mut self) {
        let pairs = self.all_pairs();
        if pairs.is_empty() {
            return;
        }
        let id = self.one(&pairs)["id"].as_str().unwrap().to_owned();
        let star = self.below(4);
        self.note(format!("star {id} {star}"));
        let path = format!("/api/pairs/{id}");
        self.bench.served.json("PATCH", &path, Some(json!({ "star": star })));
    }

    fn someone_deletes(&mut self) {
        let pairs = self.all_pairs();
        let count = if pairs.len() > MOST_PAIRS { MOST_PAIRS / 2 } else { 1.min(pairs.len()) };
        for _ in 0..count {
            let pairs = self.all_pairs();
            let id = self.one(&pairs)["id"].as_str().unwrap().to_owned();
            self.note(format!("delete {id}"));
            self.bench.served.json("DELETE", &format!("/api/pairs/{id}"), None);
        }
    }

    fn someone_imports(&mut self) {
        let (question, name) = (self.words('i'), format!("import-{}.jsonl", self.step));
        self.note(format!("import {question}"));
        let line = json!({"messages": [
            {"role": "user", "content": question}, {"role": "assistant", "content": "imported"}
        ]});
        let file = self.bench.served.home().join(name);
        std::fs::write(&file, format!("{line}\n")).unwrap();
        let home = self.bench.served.home();
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .arg("import")
            .arg(&file)
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn context(&mut self) {
        let pairs = self.all_pairs();
        let from = match self.below(3) {
            0 => "end".to_owned(),
            1 if !pairs.is_empty() => self.one(&pairs)["id"].as_str().unwrap().to_owned(),
            _ => String::new(),
        };
        self.note(format!("context from {from:?}"));
        self.view(json!({ "contextFrom": from }));
    }

    fn reconnect(&mut self) {
        let tab = self.below(2);
        self.note(format!("tab {tab} loses its connection"));
        self.tab(tab).page.offline(true).unwrap();
        self.someone_edits();
        self.tab(tab).page.offline(false).unwrap();
        self.tab(tab).js::<Value>("(dispatchEvent(new Event('online')), null)");
        self.tab(tab).wait("!document.body.classList.contains('lost')");
    }

    fn turn(&mut self) {
        self.step += 1;
        match self.below(20) {
            0..=6 => self.send(),
            7..=9 => {
                let filter = *self.one(&FILTERS);
                self.note(format!("filter {filter:?}"));
                self.view(json!({ "filter": filter }));
            }
            10 => self.context(),
            11 => {
                let model = *self.one(&MODELS);
                self.note(format!("model {model}"));
                self.view(json!({ "model": model }));
            }
            12..=13 => self.someone_edits(),
            14..=15 => self.someone_deletes(),
            16 => self.someone_labels(),
            17 => self.regenerate(),
            18 if self.step.is_multiple_of(5) => self.someone_imports(),
            18 => self.someone_labels(),
            _ => self.reconnect(),
        }
        self.check();
    }
}

/// Lives through a day of so many steps; none where there is no browser.
#[allow(clippy::print_stderr, reason = "whoever runs it wants to see the seed and how far it is")]
fn live(seed: u64, steps: u64) -> Option<()> {
    eprintln!("a random day at the page: seed {seed}, {steps} steps");
    let mut day = Day::begin(seed)?;
    while day.step < steps {
        day.turn();
        if day.step.is_multiple_of(500) {
            eprintln!(
                "seed {seed}, step {}: {} sends, {} refused",
                day.step, day.sent, day.refused
            );
        }
    }
    let (sent, refused) = (day.sent, day.refused);
    eprintln!("seed {seed}: {steps} steps, {sent} sends, {refused} refused as changed");
    assert!(sent * 5 > steps, "only {sent} of {steps} steps sent something");
    Some(())
}

#[test]
fn promise_1_whatever_happens_what_is_marked_is_what_is_sent() {
    let given = std::env::var("PLIMSOLL_SEED").ok().and_then(|seed| seed.parse().ok());
    if std::env::var_os("PLIMSOLL_LONG").is_none() {
        // A normal run repeats one day, so that a failure is that of the change.
        live(given.unwrap_or(4711), STEPS.0);
        return;
    }
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let seed: u64 = given.unwrap_or_else(now);
    std::thread::scope(|scope| {
        for day in 0..LONG_DAYS {
            scope.spawn(move || live(seed + day, STEPS.1 / LONG_DAYS));
        }
    });
}
