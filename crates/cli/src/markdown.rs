//! An answer on its way to the reader: in a pipe as the model wrote it, on a terminal as Markdown
//! is meant, drawn again where a later word changes an earlier line.

use std::io::IsTerminal;

use clap::ValueEnum;
use plimsoll_prose::{
    TerminalLook, stable_prefix, terminal_columns, terminal_lines, terminal_lines_partial,
};

use crate::output::{columns, neutral, rows, takes_codes, wants_colours};

/// Whether Markdown is rendered; `auto` does it on a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkdownWhen {
    #[default]
    Auto,
    Always,
    Never,
}

/// A longer block is drawn line by line and not word by word.
const DRAWN_BY_WORDS: usize = 16 * 1024;

/// A text that arrives in pieces.
pub(crate) struct AnswerText {
    way: Way,
    /// Whether what was written ends a line.
    ends_line: bool,
}

enum Way {
    /// A file gets all that the model wrote.
    AsItIs,
    /// A terminal must not be steered by it.
    Neutral,
    Rendered(Rendered),
}

impl AnswerText {
    pub(crate) fn new(when: MarkdownWhen) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let way = match when {
            MarkdownWhen::Auto if terminal && takes_codes() => Way::Rendered(Rendered::new(true)),
            MarkdownWhen::Always => Way::Rendered(Rendered::new(terminal && takes_codes())),
            MarkdownWhen::Auto | MarkdownWhen::Never if terminal => Way::Neutral,
            MarkdownWhen::Auto | MarkdownWhen::Never => Way::AsItIs,
        };
        Self { way, ends_line: true }
    }

    /// What is to be written when this piece has come.
    pub(crate) fn push(&mut self, text: &str) -> String {
        let written = match &mut self.way {
            Way::AsItIs => text.to_owned(),
            Way::Neutral => neutral(text),
            Way::Rendered(rendered) => rendered.push(&neutral(text)),
        };
        if !written.is_empty() {
            self.ends_line = written.ends_with('\n');
        }
        written
    }

    /// What is to be written at the end, or before something else is: the cursor stands at the
    /// start of a line then.
    pub(crate) fn end(&mut self) -> String {
        let mut written = match &mut self.way {
            Way::Rendered(rendered) => rendered.end(),
            Way::AsItIs | Way::Neutral => String::new(),
        };
        if !written.is_empty() {
            self.ends_line = written.ends_with('\n');
        }
        if !self.ends_line {
            written.push('\n');
        }
        self.ends_line = true;
        written
    }

    /// A text that is whole.
    pub(crate) fn whole(when: MarkdownWhen, text: &str) -> String {
        let mut answer = Self::new(when);
        answer.push(text) + &answer.end()
    }
}

/// The blocks that can still change are drawn again as they grow.
struct Rendered {
    look: TerminalLook,
    /// How many rows of the screen can be reached from its last one.
    reach: usize,
    /// Whether the cursor can go back; else a block is written once it is final.
    redraws: bool,
    /// What is not final yet.
    text: String,
    /// Its lines as they stand on the screen; the cursor is behind the last one.
    drawn: Vec<String>,
    /// Whether blocks before it were written.
    begun: bool,
}

impl Rendered {
    fn new(redraws: bool) -> Self {
        let look = TerminalLook { width: columns().unwrap_or(80), colours: wants_colours() };
        let reach = rows().unwrap_or(24).saturating_sub(1);
        Self { look, reach, redraws, text: String::new(), drawn: Vec::new(), begun: false }
    }

    fn push(&mut self, text: &str) -> String {
        self.text.push_str(text);
        if self.text.len() > DRAWN_BY_WORDS && !text.contains('\n') {
            return String::new();
        }
        let mut out = String::new();
        if self.redraws {
            out = self.draw(terminal_lines_partial(&self.text, self.look));
        }
        let cut = stable_prefix(&self.text);
        if cut > 0 {
            let done = self.apart(terminal_lines(&self.text[..cut], self.look));
            if self.redraws {
                self.drawn.drain(..done.len().min(self.drawn.len()));
            } else {
                out.push_str(&done.join("\n"));
                out.push('\n');
            }
            self.text.drain(..cut);
            self.begun = true;
        }
        out
    }

    fn end(&mut self) -> String {
        let lines = terminal_lines(&self.text, self.look);
        let out = match self.redraws {
            true => self.draw(lines),
            false if lines.is_empty() => String::new(),
            false => self.apart(lines).join("\n"),
        };
        self.text.clear();
        self.drawn.clear();
        self.begun = false;
        out
    }

    /// Blocks stand apart from those before them.
    fn apart(&self, mut lines: Vec<String>) -> Vec<String> {
        if self.begun && !lines.is_empty() {
            lines.insert(0, String::new());
        }
        lines
    }

    /// What makes the lines on the screen these. Lines that have left the screen stay as they are.
    fn draw(&mut self, lines: Vec<String>) -> String {
        let lines = self.apart(lines);
        let same = self.drawn.iter().zip(&lines).take_while(|(old, new)| old == new).count();
        let from = same.max(self.first_in_reach());
        let mut out = String::new();
        if from >= lines.len() {
            // Nothing can be told yet of a line that has just begun.
            return out;
        }
        let old = &self.drawn[from.min(self.drawn.len())..];
        let mut rest = lines[from..].iter();
        match old {
            [] => {}
            [only] if lines[from].starts_with(only.as_str()) => {
                out.push_str(&lines[from][only.len()..]);
                rest.next();
            }
            _ => {
                let up = old.iter().map(|line| self.rows_of(line)).sum::<usize>() - 1;
                if up > 0 {
                    out.push_str(&format!("\x1b[{up}A"));
                }
                out.push_str("\r\x1b[J");
                out.extend(rest.next().map(String::as_str));
            }
        }
        let mut first = self.drawn.is_empty() && !self.begun;
        for line in rest {
            if !std::mem::take(&mut first) {
                out.push('\n');
            }
            out.push_str(line);
        }
        self.drawn = lines;
        out
    }

    /// The first of the drawn lines that the cursor can still go back to.
    fn first_in_reach(&self) -> usize {
        let mut left = self.reach;
        let reachable = self.drawn.iter().rev().take_while(|line| {
            let rows = self.rows_of(line);
            let reached = rows <= left;
            left = left.saturating_sub(rows);
            reached
        });
        self.drawn.len() - reachable.count()
    }

    fn rows_of(&self, line: &str) -> usize {
        terminal_columns(line).div_ceil(self.look.width.max(1)).max(1)
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
