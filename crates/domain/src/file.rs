//! Files of the registry (FIL-1) and how a model gets them (DLV-1 to DLV-3).

use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

use crate::{
    ContextKind, ExtractedText, Extraction, FileId, PairId, Segment, SegmentBody, Timestamp,
    segments,
};

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name used in files and on the wire.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The one with this name, in any case of letters.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name().eq_ignore_ascii_case(name))
            }
        }
    };
}

named! {
    FileKind {
        /// A picture.
        Image = "IMAGE",
        Pdf = "PDF",
        /// Text, source code, office documents, archives: everything without a kind of its own.
        Document = "DOCUMENT",
        /// Sound.
        Audio = "AUDIO",
        Voice = "VOICE",
        /// Moving pictures.
        Video = "VIDEO",
        /// What a tool made.
        Generated = "GENERATED",
    }
}

named! {
    FileSource {
        /// The person.
        User = "user",
        /// The model, through a tool.
        Assistant = "assistant",
        /// The model, through a tool, in a send that has not ended (FIL-6).
        Pending = "pending",
    }
}

named! {
    /// How the model gets a file.
    #[derive(Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "kebab-case")]
    Delivery {
        /// Its content stands where its token stands (DLV-1).
        Inline = "inline",
        /// A short reference stands there, and a tool reads it (DLV-2).
        OnDemand = "on-demand",
        /// The text that was read out of it stands where its token stands.
        Text = "text",
        /// The token itself stands there, for agents that read the disk (DLV-3).
        Path = "path",
    }
}

/// A BLAKE3 hash in hexadecimal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(String);

/// Something that is no hash.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a content hash is 64 hexadecimal digits in lower case")]
pub struct BadHash;

impl ContentHash {
    /// Reads 64 hexadecimal digits in lower case. Nothing else may become part of a path.
    pub fn parse(text: &str) -> Result<Self, BadHash> {
        let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(hexadecimal) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadHash)
        }
    }

    /// The digits of these bytes.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
        Self(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ContentHash({})", self.0)
    }
}

/// The id under which a provider keeps a copy (FIL-4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderFileId {
    /// Where the copy is: the provider's base URL.
    pub provider: String,
    pub id: String,
    /// Until when it may be used.
    pub expires_at: Timestamp,
}

/// A file of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub id: FileId,
    /// Its name, as it came; never used as a path.
    pub name: String,
    /// What its bytes are.
    pub mime: String,
    pub kind: FileKind,
    /// Its bytes.
    pub size: u64,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// The ending of its blob.
    pub extension: String,
    /// Who brought it.
    pub source: FileSource,
    /// The words that came with it (FIL-2).
    pub upload_context: Option<String>,
    /// When it came.
    pub created_at: Timestamp,
    /// When it is no longer listed.
    pub expires_at: Option<Timestamp>,
    pub provider_ids: Vec<ProviderFileId>,
    /// A raw estimate of what it weighs whole, where that is known.
    pub tokens: Option<u64>,
    /// Width and height of a picture.
    pub pixels: Option<(u32, u32)>,
    /// Whether it is text that may stand in a message.
    pub is_text: bool,
    /// Whether models may be told of it although no message holds it, because somebody
    /// added it for them (FIL-6).
    pub listed: bool,
    /// The pair for whose answer a tool made it.
    pub made_for: Option<PairId>,
    /// What came of reading its text out of it, where that is known. It is not kept with the
    /// file: it is found beside its bytes, or made.
    pub extraction: Option<Extraction>,
}

impl File {
    /// The kind of token that stands for it.
    pub fn context_kind(&self) -> ContextKind {
        match self.kind {
            FileKind::Image => ContextKind::Image,
            _ if self.mime.starts_with("image/") && self.pixels.is_some() => ContextKind::Image,
            _ if self.is_text => ContextKind::Text,
            _ => ContextKind::File,
        }
    }

    /// The text that was read out of it.
    pub fn extracted(&self) -> Option<&ExtractedText> {
        self.extraction.as_ref()?.text()
    }

    pub fn blob_name(&self) -> String {
        format!("{}.{}", self.hash, self.extension)
    }
}

/// The id of a file as models and people see it: `file-<uuid>`.
pub fn file_label(id: FileId) -> String {
    format!("file-{id}")
}

