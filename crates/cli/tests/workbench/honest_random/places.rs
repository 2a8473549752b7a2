//! Where the tabs look: they open conversations, begin new ones, switch the scope, go back, and
//! send in two conversations at once.

use plimsoll_testkit::scripted::{Gate, Reply, Step};

use super::{Day, sends::enter};
use crate::bench::{after, quoted};

/// Where a page looks, as the queries of the API say it.
const HERE: &str = "(() => {
  const { conversation, scope } = document.body.dataset;
  return conversation ? `conversation=${conversation}&scope=${scope}` : 'scope=everything';
})()";

impl Day {
    /// Takes down where a tab looks.
    pub(super) fn look(&mut self, tab: usize) {
        self.places[tab] = self.tab(tab).js(HERE);
    }

    /// The conversation that is open in a tab.
    pub(super) fn conversation(&self, tab: usize) -> Option<String> {
        let (id, _) = self.places[tab].strip_prefix("conversation=")?.split_once('&')?;
        Some(id.to_owned())
    }

    /// The conversation that a tab shows alone.
    pub(super) fn within(&self, tab: usize) -> Option<String> {
        self.conversation(tab).filter(|_| self.places[tab].ends_with("scope=conversation"))
    }

    /// A tab goes to another place.
    pub(super) fn goes(&mut self) -> bool {
        let tab = self.below(2);
        let (press, kind) = match self.below(8) {
            0 => ("T.visible() || T.one('#filter').value ? T.one('#new-chat') : null", "new chat"),
            1..=3 => ("T.one('#scope')", "scope"),
            4..=6 => {
                let others = "[...document.querySelectorAll('.conv:not(.on) a')]";
                let count: usize = self.tab(tab).js(&format!("{others}.length"));
                if count == 0 {
                    return false;
                }
                let at = self.below(count);
                return self.follow(tab, &format!("{others}[{at}]"), "conversation opened");
            }
            _ => return self.back(tab),
        };
        self.follow(tab, press, kind)
    }

    /// Follows a link of the page.
    fn follow(&mut self, tab: usize, link: &str, kind: &'static str) -> bool {
        let before: String = self.tab(tab).js("location.href");
        // The list may just be drawn anew.
        let press = format!("(() => {{ const it = {link}; it?.click(); return Boolean(it); }})()");
        if !self.tab(tab).js::<bool>(&press) {
            return false;
        }
        self.note(format!("tab {tab}: {kind}"));
        self.arrives(tab, &before);
        self.behind[tab] += 1;
        self.did(kind)
    }

    fn back(&mut self, tab: usize) -> bool {
        if self.behind[tab] == 0 {
            return false;
        }
        let before: String = self.tab(tab).js("location.href");
        self.note(format!("tab {tab} goes back"));
        self.run(tab, "history.back()");
        self.arrives(tab, &before);
        self.behind[tab] -= 1;
        self.did("back")
    }

    fn arrives(&mut self, tab: usize, before: &str) {
        let elsewhere = format!("location.href !== {}", quoted(before));
        let ready = "T.one('#history')?.dataset.ready && T.one('#counter b')";
        self.until(tab, &format!("{elsewhere} && {ready}"));
        self.look(tab);
        self.note(format!("tab {tab} looks at {}", self.places[tab]));
    }

    /// Two tabs send in two conversations at the same time (SND-2).
    pub(super) fn sends_in_both(&mut self) -> bool {
        match (self.within(0), self.within(1)) {
            (Some(one), Some(other)) if one != other => {}
            _ => return false,
        }
        let (slow, fast, gate) = (self.words('m'), self.words('m'), Gate::default());
        let words = self.words('h');
        let late = after([Step::Gate(gate.clone())], &Reply::openai(&[&words], 20, 1));
        self.replies.lock().unwrap().push_back(late);
        self.note(format!("tab 0 sends {slow}, tab 1 sends {fast} meanwhile"));
        self.write(0, &slow);
        let first = self.press(0, &slow, &enter);
        self.reached(&slow);
        self.write(1, &fast);
        let second = self.press(1, &fast, &enter);
        self.reached(&fast);
        gate.open();
        self.rest_at_server();
        self.compare(&second, &fast, None);
        self.compare(&first, &slow, None);
        self.rest();
        self.did("two at once")
    }
}
