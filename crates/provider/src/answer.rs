//! An answer as it arrives: bytes from the client, through the wire, to deltas.
//!
//! Nothing is read before it is asked for, so a reader that is slow slows the server
//! down, and nothing piles up. Dropping the stream drops the connection with it.

use std::{pin::Pin, time::Duration};

use futures_util::stream;
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::{
    AnswerStream, Delta, Finish, ProviderFailure,
    http::{Call, Client, MAX_WHOLE, refusal},
    reading::{Reading, Shape},
    secret::Scrubbed,
    sse::{MAX_LINE, SseItem, SseParser},
    transport::{self, Told},
    wire::{self, Decode, Deltas, Read, Refused},
};

/// After the end only usage is waited for, and not for long.
const AFTER_END: Duration = Duration::from_secs(5);
/// After the very last event the connection is read to its end if that is there, so
/// that it can be used again.
const LAST_WORDS: Duration = Duration::from_millis(20);
/// As much as is taken of lines that are no events, in case nothing else comes.
const MAX_STRAY: usize = 64 * 1024;
/// As many bytes may come without anything in them.
const MAX_BARREN: usize = 2 * MAX_LINE;

type Sending = Pin<Box<dyn Future<Output = Result<Response, ProviderFailure>> + Send>>;
type Step = Result<Delta, ProviderFailure>;

/// Starts a call when the stream is first polled.
pub(crate) fn answer(client: Client, call: Call, decoder: Box<dyn Decode>) -> AnswerStream {
    let begin = Answer {
        out: Deltas::default(),
        scrubbed: client.scrubbing(),
        failure: None,
        decoder,
        stray: String::new(),
        understood: false,
        left: None,
        state: State::Ready(call),
        client,
    };
    Box::pin(stream::unfold(begin, |mut answer| async move {
        answer.come_back();
        let step = answer.next().await?;
        answer.left = Some(Instant::now());
        Some((step, answer))
    }))
}

enum State {
    Ready(Call),
    Waiting { sending: Sending, began: Instant, told_loading: bool },
    Reading(Box<Reading>),
    Over,
}

struct Answer {
    client: Client,
    state: State,
    decoder: Box<dyn Decode>,
    out: Deltas,
    /// The same without the key, where a server echoes it.
    scrubbed: Scrubbed,
    /// What ends the answer once everything before it was handed out.
    failure: Option<ProviderFailure>,
    stray: String,
    understood: bool,
    /// When the reader went away with a delta. A reader may take its time, and that
    /// time is not the server's.
    left: Option<Instant>,
}

impl Answer {
    fn come_back(&mut self) {
        if let (Some(left), State::Reading(reading)) = (self.left.take(), &mut self.state) {
            reading.pause(left.elapsed());
        }
    }

    async fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(delta) = self.scrubbed.pop() {
                return Some(Ok(delta));
            }
            if let Some(delta) = self.out.pop() {
                self.scrubbed.push(delta);
                continue;
            }
            if self.failure.is_some() || matches!(self.state, State::Over) {
                self.scrubbed.flush();
                if let Some(delta) = self.scrubbed.pop() {
                    return Some(Ok(delta));
                }
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
                    reading.barren = 0;
                    return self.item(item, reading).await;
                }
                Ok(None) if reading.barren > MAX_BARREN => {
                    return self.unreadable(&reading, "the stream holds nothing but blanks");
                }
                Ok(None) => {}
                Err(error) => return self.unreadable(&reading, &error.to_string()),
            }
        }
        match timeout_at(reading.deadline, reading.response.chunk()).await {
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
                let line = reading.first.map_or_else(idle, transport::no_first_byte);
                self.break_off(reading, Told { line, chain: None });
            }
        }
    }

    async fn item(&mut self, item: SseItem, mut reading: Box<Reading>) {
        let (progress, finished) = (self.out.progress(), self.out.finished());
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
        if self.out.progress() > progress {
            reading.progress(self.client.timeouts.idle);
        } else {
            reading.no_progress();
        }
        if self.out.finished() && !finished {
            reading.hurry(AFTER_END);
        }
        if self.stray.len() >= MAX_STRAY {
            self.failure = Some(reading.began.malformed(self.stray.as_bytes()));
            return;
        }
        self.state = State::Reading(reading);
    }

    /// The body ended as HTTP says it should.
    fn end(&mut self, mut reading: Box<Reading>) {
        match std::mem::replace(&mut reading.shape, Shape::Unknown) {
            Shape::Whole(mut body) => {
                // Said first: of several ends of an answer the first counts.
                if wire::cut_long_strings(&mut body) {
                    self.out.finish(Finish::Length);
                }
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
                        Refused::Malformed => reading.began.cut_off(transport::in_mid_stream(None)),
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
            self.failure = Some(reading.began.cut_off(transport::in_mid_stream(None)));
        }
    }

    /// The transport broke. What had arrived is still read, and after the end of the
    /// answer it does not matter.
    fn break_off(&mut self, mut reading: Box<Reading>, told: Told) {
        if let Shape::Events(parser) = &mut reading.shape {
            let _ = self.rest(parser);
        }
        if !self.out.finished() {
            self.failure = Some(reading.began.cut_off(told));
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

    fn stray(&mut self, line: &str) {
        if !self.understood && self.stray.len() < MAX_STRAY {
            let room = line.floor_char_boundary(MAX_STRAY - self.stray.len());
            self.stray.push_str(&line[..room]);
            self.stray.push('\n');
        }
    }
}
