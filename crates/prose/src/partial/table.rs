//! A table of which only the head is there yet.

/// A paragraph that begins as a table does, with what makes it one.
pub(super) fn complete(block: &str) -> Option<String> {
    let mut lines = block.trim_end().lines();
    let head = lines.next()?.trim();
    let second = lines.next().map(str::trim);
    if lines.next().is_some() || !head.starts_with('|') {
        return None;
    }
    let begun = |line: &str| line.chars().all(|c| "|-: ".contains(c));
    if second.is_some_and(|line| !begun(line)) {
        return None;
    }
    let columns = columns(head);
    if columns < 2 && second.is_none() {
        return None;
    }
    Some(format!("{head}\n|{}\n", "---|".repeat(columns)))
}

/// The cells of a row, bars that are escaped aside.
fn columns(row: &str) -> usize {
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut bars = 0;
    let mut escaped = false;
    let mut open = false;
    for c in row.chars() {
        match c {
            '|' if !escaped => {
                bars += 1;
                open = false;
            }
            c => open |= !c.is_whitespace(),
        }
        escaped = c == '\\' && !escaped;
    }
    bars + usize::from(open)
}
