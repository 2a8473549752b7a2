//! One message to several models (HIS-12), and a message that is sent again (HIS-13).

use plimsoll_testkit::scripted::Gate;
use serde_json::Value;

use super::{
    Day,
    others::id_of,
    sends::{Fate, enter},
};
use crate::bench::quoted;

impl Day {
    /// Chooses one or two models besides the selected one, and sends to all of them.
    pub(super) fn compares(&mut self) -> bool {
        let tab = self.below(2);
        let selected: String = self.tab(tab).js("T.one('#model').dataset.id");
        let mut others = vec!["test", "small", "tiny"];
        others.retain(|model| *model != selected);
        if self.below(3) > 0 {
            let at = self.below(others.len());
            others.remove(at);
        }
        self.note(format!("tab {tab} compares {selected} with {others:?}"));
        self.write(tab, "");
        for other in &others {
            self.run(tab, "T.one('#compare').click()");
            let option = format!(
                "[...document.querySelectorAll('.popup [role=option]')].find((one) => one.textContent.startsWith({}))",
                quoted(other)
            );
            self.until(tab, &option);
            self.run(tab, &format!("{option}.click()"));
            self.until(tab, &format!("T.says('#compared', '+ {other}')"));
        }
        let late = self.below(2) == 0 && self.somebody("").is_some();
        let (text, gate) = (self.words('m'), Gate::default());
        let fate = match self.fate(&gate) {
            Fate::Cancelled => {
                // Of several answers one would wait for ever.
                self.replies.lock().unwrap().clear();
                Fate::Fine
            }
            fate => fate,
        };
        self.write(tab, &text);
        let post = self.press(tab, &text, &enter);
        self.rest_at_server();
        self.compare(&post, &text, None);
        self.replies.lock().unwrap().clear();
        if let Fate::Other(kind) = fate {
            self.did(kind);
        }
        self.rest();
        self.until(tab, "T.draft() === ''");
        // Without them the marks are those of one model again.
        self.until(tab, "(T.one('#compared .chip')?.click(), !T.shown('#compared'))");
        self.did(if late { "late comparison" } else { "comparison" })
    }

    /// A message goes back into the box and is sent at the end; the old pair is left out or kept.
    pub(super) fn sends_again(&mut self) -> bool {
        let tab = self.below(2);
        let shown: Vec<String> = self.tab(tab).js(
            "T.pairs().filter((pair) => pair.querySelector('[data-act=send-again]')).map((pair) => pair.dataset.id)",
        );
        let mut pairs = self.pairs_at(tab);
        pairs.retain(|pair| shown.contains(&id_of(pair)));
        if pairs.is_empty() {
            return false;
        }
        let pair = self.one(&pairs).clone();
        let (id, mut question) = (id_of(&pair), pair["userText"].as_str().unwrap().to_owned());
        let was_out = pair["use"] == "out";
        self.note(format!("tab {tab} sends {question} of {id} again"));
        self.write(tab, "");
        let button = quoted(&format!(".pair[data-id='{id}'] [data-act=send-again]"));
        let press =
            format!("(() => {{ const it = T.one({button}); it?.click(); return Boolean(it); }})()");
        self.until(tab, &press);
        self.until(tab, &format!("T.draft() === {}", quoted(&question)));
        let kept = self.below(3) == 0;
        if kept {
            self.until(tab, "T.says('#notice button', 'Keep the old one')");
            let keep = "[...document.querySelectorAll('#notice button')].find((one) => one.textContent === 'Keep the old one').click()";
            self.run(tab, keep);
            self.until(tab, "T.says('#notice button', 'Leave the old one out')");
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
        let now = self.all_pairs().into_iter().find(|pair| pair["id"] == *id);
        let out = now.as_ref().map(|pair: &Value| pair["use"] == "out");
        if fate == Fate::Fine && !late && out != Some(was_out || !kept) {
            self.fail(&format!("{id} was sent again, kept {kept}: it is {now:?}"));
        }
        self.did(if late { "late message again" } else { "message again" })
    }
}
