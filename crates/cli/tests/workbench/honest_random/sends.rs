//! Everything that sends: a message, one in a hurry, an answer again, a question again, one that
//! waits for its turn, and one of a tab without a connection.

use plimsoll_testkit::scripted::{Gate, Reply, Step};
use serde_json::Value;

use super::Day;
use crate::{
    bench::{Screen, after, quoted},
    watch::Post,
};

pub(super) fn enter(screen: &Screen) {
    screen.keys("Enter");
}

/// Presses the button of the question. A pointer may lose it while its words are written anew.
fn answer_again(screen: &Screen) {
    screen.js::<Value>("(T.one('#notice button').click(), null)");
}

/// What becomes of a send.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fate {
    Fine,
    Cancelled,
    Other(&'static str),
}

impl Day {
    /// What the provider makes of the next message.
    pub(super) fn fate(&mut self, gate: &Gate) -> Fate {
        let words = self.words('h');
        let (fate, reply) = match self.below(14) {
            0 => (Fate::Other("error"), Reply::invalid()),
            1 => (Fate::Other("error in mid-stream"), Reply::error_in_mid_stream(&[&words])),
            2..=3 => (Fate::Other("overflow"), Reply::overflow(200, 500)),
            4 => {
                let late = after([Step::Gate(gate.clone())], &Reply::openai(&[&words], 20, 1));
                (Fate::Cancelled, late)
            }
            5 => (Fate::Cancelled, Reply::stalls_after(&[&words])),
            _ => return Fate::Fine,
        };
        self.replies.lock().unwrap().push_back(reply);
        fate
    }

    /// Waits for the end of a send that was taken, and compares what went.
    fn finish(&mut self, tab: usize, post: &Post, asked: (&str, Option<&str>), fate: Fate) {
        if fate == Fate::Cancelled {
            // Where no key stopped it already; a page that hears nothing cannot.
            self.cancel(tab);
        }
        self.rest_at_server();
        self.compare(post, asked.0, asked.1);
        self.replies.lock().unwrap().clear();
        match fate {
            Fate::Fine => {}
            Fate::Cancelled => drop(self.did("cancel")),
            Fate::Other(kind) => drop(self.did(kind)),
        }
        self.until(tab, "T.posts.at(-1).status > 0");
    }

    /// Stops what is sent where a tab looks.
    fn cancel(&self, tab: usize) {
        self.bench.served.ask("POST", &format!("/api/cancel?{}", self.places[tab]), None);
    }

    /// Writes into the box, in place of what is there.
    pub(super) fn write(&self, tab: usize, text: &str) {
        let screen = self.tab(tab);
        if !screen.js::<bool>("document.activeElement === T.one('#draft')") {
            screen.click("#draft");
        }
        if !screen.js::<bool>("T.draft() === ''") {
            screen.keys("Ctrl+A Delete");
        }
        if !text.is_empty() {
            screen.page.insert_text(text).unwrap();
        }
    }

    pub(super) fn send(&mut self) -> bool {
        let tab = self.below(2);
        self.note(format!("tab {tab} sends"));
        self.send_from(tab, |_| {});
        self.rest();
        self.did("send")
    }

    /// Sends from a tab, with something that happens right after the first key.
    pub(super) fn send_from(&mut self, tab: usize, then: impl FnOnce(&Self)) {
        let (text, gate) = (self.words('m'), Gate::default());
        let fate = self.fate(&gate);
        self.write(tab, &text);
        self.press_and_finish(tab, &text, (fate, &gate), then);
    }

    pub(super) fn press_and_finish(
        &mut self,
        tab: usize,
        text: &str,
        (fate, gate): (Fate, &Gate),
        then: impl FnOnce(&Self),
    ) {
        let before = self.posts(tab);
        enter(self.tab(tab));
        then(self);
        let post = self.taken(tab, text, before, &enter);
        self.note(format!("tab {tab} sent {text}"));
        self.reached(text);
        if fate == Fate::Cancelled && self.below(2) == 0 {
            // As people do it, where the page knows that something is on its way.
            let sending = "document.body.classList.contains('sending') || T.deaf || T.severed";
            self.until(tab, sending);
            self.tab(tab).keys("Ctrl+C");
        }
        self.finish(tab, &post, (text, None), fate);
        gate.open();
    }

