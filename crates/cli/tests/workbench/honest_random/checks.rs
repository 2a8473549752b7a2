//! What is compared: the tabs with the server, and what went with what was marked.

use serde_json::{Value, json};

use super::Day;
use crate::{
    bench::Screen,
    watch::{Marks, Post, Said, carried},
};

impl Day {
    /// Both tabs agree with the server, in rows, texts, marks and counter. The server is asked
    /// again only where one does not agree soon.
    pub(super) fn check(&self) {
        for (tab, screen) in self.tabs().into_iter().enumerate() {
            let truth = self.truth(tab);
            let soon = std::time::Duration::from_secs(1);
            if screen.page.wait_at_most(soon, &format!("T.differs({truth}) === ''")).is_err() {
                self.check_one(tab);
            }
        }
    }

    /// One tab agrees with the server.
    pub(super) fn check_one(&self, tab: usize) {
        let screen = self.tab(tab);
        if screen.page.wait_for("T.different().then((words) => words === '')").is_err() {
            let words: String = screen.js("T.different()");
            let heard: Vec<String> = screen.js("[...T.heard, ...T.asks]");
            self.fail(&format!("tab {tab}: {words}\n{}\n", heard.join("\n")));
        }
        let truth = self.truth(tab);
        let words: String = screen.js(&format!("T.differs({truth})"));
        if !words.is_empty() {
            self.fail(&format!("tab {tab}: {words}"));
        }
    }

    /// What the server says now of where a tab looks, as `T.truth` has it, with the texts.
    fn truth(&self, tab: usize) -> Value {
        let here = &self.places[tab];
        let get = |path: &str| self.bench.served.json("GET", &format!("{path}{here}"), None);
        let (state, page) = (get("/api/state?"), get("/api/pairs?from=0&limit=200&"));
        let row = |pair: &Value| {
            let answer = pair["assistantText"].as_str().unwrap_or_default();
            let revision = pair["revision"].to_string();
            json!([pair["id"], pair["included"], revision, pair["userText"], answer])
        };
        let rows: Vec<Value> = page["pairs"].as_array().unwrap().iter().map(row).collect();
        json!({
            "x": state["boundary"]["x"], "counter": state["counter"]["text"],
            "visible": page["visible"], "rows": rows, "system": state["shown"]["system"],
        })
    }

    pub(super) fn posts(&self, tab: usize) -> usize {
        self.tab(tab).js("T.posts.length")
    }

    /// Presses until the message is taken. A page that is behind sends nothing, shows what is
    /// new, and the next press sends that.
    pub(super) fn press(&mut self, tab: usize, question: &str, how: &dyn Fn(&Screen)) -> Post {
        let before = self.posts(tab);
        how(self.tab(tab));
        self.taken(tab, question, before, how)
    }

    /// The same, when the first key was pressed already.
    pub(super) fn taken(
        &mut self,
        tab: usize,
        question: &str,
        mut before: usize,
        how: &dyn Fn(&Screen),
    ) -> Post {
        for _ in 0..6 {
            let answered = format!("(T.posts.length > {before} && T.posts.at(-1).status > 0)");
            let said = "T.says('#notice', 'changed as you sent it')";
            self.until(tab, &format!("{answered} || {said}"));
            if self.posts(tab) > before {
                self.until(tab, &answered);
                let post: Post = self.tab(tab).js("T.posts.at(-1)");
                match post.status {
                    202 => return post,
                    // A question whose old pair is gone is refused as not found.
                    404 | 409 => self.refused += 1,
                    other => self.fail(&format!("{question} was refused with {other}")),
                }
                before = self.posts(tab);
            } else {
                self.held += 1;
            }
            if !self.calls_for(question).is_empty() {
                self.fail(&format!("{question} was refused and sent"));
            }
            self.until(tab, "T.says('#notice', 'sends what is shown')");
            how(self.tab(tab));
        }
        self.fail(&format!("{question} is never sent"));
    }

    /// The calls that ask this, from the first on.
    pub(super) fn calls_for(&self, question: &str) -> Vec<Value> {
        let asks = |call: &&Value| {
            let last = call["messages"].as_array().unwrap().last();
            last.is_some_and(|message| message["content"] == question)
        };
        self.calls.lock().unwrap().iter().filter(asks).cloned().collect()
    }

