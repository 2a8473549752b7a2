//! The text of an EPUB book: its chapters in the order in which they are read.

use std::{
    collections::HashMap,
    io::{Read, Seek},
    ops::ControlFlow,
};

use super::{
    NoText,
    archive::{Archive, joined},
    html, lasting,
    out::Out,
    xml::Piece,
};

/// A chapter of more bytes is cut.
const CHAPTER: u64 = 16 << 20;
/// A book has no more files than this that are looked at.
const ITEMS: usize = 10_000;

pub(super) fn read(mut archive: Archive<impl Read + Seek>) -> Result<Out, NoText> {
    if archive.has("META-INF/rights.xml") || archive.has("META-INF/sinf.xml") {
        return Err(lasting("it is protected against copying (DRM), so its text cannot be read"));
    }
    let mut package = None;
    archive.walk("META-INF/container.xml", &mut |piece| {
        if let Piece::Start { name: "rootfile", marks } = piece {
            package = marks.get("full-path");
        }
        if package.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let package =
        package.ok_or_else(|| lasting("it is damaged: there is no list of chapters in it"))?;
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (mut items, mut order) = (HashMap::new(), Vec::new());
    archive.walk(&package, &mut |piece| {
        if let Piece::Start { name, marks } = piece {
            match name {
                "item" if items.len() < ITEMS => {
                    if let (Some(id), Some(path)) = (marks.get("id"), marks.get("href")) {
                        items.insert(id, joined(&folder, &unescaped(&path)));
                    }
                }
                "itemref" if order.len() < ITEMS => order.extend(marks.get("idref")),
                _ => {}
            }
        }
        ControlFlow::Continue(())
    })?;
    let mut out = Out::default();
    let mut chapters = 0u64;
    for id in order {
        if out.is_full() {
            break;
        }
        let Some(path) = items.get(&id) else { continue };
        let Some(bytes) = archive.bytes(path, CHAPTER)? else { continue };
        let chapter = html::to_text(&bytes, &archive.bounds);
        // Covers and empty leaves are no chapters.
        if !chapter.text.chars().any(char::is_alphanumeric) {
            continue;
        }
        chapters += 1;
        let name = chapter.heading.or(chapter.title).unwrap_or_default();
        out.part(&format!("Chapter {chapters}"), &name);
        out.lines(&chapter.text);
    }
    out.count(chapters, "chapter", "chapters");
    Ok(out)
}

/// Paths of a book are written as in addresses: `%20` is a space.
fn unescaped(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits
            .filter(|_| *first == b'%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
