//! An answer of Codex as it arrives: a process, through its lines, to deltas.
//!
//! As with a server, nothing is read before it is asked for, and dropping the stream ends
//! the process.

use std::{io, path::PathBuf, time::Duration};

use futures_util::stream;
use plimsoll_fault::Label;
use tokio::time::Instant;

use super::{
    events::{Events, Heard},
    lines::{Line, Lines},
    missing,
    process::{Happened, Process, find},
    prompt::Invocation,
};
use crate::{AnswerStream, Delta, ProviderFailure, Timeouts, sse::MAX_LINE, wire::Deltas};

/// After the end of the answer Codex has a moment to put its things away.
const AFTER_END: Duration = Duration::from_secs(2);

/// Starts Codex when the stream is first polled.
pub(super) fn answer(program: PathBuf, invocation: Invocation, timeouts: Timeouts) -> AnswerStream {
    let begin = Answer {
        state: State::Ready(program, invocation),
        patience: timeouts.first_byte.max(timeouts.idle),
        first_byte: timeouts.first_byte,
        out: Deltas::default(),
        events: Events::default(),
        lines: Lines::new(MAX_LINE),
        failed: None,
        failure: None,
        begun: false,
        left: None,
    };
    Box::pin(stream::unfold(begin, |mut answer| async move {
        answer.come_back();
        let step = answer.next().await?;
        answer.left = Some(Instant::now());
        Some((step, answer))
    }))
}

enum State {
    Ready(PathBuf, Invocation),
    Running(Box<Process>, Instant),
    Over,
}

struct Answer {
    state: State,
    first_byte: Duration,
    /// Between two events a model thinks or a command runs, and nothing is heard of either;
    /// so it is the longer of the two patiences that counts.
    patience: Duration,
    out: Deltas,
    events: Events,
    lines: Lines,
    /// The body of a turn that failed; standard error may have more to say.
    failed: Option<String>,
    /// What ends the answer once everything before it was handed out.
    failure: Option<ProviderFailure>,
    /// Whether a part of the answer has come.
    begun: bool,
    /// When the reader went away with a delta; that time is not Codex's.
    left: Option<Instant>,
}

impl Answer {
    fn come_back(&mut self) {
        if let (Some(left), State::Running(_, deadline)) = (self.left.take(), &mut self.state) {
            *deadline += left.elapsed();
        }
    }

    async fn next(&mut self) -> Option<Result<Delta, ProviderFailure>> {
        loop {
            if let Some(delta) = self.out.pop() {
                return Some(Ok(delta));
            }
            if let Some(failure) = self.failure.take() {
                self.state = State::Over;
                return Some(Err(failure));
            }
            match std::mem::replace(&mut self.state, State::Over) {
                State::Over => return None,
                State::Ready(program, invocation) => self.start(program, invocation),
                State::Running(process, deadline) => self.run(process, deadline).await,
            }
        }
    }

    fn start(&mut self, program: PathBuf, invocation: Invocation) {
        let Some(found) = find(&program) else {
            self.failure = Some(told(missing(&program)));
            return;
        };
        match Process::start(&found, invocation) {
            Ok(process) => {
                let deadline = Instant::now() + self.first_byte;
                self.state = State::Running(Box::new(process), deadline);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.failure = Some(told(missing(&program)));
            }
            Err(error) => {
                let words = format!("{} cannot be started: {error}", found.display());
                self.failure = Some(told(words));
            }
        }
    }

    async fn run(&mut self, mut process: Box<Process>, mut deadline: Instant) {
        if let Some(line) = self.lines.next() {
            deadline = self.line(&line, deadline);
            self.state = State::Running(process, deadline);
            return;
        }
        match process.next(deadline).await {
            Happened::Said(bytes) => {
                self.lines.push(&bytes);
                self.state = State::Running(process, deadline);
            }
            Happened::Ended => self.end(&process),
            Happened::TimeIsUp => {
                if let Some(line) = self.lines.rest() {
                    self.line(&line, deadline);
                }
                if self.failed.is_some() {
                    self.end(&process);
                } else if !self.out.finished() && self.failure.is_none() {
                    self.failure = Some(self.too_late());
                }
            }
        }
    }

    /// Reads a line; gives the new deadline.
    fn line(&mut self, line: &Line, deadline: Instant) -> Instant {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong(head) => {
                // The output of a command may be as long as it likes, but an answer that
                // was dropped is no answer.
                if memchr::memmem::find(head, b"\"agent_message\"").is_some() {
                    let words = format!("codex sent a message above {} MB", MAX_LINE >> 20);
                    let code = Some("malformed_answer".to_owned());
                    self.failure = Some(ProviderFailure { code, ..told(words) });
                }
                return deadline;
            }
        };
        let over = self.out.finished() || self.failed.is_some();
        match self.events.line(line, &mut self.out) {
            // What comes after the end is not waited for.
            _ if over => return deadline,
            Heard::Part => self.begun = true,
            Heard::Opening => {}
            Heard::Reconnecting | Heard::Stray => return deadline,
            Heard::Completed => return Instant::now() + AFTER_END,
            Heard::Failed(body) => {
                self.failed = Some(body);
                return Instant::now() + AFTER_END;
            }
        }
        Instant::now() + self.patience
    }

    /// The process ended. Without the end of a turn that is a failure, and somebody said
    /// why.
    fn end(&mut self, process: &Process) {
        if let Some(line) = self.lines.rest() {
            self.line(&line, Instant::now());
        }
        if self.out.finished() || self.failure.is_some() {
            return;
        }
        let failed = self.failed.take().or_else(|| self.events.error().map(str::to_owned));
        if let Some(body) = failed {
            self.failure = Some(complained(told(body), process));
            return;
        }
        if let Some(words) = self.events.reconnecting() {
            let words = format!("connection closed before the answer: {words}");
            self.failure = Some(broken(words));
            return;
        }
        let stderr = String::from_utf8_lossy(&process.complaints);
        let heard = [&*stderr, self.events.warning().unwrap_or_default(), self.events.strays()];
        let heard = heard.into_iter().map(str::trim).find(|words| !words.is_empty());
        let status = process.status.unwrap_or_default();
        let silent = || format!("codex ended without an answer and without a word ({status})");
        self.failure = Some(told(heard.map_or_else(silent, str::to_owned)));
    }

    fn too_late(&self) -> ProviderFailure {
        let mut words = if self.begun {
            format!("idle timeout: codex stood still for {} s", self.patience.as_secs_f64())
        } else {
            let waited = self.first_byte.as_secs_f64();
            format!("first byte timeout: codex did not answer within {waited} s")
        };
        if let Some(last) = self.events.reconnecting() {
            words.push_str("; it said last: ");
            words.push_str(last);
        }
        broken(words)
    }
}

/// Somebody said what failed.
fn told(body: String) -> ProviderFailure {
    ProviderFailure { body, ..ProviderFailure::default() }
}

/// The connection failed.
fn broken(words: String) -> ProviderFailure {
    ProviderFailure { transport: Some(words), ..ProviderFailure::default() }
}

/// A failure with what stands on standard error, where its own words do not tell what
/// it is (FAU-3). Elsewhere those are kept out: they are a log of all sorts of things.
fn complained(failure: ProviderFailure, process: &Process) -> ProviderFailure {
    let stderr = String::from_utf8_lossy(&process.complaints);
    if stderr.trim().is_empty() || failure.fault().label != Label::Unknown {
        return failure;
    }
    let body = format!("{}\n{}", failure.body, stderr.trim());
    ProviderFailure { body, ..failure }
}