    /// What went is what was marked when it was posted and, where a key was pressed for it, what
    /// was marked at that key; to each model where there are several.
    pub(super) fn compare(&mut self, post: &Post, question: &str, model: Option<&str>) {
        self.open.extend(post.pairs.iter().cloned());
        let calls = self.calls_for(question);
        let body: Value = serde_json::from_str(&post.body).unwrap();
        let compared: Vec<String> =
            serde_json::from_value(body["compare"].clone()).unwrap_or_default();
        let models = match (model, compared.is_empty()) {
            (_, false) => compared,
            (Some(model), true) => vec![model.to_owned()],
            (None, true) => vec![post.now.model.clone()],
        };
        for model in &models {
            let to_it: Vec<&Value> = calls.iter().filter(|call| call["model"] == **model).collect();
            let Some(first) = to_it.first() else {
                self.fail(&format!("{question} never reached {model}"));
            };
            self.compare_with_marks(post, first);
            self.compare_trims(&to_it);
        }
        if let Some(other) =
            calls.iter().find(|call| !models.iter().any(|one| call["model"] == **one))
        {
            self.fail(&format!("{question} went to {}, not to {models:?} alone", other["model"]));
        }
        self.sent += 1;
        self.calls.lock().unwrap().retain(|call| !calls.contains(call));
    }

    fn compare_with_marks(&self, post: &Post, call: &Value) {
        let differ = |marks: &Marks, when: &str| {
            if let Some(words) = marks.differ(call) {
                self.fail(&format!("{when}: {words} for {}", post.body));
            }
        };
        differ(&post.now, "as it was posted");
        if let Some(key) = &post.key {
            differ(key, "as the key was pressed");
        }
    }

    /// A trim leaves out the oldest, pins aside, and nothing else is another one then.
    fn compare_trims(&self, calls: &[&Value]) {
        if calls.len() < 2 {
            return;
        }
        let pairs = self.all_pairs();
        let with = |text: &str, pinned: bool| {
            pairs.iter().any(|pair| {
                (pair["userText"] == text || pair["assistantText"] == text)
                    && (pair["use"] == "pinned") == pinned
            })
        };
        // Answers of a comparison have the same question: of such a text nobody knows whose it is.
        let apart = |all: &[Said]| -> (Vec<Said>, Vec<Said>) {
            let known = all.iter().filter(|(_, text)| !(with(text, true) && with(text, false)));
            known.cloned().partition(|(_, text)| with(text, true))
        };
        let (system, history) = carried(calls[0]);
        for later in &calls[1..] {
            let (later_system, rest) = carried(later);
            let ((pins, others), (later_pins, left)) = (apart(&history), apart(&rest));
            let trimmed = pins == later_pins && others.ends_with(&left);
            if later_system != system || rest.len() >= history.len() || !trimmed {
                self.fail(&format!("{history:?} was trimmed to {rest:?}"));
            }
        }
    }

    /// Waits until the provider was asked this.
    pub(super) fn reached(&self, question: &str) {
        let called = |day: &Self| !day.calls_for(question).is_empty();
        self.wait_here(called, &format!("{question} never reaches the provider"));
    }

    /// What the server sends where a tab looks.
    fn sending(&self, tab: usize) -> Value {
        let path = format!("/api/state?{}", self.places[tab]);
        self.bench.served.json("GET", &path, None)["sending"].clone()
    }

    /// Waits until the server sends nothing.
    pub(super) fn rest_at_server(&self) {
        let rests = |day: &Self| (0..2).all(|tab| day.sending(tab).is_null());
        self.wait_here(rests, "a send never ends");
    }

    /// Waits for something outside the pages.
    pub(super) fn wait_here(&self, done: impl Fn(&Self) -> bool, otherwise: &str) {
        // It may take a moment; who fails here was not answered for very long.
        for _ in 0..12_000 {
            if done(self) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let sending = [self.sending(0), self.sending(1)];
        let pairs = self.all_pairs();
        let newest: Vec<&Value> = pairs.iter().rev().take(2).collect();
        self.fail(&format!("{otherwise}; sending {sending:?}, the newest pairs are {newest:?}"));
    }

    /// Waits until nothing is being sent, and both tabs have heard of each end that they can see.
    pub(super) fn rest(&mut self) {
        self.rest_at_server();
        let ended = std::mem::take(&mut self.open);
        for tab in 0..2 {
            for pair in &ended {
                let shown = self.pairs_at(tab).iter().any(|one| one["id"] == **pair);
                if shown {
                    self.until(tab, &format!("T.reset || T.ended.has('{pair}')"));
                }
            }
            self.until(tab, "!document.body.classList.contains('sending')");
        }
    }
}
