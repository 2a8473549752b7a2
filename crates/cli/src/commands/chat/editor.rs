//! The line editor: history, several lines, completion.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use plimsoll_app::{TopicPaths, WorkspaceView};
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Event, EventContext,
    EventHandler, Helper, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
    completion::{Completer, Pair},
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::FileHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};
use tokio::sync::Mutex;

use super::{paths, slash::COMMANDS};
use crate::{
    failure::{Failure, note},
    output::printable,
};

/// What came from the keyboard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    Line(String),
    /// Ctrl+C on an empty line.
    Interrupted,
    /// Ctrl+D on an empty line, or the terminal is gone.
    End,
}

/// The longest history of lines that is kept.
const LINES: usize = 2000;

pub(super) struct Editor {
    inner: rustyline::Editor<Words, FileHistory>,
    history: PathBuf,
}

impl Editor {
    /// An editor that completes from a view and remembers its lines in the data
    /// directory, in a file for its owner alone.
    pub(super) fn new(
        data_dir: &Path,
        workspace_view: Arc<Mutex<WorkspaceView>>,
        models: Vec<String>,
        snippets: Vec<String>,
    ) -> Result<Self, Failure> {
        let failed = |error: ReadlineError| Failure::failed(format!("cannot edit lines: {error}"));
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .max_history_size(LINES)
            .map_err(failed)?
            .build();
        let lines = FileHistory::with_config(&config);
        let mut inner = rustyline::Editor::with_history(config, lines).map_err(failed)?;
        inner.set_helper(Some(Words { workspace_view, models, snippets, in_question: false }));
        let alt_enter = KeyEvent(KeyCode::Enter, Modifiers::ALT);
        inner.bind_sequence(alt_enter, EventHandler::Simple(Cmd::Newline));
        let ctrl_c = EventHandler::Conditional(Box::new(ClearFirst));
        inner.bind_sequence(KeyEvent::ctrl('C'), ctrl_c);
        let history = data_dir.join("chat_history");
        match inner.load_history(&history) {
            Ok(()) => {}
            Err(ReadlineError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => note(&format!("earlier lines cannot be read: {error}")),
        }
        Ok(Self { inner, history })
    }

    /// Reads a message or a command, with a text that is already there.
    pub(super) fn read(&mut self, initial: &str) -> Result<Read, Failure> {
        let read = self.line("› ", initial)?;
        if let Read::Line(line) = &read {
            self.remember(line);
        }
        Ok(read)
    }

    /// Asks something. The answer is not remembered.
    pub(super) fn question(&mut self, prompt: &str) -> Result<Read, Failure> {
        self.in_question(true);
        let read = self.line(prompt, "");
        self.in_question(false);
        read
    }

    fn in_question(&mut self, yes: bool) {
        if let Some(words) = self.inner.helper_mut() {
            words.in_question = yes;
        }
    }

    fn line(&mut self, prompt: &str, initial: &str) -> Result<Read, Failure> {
        match self.inner.readline_with_initial(prompt, (initial, "")) {
            Ok(line) => Ok(Read::Line(join_lines(&line))),
            Err(ReadlineError::Interrupted) => Ok(Read::Interrupted),
            Err(ReadlineError::Eof) => Ok(Read::End),
            // The window was resized in a terminal without an editor.
            Err(ReadlineError::Signal(_)) => Ok(Read::Line(String::new())),
            Err(error) => Err(Failure::failed(format!("cannot read the terminal: {error}"))),
        }
    }

    fn remember(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let kept = self.inner.add_history_entry(line);
        if let Err(error) = kept.and_then(|_| self.inner.append_history(&self.history)) {
            note(&format!("the line is not remembered: {error}"));
        }
    }

    /// Forgets every remembered line that is this text: a deleted pair leaves no trace.
    pub(super) fn forget(&mut self, text: &str) {
        let lines: Vec<String> = self.inner.history().iter().map(ToOwned::to_owned).collect();
        if !lines.iter().any(|line| line == text) {
            return;
        }
        let left = lines.into_iter().filter(|line| line != text);
        let forgotten = self.inner.clear_history().and_then(|()| {
            // An empty history is never written, so the old file goes first.
            let _ = std::fs::remove_file(&self.history);
            left.into_iter().try_for_each(|line| self.inner.add_history_entry(line).map(|_| ()))?;
            self.inner.save_history(&self.history)
        });
        if let Err(error) = forgotten {
            note(&format!("the line could not be forgotten: {error}"));
        }
    }
}

/// A backslash at the end of a line is not part of the message: it only goes on.
fn join_lines(text: &str) -> String {
    text.replace("\\\n", "\n")
}

/// Ctrl+C empties a line that holds something; the text can be yanked back.
struct ClearFirst;

impl ConditionalEventHandler for ClearFirst {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        (!context.line().is_empty()).then_some(Cmd::Kill(Movement::WholeBuffer))
    }
}

