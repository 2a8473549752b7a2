//! How a model gets the files of a message (DLV-1 to DLV-4).
//!
//! A message is stored with its tokens in place and never rewritten; what stands for a
//! token in a request is decided here, for each request anew.

use std::sync::Arc;

use plimsoll_domain::{Delivery, File, SegmentBody, file_label, quoted, segments};

use crate::{FilePart, Message, Part, Role};

/// Text files up to this size stand in the message by themselves, also where a tool could
/// read them.
pub const INLINE_BELOW: u64 = 8 * 1024;

/// Who gets a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// It reads this machine's disk by itself, so it gets the tokens as they are.
    pub paths: bool,
    /// It sees pictures.
    pub vision: bool,
    pub tools: bool,
    /// It reads PDFs by itself.
    pub documents: bool,
}

/// Why a picture goes out as a note to every model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseeable {
    /// Its format is one that providers do not take.
    Format,
    /// It cannot be unpacked, or would be too large if it were.
    Damaged,
}

impl Unseeable {
    /// The reason for models and people, after "because".
    pub fn words(self) -> &'static str {
        match self {
            Self::Format => "models take PNG, JPEG, GIF and WebP only",
            Self::Damaged => "it is damaged or has too many pixels",
        }
    }
}

/// The formats that every wire takes.
const SEEN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The format that can be made one of those.
const CONVERTED: &str = "image/bmp";

/// Whether a picture can be sent to no model as one, and why.
pub fn unseeable(file: &File) -> Option<Unseeable> {
    if !is_picture(file) {
        None
    } else if !SEEN.contains(&file.mime.as_str()) && file.mime != CONVERTED {
        Some(Unseeable::Format)
    } else if file.pixels.is_none() {
        Some(Unseeable::Damaged)
    } else {
        None
    }
}

/// The content type that a file is sent with. One that differs from its own says that it has
/// to be made into that.
pub fn sent_mime(file: &File) -> &str {
    if file.mime == CONVERTED { "image/png" } else { &file.mime }
}

/// What a reference in a message stands for.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The file, or why there is none that may be sent, in words for people.
    pub file: Result<Arc<File>, String>,
    /// What was chosen for it.
    pub delivery: Option<Delivery>,
}

/// A stretch of a message as it is delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveredPart<'a> {
    /// The person's own words.
    Words(&'a str),
    /// A file's text in its marked block.
    Block {
        file: &'a File,
        /// Whether it is a text as it is, or one that was read out of it.
        delivery: Delivery,
        /// The block.
        text: String,
    },
    /// A line that stands for a file.
    Line(String),
    /// A file that goes along as bytes.
    Enclosed(&'a File),
    /// The token itself, for those who read the disk.
    Token {
        file: &'a File,
        /// The token as it stands in the message.
        written: &'a str,
    },
}

/// What is chosen for a file when nobody chose (DLV-4).
pub fn default_delivery(file: &File, capabilities: Capabilities) -> Delivery {
    let picture = is_picture(file);
    if capabilities.paths {
        Delivery::Path
    } else if picture && capabilities.vision && unseeable(file).is_none() {
        Delivery::Inline
    } else if capabilities.tools {
        let small_text = file.is_text && file.size <= INLINE_BELOW;
        if small_text { Delivery::Inline } else { Delivery::OnDemand }
    } else if file.is_text || picture {
        Delivery::Inline
    } else if file.extracted().is_some() {
        // It could not be read on demand, and a name alone says little.
        Delivery::Text
    } else {
        Delivery::OnDemand
    }
}

/// What can be chosen for a file. Local paths go to those who read the disk and to nobody
/// else.
pub fn allowed_deliveries(file: &File, capabilities: Capabilities) -> &'static [Delivery] {
    use Delivery::{Inline, OnDemand, Path, Text};
    let whole = file.is_text || is_picture(file) || is_document(file, capabilities);
    match (whole, file.extracted().is_some()) {
        _ if capabilities.paths => &[Path],
        (true, true) => &[Inline, Text, OnDemand],
        (true, false) => &[Inline, OnDemand],
        (false, true) => &[Text, OnDemand],
        (false, false) => &[OnDemand],
    }
}

/// How a file goes to a model with these capabilities: as chosen where possible, else by default.
pub fn effective_delivery(
    file: &File,
    chosen: Option<Delivery>,
    capabilities: Capabilities,
) -> Delivery {
    let allowed = allowed_deliveries(file, capabilities);
    chosen
        .filter(|chosen| allowed.contains(chosen))
        .unwrap_or_else(|| default_delivery(file, capabilities))
}

/// What a model gets instead of a file that it cannot take in this way, in two words for people.
pub fn sent_instead(
    file: &File,
    delivery: Delivery,
    capabilities: Capabilities,
) -> Option<&'static str> {
    let seen = capabilities.vision && unseeable(file).is_none();
    match delivery {
        Delivery::Inline if is_picture(file) && !seen => Some("as a note"),
        Delivery::OnDemand if !capabilities.tools => Some("name only"),
        Delivery::Inline | Delivery::OnDemand | Delivery::Path | Delivery::Text => None,
    }
}

