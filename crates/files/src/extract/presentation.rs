//! The text of a PowerPoint presentation, slide by slide, with the speaker's notes.

use std::{
    io::{Read, Seek},
    ops::ControlFlow,
};

use super::{NoText, archive::Archive, lasting, out::Out, paragraphs::Paragraphs, xml::Piece};

const MAIN: &str = "ppt/presentation.xml";

pub(super) fn read(mut archive: Archive<impl Read + Seek>) -> Result<Out, NoText> {
    let mut order = Vec::new();
    let found = archive.walk(MAIN, &mut |piece| {
        if let Piece::Start { name: "sldId", marks } = piece {
            // The id of the relation has a prefix, the slide's own number has none.
            order.extend(marks.prefixed("id"));
        }
        ControlFlow::Continue(())
    })?;
    if !found {
        return Err(lasting("it is damaged: there is no presentation in it"));
    }
    let relations = archive.relations(MAIN)?;
    let mut lines = Paragraphs::default();
    let mut slides = 0u64;
    for id in order {
        let Some(slide) = relations.iter().find(|one| one.id == id) else { continue };
        slides += 1;
        if lines.out.is_full() {
            continue;
        }
        lines.out.part("Slide", &slides.to_string());
        shapes(&mut archive, &slide.target, &mut lines, false)?;
        let notes = archive.relations(&slide.target)?;
        if let Some(notes) = notes.iter().find(|one| one.kind == "notesSlide") {
            let mut spoken = Paragraphs::default();
            shapes(&mut archive, &notes.target, &mut spoken, true)?;
            if spoken.out.has_words() {
                lines.out.line("Notes:");
                lines.out.lines(&spoken.out.finish("")?.text);
            }
        }
    }
    lines.out.count(slides, "slide", "slides");
    Ok(lines.out)
}

/// The paragraphs of a slide's shapes; of notes only what was written, not the slide's number.
fn shapes(
    archive: &mut Archive<impl Read + Seek>,
    part: &str,
    lines: &mut Paragraphs,
    notes: bool,
) -> Result<(), NoText> {
    let (mut text, mut title, mut skipped) = (false, false, false);
    archive.walk(part, &mut |piece| {
        match piece {
            Piece::Start { name, marks } => match name {
                "sp" => (title, skipped) = (false, false),
                "ph" => {
                    let kind = marks.get("type").unwrap_or_default();
                    title = matches!(kind.as_str(), "title" | "ctrTitle");
                    skipped =
                        notes && kind != "body" || matches!(kind.as_str(), "sldNum" | "dt" | "ftr");
                }
                "t" => text = !skipped,
                "br" => lines.text("\n"),
                "tbl" => lines.start_table(),
                "tc" => lines.start_cell(),
                _ => {}
            },
            Piece::End { name } => match name {
                "t" => text = false,
                "p" => {
                    if title {
                        lines.heading(2);
                    }
                    lines.end_paragraph();
                }
                "tr" => lines.end_row(),
                "tbl" => lines.end_table(),
                _ => {}
            },
            Piece::Text(words) if text => lines.text(words),
            Piece::Text(_) => {}
        }
        if lines.out.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(())
}
