//! What is written down in a page while a test uses it: what it marks when a key is pressed and
//! when it sends, what came of it, and how it differs from what the server says.

use serde::Deserialize;
use serde_json::Value;

/// Runs in the page before its own scripts. Its stream of events can be cut (`T.cut`, and
/// `T.mend`), or lose what it is told without a word (`T.deaf`).
pub(crate) const WATCH: &str = r"
T.posts = [];
// The last words that the page said in passing.
T.heard = [];
const textOf = (row, part) => row.querySelector(part)?.textContent.trim() ?? '';
T.marks = () => ({
  rows: T.pairs().map((row) => ({
    id: row.dataset.id, at: Number(row.dataset.at), asked: textOf(row, '.u .prose'),
    // Of a pair in error only the question is sent.
    answer: row.dataset.state === 'error' ? '' : textOf(row, '.a'),
    sent: !row.classList.contains('ooc'),
  })),
  visible: Number(T.pane().dataset.visible),
  model: T.one('#model').dataset.id,
  system: T.one('.prelude[data-part=system]:not([data-off]) pre')?.textContent ?? null,
});
T.keyed = null;
addEventListener('DOMContentLoaded', () => {
  const hear = (what) => { T.heard.push(what.slice(0, 80)); if (T.heard.length > 40) T.heard.shift(); };
  new MutationObserver((list) => list.forEach(({ target, addedNodes }) => addedNodes.forEach((node) =>
    target.id && node.textContent && hear(`${target.id}: ${node.textContent}`))))
    .observe(document.body, { childList: true, subtree: true });
  addEventListener('keydown', ({ key, target }) => {
    if (key === 'Enter') T.keyed = T.marks();
    hear(`key ${key} at ${target.tagName} ${target.id} ${target.className}`);
  }, true);
  addEventListener('click', ({ target }) => { if (target.closest('#notice, #send')) T.keyed = T.marks(); }, true);
}, { once: true });
const through = globalThis.fetch;
globalThis.fetch = async (url, how) => {
  T.asks = [...(T.asks ?? []).slice(-8), `${how?.method ?? 'GET'} ${url}`];
  if (how?.method !== 'POST' || !String(url).includes('/api/send')) return through(url, how);
  const now = T.marks();
  const post = { body: how.body, marked: now.rows.filter(({ sent }) => sent).map(({ asked }) => asked), key: T.keyed, now, status: 0, pairs: [] };
  T.posts.push(post);
  const answer = await through(url, how);
  if (answer.ok) {
    const { pair, pairs = [pair] } = await answer.clone().json();
    post.pairs = pairs;
  }
  post.status = answer.status;
  return answer;
};
// What the page was told of a summary before it was made, and what came of asking for it.
T.plan = null;
T.order = null;
const before = globalThis.fetch;
globalThis.fetch = async (url, how) => {
  const answer = await before(url, how);
  if (String(url).includes('/api/summaries/plan')) T.plan = answer.ok ? await answer.clone().json() : { status: answer.status };
  else if (String(url).includes('/api/summaries')) T.order = answer.status;
  return answer;
};
// The sends whose end the page heard of, and how the last summary ended.
T.ended = new Set();
T.summarised = null;
T.reset = false;
const note = (name, data) => {
  if (name === 'ended') T.ended.add(JSON.parse(data).pair);
  if (name === 'summarised') T.summarised = JSON.parse(data);
  if (name === 'reset') T.reset = true;
};
// An address where nobody listens, without a word on the console.
class Nowhere extends EventTarget {
  constructor() { super(); queueMicrotask(() => this.onerror?.(new Event('error'))); }
  close() {}
}
T.severed = false;
T.deaf = false;
const Stream = globalThis.EventSource;
globalThis.EventSource = class extends Stream {
  constructor(url) {
    if (T.severed) return new Nowhere();
    super(url);
    T.stream = this;
  }
  addEventListener(name, heard) {
    super.addEventListener(name, (event) => {
      if (T.deaf) return;
      heard(event);
      note(name, event.data);
    });
  }
};
T.cut = () => { T.severed = true; T.stream.close(); T.stream.onerror?.(new Event('error')); };
T.mend = () => { T.severed = false; T.deaf = false; dispatchEvent(new Event('online')); };
// What the server says, in as few words as can be compared.
T.truth = async () => {
  const { conversation, scope } = document.body.dataset;
  const here = conversation ? `conversation=${conversation}&scope=${scope}` : 'scope=everything';
  const get = async (path) => (await through(`${path}${path.includes('?') ? '&' : '?'}${here}`)).json();
  const { boundary, counter, shown } = await get('/api/state');
  const { pairs, visible } = await get('/api/pairs?from=0&limit=200');
  const rows = pairs.map(({ id, included, revision }) => [id, included, String(revision)]);
  return { x: boundary.x, counter: counter.text, visible, rows, system: shown.system ?? null };
};
// How the page differs from it. Texts are compared where they are told.
T.differs = ({ x, counter, visible, rows, system }) => {
  if (document.body.classList.contains('sending')) return 'a send is on its way';
  const drawn = T.pairs();
  const ids = drawn.map((row) => row.dataset.id);
  if (new Set(ids).size !== ids.length) return `a pair is drawn twice: ${ids}`;
  if (Number(T.pane().dataset.visible) !== visible) return `${T.pane().dataset.visible} of ${visible} visible`;
  if (visible > 0 && drawn.length === 0) return 'no row is drawn';
  if (x !== rows.filter(([, included]) => included).length) return 'the server changed';
  for (const row of drawn) {
    const at = Number(row.dataset.at);
    const [id, included, revision, asked, answer] = rows[at] ?? [];
    if (id !== row.dataset.id) return `another pair at ${at}`;
    if (included === row.classList.contains('ooc')) return `${id} at ${at}: included ${included}`;
    if (revision !== row.dataset.revision) return `${id} at ${at}: revision ${revision}, drawn ${row.dataset.revision}`;
    if (asked !== undefined && asked !== textOf(row, '.u .prose')) return `${id} at ${at}: asked ${asked}, drawn ${textOf(row, '.u .prose')}`;
    if (answer !== undefined && answer !== textOf(row, '.a')) return `${id} at ${at}: answered ${answer}, drawn ${textOf(row, '.a')}`;
  }
  const row = T.one('.prelude[data-part=system]');
  if (row ? (row.dataset.digest ?? null) !== system : system && drawn.length === visible) return `system message ${row?.textContent}, not ${system}`;
  return T.counter() === counter ? '' : `counter ${T.counter()}, not ${counter}`;
};
T.different = async () => T.differs(await T.truth());
";