/// The parts of a message in order. `references` has one entry for each reference of the message;
/// one that is missing is broken. `texts` has the text of each that is to stand in the message.
pub fn deliver<'a>(
    message: &'a str,
    references: &'a [Reference],
    texts: &[Option<String>],
    capabilities: Capabilities,
    model: &str,
) -> Vec<DeliveredPart<'a>> {
    let mut references = references.iter().zip(texts);
    let part = |segment: plimsoll_domain::Segment<'a>| match segment.body {
        SegmentBody::Text(text) => DeliveredPart::Words(text),
        SegmentBody::Token(_) => match references.next() {
            Some((Reference { file: Ok(file), delivery }, text)) => {
                match effective_delivery(file, *delivery, capabilities) {
                    Delivery::Path if is_picture(file) && unseeable(file).is_none() => {
                        DeliveredPart::Enclosed(file)
                    }
                    Delivery::Path => {
                        DeliveredPart::Token { file, written: &message[segment.range] }
                    }
                    Delivery::OnDemand => DeliveredPart::Line(on_demand_line(file)),
                    Delivery::Inline => inlined(file, text.as_deref(), capabilities, model),
                    Delivery::Text => match text {
                        Some(text) => DeliveredPart::Block {
                            file,
                            delivery: Delivery::Text,
                            text: extracted_block(file, text),
                        },
                        None => unread(file),
                    },
                }
            }
            Some(_) | None => DeliveredPart::Line("[broken attachment]".to_owned()),
        },
    };
    segments(message).into_iter().map(part).collect()
}

fn inlined<'a>(
    file: &'a File,
    text: Option<&str>,
    capabilities: Capabilities,
    model: &str,
) -> DeliveredPart<'a> {
    match text {
        _ if is_picture(file) && capabilities.vision => match unseeable(file) {
            None => DeliveredPart::Enclosed(file),
            Some(why) => DeliveredPart::Line(format!(
                "[image {}: not shown, because {}]",
                quoted(&file.name),
                why.words()
            )),
        },
        _ if is_document(file, capabilities) => DeliveredPart::Enclosed(file),
        _ if is_picture(file) => DeliveredPart::Line(unseen(file, model)),
        Some(text) => {
            DeliveredPart::Block { file, delivery: Delivery::Inline, text: block(file, text) }
        }
        None => unread(file),
    }
}

fn unread<'a>(file: &File) -> DeliveredPart<'a> {
    DeliveredPart::Line(format!("[file {} could not be read]", quoted(&file.name)))
}

/// The parts of a message as it goes out. Providers that read the disk find tokens in the text,
/// for pictures too: `token` writes them with the place where the bytes are now, which is another
/// than the message names when the data was moved. `bytes` gives what goes along as bytes.
pub fn rendered(
    parts: &[DeliveredPart<'_>],
    token: impl Fn(&File) -> Option<String>,
    bytes: impl Fn(&File) -> Option<FilePart>,
) -> Vec<Part> {
    let mut message = Message { role: Role::User, parts: Vec::new(), pair: None };
    for part in parts {
        match part {
            DeliveredPart::Words(text) => message.push(Part::Text((*text).to_owned())),
            DeliveredPart::Block { text, .. } | DeliveredPart::Line(text) => {
                message.push(Part::Text(text.clone()));
            }
            DeliveredPart::Token { file, written } => {
                message.push(Part::Text(token(file).unwrap_or_else(|| (*written).to_owned())));
            }
            DeliveredPart::Enclosed(file) => {
                bytes(file).into_iter().for_each(|file| message.push(Part::File(file)));
                token(file).into_iter().for_each(|token| message.push(Part::Text(token)));
            }
        }
    }
    message.parts
}

/// A block that nobody can end from inside: its mark is made of the content's own hash.
fn block(file: &File, text: &str) -> String {
    marked("file", file, &format!("{} bytes", file.size), text)
}

/// The same of a text that was read out of a file: it says so, and what is not in it.
fn extracted_block(file: &File, text: &str) -> String {
    let facts = file.extracted();
    let length = facts.and_then(|facts| facts.length.clone());
    let remark = facts.and_then(|facts| facts.remark());
    let about: Vec<String> =
        length.into_iter().chain(["extracted".to_owned()]).chain(remark).collect();
    marked("text of", file, &about.join(", "), text)
}

fn marked(what: &str, file: &File, about: &str, text: &str) -> String {
    let mark = &file.hash.as_str()[..12];
    let name = quoted(&file.name);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("\n[{what} {name}, {about}, begins {mark}]\n{text}{end}[{what} {name} ends {mark}]\n")
}

/// What stands for a file that is read on demand (DLV-2).
pub fn on_demand_line(file: &File) -> String {
    format!(
        "[attached file {}, {} bytes, file_id: {}]",
        quoted(&file.name),
        file.size,
        file_label(file.id)
    )
}

fn unseen(file: &File, model: &str) -> String {
    let size =
        file.pixels.map_or_else(String::new, |(width, height)| format!(", {width}×{height}"));
    format!("[image {}{size}: not shown, because {model} does not see images]", quoted(&file.name))
}

fn is_document(file: &File, capabilities: Capabilities) -> bool {
    capabilities.documents && file.kind == plimsoll_domain::FileKind::Pdf
}

fn is_picture(file: &File) -> bool {
    file.context_kind() == plimsoll_domain::ContextKind::Image
}

#[cfg(test)]
#[path = "delivery_tests.rs"]
pub(crate) mod tests;
