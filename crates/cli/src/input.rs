//! Reading files and standard input as text.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use plimsoll_blobs::text_of;

use crate::failure::{Failure, note};

/// A text and where it came from.
pub(crate) struct Text {
    /// The path as it was given; `-` for standard input.
    pub(crate) path: PathBuf,
    /// The bytes before anything was replaced.
    pub(crate) bytes: u64,
    pub(crate) text: String,
}

/// Reads all of standard input.
pub(crate) fn standard_input() -> Result<Text, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::failed(format!("cannot read standard input: {error}")))?;
    Ok(decode(PathBuf::from("-"), bytes))
}

/// Reads a file; `-` is standard input.
pub(crate) fn file(path: &Path) -> Result<Text, Failure> {
    if path == Path::new("-") {
        return standard_input();
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    Ok(decode(path.to_owned(), bytes))
}

/// What to say about a file that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    use std::io::ErrorKind;
    let shown = path.display();
    let failure = Failure::failed(format!("cannot read {shown}: {}", reason(error)));
    match error.kind() {
        ErrorKind::NotFound => failure.hint("check the path; it is read from where you are now"),
        ErrorKind::PermissionDenied => failure.hint("you may not read it; check its permissions"),
        ErrorKind::IsADirectory => failure.hint(format!("name the files in it, such as {shown}/*")),
        _ => failure,
    }
}

/// The reason without the number that the system adds.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text.to_lowercase(),
    }
}

/// Bytes as the text that an attached file with them is; what is neither UTF-8 nor marked
/// UTF-16 becomes U+FFFD and is told.
fn decode(path: PathBuf, bytes: Vec<u8>) -> Text {
    let length = bytes.len() as u64;
    let text = text_of(&bytes).unwrap_or_else(|| {
        note(&format!("{} is not UTF-8: bad bytes were read as U+FFFD", path.display()));
        String::from_utf8_lossy(&bytes).into_owned()
    });
    Text { path, bytes: length, text }
}