/// What the editor knows while a line is edited.
struct Words {
    workspace_view: Arc<Mutex<WorkspaceView>>,
    models: Vec<String>,
    snippets: Vec<String>,
    /// A question is asked: nothing is completed or continued.
    in_question: bool,
}

impl Helper for Words {}
impl Highlighter for Words {}

impl Hinter for Words {
    type Hint = String;
}

impl Validator for Words {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let goes_on = context.input().ends_with('\\') && !self.in_question;
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..cursor).unwrap_or(line);
        let Some(command) = typed.strip_prefix('/').filter(|_| !self.in_question) else {
            return Ok((cursor, Vec::new()));
        };
        let Some((name, argument)) = command.split_once(' ') else {
            let entries = COMMANDS.iter().filter(|entry| entry.name.starts_with(command));
            let pair = |entry: &super::slash::Entry| Pair {
                display: format!("/{} {}", entry.name, entry.takes),
                replacement: format!("/{} ", entry.name),
            };
            let snippets = self.snippets.iter().filter(|name| name.starts_with(command));
            let called = |name: &String| Pair {
                display: format!("/{name} (snippet)"),
                replacement: format!("/{name} "),
            };
            return Ok((0, entries.map(pair).chain(snippets.map(called)).collect()));
        };
        if name == "attach" {
            let named = |path: String| Pair {
                display: printable(path.trim_end_matches('/').rsplit('/').next().unwrap_or(&path)),
                replacement: path,
            };
            let found = paths::completions(argument).into_iter().map(named);
            return Ok((cursor - argument.len(), found.collect()));
        }
        // What is being sent holds the view; Tab can be pressed again.
        let Ok(workspace_view) = self.workspace_view.try_lock() else {
            return Ok((cursor, Vec::new()));
        };
        let start = cursor - argument.len();
        let known: Vec<String> = match name {
            "filter" => {
                let found = workspace_view.complete(argument, argument.len());
                let pairs = found.candidates.into_iter().map(|candidate| Pair {
                    display: printable(&format!("{}  {}", candidate.insert, candidate.label)),
                    replacement: candidate.insert,
                });
                return Ok((start + found.replace.start, pairs.collect()));
            }
            "model" | "regenerate" => self.models.clone(),
            "topic" => {
                let topics = workspace_view.topics();
                let paths = TopicPaths::of(topics);
                topics.iter().map(|topic| paths.path(topic.id)).collect()
            }
            "flag" => vec!["b".to_owned(), "g".to_owned()],
            _ => Vec::new(),
        };
        Ok((start, matching(known, argument)))
    }
}

/// Those that start with what was typed, whatever its case.
fn matching(known: Vec<String>, typed: &str) -> Vec<Pair> {
    let typed = typed.to_lowercase();
    known
        .into_iter()
        .filter(|word| word.to_lowercase().starts_with(&typed))
        .map(|word| Pair { display: printable(&word), replacement: word })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_at_the_end_of_a_line_only_goes_on() {
        assert_eq!(join_lines("one\\\ntwo\nC:\\x"), "one\ntwo\nC:\\x");
    }

    #[test]
    fn words_are_completed_without_case() {
        let known = vec!["GPT-4o".to_owned(), "phi-3".to_owned(), "\x1b[2J".to_owned()];
        let found = matching(known.clone(), "gpt");
        assert_eq!(found[0].replacement, "GPT-4o");
        assert!(matching(known, "").iter().all(|pair| !pair.display.contains('\x1b')));
    }
}
