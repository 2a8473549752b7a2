//! Files of our own export, and what the tokens of messages stand for (FIL-1, TOK-5).
//!
//! Copies at providers are not part of it: they are of one account, for a day, and made
//! again on use (FIL-4).

use plimsoll_domain::{
    Attachment, ContentHash, Delivery, File, FileId, FileKind, FileSource, SegmentBody, Timestamp,
    segments,
};
use serde::{Deserialize, Serialize};

use crate::{
    own::{count, is_false, no_id},
    times,
};

/// No file has a longer name, and no content type is longer.
const LONGEST_NAME: usize = 4096;
const LONGEST_MIME: usize = 255;

/// The longest ending of a blob (BLB-1).
const LONGEST_EXTENSION: usize = 16;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OwnFile {
    id: String,
    name: String,
    kind: String,
    mime: String,
    hash: String,
    extension: String,
    size: u64,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    upload_context: Option<String>,
    #[serde(with = "times::own")]
    created_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "times::own_option")]
    expires_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pixels: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "is_false")]
    is_text: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    listed: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnAttachment {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery: Option<String>,
}

impl From<&File> for OwnFile {
    fn from(file: &File) -> Self {
        Self {
            id: file.id.to_string(),
            name: file.name.clone(),
            kind: file.kind.name().to_owned(),
            mime: file.mime.clone(),
            hash: file.hash.to_string(),
            extension: file.extension.clone(),
            size: file.size,
            source: file.source.name().to_owned(),
            upload_context: file.upload_context.clone(),
            created_at: file.created_at.millis(),
            expires_at: file.expires_at.map(Timestamp::millis),
            tokens: file.tokens,
            pixels: file.pixels,
            is_text: file.is_text,
            listed: file.listed,
        }
    }
}

impl OwnFile {
    pub(crate) fn check(self) -> Result<File, String> {
        if self.name.len() > LONGEST_NAME {
            return Err("its name is longer than any".to_owned());
        }
        let plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        if self.mime.len() > LONGEST_MIME || !self.mime.bytes().all(plain) {
            return Err("its content type is none".to_owned());
        }
        if !is_extension(&self.extension) {
            return Err("its extension is none of a blob".to_owned());
        }
        let source =
            named("source", FileSource::parse, FileSource::ALL, FileSource::name, &self.source)?;
        let made_by_tool = source != FileSource::User;
        Ok(File {
            id: FileId::parse(&self.id).ok_or_else(|| no_id(&self.id))?,
            name: self.name,
            mime: self.mime,
            kind: named("kind", FileKind::parse, FileKind::ALL, FileKind::name, &self.kind)?,
            size: count(self.size)?,
            hash: ContentHash::parse(&self.hash).map_err(|error| error.to_string())?,
            extension: self.extension,
            // The send that it was pending in is of another store.
            source: if made_by_tool { FileSource::Assistant } else { source },
            upload_context: self.upload_context,
            created_at: Timestamp::from_millis(self.created_at),
            expires_at: self.expires_at.map(Timestamp::from_millis),
            provider_ids: Vec::new(),
            tokens: self.tokens.map(count).transpose()?,
            pixels: self.pixels,
            is_text: self.is_text,
            // Which pair a tool made it for is not part of an export, so it stands by itself.
            listed: self.listed || made_by_tool,
            made_for: None,
            extraction: None,
        })
    }
}

impl From<&Attachment> for OwnAttachment {
    fn from(attachment: &Attachment) -> Self {
        Self {
            file: attachment.file.map(|id| id.to_string()),
            delivery: attachment.delivery.map(|delivery| delivery.name().to_owned()),
        }
    }
}

/// What the tokens of a text stand for. There is one for each token; what goes beyond them
/// stands for nothing and is not kept.
pub(crate) fn attachments(text: &str, own: Vec<OwnAttachment>) -> Result<Vec<Attachment>, String> {
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let token = |body: &SegmentBody<'_>| matches!(body, SegmentBody::Token(_));
    let tokens = segments(text).iter().filter(|segment| token(&segment.body)).count();
    let one = |own: OwnAttachment| {
        let delivery =
            |name: String| named("delivery", Delivery::parse, Delivery::ALL, Delivery::name, &name);
        Ok(Attachment {
            file: own.file.map(|id| FileId::parse(&id).ok_or_else(|| no_id(&id))).transpose()?,
            delivery: own.delivery.map(delivery).transpose()?,
        })
    };
    own.into_iter().take(tokens).map(one).collect()
}

/// Whether this may be the ending of a blob, and so a part of its name.
pub(crate) fn is_extension(text: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    (1..=LONGEST_EXTENSION).contains(&text.len()) && text.bytes().all(allowed)
}

fn named<T: Copy>(
    field: &str,
    parse: fn(&str) -> Option<T>,
    all: &[T],
    name: fn(T) -> &'static str,
    text: &str,
) -> Result<T, String> {
    parse(text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        format!("{field} is one of {}", names.join(", "))
    })
}
