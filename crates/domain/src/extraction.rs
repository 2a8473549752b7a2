//! The text that was read out of a document: what is known of it. The text itself lies beside
//! the document's bytes and can be made again.

use serde::{Deserialize, Serialize};

/// What is known of the text of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtractedText {
    /// The bytes of the text.
    pub bytes: u64,
    /// A raw estimate of what it weighs.
    pub tokens: u64,
    /// How long the document is, in its own parts: `12 pages`.
    pub length: Option<String>,
    /// Where its parts begin, in order.
    pub parts: Vec<TextPart>,
    /// What of the document is not in the text: `without pictures and layout`.
    pub lost: Option<String>,
    /// Whether it is the beginning of the text and no more.
    pub cut: bool,
}

/// A part of a document, such as a page or a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPart {
    /// What it is called: `Sheet Budget`.
    pub name: String,
    /// The line of the text that it begins with, from 1.
    pub line: u64,
}

/// What came of reading the text of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Extraction {
    Text(ExtractedText),
    /// There is none, and why, in words that go on after the name and a colon.
    Nothing(String),
}

impl Extraction {
    pub fn text(&self) -> Option<&ExtractedText> {
        match self {
            Self::Text(text) => Some(text),
            Self::Nothing(_) => None,
        }
    }
}

impl ExtractedText {
    /// What people and models should know of it.
    pub fn remark(&self) -> Option<String> {
        let cut = self.cut.then(|| "only its beginning".to_owned());
        let lost = self.lost.clone();
        let words: Vec<String> = lost.into_iter().chain(cut).collect();
        Some(words.join("; ")).filter(|words| !words.is_empty())
    }
}
