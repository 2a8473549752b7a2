//! A stage's document: fields in, Markdown out.

use crate::{LONGEST_FIELD, SpecsError};

/// One field of a document.
pub(crate) struct Field<'a> {
    /// The argument's name.
    pub(crate) name: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) text: &'a str,
    /// Whether it must be there.
    pub(crate) required: bool,
}

/// A field that must be there.
pub(crate) fn required<'a>(name: &'static str, heading: &'static str, text: &'a str) -> Field<'a> {
    Field { name, heading, text, required: true }
}

/// A field that may be left out.
pub(crate) fn optional<'a>(
    name: &'static str,
    heading: &'static str,
    text: &'a Option<String>,
) -> Field<'a> {
    Field { name, heading, text: text.as_deref().unwrap_or_default(), required: false }
}

/// Checks the fields: all that is missing is named at once.
pub(crate) fn check(fields: &[Field<'_>]) -> Result<(), SpecsError> {
    let missing: Vec<&'static str> = fields
        .iter()
        .filter(|field| field.required && field.text.trim().is_empty())
        .map(|field| field.name)
        .collect();
    if !missing.is_empty() {
        return Err(SpecsError::Missing(missing));
    }
    match fields.iter().find(|field| field.text.len() > LONGEST_FIELD) {
        None => Ok(()),
        Some(field) => Err(SpecsError::TooLong {
            field: field.name,
            bytes: field.text.len(),
            limit: LONGEST_FIELD,
        }),
    }
}

/// The document: a title, then a heading for each field that has a text.
pub(crate) fn render(title: &str, fields: &[Field<'_>]) -> String {
    let mut text = format!("# {}\n", one_line(title));
    for field in fields.iter().filter(|field| !field.text.trim().is_empty()) {
        text.push_str(&format!("\n## {}\n\n{}\n", field.heading, body(field.text)));
    }
    text
}

/// A text as it stands in a file: without space around it, lines ended alike.
pub(crate) fn body(text: &str) -> String {
    text.trim().replace("\r\n", "\n")
}

/// A text on one line, for titles.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
