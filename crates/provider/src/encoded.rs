//! A request as it is written for a provider.

use std::{cell::RefCell, ops::Range, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plimsoll_send::{FilePart, Request};

/// A request as text, written once: with a few words in the place of the bytes of files, which
/// stand apart until it leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    shown: String,
    /// Where in the text which bytes stand, in order.
    files: Vec<(Range<usize>, Arc<[u8]>)>,
}

impl Encoded {
    /// A request whose text is all there is.
    pub fn of_text(text: String) -> Self {
        Self { shown: text, files: Vec::new() }
    }

    /// The text for people to read and for keeping (PAY-5).
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether bytes of files stand in the body as a note in the text.
    pub fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// The bytes of the body that leaves.
    pub fn size(&self) -> usize {
        let words: usize = self.files.iter().map(|(words, _)| words.len()).sum();
        let bytes = self.files.iter().map(|(_, bytes)| bytes.len().div_ceil(3) * 4);
        self.shown.len() - words + bytes.sum::<usize>()
    }

    /// The body that leaves, byte for byte.
    pub fn into_body(self) -> String {
        if self.files.is_empty() {
            return self.shown;
        }
        let mut body = String::with_capacity(self.size());
        let mut from = 0;
        for (words, bytes) in &self.files {
            body.push_str(&self.shown[from..words.start]);
            STANDARD.encode_string(bytes, &mut body);
            from = words.end;
        }
        body.push_str(&self.shown[from..]);
        body
    }
}

/// Marks that stand for the bytes of files while a request is written.
pub(crate) struct Marks<'a> {
    name: String,
    files: RefCell<Vec<&'a FilePart>>,
}

impl<'a> Marks<'a> {
    /// What is written in the place of a file's bytes.
    pub(crate) fn data(&self, file: &'a FilePart) -> String {
        let mut files = self.files.borrow_mut();
        files.push(file);
        self.mark(files.len() - 1)
    }

    fn mark(&self, number: usize) -> String {
        format!("{}-{number:08}", self.name)
    }
}

/// Writes a request with marks, and finds out where they stand. A request that happens to hold
/// such a mark is written with another one.
pub(crate) fn encode<'a>(
    request: &'a Request,
    write: impl Fn(&'a Request, &Marks<'a>) -> String,
) -> Encoded {
    let mut number = 0;
    loop {
        let name = format!("bytes-of-a-file-{number}");
        let marks = Marks { name, files: RefCell::default() };
        let text = write(request, &marks);
        let files = marks.files.borrow();
        if files.is_empty() {
            return Encoded::of_text(text);
        }
        if text.matches(&marks.name).count() == files.len() {
            return with_words(&text, &marks, &files);
        }
        number += 1;
    }
}

fn with_words(text: &str, marks: &Marks<'_>, files: &[&FilePart]) -> Encoded {
    let (mut shown, mut found, mut from) = (String::with_capacity(text.len()), Vec::new(), 0);
    // A protocol may write them in another order than it asks for them.
    while let Some(at) = text[from..].find(&marks.name) {
        let mark = from + at;
        let end = mark + marks.mark(0).len();
        let number = text[mark + marks.name.len() + 1..end].parse::<usize>();
        shown.push_str(&text[from..mark]);
        from = end;
        let Some(file) = number.ok().and_then(|number| files.get(number)) else { continue };
        let start = shown.len();
        shown.push_str(&format!("[{} bytes of {}]", file.bytes.len(), file.mime));
        found.push((start..shown.len(), Arc::clone(&file.bytes)));
    }
    shown.push_str(&text[from..]);
    Encoded { shown, files: found }
}

#[cfg(test)]
mod tests {
    use plimsoll_send::{Message, Part, Role};

    use super::*;

    fn file(bytes: &[u8]) -> FilePart {
        FilePart {
            file: None,
            mime: "image/png".to_owned(),
            bytes: bytes.into(),
            path: "/nowhere".into(),
            remote: None,
        }
    }

    #[test]
    fn pay_5_what_is_shown_and_what_leaves_are_one_text() {
        let parts = vec![Part::File(file(b"abcd")), Part::File(file(b"x"))];
        let message = Message { role: Role::User, parts, pair: None };
        let request = Request::new("m", vec![message]);
        let encoded = encode(&request, |request, marks| {
            let marks: Vec<String> = request.files().map(|file| marks.data(file)).collect();
            // In another order, and in the words of a person stands what the first try marks with.
            format!("{} bytes-of-a-file-0 {}", marks[1], marks[0])
        });
        let shown = "[1 bytes of image/png] bytes-of-a-file-0 [4 bytes of image/png]";
        assert_eq!(encoded.shown(), shown);
        let size = encoded.size();
        let body = encoded.into_body();
        assert_eq!(body, "eA== bytes-of-a-file-0 YWJjZA==");
        assert_eq!(size, body.len());
    }
}
