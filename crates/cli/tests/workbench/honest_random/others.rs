//! What somebody else does over the API, while two tabs show the history.

use serde_json::{Value, json};

use super::Day;

/// More pairs than this are thinned out, so that one list holds them all.
const MOST_PAIRS: usize = 40;

const FILTERS: [&str; 20] = [
    "", "", "", "", "", "r1", "r3", "t2", "o", "o2", "!o", "d<1h", "s1", "!e", "c'm1*'", "k>9",
    "x", "!x", "p | r2", "!y",
];

const USES: [&str; 4] = ["auto", "out", "pinned", "pinned"];

const MODELS: [&str; 3] = ["test", "small", "tiny"];

pub(super) fn id_of(pair: &Value) -> String {
    pair["id"].as_str().unwrap().to_owned()
}

impl Day {
    /// All pairs that nothing is being sent for, whatever the filter shows.
    pub(super) fn all_pairs(&self) -> Vec<Value> {
        let all = self.bench.served.json("GET", "/api/export?filter=", None);
        let pairs = all["pairs"].as_array().unwrap().iter();
        pairs.filter(|pair| pair["lifecycleState"] != "sending").cloned().collect()
    }

    /// The pairs of where a tab looks, whatever the filter shows.
    pub(super) fn pairs_at(&self, tab: usize) -> Vec<Value> {
        let within = self.within(tab);
        let mut pairs = self.all_pairs();
        pairs.retain(|pair| within.as_deref().is_none_or(|topic| pair["topicId"] == topic));
        pairs
    }

    /// Any pair but one, mostly of those that a tab shows.
    fn any_but(&mut self, spared: &str) -> Option<Value> {
        let mut pairs = match self.below(4) {
            0 => self.all_pairs(),
            of => self.pairs_at(of % 2),
        };
        pairs.retain(|pair| pair["id"] != spared);
        (!pairs.is_empty()).then(|| self.one(&pairs).clone())
    }

    pub(super) fn change(&self, method: &str, path: &str, body: Value) {
        self.bench.served.json(method, path, Some(body));
    }

    /// Changes the view of where a tab looks.
    fn view(&self, tab: usize, change: Value) {
        self.change("PUT", &format!("/api/view?{}", self.places[tab]), change);
    }

    /// What the view of a tab says of itself.
    fn viewed(&self, tab: usize) -> Value {
        let path = format!("/api/state?{}", self.places[tab]);
        self.bench.served.json("GET", &path, None)["view"].clone()
    }

