//! Summaries (HIS-11): what the dialog lists is what goes, in as many requests as it says, and what
//! fails leaves nothing behind.

use std::collections::HashMap;

use plimsoll_testkit::scripted::Reply;
use serde_json::Value;

use super::Day;
use crate::watch::{Marks, Said, carried};

const DIALOG: &str = "dialog.summary";

/// How the message begins that asks for a summary.
const ASKS: &str = "Summarise the conversation above";

impl Day {
    /// The calls that ask for a summary; they are forgotten.
    fn summary_calls(&self) -> Vec<Value> {
        let mut calls = self.calls.lock().unwrap();
        let asks = |call: &Value| {
            let last = call["messages"].as_array().unwrap().last().unwrap();
            last["content"].as_str().is_some_and(|text| text.starts_with(ASKS))
        };
        let (ours, others) = std::mem::take(&mut *calls).into_iter().partition(asks);
        *calls = others;
        ours
    }

    /// Somebody asks for a summary, of what is left out or up to a pair, and may take it back.
    pub(super) fn summarises(&mut self) -> bool {
        let tab = self.below(2);
        let buttons = "[...document.querySelectorAll('#load [data-act=summarise-rest], #rows [data-act=summarise]')]";
        let count: usize = self.tab(tab).js(&format!("{buttons}.length"));
        if count == 0 {
            return false;
        }
        let at = self.below(count);
        self.note(format!("tab {tab} asks for a summary"));
        self.write(tab, "");
        self.run(
            tab,
            &format!(
                "(T.plan = null, T.order = null, T.summarised = null, {buttons}[{at}]?.click())"
            ),
        );
        self.until(tab, "T.plan !== null");
        if !self.tab(tab).js::<bool>("Boolean(T.plan.parts)") {
            // Nothing is there that could be summarised, or one of them is too large alone.
            return self.did("nothing to summarise");
        }
        self.until(tab, &format!("T.shown('{DIALOG}')"));
        let plan: Value = self.tab(tab).js("T.plan");
        let listed: Vec<String> = self.tab(tab).js(&format!(
            "[...document.querySelectorAll('{DIALOG} li')].map((one) => one.textContent)"
        ));
        let late = self.below(3) == 0 && self.somebody("").is_some();
        let fails = self.below(4) == 0;
        if fails {
            self.replies.lock().unwrap().push_back(Reply::overflow(200, 500));
        }
        let marks: Marks = self.tab(tab).js("T.marks()");
        self.run(tab, &format!("T.one('{DIALOG} .btn.pri').click()"));
        self.until(tab, "T.order !== null");
        let order: u16 = self.tab(tab).js("T.order");
        if order != 202 {
            self.rest_at_server();
            self.replies.lock().unwrap().clear();
            if order != 409 && order != 404 && order != 422 {
                self.fail(&format!("a summary was refused with {order}"));
            }
            if !self.summary_calls().is_empty() {
                self.fail("a summary was refused and asked for");
            }
            return self.did("summary that came too late");
        }
        self.until(tab, "T.summarised !== null");
        let made: Vec<String> = self.tab(tab).js("T.summarised.pairs");
        self.open.extend(made.iter().cloned());
        self.rest();
        self.replies.lock().unwrap().clear();
        let calls = self.summary_calls();
        self.compare_summary(&plan, &listed, &marks, &calls, late);
        let parts = plan["parts"].as_array().unwrap().len();
        match (fails, made.len()) {
            (true, 0) => return self.did("summary that failed"),
            (false, made) if made == parts => {}
            (_, made) => self.fail(&format!("{made} of {parts} parts were made, failing {fails}")),
        }
        if self.below(3) == 0 {
            // The page's own way back.
            let undo: String = self.tab(tab).js("T.summarised.undo");
            self.note(format!("the summary is undone by {undo}"));
            self.change("POST", "/api/undo", serde_json::json!({ "token": undo }));
            if self.all_pairs().iter().any(|pair| made.iter().any(|id| pair["id"] == **id)) {
                self.fail("an undone summary is still there");
            }
            return self.did("summary undone");
        }
        self.did("summary")
    }

    /// Each part was asked for once, with the pairs that the dialog listed and the words that the
    /// page showed of them.
    fn compare_summary(
        &self,
        plan: &Value,
        listed: &[String],
        marks: &Marks,
        calls: &[Value],
        late: bool,
    ) {
        let parts = plan["parts"].as_array().unwrap();
        let ids = |part: &Value| -> Vec<String> {
            let pairs = part["pairs"].as_array().unwrap().iter();
            pairs.map(|pair| pair["id"].as_str().unwrap().to_owned()).collect()
        };
        let rows: HashMap<&str, _> = marks.rows.iter().map(|row| (row.id.as_str(), row)).collect();
        let mut asked = Vec::new();
        for (part, call) in parts.iter().zip(calls) {
            if call["model"] != plan["model"] {
                self.fail(&format!(
                    "the dialog says {}, {} was asked",
                    plan["model"], call["model"]
                ));
            }
            let (_, history) = carried(call);
            let shown: Option<Vec<Said>> = ids(part)
                .iter()
                .map(|id| rows.get(id.as_str()).map(|row| row.said()))
                .collect::<Option<Vec<_>>>()
                .map(|said| said.into_iter().flatten().collect());
            // Rows that are not loaded are known by the dialog alone, and so are those that a
            // filter hides by now.
            if let Some(shown) = shown.filter(|shown| *shown != history) {
                self.fail(&format!("a summary of {shown:?} was asked with {history:?}"));
            }
            asked
                .extend(history.into_iter().filter(|(role, _)| *role == "user").map(|said| said.1));
        }
        if calls.is_empty() || calls.len() > parts.len() {
            self.fail(&format!("{} calls for {} parts", calls.len(), parts.len()));
        }
        if !listed.starts_with(&asked) {
            self.fail(&format!("the dialog lists {listed:?}, sent {asked:?}, late {late}"));
        }
    }
}
