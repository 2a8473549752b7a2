//! The text of a Word document: paragraphs, headings, lists, tables, notes.

use std::{
    io::{Read, Seek},
    ops::ControlFlow,
};

use super::{NoText, archive::Archive, lasting, out::Out, paragraphs::Paragraphs, xml::Piece};

const MAIN: &str = "word/document.xml";

pub(super) fn read(mut archive: Archive<impl Read + Seek>) -> Result<Out, NoText> {
    let main = archive.relations("")?.into_iter().find(|one| one.kind == "officeDocument");
    let main = main.map_or_else(|| MAIN.to_owned(), |one| one.target);
    let mut body = Body::default();
    if !archive.walk(&main, &mut |piece| body.take(&piece))? {
        return Err(lasting("it is damaged: there is no document in it"));
    }
    for relation in archive.relations(&main)? {
        let title = match relation.kind.as_str() {
            "footnotes" => "Footnotes",
            "endnotes" => "Endnotes",
            _ => continue,
        };
        let mut notes = Body::default();
        archive.walk(&relation.target, &mut |piece| notes.take(&piece))?;
        if notes.lines.out.has_words() {
            let notes = notes.lines.out.finish("")?.text;
            body.lines.out.part(title, "");
            body.lines.out.lines(&notes);
        }
    }
    let mut out = body.lines.out;
    if let Some(pages) = pages(&mut archive)? {
        out.count(pages, "page", "pages");
    }
    Ok(out)
}

/// How many pages the program that saved it counted.
fn pages(archive: &mut Archive<impl Read + Seek>) -> Result<Option<u64>, NoText> {
    let (mut inside, mut pages) = (false, None);
    archive.walk("docProps/app.xml", &mut |piece| {
        match piece {
            Piece::Start { name, .. } => inside = name == "Pages",
            Piece::Text(text) if inside => pages = text.trim().parse().ok(),
            Piece::End { .. } => inside = false,
            Piece::Text(_) => {}
        }
        if pages.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(pages.filter(|pages| (1..100_000).contains(pages)))
}

#[derive(Default)]
struct Body {
    lines: Paragraphs,
    /// Inside of what is shown as text.
    text: bool,
    /// How deep inside of what is there a second time for old programs.
    skipped: usize,
}

impl Body {
    fn take(&mut self, piece: &Piece<'_>) -> ControlFlow<()> {
        match piece {
            Piece::Start { name: "Fallback", .. } => self.skipped += 1,
            Piece::End { name: "Fallback" } => self.skipped = self.skipped.saturating_sub(1),
            _ if self.skipped > 0 => {}
            Piece::Start { name, marks } => match *name {
                "t" => self.text = true,
                "tab" => self.lines.text("\t"),
                "br" | "cr" => self.lines.text("\n"),
                "noBreakHyphen" => self.lines.text("-"),
                "pStyle" => {
                    let style = marks.get("val").unwrap_or_default().to_lowercase();
                    let level = style.strip_prefix("heading").map(str::trim);
                    match level.and_then(|level| level.parse().ok()) {
                        Some(level) => self.lines.heading(level),
                        None if style == "title" => self.lines.heading(1),
                        None => {}
                    }
                }
                "ilvl" => self.lines.entry(marks.number("val", 8).unwrap_or(0)),
                "tbl" => self.lines.start_table(),
                "tc" => self.lines.start_cell(),
                _ => {}
            },
            Piece::End { name } => match *name {
                "t" => self.text = false,
                "p" => self.lines.end_paragraph(),
                "tr" => self.lines.end_row(),
                "tbl" => self.lines.end_table(),
                _ => {}
            },
            Piece::Text(text) if self.text => self.lines.text(text),
            Piece::Text(_) => {}
        }
        if self.lines.out.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
