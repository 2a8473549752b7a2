//! What is known about content when it has been taken in (BLB-2, INS-3).

use plimsoll_domain::{ContextKind, FileKind};

use crate::{
    name::{extension_of, last_part},
    sniff::{self, Type, begins_like_html, promised, sniff},
    texty::{text_like, text_mime},
};

const UNKNOWN: &str = "application/octet-stream";

/// What content is. Bytes decide; the name is only asked which kind of text it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The content type.
    pub mime: String,
    /// What it is in the registry.
    pub kind: FileKind,
    /// Whether it is text that may stand in a message: UTF-8 under a name that promises text.
    pub is_text: bool,
    /// Width and height of a picture, as it is shown.
    pub pixels: Option<(u32, u32)>,
    /// What is wrong with the name, in words: "named photo.png, but it is HTML". The name is
    /// shortened and without invisible characters.
    pub mismatch: Option<String>,
    /// Why a picture cannot be read, in words. That its beginning can be read does not say
    /// that the rest is whole.
    pub broken_image: Option<String>,
}

impl Facts {
    /// The kind of token that stands for it.
    pub fn context_kind(&self) -> ContextKind {
        match self.kind {
            FileKind::Image => ContextKind::Image,
            _ if self.is_text => ContextKind::Text,
            _ => ContextKind::File,
        }
    }
}

/// What bytes that begin so are, under this name, and the ending of their blob. The size of a
/// picture is not looked at here.
pub(crate) fn tell(name: &str, head: &[u8], utf8: bool) -> (Facts, String) {
    let named = extension_of(name);
    let promised = named.as_deref().and_then(promised);
    let promises_text = text_like(name);
    let wrong = |but: &str| Some(format!("named {}, but {but}", shown(name)));
    let facts = |mime: &str, kind: FileKind, is_text: bool, mismatch: Option<String>| Facts {
        mime: mime.to_owned(),
        kind,
        is_text,
        pixels: None,
        mismatch,
        broken_image: None,
    };
    if let Some(found) = sniff(head).map(|found| as_office(found, promised, head)) {
        let own = found.extensions.first().copied().unwrap_or("bin").to_owned();
        let agrees = named.as_deref().is_some_and(|named| found.extensions.contains(&named));
        let claims = promised.is_some() || (promises_text && !name.is_empty());
        let mismatch =
            if claims && !agrees { wrong(&format!("it is {}", found.said)) } else { None };
        let extension = match named {
            Some(named) if agrees || (found.container && !claims) => named,
            _ => own,
        };
        return (facts(found.mime, found.kind, false, mismatch), extension);
    }
    let document = FileKind::Document;
    match (utf8, promises_text, promised) {
        (true, true, _) => {
            let extension = named.unwrap_or_else(|| "txt".to_owned());
            (facts(text_mime(&extension), document, true, None), extension)
        }
        (true, false, Some(_)) if head.is_empty() => {
            (facts(UNKNOWN, document, false, wrong("it is empty")), "bin".to_owned())
        }
        (true, false, Some(_)) => {
            let (said, extension) =
                if begins_like_html(head) { ("it is HTML", "html") } else { ("it is text", "txt") };
            (facts(text_mime(extension), document, true, wrong(said)), extension.to_owned())
        }
        (true, false, None) => {
            (facts("text/plain", document, false, None), named.unwrap_or_else(|| "txt".to_owned()))
        }
        (false, true, _) => {
            let mismatch = if name.is_empty() {
                None
            } else {
                wrong("it is not text in UTF-8 or marked UTF-16")
            };
            (facts(UNKNOWN, document, false, mismatch), named.unwrap_or_else(|| "bin".to_owned()))
        }
        (false, false, Some(promised)) if !promised.container => {
            let mismatch = wrong(&format!("it is not {}", promised.said));
            (facts(UNKNOWN, document, false, mismatch), "bin".to_owned())
        }
        (false, false, _) => {
            (facts(UNKNOWN, document, false, None), named.unwrap_or_else(|| "bin".to_owned()))
        }
    }
}

/// The parts that tell one office document from another may come late in the archive; one
/// that begins like them is what its name says.
fn as_office(found: &'static Type, promised: Option<&'static Type>, head: &[u8]) -> &'static Type {
    let Some(promised) = promised else { return found };
    let office = [&sniff::DOCX, &sniff::XLSX, &sniff::PPTX].contains(&promised);
    let first = head.get(30..).unwrap_or_default();
    let parts: [&[u8]; 4] = [b"[Content_Types].xml", b"_rels/", b"docProps/", b"customXml/"];
    let fits = *found == sniff::ZIP && parts.iter().any(|part| first.starts_with(part));
    if office && fits { promised } else { found }
}

/// A name as it may stand in a sentence: one line, short, nothing that turns the direction of
/// writing or hides.
fn shown(name: &str) -> String {
    const LONGEST: usize = 60;
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let mut name = last_part(name).chars();
    let mut shown: String = name
        .by_ref()
        .take(LONGEST)
        .map(|c| if hides(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if name.next().is_some() {
        shown.push('…');
    }
    shown
}
