//! Rows of cells for a terminal of any width: side by side where they fit, else below each other.

/// Blanks between two columns.
const GAP: usize = 2;

/// What does not fit beside the first cell stands so far in.
const INDENT: usize = 4;

/// A table with so many columns.
pub(crate) struct Table<const N: usize> {
    /// The least width of each column.
    widths: [usize; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(widths: [usize; N]) -> Self {
        Self { widths, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: [String; N]) {
        for (width, cell) in self.widths.iter_mut().zip(&cells) {
            *width = (*width).max(cell.chars().count());
        }
        self.rows.push(cells);
    }

    /// The lines, none longer than there are columns.
    pub(crate) fn text(&self, columns: Option<usize>) -> String {
        let columns = columns.unwrap_or(usize::MAX).max(2 * INDENT);
        let mut text = String::new();
        for cells in &self.rows {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(self.widths) {
                line.push_str(&format!("{cell:<width$}{}", " ".repeat(GAP)));
            }
            let line = line.trim_end();
            if line.chars().count() <= columns {
                text.push_str(line);
                text.push('\n');
            } else {
                below_each_other(cells, columns, &mut text);
            }
        }
        text
    }
}

/// The first cell on a line of its own, the words of the others below it.
fn below_each_other(cells: &[String], columns: usize, text: &mut String) {
    let Some((first, others)) = cells.split_first() else { return };
    pour(first, 0, columns, text);
    let others: Vec<String> = (others.iter())
        .map(|cell| cell.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|cell| !cell.is_empty())
        .collect();
    if !others.is_empty() {
        pour(&others.join(" · "), INDENT, columns, text);
    }
}

/// Words in lines of so many columns; a word that is longer is cut.
fn pour(words: &str, indent: usize, columns: usize, text: &mut String) {
    let room = columns.saturating_sub(indent).max(1);
    let mut line = String::new();
    let mut end = |line: &mut String| {
        text.push_str(&" ".repeat(indent));
        text.push_str(line);
        text.push('\n');
        line.clear();
    };
    for word in words.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        if !line.is_empty() && line.chars().count() + 1 + rest.len() > room {
            end(&mut line);
        }
        while rest.len() > room {
            line.extend(rest.drain(..room));
            end(&mut line);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(rest);
    }
    end(&mut line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<3> {
        let mut table = Table::new([0, 12, 0]);
        table.row(["gpt-4o".into(), "openai".into(), "128K (window), vision, tools".into()]);
        table.row([
            "a-model-with-a-name-that-goes-on-and-on-for-ever".into(),
            String::new(),
            "x".into(),
        ]);
        table
    }

    #[test]
    fn cells_stand_side_by_side_where_they_fit() {
        let text = table().text(None);
        let first = text.lines().next().unwrap();
        let gap = " ".repeat(44);
        assert_eq!(first, format!("gpt-4o{gap}openai        128K (window), vision, tools"));
    }

    #[test]
    fn no_line_is_longer_than_the_terminal() {
        for columns in 8..120 {
            let text = table().text(Some(columns));
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{columns}:\n{text}");
            let letters = |text: &str| -> String { text.split_whitespace().collect() };
            let whole = letters(&table().text(None));
            assert_eq!(letters(&text).replace('·', ""), whole, "nothing is lost at {columns}");
        }
        let narrow = table().text(Some(40));
        assert!(
            narrow.starts_with("gpt-4o\n    openai · 128K (window), vision,\n    tools\n"),
            "{narrow}"
        );
    }
}
