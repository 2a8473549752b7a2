//! Tables: columns as wide as they need, and narrower ones where that does not fit.

use pulldown_cmark::Alignment;

use super::words::{Look, Span, styled, wrap};

/// What stands between two columns.
const BETWEEN: &str = " │ ";

/// No column gets narrower than this.
const NARROWEST: usize = 3;

#[derive(Default)]
pub(super) struct Table {
    pub(super) alignments: Vec<Alignment>,
    /// The first row is the head.
    pub(super) rows: Vec<Vec<Vec<Span>>>,
}

impl Table {
    /// The table as lines of at most so many columns, if that can be.
    pub(super) fn lines(&self, width: usize) -> Vec<String> {
        let widths = self.widths(width);
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            lines.extend(self.row(row, &widths));
            if at == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(rules.join("─┼─"));
            }
        }
        lines
    }

    fn widths(&self, width: usize) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let between = BETWEEN.chars().count() * columns.saturating_sub(1);
        let room = width.saturating_sub(between).max(columns * NARROWEST);
        let needed = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            let widest = cells.map(|cell| columns_of(cell)).max().unwrap_or(0);
            widest.clamp(NARROWEST, room.max(NARROWEST))
        };
        let mut widths: Vec<usize> = (0..columns).map(needed).collect();
        while widths.iter().sum::<usize>() > room {
            let Some(widest) = widths.iter_mut().max().filter(|width| **width > NARROWEST) else {
                break;
            };
            *widest -= 1;
        }
        widths
    }

    fn row(&self, row: &[Vec<Span>], widths: &[usize]) -> Vec<String> {
        let cells: Vec<Vec<Vec<Span>>> = widths
            .iter()
            .enumerate()
            .map(|(at, width)| row.get(at).map_or_else(Vec::new, |cell| wrap(cell, *width)))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| {
            let cell = |(column, width): (usize, &usize)| {
                let empty = Vec::new();
                let spans = cells[column].get(at).unwrap_or(&empty);
                let left = width.saturating_sub(columns_of(spans));
                let before = match self.alignments.get(column) {
                    Some(Alignment::Right) => left,
                    Some(Alignment::Center) => left / 2,
                    _ => 0,
                };
                let [before, after] = [before, left - before].map(|count| " ".repeat(count));
                format!("{before}{}{after}", styled(spans))
            };
            let line: Vec<String> = widths.iter().enumerate().map(cell).collect();
            line.join(BETWEEN).trim_end().to_owned()
        };
        (0..height).map(line).collect()
    }
}

/// The look of the words in the head.
pub(super) fn head(look: Look) -> Look {
    Look { bold: true, ..look }
}

fn columns_of(spans: &[Span]) -> usize {
    spans.iter().map(|(text, _)| super::words::columns(text)).sum()
}
