//! Codex, the agent on the command line (DLV-3, DLV-5): a program of its own, started anew
//! for each send, so that nothing is in a request but what is shown.

mod answer;
mod events;
mod lines;
mod process;
mod prompt;

use std::path::{Path, PathBuf};

use plimsoll_send::{Request, WireRules};

use crate::{AnswerStream, Encoded, Models, Provider, Timeouts, Unsayable, wire::unsayable};
use prompt::Invocation;

/// The Codex of this machine.
#[derive(Clone, Debug)]
pub struct Codex {
    program: PathBuf,
    timeouts: Timeouts,
}

impl Codex {
    /// The program's usual name.
    pub const PROGRAM: &'static str = "codex";
    /// How it is installed.
    pub const INSTALL: &'static str = "npm install -g @openai/codex";

    /// A provider that runs this program: a path, or a name along `PATH`. It need not be
    /// there yet.
    pub fn new(program: impl Into<PathBuf>, timeouts: Timeouts) -> Self {
        Self { program: program.into(), timeouts }
    }

    /// Where the program is, if it is there.
    pub fn found(&self) -> Option<PathBuf> {
        process::find(&self.program)
    }

    /// What to tell when it is not there.
    pub fn missing(&self) -> String {
        missing(&self.program)
    }
}

/// Reads the lines of a run that come in these pieces; what they say of its end is let go.
pub(crate) fn read_lines(pieces: &[&[u8]], out: &mut crate::wire::Deltas) {
    let mut lines = lines::Lines::new(crate::sse::MAX_LINE);
    let mut events = events::Events::default();
    let mut read = |line: lines::Line| {
        if let lines::Line::Whole(line) = line {
            events.line(&line, out);
        }
    };
    for piece in pieces {
        lines.push(piece);
        std::iter::from_fn(|| lines.next()).for_each(&mut read);
    }
    lines.rest().into_iter().for_each(&mut read);
}

fn missing(program: &Path) -> String {
    format!("{} was not found; install it with: {}", program.display(), Codex::INSTALL)
}

impl Provider for Codex {
    fn name(&self) -> &str {
        "codex"
    }

    /// There is no address; what is learned of a model through Codex is kept under this.
    fn base_url(&self) -> &str {
        "codex:exec"
    }

    fn wire_rules(&self) -> WireRules {
        WireRules::OPENAI
    }

    /// The program, its arguments and what it reads, as JSON.
    fn encode(&self, request: &Request) -> Encoded {
        Encoded::of_text(Invocation::of(request).described(&self.program))
    }

    fn unsayable(&self, request: &Request) -> Vec<Unsayable> {
        unsayable::prompt(request)
    }

    fn answer(&self, request: &Request, _: Encoded) -> AnswerStream {
        answer::answer(self.program.clone(), Invocation::of(request), self.timeouts)
    }

    /// None: the program has no list of its models, and what an account may use is known to
    /// the server alone. The model `codex` is the one that Codex is set to; any other that
    /// the catalog names for this provider is handed on by its id.
    fn models(&self) -> Models {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn reads_paths(&self) -> bool {
        true
    }

    fn hidden_prompt_notice(&self) -> Option<&'static str> {
        Some("Codex adds instructions of its own that Plimsoll cannot see.")
    }
}
