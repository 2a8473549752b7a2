//! What a note names (MEM-15), in one column: a line each, of hash, size, time and name. A hash
//! that is not known is a dash.

use crate::{Anchor, AnchorState};

/// None where there is none.
pub(super) fn written(anchors: &[Anchor]) -> Option<String> {
    let line = |anchor: &Anchor| match &anchor.state {
        Some(AnchorState { hash, size, changed }) => {
            format!("{hash} {size} {changed} {}", anchor.target)
        }
        None => format!("- 0 0 {}", anchor.target),
    };
    let lines: Vec<String> = anchors.iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A line that cannot be read names nothing.
pub(super) fn read(column: Option<&str>) -> Vec<Anchor> {
    column.unwrap_or_default().lines().filter_map(read_line).collect()
}

fn read_line(line: &str) -> Option<Anchor> {
    let mut parts = line.splitn(4, ' ');
    let (hash, size, changed) = (parts.next()?, parts.next()?, parts.next()?);
    let target = parts.next()?.to_owned();
    let state = match hash {
        "-" => None,
        hash => Some(AnchorState {
            hash: hash.to_owned(),
            size: size.parse().ok()?,
            changed: changed.parse().ok()?,
        }),
    };
    Some(Anchor { target, state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mem_15_anchors_come_back_as_they_were() {
        let state = AnchorState { hash: "ab12".to_owned(), size: 7, changed: -3 };
        let anchors = vec![
            Anchor { target: "src/a b.rs#x y".to_owned(), state: Some(state) },
            Anchor { target: "commit:1f3c9a2".to_owned(), state: None },
        ];
        assert_eq!(read(written(&anchors).as_deref()), anchors);
        assert_eq!((written(&[]), read(None), read(Some("odd"))), (None, vec![], vec![]));
    }
}
