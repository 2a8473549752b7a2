//! An answer as it arrives: bytes from the client, through the wire, to deltas.
//!
//! Nothing is read before it is asked for, so a reader that is slow slows the server
//! down, and nothing piles up. Dropping the stream drops the connection with it.

use std::{pin::Pin, time::Duration};

use futures_util::stream;
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::{
    AnswerStream, Delta, ProviderFailure,
    http::{Began, Call, Client, MAX_WHOLE, refusal},
    sse::{SseItem, SseParser},
    transport,
    wire::{self, Decode, Deltas, Read, Refused},
};

/// Fewer bytes than this without a complete line are no progress: a server that sends
/// a byte now and then stands still.
const PROGRESS: usize = 1024;
/// After the end only usage is waited for, and not for long.
const AFTER_END: Duration = Duration::from_secs(5);
/// After the very last event the connection is read to its end if that is there, so
/// that it can be used again.
const LAST_WORDS: Duration = Duration::from_millis(20);
/// As much as is kept of lines that are no events, in case nothing else comes.
const MAX_STRAY: usize = 64 * 1024;

type Sending = Pin<Box<dyn Future<Output = Result<Response, ProviderFailure>> + Send>>;
type Step = Result<Delta, ProviderFailure>;

/// Starts a call when the stream is first polled.
pub(crate) fn answer(client: Client, call: Call, decoder: Box<dyn Decode>) -> AnswerStream {
    let begin = Answer {
        out: Deltas::default(),
        failure: None,
        decoder,
        stray: String::new(),
        understood: false,
        state: State::Ready(call),
        client,
    };
    Box::pin(stream::unfold(begin, |mut answer| async move {
        let step = answer.next().await?;
        Some((step, answer))
    }))
}

enum State {
    Ready(Call),
    Waiting { sending: Sending, began: Instant, told_loading: bool },
    Reading(Box<Reading>),
    Over,
}

struct Reading {
    response: Response,
    began: Began,
    /// Whether HTTP itself says where the body ends.
    framed: bool,
    deadline: Instant,
    /// What the deadline stands for, for the words of its failure.
    first: Option<Duration>,
    unproductive: usize,
    shape: Shape,
}

/// What the body turned out to be. The content type is not asked: servers send errors
/// as event streams and event streams as text.
enum Shape {
    Unknown,
    Events(SseParser),
    Whole(Vec<u8>),
}

struct Answer {
    client: Client,
    state: State,
    decoder: Box<dyn Decode>,
    out: Deltas,
    /// What ends the answer once everything before it was handed out.
    failure: Option<ProviderFailure>,
    stray: String,
    understood: bool,
}

