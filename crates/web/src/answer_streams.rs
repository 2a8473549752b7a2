//! Answers on their way, as HTML that grows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use plimsoll_app::{Attempt, heavy};
use plimsoll_domain::PairId;
use plimsoll_prose::limits::MAX_MARKDOWN_BYTES;
use plimsoll_send::AttemptRecord;
use plimsoll_store::Workspace;
use serde_json::{Value, json};
use tokio::time::{Instant, interval};

use crate::{
    Web,
    event_log::{Audience, TextStep},
    place::Place,
};

/// Text is told at most so often; a reader sees no difference, and slow machines do.
const TELL_EVERY: Duration = Duration::from_millis(60);

/// After a rendering nothing is rendered for so many times as long as it took. A paragraph
/// without an end is rendered whole each time, which would soon be all that is done (REL-4).
const REST: u32 = 8;

/// So much is shown of a part of an answer that is too long to be rendered again and again.
const NEWEST_BYTES: usize = 32 << 10;

/// What has arrived of an answer, rendered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streamed {
    /// Blocks that cannot change any more.
    pub(crate) done: String,
    /// The rest, as far as it makes sense.
    pub(crate) tail: String,
    /// So many bytes of the text are in `done`.
    pub(crate) stable: usize,
    /// So many bytes of it are in both.
    pub(crate) end: usize,
}

/// An answer on its way.
struct Stream {
    begun: Instant,
    /// Which send it is.
    epoch: u64,
    /// Whether another node carries it out.
    elsewhere: bool,
    audience: Audience,
    text: String,
    /// So many bytes of it are in `shown.done`.
    stable: usize,
    fresh: bool,
    /// Its next rendering does not begin before this.
    rests_until: Option<Instant>,
    shown: Streamed,
    /// The calls so far, the newest last, each with its number.
    attempts: Vec<(u32, AttemptRecord)>,
}

/// The answers that are on their way.
#[derive(Default)]
pub(crate) struct AnswerStreams(Mutex<HashMap<PairId, Stream>>);

impl AnswerStreams {
    /// What has arrived for a pair that is being answered.
    pub(crate) fn streamed(&self, pair: PairId) -> Option<Streamed> {
        self.lock().get(&pair).map(|stream| stream.shown.clone())
    }

    /// An answer begins to arrive; one that is known to already goes on.
    pub(crate) fn begin(&self, pair: PairId, epoch: u64, elsewhere: bool, audience: &Audience) {
        let mut streams = self.lock();
        if streams.get(&pair).is_some_and(|known| known.epoch == epoch) {
            return;
        }
        let stream = Stream {
            begun: Instant::now(),
            epoch,
            elsewhere,
            audience: audience.clone(),
            text: String::new(),
            stable: 0,
            fresh: false,
            rests_until: None,
            shown: Streamed::default(),
            attempts: Vec::new(),
        };
        streams.insert(pair, stream);
    }

    /// The epoch of the send of a pair, and how much of its text has arrived here.
    pub(crate) fn arrived(&self, pair: PairId) -> Option<(u64, usize)> {
        self.lock().get(&pair).map(|stream| (stream.epoch, stream.text.len()))
    }

    /// The answers on their way that can be seen at a place, each with the epoch of its send.
    pub(crate) fn seen_from(&self, place: &Place) -> Vec<(PairId, u64)> {
        let streams = self.lock();
        let seen = streams.iter().filter(|(_, stream)| stream.audience.includes(place));
        let mut seen: Vec<_> = seen.map(|(pair, stream)| (*pair, stream.epoch)).collect();
        seen.sort_unstable();
        seen
    }

    /// The text of an answer on its way from an offset on; none where that is not within it.
    pub(crate) fn text_from(&self, pair: PairId, offset: usize) -> Option<String> {
        self.lock().get(&pair)?.text.get(offset..).map(str::to_owned)
    }

    /// Forgets what other nodes receive in workspaces that nobody looks at any more: nobody asks
    /// about it, so that its end would never be heard.
    pub(crate) fn keep_elsewhere(&self, is_watched: impl Fn(&Workspace) -> bool) {
        let watched = |stream: &Stream| stream.audience.workspace().is_some_and(&is_watched);
        self.lock().retain(|_, stream| !stream.elsewhere || watched(stream));
    }

    /// The newest pair that another node answers, of those that can be seen at a place.
    pub(crate) fn elsewhere(&self, place: &Place) -> Option<PairId> {
        let streams = self.lock();
        let there = |stream: &Stream| stream.elsewhere && stream.audience.includes(place);
        streams.iter().filter(|(_, stream)| there(stream)).map(|(pair, _)| *pair).max()
    }

    /// How much of it is rendered for good.
    pub(crate) fn stable(&self, pair: PairId) -> usize {
        self.lock().get(&pair).map_or(0, |stream| stream.stable)
    }

    /// The calls of a send that is under way; none if it is over.
    pub(crate) fn attempts(&self, pair: PairId) -> Option<Vec<AttemptRecord>> {
        let streams = self.lock();
        let attempts = streams.get(&pair)?.attempts.iter();
        Some(attempts.map(|(_, record)| record.clone()).collect())
    }

