//! A response whose body is being read: what it turned out to be, and by when more of it
//! must come.

use std::time::Duration;

use reqwest::Response;
use tokio::time::Instant;

use crate::{ProviderFailure, http::Began, sse::SseParser, wire::Refused};

/// Fewer bytes than this without a complete line are no progress: a server that sends
/// a byte now and then stands still.
const PROGRESS: usize = 1024;

/// An event, or an answer in one piece, that arrives steadily has so many times the idle
/// time-out in all. Whoever sends a comment or a line that never ends has no more (REL-8).
const WHILE_ARRIVING: u32 = 4;

/// A response and how far it is.
pub(crate) struct Reading {
    /// Where more bytes come from.
    pub(crate) response: Response,
    /// Its status and headers, for failures.
    pub(crate) began: Began,
    /// Whether HTTP itself says where the body ends.
    pub(crate) framed: bool,
    /// When more must have come.
    pub(crate) deadline: Instant,
    /// The deadline as the last progress set it; a line that is still arriving moves the other.
    firm: Instant,
    /// The patience behind the deadline as long as no byte has come.
    pub(crate) first: Option<Duration>,
    /// Bytes since the deadline was moved.
    unproductive: usize,
    /// Bytes since something was in them.
    pub(crate) barren: usize,
    /// What the body is.
    pub(crate) shape: Shape,
}

/// What the body turned out to be. The content type is not asked: servers send errors
/// as event streams and event streams as text.
pub(crate) enum Shape {
    /// Nothing but blanks so far.
    Unknown,
    Events(SseParser),
    /// One object, as much of it as has come.
    Whole(Vec<u8>),
}

impl Reading {
    /// A response of which nothing was read yet.
    pub(crate) fn of(response: Response, deadline: Instant, first_byte: Duration) -> Self {
        let headers = response.headers();
        let framed = ["transfer-encoding", "content-length"];
        let framed = framed.iter().any(|name| headers.contains_key(*name));
        let began = Began::of(&response);
        let first = Some(first_byte);
        Self {
            response,
            began,
            framed,
            deadline,
            firm: deadline,
            first,
            unproductive: 0,
            barren: 0,
            shape: Shape::Unknown,
        }
    }

    /// Takes bytes in. The first one that is no blank tells what the body is.
    pub(crate) fn take(&mut self, bytes: &[u8], idle: Duration) {
        if self.first.take().is_some() {
            // A server that only says that it is there has the time that it had before.
            let before = self.deadline;
            self.progress(idle);
            self.firm = self.firm.max(before);
            self.deadline = self.firm;
        }
        self.unproductive += bytes.len();
        self.barren += bytes.len();
        if self.unproductive >= PROGRESS {
            self.unproductive = 0;
            let last = self.firm + idle * (WHILE_ARRIVING - 1);
            self.deadline = (Instant::now() + idle).min(last).max(self.deadline);
        }
        if matches!(self.shape, Shape::Unknown) {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                // Blanks that never end are the parser's to end.
                None if self.barren <= PROGRESS => return,
                None => self.shape = Shape::Events(SseParser::default()),
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

    /// Moves the deadline.
    pub(crate) fn progress(&mut self, idle: Duration) {
        self.unproductive = 0;
        self.deadline = Instant::now() + idle;
        self.firm = self.deadline;
    }

    /// Something came that is no progress (REL-8): the deadline is what it was.
    pub(crate) fn no_progress(&mut self) {
        self.unproductive = 0;
        self.deadline = self.firm;
    }

    /// Gives what is left so much time at most.
    pub(crate) fn hurry(&mut self, most: Duration) {
        self.firm = self.firm.min(Instant::now() + most);
        self.deadline = self.firm;
    }

    /// Time that was not the server's.
    pub(crate) fn pause(&mut self, time: Duration) {
        self.deadline += time;
        self.firm += time;
    }

    /// The failure of a piece that the wire did not take.
    pub(crate) fn refused(&self, refused: Refused, piece: &[u8]) -> ProviderFailure {
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
