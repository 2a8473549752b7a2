//! A door for the fuzz targets of this repository, and for nothing else.

use std::io::{Cursor, Write};

use serde_json::{Map, Value};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    arguments::Arguments,
    extract::{self, Extract, Format, NoText},
    pdf::{self, Pages},
};

/// What is read of a PDF: its outline, its title, the text of its pages.
pub fn pdf(bytes: &[u8]) -> Result<Vec<String>, String> {
    pdf::everything(bytes)
}

/// The formats of documents but PDF, which has a target of its own.
pub const DOCUMENTS: [Format; 7] = [
    Format::Word,
    Format::Workbook,
    Format::Presentation,
    Format::OpenDocument,
    Format::Book,
    Format::Html,
    Format::LegacyText,
];

/// The text of a document.
pub fn document(format: Format, bytes: &[u8]) -> Result<Extract, NoText> {
    extract::unguarded(format, Cursor::new(bytes))
}

/// The text of a document whose main part is this.
pub fn document_part(format: Format, bytes: &[u8]) -> Result<Extract, NoText> {
    const RELATIONS: &[u8] = b"<r><Relationship Id='a' Type='x/slide' Target='part.xml'/>\
        <Relationship Id='b' Type='x/worksheet' Target='part.xml'/></r>";
    let parts: &[(&str, &[u8])] = match format {
        Format::Word => &[("word/document.xml", bytes)],
        Format::Workbook => &[
            ("xl/workbook.xml", b"<w xmlns:r='r'><sheet name='s' r:id='b'/></w>"),
            ("xl/_rels/workbook.xml.rels", RELATIONS),
            ("xl/part.xml", bytes),
        ],
        Format::Presentation => &[
            ("ppt/presentation.xml", b"<p xmlns:r='r'><p:sldId id='1' r:id='a'/></p>"),
            ("ppt/_rels/presentation.xml.rels", RELATIONS),
            ("ppt/part.xml", bytes),
        ],
        Format::OpenDocument => &[("content.xml", bytes)],
        Format::Book => &[
            ("META-INF/container.xml", b"<c><rootfile full-path='a.opf'/></c>"),
            ("a.opf", b"<p><item id='a' href='a.html'/><itemref idref='a'/></p>"),
            ("a.html", bytes),
        ],
        Format::Html | Format::LegacyText | Format::Pdf => return document(format, bytes),
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, part) in parts {
        let written = zip.start_file(*name, options).map(|()| zip.write_all(part));
        if !matches!(written, Ok(Ok(()))) {
            return document(format, bytes);
        }
    }
    match zip.finish() {
        Ok(packed) => document(format, packed.get_ref()),
        Err(_) => document(format, bytes),
    }
}

/// Reads arguments of a call in every way that the tools do; gives what was wrong.
pub fn arguments(given: &Map<String, Value>) -> Vec<String> {
    let arguments = Arguments::new(given);
    let mut wrong = Vec::new();
    for name in given.keys() {
        wrong.extend(arguments.text(name).err());
        wrong.extend(arguments.count(name).err());
        wrong.extend(arguments.texts(name).err());
        let pages = arguments.text(name).ok().flatten().map(Pages::parse);
        wrong.extend(pages.and_then(Result::err));
    }
    wrong.into_iter().map(|mistake| mistake.0).collect()
}
