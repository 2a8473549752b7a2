//! The sizes of everything that comes in, and what is done to it before it is kept.

use crate::{MemoryError, redact};

/// The longest text that is kept (MEM-2).
pub const MAX_CONTENT_BYTES: usize = 64 * 1024;
/// The longest title.
pub const MAX_TITLE_BYTES: usize = 1000;
/// The longest name: a project, a type, a key, an id of a session.
const MAX_NAME_BYTES: usize = 200;
/// The longest path of a directory.
const MAX_PATH_BYTES: usize = 4096;
/// The longest note on a relation.
const MAX_REMARK_BYTES: usize = 4 * MAX_TITLE_BYTES;
/// The most ids that one call names.
pub(crate) const MAX_IDS: usize = 200;

fn bounded(what: &'static str, text: &str, limit: usize) -> Result<(), MemoryError> {
    if text.len() > limit {
        return Err(MemoryError::TooLong { what, bytes: text.len(), limit });
    }
    Ok(())
}

/// Whether so many bytes can be kept as one text.
pub(crate) fn fits(what: &'static str, bytes: usize) -> Result<(), MemoryError> {
    let limit = MAX_CONTENT_BYTES;
    if bytes > limit { Err(MemoryError::TooLong { what, bytes, limit }) } else { Ok(()) }
}

/// A text of several lines, redacted. It may not be blank.
pub(crate) fn text(what: &'static str, text: &str) -> Result<String, MemoryError> {
    bounded(what, text, MAX_CONTENT_BYTES)?;
    let kept = redact(text);
    // A redaction may be longer than what it hides.
    bounded(what, &kept, MAX_CONTENT_BYTES)?;
    if kept.trim().is_empty() { Err(MemoryError::Blank(what)) } else { Ok(kept) }
}

/// A text on one line, redacted. It may not be blank.
pub(crate) fn line(what: &'static str, text: &str, limit: usize) -> Result<String, MemoryError> {
    bounded(what, text, limit)?;
    let kept = one_line(&redact(text));
    bounded(what, &kept, limit)?;
    if kept.is_empty() { Err(MemoryError::Blank(what)) } else { Ok(kept) }
}

pub(crate) fn title(text: &str) -> Result<String, MemoryError> {
    line("title", text, MAX_TITLE_BYTES)
}

pub(crate) fn name(what: &'static str, text: &str) -> Result<String, MemoryError> {
    line(what, text, MAX_NAME_BYTES)
}

/// The name of a folder as one that would be taken: what is too long is cut, because nobody
/// chose it for this.
pub(crate) fn of_folder(text: &str) -> String {
    let line = one_line(&redact(text));
    let name = line[..line.floor_char_boundary(MAX_NAME_BYTES)].trim_end();
    if name.is_empty() { "project".to_owned() } else { name.to_owned() }
}

/// A name that may be missing. A blank one counts as missing.
pub(crate) fn opt_name(
    what: &'static str,
    text: Option<&str>,
) -> Result<Option<String>, MemoryError> {
    opt_line(what, text, MAX_NAME_BYTES)
}

/// The path of a directory, which may be missing. A blank one counts as missing.
pub(crate) fn opt_path(
    what: &'static str,
    text: Option<&str>,
) -> Result<Option<String>, MemoryError> {
    opt_line(what, text, MAX_PATH_BYTES)
}

/// What a note names of its project.
pub(crate) fn anchor(text: &str) -> Result<String, MemoryError> {
    line("anchor", text, MAX_TITLE_BYTES)
}

/// Why a relation is there, which may be missing. A blank one counts as missing.
pub(crate) fn opt_remark(text: Option<&str>) -> Result<Option<String>, MemoryError> {
    opt_line("note", text, MAX_REMARK_BYTES)
}

/// A text of several lines that may be missing. A blank one counts as missing.
pub(crate) fn opt_text(
    what: &'static str,
    found: Option<&str>,
) -> Result<Option<String>, MemoryError> {
    found.filter(|found| !found.trim().is_empty()).map(|found| text(what, found)).transpose()
}

fn opt_line(
    what: &'static str,
    text: Option<&str>,
    limit: usize,
) -> Result<Option<String>, MemoryError> {
    text.filter(|text| !text.trim().is_empty()).map(|text| line(what, text, limit)).transpose()
}

/// A number with its default and its bounds.
pub(crate) fn number(
    what: &'static str,
    found: Option<usize>,
    default: usize,
    range: std::ops::RangeInclusive<usize>,
) -> Result<usize, MemoryError> {
    let number = found.unwrap_or(default);
    if range.contains(&number) {
        return Ok(number);
    }
    let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let (least, most) = (wide(*range.start()), wide(*range.end()));
    Err(MemoryError::OutOfRange { what, found: wide(number), least, most })
}

/// White space and control characters become single spaces.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