/// Reads an id back, with its prefix or without.
pub fn parse_file_id(text: &str) -> Option<FileId> {
    let text = text.trim();
    FileId::parse(text.strip_prefix("file-").unwrap_or(text))
}

/// What one token of a message stands for (TOK-5). A message has one for each token, in
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// The file; without one the newest file with the token's bytes is meant.
    #[serde(rename = "fileId", default, with = "label")]
    #[schema(value_type = Option<String>)]
    pub file: Option<FileId>,
    /// How the model gets it; without one the rules of DLV-4 say.
    #[serde(default)]
    pub delivery: Option<Delivery>,
}

/// A file's id as its label.
mod label {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use super::{FileId, file_label, parse_file_id};

    pub(super) fn serialize<S: Serializer>(id: &Option<FileId>, to: S) -> Result<S::Ok, S::Error> {
        id.map(file_label).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<FileId>, D::Error> {
        let label = Option::<String>::deserialize(from)?;
        let id = |label: String| {
            let wrong = || D::Error::custom(format!("'{label}' is not the id of a file"));
            parse_file_id(&label).ok_or_else(wrong)
        };
        label.map(id).transpose()
    }
}

impl Attachment {
    /// What a token stands for of which nothing else is known.
    pub const BARE: Self = Self { file: None, delivery: None };
}

/// What the tokens of an edited message stand for: those that were there before keep what
/// they stood for, in order, and new ones are bare.
pub fn realigned(before: &str, attachments: &[Attachment], after: &str) -> Vec<Attachment> {
    let mut known: Vec<(String, Attachment)> =
        token_paths(before).into_iter().zip(attachments.iter().copied()).collect();
    let meant = |path: String| {
        let at = known.iter().position(|(old, _)| *old == path);
        at.map_or(Attachment::BARE, |at| known.remove(at).1)
    };
    token_paths(after).into_iter().map(meant).collect()
}

fn token_paths(text: &str) -> Vec<String> {
    let path = |segment: Segment<'_>| match segment.body {
        SegmentBody::Token(token) => Some(token.path.into_owned()),
        SegmentBody::Text(_) => None,
    };
    segments(text).into_iter().filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in FileKind::ALL {
            assert_eq!(FileKind::parse(kind.name()), Some(*kind));
        }
        assert_eq!(FileKind::parse("pdf"), Some(FileKind::Pdf));
        assert_eq!(Delivery::parse("on-demand"), Some(Delivery::OnDemand));
        assert_eq!(Delivery::parse("by mail"), None);
    }

    #[test]
    fn tok_5_an_edit_keeps_what_the_tokens_stood_for() {
        let file = |n| Some(FileId::new(Timestamp::from_millis(1), [n; 10]));
        let one = Attachment { file: file(1), delivery: Some(Delivery::Inline) };
        let two = Attachment { file: file(2), delivery: Some(Delivery::OnDemand) };
        let before = "a <<context:text:/x>>> b <<context:text:/x>>> c <<context:file:/y>>>";
        let three = Attachment { file: file(3), ..one };
        let after = "<<context:file:/y>>> <<context:text:/x>>> <<context:text:/new>>>";
        let kept = realigned(before, &[one, two, three], after);
        assert_eq!(kept, [three, one, Attachment::BARE]);
        assert_eq!(realigned(before, &[], after), [Attachment::BARE; 3]);
    }

    #[test]
    fn ids_are_read_with_and_without_their_prefix() {
        let id = FileId::new(Timestamp::from_millis(1), [3; 10]);
        assert_eq!(parse_file_id(&file_label(id)), Some(id));
        assert_eq!(parse_file_id(&format!(" {id} ")), Some(id));
        assert_eq!(parse_file_id("file-file-1"), None);
    }

    #[test]
    fn only_a_hash_is_a_hash() {
        let good = "0123456789abcdef".repeat(4);
        assert_eq!(ContentHash::parse(&good).map(|hash| hash.to_string()), Ok(good.clone()));
        assert_eq!(ContentHash::from_bytes(&[0xa5; 32]).as_str(), "a5".repeat(32));
        for bad in ["", "../../etc/passwd", &good[1..], &good.to_uppercase()] {
            assert_eq!(ContentHash::parse(bad), Err(BadHash), "{bad}");
        }
    }
}
