//! `read_file` (FTL-2): numbered lines of a text, or of the text of a document, from a file of
//! any length.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use plimsoll_domain::{File, TextPart};
use plimsoll_tokens::commas;

use crate::{
    answering::{Allowance, Draft},
    arguments::{Arguments, Mistake},
    ports::Document,
    words::{file_label, name_words, quoted, size_words, visible},
};

/// Of a longer line only the head is read.
const LINE_BYTES: usize = 16 * 1024;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// No answer needs more text than this, whatever its budget.
const TEXT_BYTES: usize = 4 * 1024 * 1024;

/// Which lines are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    /// The first, from 1.
    first: u64,
    /// How many; all if not said.
    count: u64,
}

impl Lines {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, Mistake> {
        Ok(Self {
            first: arguments.count("offset")?.unwrap_or(1),
            count: arguments.count("lines")?.unwrap_or(u64::MAX),
        })
    }
}

/// Reads the lines. The file is gone through once, to count its lines; what is kept of it
/// is what the answer may hold.
pub(crate) fn read(
    file: &File,
    path: &Path,
    document: Option<&Document>,
    lines: Lines,
    allowance: Allowance,
) -> io::Result<Draft> {
    let path = document.map_or(path, |document| &document.path);
    let mut reader = BufReader::with_capacity(64 * 1024, fs::File::open(path)?);
    // What marks a text as UTF-8 is no part of it.
    if reader.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
        reader.consume(BYTE_ORDER_MARK.len());
    }
    let label = file_label(file.id);
    let mut draft = Draft::new(
        "lines",
        format!("read_file {label} offset={} and more max_tokens", lines.first),
    );
    let last = lines.first.saturating_add(lines.count - 1);
    let mut enough = Enough::new(allowance);
    let mut number = 0u64;
    loop {
        let asked = number + 1 >= lines.first && number < last && !enough.reached;
        let Some(line) = next_line(&mut reader, asked)? else { break };
        number += 1;
        let Some(line) = line else { continue };
        let text = format!("{number}| {}", line.words());
        enough.add(&text);
        draft.line(text);
    }
    let shown = draft.len() as u64;
    let wanted = number.min(last).saturating_sub(lines.first - 1);
    draft.unread(usize::try_from(wanted.saturating_sub(shown)).unwrap_or(usize::MAX));
    if shown == 0 {
        let words = match number {
            0 => "The file is empty.".to_owned(),
            _ => format!("The file has {} lines, none at offset {}.", commas(number), lines.first),
        };
        draft.intro(words);
        return Ok(draft);
    }
    let after = number - (lines.first - 1) - shown;
    if after > 0 {
        let words = more_lines(after, lines.first + shown);
        draft.append(&format!("\n{words}"));
    }
    let name = name_words(&file.name);
    let about = match document {
        None => format!("{name}: {} lines, {}", commas(number), size_words(file.size)),
        Some(Document { facts, .. }) => {
            let parts = if lines.first == 1 { parts_words(&facts.parts) } else { String::new() };
            let words = [Some("extracted text".to_owned()), facts.length.clone(), facts.remark()];
            let words: Vec<String> = words.into_iter().flatten().collect();
            format!("{name}: {}, {} lines{parts}", words.join(", "), commas(number))
        }
    };
    let kept = draft.len();
    draft.more_with(move |shown| match shown < kept {
        true => format!("Go on with offset={}.", lines.first + shown as u64),
        false => "Increase max_tokens for more.".to_owned(),
    });
    draft.intro_with(move |shown| {
        let next = lines.first + shown as u64;
        // After the last line that was kept, it says so itself.
        if shown == kept {
            about.clone()
        } else {
            format!("{about}; {}", more_lines((number + 1).saturating_sub(next), next))
        }
    });
    Ok(draft)
}

/// Where the parts of a document begin; of many only so many.
fn parts_words(parts: &[TextPart]) -> String {
    const TOLD: usize = 30;
    let told: Vec<String> = parts
        .iter()
        .take(TOLD)
        .map(|part| format!("{} (line {})", quoted(&part.name), part.line))
        .collect();
    let more = match parts.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" and {} more", commas(more as u64)),
    };
    if told.is_empty() { more } else { format!("; {}{more}", told.join(", ")) }
}

fn more_lines(count: u64, next: u64) -> String {
    let noun = if count == 1 { "line" } else { "lines" };
    format!("{} more {noun}: read_file with offset={next}", commas(count))
}

/// The head of a line, and how long it is.
struct Line {
    head: Vec<u8>,
    bytes: u64,
}

impl Line {
    fn words(&self) -> String {
        let whole = self.bytes == self.head.len() as u64;
        let head = if whole { &self.head[..] } else { whole_chars(&self.head) };
        let text = String::from_utf8_lossy(head);
        let text = visible(text.trim_end_matches('\r'));
        if whole {
            text
        } else {
            format!("{text} [… cut, the line has {}]", size_words(self.bytes))
        }
    }
}

/// Without the character that the end cuts in two.
fn whole_chars(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

/// The next line, if there is one; its text only where that is asked for.
fn next_line(reader: &mut impl BufRead, keep: bool) -> io::Result<Option<Option<Line>>> {
    let mut line = Line { head: Vec::new(), bytes: 0 };
    let mut any = false;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        any = true;
        let end = memchr::memchr(b'\n', buffer);
        let part = &buffer[..end.unwrap_or(buffer.len())];
        if keep {
            let room = LINE_BYTES.saturating_sub(line.head.len());
            part.take(room as u64).read_to_end(&mut line.head)?;
        }
        line.bytes += part.len() as u64;
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(any.then_some(keep.then_some(line)))
}

/// Knows when more text than the answer can hold is there.
struct Enough {
    allowance: Allowance,
    text: String,
    /// The length at which the text is weighed next. It doubles, so all weighing together
    /// costs as much as one.
    look_at: usize,
    reached: bool,
}

impl Enough {
    fn new(allowance: Allowance) -> Self {
        Self { allowance, text: String::new(), look_at: 1024, reached: false }
    }

    fn add(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        if self.text.len() >= self.look_at {
            self.look_at = self.text.len() * 2;
            let Allowance { max_tokens, counter, .. } = self.allowance;
            self.reached = self.text.len() > TEXT_BYTES || counter.count(&self.text) > max_tokens;
        }
    }
}
