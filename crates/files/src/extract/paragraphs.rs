//! Paragraphs and tables as lines: what Word, PowerPoint and OpenDocument have in common.

use super::{bounds::TEXT_BYTES, out::Out};

/// Between the cells of a row.
const CELL: &str = " | ";

/// Lines on their way into a text.
#[derive(Debug, Default)]
pub(super) struct Paragraphs {
    pub(super) out: Out,
    line: String,
    /// What stands before the line: `# ` of a heading, `- ` of a list.
    mark: String,
    /// The row of each table that is open, the outermost first.
    rows: Vec<Vec<String>>,
    /// Bytes that wait in rows.
    waiting: usize,
}

impl Paragraphs {
    pub(super) fn text(&mut self, text: &str) {
        if self.line.len() + self.waiting + text.len() > TEXT_BYTES {
            self.out.cut();
        } else {
            self.line.push_str(text);
        }
    }

    /// A heading of this level, from 1.
    pub(super) fn heading(&mut self, level: u64) {
        self.mark = "#".repeat(level.clamp(1, 6) as usize) + " ";
    }

    /// An entry of a list, so deep, from 0.
    pub(super) fn entry(&mut self, depth: u64) {
        self.mark = "  ".repeat(depth.min(8) as usize) + "- ";
    }

    pub(super) fn end_paragraph(&mut self) {
        let line = std::mem::take(&mut self.line);
        let mark = std::mem::take(&mut self.mark);
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            if !cell.is_empty() && !line.is_empty() {
                cell.push(' ');
            }
            self.waiting += line.len() + 1;
            cell.push_str(&line);
        } else if line.trim().is_empty() {
            self.out.line("");
        } else {
            // A line break inside a paragraph.
            let mut lines = line.lines();
            self.out.line(&format!("{mark}{}", lines.next().unwrap_or_default()));
            lines.for_each(|line| self.out.line(line));
        }
    }

    pub(super) fn start_table(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn start_cell(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.push(String::new());
        }
    }

    pub(super) fn end_row(&mut self) {
        let Some(row) = self.rows.last_mut().map(std::mem::take) else { return };
        let line = row.join(CELL);
        if row.iter().all(|cell| cell.is_empty()) {
            return;
        }
        match self.rows.len() {
            1 => {
                self.waiting = 0;
                self.out.line(&line);
            }
            // A table in a cell stands in it, row by row.
            depth => {
                let cell = self.rows.get_mut(depth - 2).and_then(|row| row.last_mut());
                if let Some(cell) = cell {
                    let apart = if cell.is_empty() { "" } else { "; " };
                    cell.push_str(apart);
                    cell.push_str(&line);
                }
            }
        }
    }

    pub(super) fn end_table(&mut self) {
        self.rows.pop();
        if self.rows.is_empty() {
            self.out.line("");
        }
    }
}