    /// Somebody changes something that may be sent, but not this pair. What it was; none where
    /// there was nothing to change.
    pub(super) fn somebody(&mut self, spared: &str) -> Option<&'static str> {
        let done = match self.below(24) {
            0..=2 => self.edits_question(spared).then_some("edit of a question"),
            3..=4 => self.edits_answer(spared).then_some("edit of an answer"),
            5..=6 => self.deletes(spared).then_some("deletion"),
            7 => self.undoes().then_some("undo"),
            // A pair that is asked or answered again stays visible and is not overtaken.
            8..=9 if spared.is_empty() => self.filters().then_some("filter"),
            10 if spared.is_empty() => self.chooses_model().then_some("model"),
            11..=12 => self.moves_mark().then_some("mark"),
            13 => self.labels(spared).then_some("label"),
            14 => self.swaps(spared).then_some("swap"),
            15..=16 => self.instructs().then_some("system message"),
            17 => self.sends_errors().then_some("error pairs"),
            18..=20 => self.uses(spared).then_some("use"),
            21 => self.prefers().then_some("preference"),
            22 if spared.is_empty() => {
                self.deletes_conversation().then_some("conversation deleted")
            }
            _ => None,
        }?;
        self.did(done);
        Some(done)
    }

    fn edits_question(&mut self, spared: &str) -> bool {
        let Some(pair) = self.any_but(spared) else { return false };
        let (id, text) = (id_of(&pair), self.words('e'));
        self.note(format!("edit {id} to ask {text}"));
        self.change("PATCH", &format!("/api/pairs/{id}"), json!({ "userText": text }));
        true
    }

    fn edits_answer(&mut self, spared: &str) -> bool {
        let Some(pair) = self.any_but(spared) else { return false };
        if pair["assistantText"].as_str().is_none_or(str::is_empty) {
            return false;
        }
        let (id, text) = (id_of(&pair), self.words('w'));
        self.note(format!("edit {id} to answer {text}"));
        self.change("PATCH", &format!("/api/pairs/{id}"), json!({ "assistantText": text }));
        true
    }

    fn deletes(&mut self, spared: &str) -> bool {
        let mut pairs = self.all_pairs();
        pairs.retain(|pair| pair["id"] != spared);
        let count = if pairs.len() > MOST_PAIRS { MOST_PAIRS / 2 } else { pairs.len().min(1) };
        for _ in 0..count {
            let at = self.below(pairs.len());
            let id = id_of(&pairs.swap_remove(at));
            self.note(format!("delete {id}"));
            self.bench.served.json("DELETE", &format!("/api/pairs/{id}"), None);
        }
        count > 0
    }

    /// Brings back what was deleted, not always the last of it.
    fn undoes(&mut self) -> bool {
        let all = self.bench.served.json("GET", "/api/deletions", None);
        let all = all["deletions"].as_array().unwrap();
        let lately = &all[..all.len().min(4)];
        if lately.is_empty() {
            return false;
        }
        let token = id_of(self.one(lately));
        self.note(format!("undo {token}"));
        self.change("POST", "/api/undo", json!({ "token": token }));
        true
    }

    fn filters(&mut self) -> bool {
        let (tab, filter) = (self.below(2), *self.one(&FILTERS));
        if self.viewed(tab)["filter"] == filter {
            return false;
        }
        self.note(format!("filter {filter:?} where tab {tab} looks"));
        self.view(tab, json!({ "filter": filter }));
        true
    }

    fn chooses_model(&mut self) -> bool {
        let (tab, model) = (self.below(2), self.model());
        if self.viewed(tab)["model"] == model {
            return false;
        }
        self.note(format!("model {model} where tab {tab} looks"));
        self.view(tab, json!({ "model": model }));
        true
    }

    /// Any model.
    pub(super) fn model(&mut self) -> &'static str {
        self.one::<&str>(&MODELS)
    }

    fn moves_mark(&mut self) -> bool {
        let tab = self.below(2);
        let pairs = self.pairs_at(tab);
        let from = match self.below(3) {
            0 => "end".to_owned(),
            1 if !pairs.is_empty() => id_of(self.one(&pairs)),
            _ => String::new(),
        };
        self.note(format!("context from {from:?} where tab {tab} looks"));
        self.view(tab, json!({ "contextFrom": from }));
        true
    }

    fn labels(&mut self, spared: &str) -> bool {
        let Some(pair) = self.any_but(spared) else { return false };
        let (id, star) = (id_of(&pair), self.below(4));
        if pair["star"] == star {
            return false;
        }
        self.note(format!("star {id} {star}"));
        self.change("PATCH", &format!("/api/pairs/{id}"), json!({ "star": star }));
        true
    }

    /// Pins a pair, leaves it out, or neither (HIS-10).
    fn uses(&mut self, spared: &str) -> bool {
        let Some(pair) = self.any_but(spared) else { return false };
        let (id, wanted) = (id_of(&pair), *self.one(&USES));
        if pair["use"].as_str().unwrap_or("auto") == wanted {
            return false;
        }
        self.note(format!("use {id} {wanted}"));
        self.change("PATCH", &format!("/api/pairs/{id}"), json!({ "use": wanted }));
        true
    }

    /// Exchanges an answer with the one before it.
    fn swaps(&mut self, spared: &str) -> bool {
        let swaps = "T.pairs().filter((pair) => pair.dataset.swap !== undefined)";
        let ids: Vec<String> = self.bench.js(&format!("{swaps}.map((pair) => pair.dataset.id)"));
        let mut pairs = self.all_pairs();
        pairs.retain(|pair| pair["id"] != spared && ids.contains(&id_of(pair)));
        let ids: Vec<String> = pairs.iter().map(id_of).collect();
        if ids.is_empty() {
            return false;
        }
        let id = self.one(&ids).clone();
        self.note(format!("swap {id}"));
        self.bench.served.json("POST", &format!("/api/pairs/{id}/swap"), None);
        true
    }

    /// Another system message of a conversation that is open, or none.
    fn instructs(&mut self) -> bool {
        let tab = self.below(2);
        let Some(open) = self.conversation(tab) else { return false };
        let text = (self.below(3) > 0).then(|| self.words('s'));
        self.note(format!("system message {text:?} where tab {tab} looks"));
        let path = format!("/api/conversations/{open}");
        self.change("PATCH", &path, json!({ "systemMessage": text }));
        true
    }

    /// Goes on with another answer of a comparison.
    fn prefers(&mut self) -> bool {
        let mut pairs = self.all_pairs();
        pairs.retain(|pair| pair["group"].is_string());
        if pairs.is_empty() {
            return false;
        }
        let id = id_of(self.one(&pairs));
        self.note(format!("prefer {id}"));
        self.bench.served.json("POST", &format!("/api/pairs/{id}/prefer"), None);
        true
    }

    /// Deletes a conversation with its pairs, perhaps one that a tab shows.
    fn deletes_conversation(&mut self) -> bool {
        let listed = self.bench.served.json("GET", "/api/conversations", None);
        let listed = listed["conversations"].as_array().unwrap();
        // Few are left to be opened otherwise.
        if listed.len() < 4 {
            return false;
        }
        let id = id_of(self.one(listed));
        self.note(format!("delete conversation {id}"));
        let path = format!("/api/conversations/{id}");
        // One that holds other topics is not deleted.
        self.bench.served.ask("DELETE", &path, None).status == 200
    }

    /// Pairs in error send their questions, or not.
    fn sends_errors(&mut self) -> bool {
        let value = *self.one(&["on", "off"]);
        self.note(format!("error pairs {value}"));
        self.change("PUT", "/api/settings/sendErrorPairs", json!({ "value": value }));
        true
    }

    pub(super) fn somebody_imports(&mut self) -> bool {
        let (question, answer) = (self.words('i'), self.words('j'));
        let name = format!("import-{}.jsonl", self.step);
        self.note(format!("import {question}"));
        let line = json!({"messages": [
            {"role": "user", "content": question}, {"role": "assistant", "content": answer}
        ]});
        let file = self.bench.served.home().join(name);
        std::fs::write(&file, format!("{line}\n")).unwrap();
        let home = self.bench.served.home();
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .arg("import")
            .arg(&file)
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .envs(crate::served::store::variables(&home.join("data")))
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        self.did("import")
    }
}