/// What the page wrote down about a send, and the answer to it.
#[derive(Deserialize)]
pub(crate) struct Post {
    pub(crate) body: String,
    /// The questions that it marked as sent.
    pub(crate) marked: Vec<String>,
    /// What it marked when the last key was pressed.
    pub(crate) key: Option<Marks>,
    /// What it marked when it posted.
    pub(crate) now: Marks,
    pub(crate) status: u16,
    /// The pairs that the server made of it.
    pub(crate) pairs: Vec<String>,
}

/// What a page shows of what would be sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Marks {
    pub(crate) rows: Vec<Row>,
    visible: usize,
    pub(crate) model: String,
    system: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    at: usize,
    pub(crate) asked: String,
    pub(crate) answer: String,
    sent: bool,
}

impl Row {
    /// What is sent of it: the messages that are not blank.
    pub(crate) fn said(&self) -> impl Iterator<Item = Said> {
        let both = [("user", &self.asked), ("assistant", &self.answer)];
        both.into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(role, text)| (role, text.clone()))
    }
}

/// A message of a request: its role and its words.
pub(crate) type Said = (&'static str, String);

/// The system message of a request, and its history: all but the last message.
pub(crate) fn carried(request: &Value) -> (Option<String>, Vec<Said>) {
    let (mut system, mut history) = (None, Vec::new());
    for message in request["messages"].as_array().unwrap() {
        let words = message["content"].as_str().unwrap_or_default().to_owned();
        match message["role"].as_str().unwrap() {
            "user" => history.push(("user", words)),
            "assistant" => history.push(("assistant", words)),
            _ => system = Some(words),
        }
    }
    history.pop();
    (system, history)
}

impl Marks {
    /// The messages of the rows that are marked as sent, oldest first.
    fn messages(&self) -> Vec<Said> {
        self.rows.iter().filter(|row| row.sent).flat_map(Row::said).collect()
    }

    /// Why a request is not what is marked here; none where it is. Of rows that are not loaded
    /// the page has the server's word: so many messages at most may stand before and after.
    pub(crate) fn differ(&self, request: &Value) -> Option<String> {
        let (system, history) = carried(request);
        let marked = self.messages();
        let (before, after) = match (self.rows.first(), self.rows.last()) {
            (Some(first), Some(last)) => (first.at, self.visible.saturating_sub(last.at + 1)),
            _ => (self.visible, 0),
        };
        let rest = history.len().checked_sub(marked.len());
        let same = rest.is_some_and(|rest| {
            let at = rest.saturating_sub(2 * after)..=rest.min(2 * before);
            at.into_iter().any(|at| history[at..at + marked.len()] == marked)
        });
        let all = self.rows.len() == self.visible;
        let instructed = self.system == system || (self.system.is_none() && !all);
        if same && instructed {
            return None;
        }
        let shown = (&self.system, marked);
        Some(format!("marked {shown:?} of {}, sent {:?}", self.visible, (system, history)))
    }
}