    /// A call went out or is over; the same call stands in the list once.
    pub(crate) fn attempt(&self, pair: PairId, attempt: &Attempt) {
        if let Some(stream) = self.lock().get_mut(&pair) {
            stream.attempts.retain(|(call, _)| *call != attempt.call);
            stream.attempts.push((attempt.call, attempt.record.clone()));
        }
    }

    /// Who can see a pair that is being answered.
    pub(crate) fn audience(&self, pair: PairId) -> Option<Audience> {
        self.lock().get(&pair).map(|stream| stream.audience.clone())
    }

    pub(crate) fn end(&self, pair: PairId) {
        self.lock().remove(&pair);
    }

    /// More has arrived; says which part of the text that is.
    pub(crate) fn push(&self, pair: PairId, text: &str) -> TextStep {
        let mut streams = self.lock();
        let Some(stream) = streams.get_mut(&pair) else { return TextStep::None };
        let (epoch, from) = (stream.epoch, stream.text.len());
        stream.text.push_str(text);
        stream.fresh = true;
        TextStep::Grows { epoch, from, to: stream.text.len(), html: false }
    }

    /// What is to be rendered now.
    fn due(&self) -> Vec<Due> {
        let now = Instant::now();
        let due = |stream: &Stream| stream.fresh && stream.rests_until.is_none_or(|at| at <= now);
        let take = |(pair, stream): (&PairId, &mut Stream)| {
            stream.fresh = false;
            Due { pair: *pair, begun: stream.begun, rest: stream.text[stream.stable..].to_owned() }
        };
        self.lock().iter_mut().filter(|(_, stream)| due(stream)).map(take).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PairId, Stream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Of a long part that may still become anything, its newest lines are shown until the answer is
/// complete: it is told again and again (REL-7).
fn newest(tail: &str) -> &str {
    if tail.len() <= MAX_MARKDOWN_BYTES {
        return tail;
    }
    let from = tail.ceil_char_boundary(tail.len() - NEWEST_BYTES);
    let line = tail[from..].find('\n').map_or(from, |end| from + end + 1);
    &tail[line..]
}

/// The part of an answer that is rendered.
struct Due {
    pair: PairId,
    begun: Instant,
    rest: String,
}

impl Due {
    /// Renders it and tells of it, unless the answer ended meanwhile. Nobody is kept waiting
    /// by the rendering. Only the tail is rendered again and again.
    fn tell(&self, web: &Web) {
        let began = Instant::now();
        let stable = plimsoll_prose::stable_prefix(&self.rest).min(self.rest.len());
        let (done, tail) = self.rest.split_at(stable);
        let (append, tail) = rendered(done, tail);
        let length = self.rest.len();
        let rests_until = Instant::now() + began.elapsed() * REST;
        let mut streams = web.answers.lock();
        let stream = streams.get_mut(&self.pair).filter(|stream| stream.begun == self.begun);
        let Some(stream) = stream else { return };
        let from = stream.stable;
        stream.stable += stable;
        stream.rests_until = Some(rests_until);
        stream.shown.done.push_str(&append);
        let (to, end) = (stream.stable, from + length);
        let data = text_data(self.pair, from, to, end, &append, &tail);
        stream.shown.tail = tail;
        (stream.shown.stable, stream.shown.end) = (to, end);
        let step = TextStep::Grows { epoch: stream.epoch, from, to, html: true };
        web.event_log.tell_of_text(stream.audience.clone(), "text", &data, step);
    }
}

/// The event `text`: HTML for the bytes `from` to `to` of an answer, which is final, and for those
/// up to `end`, which is not.
pub(crate) fn text_data(
    pair: PairId,
    from: usize,
    to: usize,
    end: usize,
    append: &str,
    tail: &str,
) -> Value {
    json!({
        "pair": pair.to_string(), "from": from, "to": to, "end": end, "append": append,
        "tail": tail,
    })
}

/// Renders a part of an answer that ends where it has become final, and what is behind it.
pub(crate) fn rendered(done: &str, tail: &str) -> (String, String) {
    let append = if done.is_empty() { String::new() } else { plimsoll_prose::render(done) };
    (append, plimsoll_prose::render_partial(newest(tail)))
}

/// Tells what has arrived since the last time, again and again.
pub(crate) async fn tell_texts(web: Arc<Web>) {
    let mut tell = interval(TELL_EVERY);
    loop {
        tell.tick().await;
        for due in web.answers.due() {
            heavy(due.rest.len(), || due.tell(&web));
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::Timestamp;

    use super::*;

    fn pair(n: u8) -> PairId {
        PairId::new(Timestamp::from_millis(i64::from(n)), [n; 10])
    }

    /// However many workspaces were looked at, what is held belongs to those that are.
    #[test]
    fn tea_6_what_others_receive_is_forgotten_with_its_last_watcher() {
        let answers = AnswerStreams::default();
        let at = |n: u8| Workspace::parse(&format!("many/{n}")).unwrap();
        for n in 0..100 {
            answers.begin(pair(n), 1, n != 3, &Audience::from(&at(n)));
            answers.push(pair(n), "text");
        }
        answers.keep_elsewhere(|workspace| *workspace == at(7));
        let held: Vec<u8> = (0..100).filter(|n| answers.arrived(pair(*n)).is_some()).collect();
        assert_eq!(held, [3, 7], "and what this node receives itself");
    }
}