    /// Somebody changes something, and Enter is pressed at once: before the tab can know it,
    /// while its rows are on their way, or while it hears nothing at all.
    pub(super) fn send_late(&mut self) -> bool {
        let (tab, how) = (self.below(2), self.below(3));
        let (text, gate) = (self.words('m'), Gate::default());
        self.write(tab, &text);
        self.check();
        match how {
            1 => self.run(tab, "T.hold('/ui/rows')"),
            2 => self.run(tab, "T.deaf = true"),
            _ => {}
        }
        self.note(format!("tab {tab} sends late (way {how})"));
        let changed = self.somebody("");
        let fate = self.fate(&gate);
        self.press_and_finish(tab, &text, (fate, &gate), |day| {
            if how == 1 {
                day.run(tab, "T.letGo()");
            }
        });
        if how == 2 {
            self.run(tab, "(T.deaf = false, T.cut(), T.mend())");
            self.until(tab, "!document.body.classList.contains('lost')");
        }
        self.rest();
        self.did(match (changed, how) {
            (None, _) => "send",
            (_, 0) => "send at once",
            (_, 1) => "send before the rows",
            _ => "send of a deaf page",
        })
    }

    /// The newest pair that has its answer.
    fn newest_complete(&self, tab: usize) -> Option<Value> {
        let answered =
            |pair: &Value| pair["lifecycleState"] == "complete" && pair["kind"] != "summary";
        self.pairs_at(tab).into_iter().rfind(answered)
    }

