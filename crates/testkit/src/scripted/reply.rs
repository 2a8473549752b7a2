//! What the scripted server sends: steps, and the ways to put them together.

use std::time::Duration;

use super::Gate;

/// One step of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// These bytes, as they are.
    Bytes(Vec<u8>),
    /// These bytes as one chunk of a chunked body.
    Chunk(Vec<u8>),
    /// The same chunk many times, so that a large answer needs no memory here.
    Repeat {
        /// The chunk.
        chunk: Vec<u8>,
        /// How often.
        times: usize,
    },
    /// These bytes in small chunks with a pause after each.
    Drip {
        /// All of the bytes.
        bytes: Vec<u8>,
        /// Bytes in a chunk.
        size: usize,
        /// The time after each chunk.
        pause: Duration,
    },
    /// The end of a chunked body.
    LastChunk,
    /// Nothing, for a time.
    Sleep(Duration),
    /// Nothing, until the gate is open.
    Gate(Gate),
    /// Nothing, until the client goes away.
    Hang,
    /// The connection is closed, whatever was promised.
    Close,
}

/// What is sent in answer to one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    steps: Vec<Step>,
}

impl Reply {
    /// A reply of any steps.
    pub fn of(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect() }
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Status and headers of a reply; the body is up to further steps.
    pub fn head(status: u16, headers: &[(&str, &str)]) -> Self {
        let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        Self::of([Step::Bytes(head.into_bytes())])
    }

    /// A whole reply with a body of known length.
    pub fn whole(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let length = body.len().to_string();
        let mut all = headers.to_vec();
        all.push(("content-length", &length));
        Self::head(status, &all).bytes(body)
    }

    /// A whole reply of JSON.
    pub fn json(status: u16, body: impl AsRef<str>) -> Self {
        Self::whole(status, &[("content-type", "application/json")], body.as_ref())
    }

    /// An error object in the OpenAI style.
    pub fn error(status: u16, message: &str) -> Self {
        let body = serde_json::json!({"error": {"message": message, "code": status}});
        Self::json(status, body.to_string())
    }

    /// The head of an event stream; chunks follow.
    pub fn stream() -> Self {
        let headers = [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")];
        Self::head(200, &headers)
    }

    /// The head of an event stream whose end is the end of the connection.
    pub fn stream_to_close() -> Self {
        Self::head(200, &[("content-type", "text/event-stream"), ("connection", "close")])
    }

    /// Adds a step.
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Adds a gate: what follows waits for it.
    pub fn gate(self, gate: &Gate) -> Self {
        self.step(Step::Gate(gate.clone()))
    }

    /// Adds bytes as they are.
    pub fn bytes(self, bytes: impl AsRef<[u8]>) -> Self {
        self.step(Step::Bytes(bytes.as_ref().to_vec()))
    }

    /// Adds a chunk.
    pub fn chunk(self, bytes: impl AsRef<[u8]>) -> Self {
        self.step(Step::Chunk(bytes.as_ref().to_vec()))
    }

    /// Adds an event of a stream as one chunk.
    pub fn event(self, data: impl AsRef<str>) -> Self {
        self.chunk(format!("data: {}\n\n", data.as_ref()))
    }

    /// Adds an event with a name.
    pub fn named_event(self, name: &str, data: impl AsRef<str>) -> Self {
        self.chunk(format!("event: {name}\ndata: {}\n\n", data.as_ref()))
    }

    /// Waits.
    pub fn sleep(self, time: Duration) -> Self {
        self.step(Step::Sleep(time))
    }

    /// Says nothing more until the client goes away.
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// Closes the connection.
    pub fn close(self) -> Self {
        self.step(Step::Close)
    }

    /// Ends a chunked body.
    pub fn end(self) -> Self {
        self.step(Step::LastChunk)
    }

    /// The same reply after a silence, as of a model that has to be loaded first.
    pub fn after(mut self, silence: Duration) -> Self {
        self.steps.insert(0, Step::Sleep(silence));
        self
    }

    /// The same reply with every chunk in pieces of `size` bytes and a pause after each.
    pub fn dripping(self, size: usize, pause: Duration) -> Self {
        let drip = |step| match step {
            Step::Chunk(bytes) => Step::Drip { bytes, size, pause },
            other => other,
        };
        Self { steps: self.steps.into_iter().map(drip).collect() }
    }

    /// The same reply with a pause before each chunk.
    pub fn paced(self, pause: Duration) -> Self {
        let slow = |step| match step {
            Step::Chunk(_) => vec![Step::Sleep(pause), step],
            other => vec![other],
        };
        Self { steps: self.steps.into_iter().flat_map(slow).collect() }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        _ => "Scripted",
    }
}