impl Answer {
    async fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(delta) = self.out.pop() {
                return Some(Ok(self.client.scrubbed_delta(delta)));
            }
            if let Some(failure) = self.failure.take() {
                self.state = State::Over;
                return Some(Err(self.client.scrubbed(failure)));
            }
            match std::mem::replace(&mut self.state, State::Over) {
                State::Over => return None,
                State::Ready(call) => {
                    let sending = Box::pin(self.client.send(call));
                    let (began, told_loading) = (Instant::now(), !self.client.local);
                    self.state = State::Waiting { sending, began, told_loading };
                }
                State::Waiting { sending, began, told_loading } => {
                    if let Some(delta) = self.wait(sending, began, told_loading).await {
                        return Some(Ok(delta));
                    }
                }
                State::Reading(reading) => self.read(reading).await,
            }
        }
    }

    /// Waits for the head of the response; says once that a model is being loaded.
    async fn wait(
        &mut self,
        mut sending: Sending,
        began: Instant,
        told_loading: bool,
    ) -> Option<Delta> {
        let timeouts = self.client.timeouts;
        let last = began + timeouts.first_byte;
        let until = if told_loading { last } else { last.min(began + timeouts.loading) };
        match timeout_at(until, &mut sending).await {
            Ok(Ok(response)) if response.status().is_success() => {
                let reading = Reading::of(response, last, timeouts.first_byte);
                self.state = State::Reading(Box::new(reading));
            }
            Ok(Ok(response)) => self.failure = Some(refusal(response, timeouts).await),
            Ok(Err(failure)) => self.failure = Some(failure),
            Err(_) if until < last => {
                self.state = State::Waiting { sending, began, told_loading: true };
                return Some(Delta::Loading);
            }
            Err(_) => {
                let transport = Some(transport::no_first_byte(timeouts.first_byte));
                self.failure = Some(ProviderFailure { transport, ..Default::default() });
            }
        }
        None
    }

    /// One step of reading: an item that is there, or else more bytes.
    async fn read(&mut self, mut reading: Box<Reading>) {
        if let Shape::Events(parser) = &mut reading.shape {
            match parser.next() {
                Ok(Some(item)) => {
                    reading.progress(self.client.timeouts.idle);
                    return self.item(item, reading).await;
                }
                Ok(None) => {}
                Err(error) => return self.unreadable(&reading, &error.to_string()),
            }
        }
        let limit = if self.out.finished() {
            reading.deadline.min(Instant::now() + AFTER_END)
        } else {
            reading.deadline
        };
        match timeout_at(limit, reading.response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                reading.take(&bytes, self.client.timeouts.idle);
                let whole = matches!(&reading.shape, Shape::Whole(body) if body.len() > MAX_WHOLE);
                if whole {
                    return self.unreadable(&reading, "the answer came in one piece above 32 MB");
                }
                self.state = State::Reading(reading);
            }
            Ok(Ok(None)) => self.end(reading),
            Ok(Err(error)) => self.break_off(reading, transport::in_mid_stream(Some(error))),
            Err(_) => {
                let idle = || transport::idle(self.client.timeouts.idle);
                let words = reading.first.map_or_else(idle, transport::no_first_byte);
                self.break_off(reading, words);
            }
        }
    }

    async fn item(&mut self, item: SseItem, mut reading: Box<Reading>) {
        match item {
            SseItem::Comment => {}
            SseItem::Stray(line) => self.stray(&line),
            SseItem::Event(event) => {
                match wire::read_event(self.decoder.as_mut(), &event, &mut self.out) {
                    Ok(Read::Part) => self.understood = true,
                    Ok(Read::Unknown) => self.stray(&event.data),
                    Ok(Read::Last) => {
                        self.understood = true;
                        let end = Instant::now() + LAST_WORDS;
                        let _ = timeout_at(end, reading.response.chunk()).await;
                        return;
                    }
                    Err(refused) => {
                        self.failure = Some(reading.refused(refused, event.data.as_bytes()));
                        return;
                    }
                }
            }
        }
        self.state = State::Reading(reading);
    }

    /// The body ended as HTTP says it should.
    fn end(&mut self, mut reading: Box<Reading>) {
        match std::mem::replace(&mut reading.shape, Shape::Unknown) {
            Shape::Whole(body) => {
                let text = String::from_utf8_lossy(&body);
                if let Err(refused) = wire::read_whole(self.decoder.as_mut(), &text, &mut self.out)
                {
                    self.failure = Some(reading.refused(refused, &body));
                }
                return;
            }
            Shape::Events(mut parser) => {
                if let Err(refused) = self.rest(&mut parser) {
                    let (refused, data) = refused;
                    self.failure = Some(match refused {
                        // Half an event is what a connection leaves that was cut.
                        Refused::Malformed => reading.began.broken(transport::in_mid_stream(None)),
                        told => reading.refused(told, data.as_bytes()),
                    });
                    return;
                }
            }
            Shape::Unknown => {}
        }
        if self.out.finished() {
            return;
        }
        if !self.understood && !self.stray.trim().is_empty() {
            self.failure = Some(reading.began.malformed(self.stray.as_bytes()));
        } else if self.understood && !reading.framed {
            // Without a frame the end of the body and a broken connection look alike.
            self.failure = Some(reading.began.broken(transport::in_mid_stream(None)));
        }
    }

    /// The transport broke. What had arrived is still read, and after the end of the
    /// answer it does not matter.
    fn break_off(&mut self, mut reading: Box<Reading>, words: String) {
        if let Shape::Events(parser) = &mut reading.shape {
            let _ = self.rest(parser);
        }
        if !self.out.finished() {
            self.fail(&reading, words);
        }
    }

    /// Reads what the parser still holds.
    fn rest(&mut self, parser: &mut SseParser) -> Result<(), (Refused, String)> {
        while let Ok(Some(item)) = parser.finish() {
            match item {
                SseItem::Event(event) => {
                    wire::read_event(self.decoder.as_mut(), &event, &mut self.out)
                        .map_err(|refused| (refused, event.data))?;
                    self.understood = true;
                }
                SseItem::Stray(line) => self.stray(&line),
                SseItem::Comment => {}
            }
        }
        Ok(())
    }

    /// The body cannot be read, and is not kept either.
    fn unreadable(&mut self, reading: &Reading, words: &str) {
        self.failure = Some(reading.began.malformed(words.as_bytes()));
    }

    fn fail(&mut self, reading: &Reading, words: String) {
        self.failure = Some(reading.began.broken(words));
    }

    fn stray(&mut self, line: &str) {
        if !self.understood && self.stray.len() < MAX_STRAY {
            let room = line.floor_char_boundary(MAX_STRAY - self.stray.len());
            self.stray.push_str(&line[..room]);
            self.stray.push('\n');
        }
    }
}

impl Reading {
    fn of(response: Response, deadline: Instant, first_byte: Duration) -> Self {
        let headers = response.headers();
        let framed = ["transfer-encoding", "content-length"];
        let framed = framed.iter().any(|name| headers.contains_key(*name));
        let began = Began::of(&response);
        let first = Some(first_byte);
        Self { response, began, framed, deadline, first, unproductive: 0, shape: Shape::Unknown }
    }

    /// Takes bytes in. The first one that is no blank tells what the body is.
    fn take(&mut self, bytes: &[u8], idle: Duration) {
        if self.first.take().is_some() {
            self.progress(idle);
        }
        self.unproductive += bytes.len();
        if self.unproductive >= PROGRESS {
            self.progress(idle);
        }
        if matches!(self.shape, Shape::Unknown) {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return,
                Some(b'{' | b'[') => self.shape = Shape::Whole(Vec::new()),
                Some(_) => self.shape = Shape::Events(SseParser::default()),
            }
        }
        match &mut self.shape {
            Shape::Unknown => {}
            Shape::Events(parser) => parser.push(bytes),
            Shape::Whole(body) => body.extend_from_slice(bytes),
        }
    }

    fn progress(&mut self, idle: Duration) {
        self.unproductive = 0;
        self.deadline = Instant::now() + idle;
    }

    fn refused(&self, refused: Refused, piece: &[u8]) -> ProviderFailure {
        match refused {
            Refused::Malformed => self.began.malformed(piece),
            Refused::Told => self.began.told(&String::from_utf8_lossy(piece)),
            Refused::Filtered => ProviderFailure {
                code: Some("content_filter".to_owned()),
                ..self.began.told(&String::from_utf8_lossy(piece))
            },
        }
    }
}
