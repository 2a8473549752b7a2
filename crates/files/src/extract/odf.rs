//! The text of OpenDocument: of texts, of sheets, of presentations. All have one part,
//! `content.xml`.

use std::{
    io::{Read, Seek},
    ops::ControlFlow,
};

use super::{
    NoText,
    archive::{Archive, locked},
    lasting,
    out::Out,
    paragraphs::Paragraphs,
    xml::{Marks, Piece},
};

/// A cell or a row that is there many times is told as often as this.
const REPEATED: u64 = 32;

pub(super) fn read(mut archive: Archive<impl Read + Seek>) -> Result<Out, NoText> {
    let mut secret = false;
    archive.walk("META-INF/manifest.xml", &mut |piece| {
        secret |= matches!(piece, Piece::Start { name: "encryption-data", .. });
        if secret { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if secret {
        return Err(locked());
    }
    let mut content = Content::default();
    if !archive.walk("content.xml", &mut |piece| content.take(&piece))? {
        return Err(lasting("it is damaged: there is no content in it"));
    }
    let mut pages = None;
    archive.walk("meta.xml", &mut |piece| {
        if let Piece::Start { name: "document-statistic", marks } = piece {
            pages = marks.number("page-count", 100_000);
        }
        if pages.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let mut out = content.lines.out;
    match (content.kind, pages) {
        (Kind::Sheets, _) => out.count(content.parts, "sheet", "sheets"),
        (Kind::Slides, _) => out.count(content.parts, "slide", "slides"),
        (Kind::Text, Some(pages)) if pages > 0 => out.count(pages, "page", "pages"),
        (Kind::Text, _) => {}
    }
    Ok(out)
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Kind {
    #[default]
    Text,
    Sheets,
    Slides,
}

#[derive(Default)]
struct Content {
    lines: Paragraphs,
    kind: Kind,
    parts: u64,
    /// How deep inside paragraphs; between them there is no text.
    paragraphs: usize,
    /// How deep inside of what is not told: changes that were taken back, comments.
    skipped: usize,
    lists: u64,
    /// How often the cell that is open is there, and what it holds.
    repeated: u64,
    row: Vec<String>,
    cell: String,
}

impl Content {
    fn take(&mut self, piece: &Piece<'_>) -> ControlFlow<()> {
        match piece {
            Piece::Start { name: "tracked-changes" | "annotation", .. } => self.skipped += 1,
            Piece::End { name: "tracked-changes" | "annotation" } => {
                self.skipped = self.skipped.saturating_sub(1);
            }
            _ if self.skipped > 0 => {}
            Piece::Start { name, marks } => self.start(name, marks),
            Piece::End { name } => self.end(name),
            Piece::Text(text) if self.paragraphs > 0 => self.text(text),
            Piece::Text(_) => {}
        }
        if self.lines.out.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn text(&mut self, text: &str) {
        match self.kind {
            Kind::Sheets if self.cell.len() < 64 << 10 => self.cell.push_str(text),
            Kind::Sheets => {}
            Kind::Text | Kind::Slides => self.lines.text(text),
        }
    }

    fn start(&mut self, name: &str, marks: &Marks<'_>) {
        let sheets = self.kind == Kind::Sheets;
        match name {
            "spreadsheet" => self.kind = Kind::Sheets,
            "presentation" => self.kind = Kind::Slides,
            "page" if self.kind == Kind::Slides => {
                self.parts += 1;
                self.lines.out.part("Slide", &self.parts.to_string());
            }
            "notes" if self.kind == Kind::Slides => self.lines.out.line("Notes:"),
            "table" if sheets => {
                self.parts += 1;
                self.lines.out.part("Sheet", &marks.get("name").unwrap_or_default());
            }
            "table" => self.lines.start_table(),
            "table-row" if sheets => self.row.clear(),
            "table-cell" | "covered-table-cell" if sheets => {
                self.repeated = marks.number("number-columns-repeated", REPEATED).unwrap_or(1);
                self.cell.clear();
            }
            "table-cell" => self.lines.start_cell(),
            "list" => self.lists += 1,
            "p" => {
                self.paragraphs += 1;
                if sheets && !self.cell.is_empty() {
                    self.cell.push(' ');
                }
            }
            "h" => {
                self.paragraphs += 1;
                self.lines.heading(marks.number("outline-level", 6).unwrap_or(1));
            }
            "list-item" => self.lines.entry(self.lists.saturating_sub(1)),
            "s" => {
                let spaces = marks.number("c", 64).unwrap_or(1);
                self.text(&" ".repeat(spaces as usize));
            }
            "tab" => self.text(if sheets { " " } else { "\t" }),
            "line-break" => self.text(if sheets { " " } else { "\n" }),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        let sheets = self.kind == Kind::Sheets;
        match name {
            "p" | "h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                // A note stands inside of the paragraph that it belongs to.
                if self.paragraphs == 0 && !sheets {
                    self.lines.end_paragraph();
                }
            }
            "list" => self.lists = self.lists.saturating_sub(1),
            "table-cell" | "covered-table-cell" if sheets => {
                // Empty cells up to the edge of the sheet are one mark.
                let times =
                    if self.cell.is_empty() { self.repeated } else { self.repeated.min(REPEATED) };
                let cell = std::mem::take(&mut self.cell);
                let room = self.row.len() < 16_384;
                (0..times).filter(|_| room).for_each(|_| self.row.push(cell.clone()));
            }
            "table-row" if sheets => {
                let row = self.row.join("\t");
                if !row.trim().is_empty() {
                    self.lines.out.line(&row);
                }
            }
            "table-row" => self.lines.end_row(),
            "table" if !sheets => self.lines.end_table(),
            _ => {}
        }
    }
}