    /// It is answered again, with any model.
    pub(super) fn regenerate(&mut self) -> bool {
        let (tab, model) = (self.below(2), self.model());
        let Some(newest) = self.newest_complete(tab) else { return false };
        let id = newest["id"].as_str().unwrap().to_owned();
        let question = newest["userText"].as_str().unwrap().to_owned();
        let press = format!(
            "(() => {{
               const pair = T.pairs().find((pair) => pair.dataset.id === {});
               pair?.querySelector('[data-act=regenerate]').click();
               return Boolean(pair);
             }})()",
            quoted(&id)
        );
        // It may stand above what is drawn; nobody can press it there.
        if !self.tab(tab).js::<bool>(&press) {
            return false;
        }
        self.note(format!("tab {tab} regenerates {question} with {model}"));
        self.until(tab, "T.shown('.popup [role=option]')");
        self.tab(tab).types(model);
        self.until(
            tab,
            &format!("T.one('.popup [role=option]').textContent.startsWith('{model}')"),
        );
        enter(self.tab(tab));
        self.until(tab, &format!("T.says('#notice', 'Answer again with {model}')"));
        let late = self.below(2) == 0 && self.somebody(&id).is_some();
        if self.newest_complete(tab).is_none_or(|newest| newest["id"] != id) {
            // What was deleted after it is back.
            self.run(tab, "T.one('#notice button')?.click()");
            let told =
                "T.says('#toasts', 'cannot be answered again') || T.says('#notice', 'Not sent')";
            self.until(tab, told);
            self.until(tab, "!T.says('#notice', 'Answer again')");
            return self.did("regeneration that came too late");
        }
        let gate = Gate::default();
        let fate = self.fate(&gate);
        let post = self.press(tab, &question, &answer_again);
        self.reached(&question);
        self.finish(tab, &post, (&question, Some(model)), fate);
        gate.open();
        self.rest();
        self.did(if late { "late regeneration" } else { "regeneration" })
    }

    /// A pair in error or cancelled is asked again, as it was or with other words, or left.
    pub(super) fn reask(&mut self) -> bool {
        let tab = self.below(2);
        let failed =
            "T.pairs().filter((pair) => ['error', 'cancelled'].includes(pair.dataset.state))";
        let ids: Vec<String> =
            self.tab(tab).js(&format!("{failed}.map((pair) => pair.dataset.id)"));
        if ids.is_empty() {
            return false;
        }
        let id = self.one(&ids).clone();
        let pairs = self.all_pairs();
        let Some(pair) = pairs.iter().find(|pair| pair["id"] == *id) else { return false };
        let mut question = pair["userText"].as_str().unwrap().to_owned();
        self.note(format!("tab {tab} asks {question} again"));
        self.write(tab, "");
        let button = format!(".pair[data-id={}] [data-act=reask]", quoted(&id));
        // Rows that are fetched anew come part by part.
        let press = format!(
            "(() => {{ const it = T.one({}); it?.click(); return it !== null; }})()",
            quoted(&button)
        );
        self.until(tab, &press);
        self.until(
            tab,
            &format!("T.says('#notice', 'Asking again') && T.draft() === '{question}'"),
        );
        if self.below(6) == 0 {
            self.tab(tab).click("#notice button");
            self.until(tab, "!T.says('#notice', 'Asking again') && T.draft() === ''");
            return self.did("question left alone");
        }
        if self.below(3) == 0 {
            question = self.words('m');
            self.write(tab, &question);
        }
        let late = self.below(2) == 0 && self.somebody(&id).is_some();
        let gate = Gate::default();
        let fate = self.fate(&gate);
        self.press_and_finish(tab, &question, (fate, &gate), |_| {});
        self.rest();
        if self.all_pairs().iter().any(|pair| pair["id"] == *id) {
            self.fail(&format!("{id} was asked again and is still there"));
        }
        self.did(if late { "late question again" } else { "question again" })
    }

    /// Enter during a send: the message goes when its turn comes, with what is marked then.
    pub(super) fn queue(&mut self) -> bool {
        let (tab, gate) = (self.below(2), Gate::default());
        let (first, second) = (self.words('m'), self.words('m'));
        self.note(format!("tab {tab} sends {first} and queues {second}"));
        let words = self.words('h');
        let slow = after([Step::Gate(gate.clone())], &Reply::openai(&[&words], 20, 1));
        self.replies.lock().unwrap().push_back(slow);
        self.write(tab, &first);
        let before = self.press(tab, &first, &enter);
        self.until(tab, "document.body.classList.contains('sending') && T.draft() === ''");
        self.write(tab, &second);
        enter(self.tab(tab));
        self.until(tab, "T.says('#notice', 'Queued')");
        let taken_back = self.below(4) == 0;
        if taken_back {
            self.tab(tab).click("#notice button");
            self.until(tab, "!T.says('#notice', 'Queued')");
        }
        if self.below(2) == 0 {
            self.somebody("");
        }
        let posts = self.posts(tab);
        gate.open();
        if !taken_back {
            let mut post = self.taken(tab, &second, posts, &enter);
            // Where no key was pressed for it, it is what was marked when it went.
            if self.posts(tab) == posts + 1 {
                post.key = None;
            }
            self.rest_at_server();
            self.compare(&post, &second, None);
        }
        self.rest_at_server();
        self.compare(&before, &first, None);
        self.rest();
        self.write(tab, "");
        self.did(if taken_back { "queued and taken back" } else { "queued" })
    }

    /// A tab loses its connection, somebody changes something, and it may send before it hears
    /// of it; then it is connected again and catches up.
    pub(super) fn reconnect(&mut self) -> bool {
        let tab = self.below(2);
        self.note(format!("tab {tab} loses its connection"));
        self.run(tab, "T.cut()");
        self.until(tab, "document.body.classList.contains('lost')");
        self.until(tab, "T.says('#notice', 'Connection lost')");
        let changes = 1 + self.below(3);
        for _ in 0..changes {
            self.somebody("");
        }
        let sends = self.below(2) == 0;
        if sends {
            self.send_from(tab, |_| {});
        }
        self.note(format!("tab {tab} is connected again"));
        self.run(tab, "T.mend()");
        self.until(tab, "!document.body.classList.contains('lost')");
        self.rest();
        self.did(if sends { "send without a connection" } else { "reconnect" })
    }
}
