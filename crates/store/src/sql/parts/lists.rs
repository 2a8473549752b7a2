//! The long lists in a JSON text, and numbers that stand for their lines. Pure: what is taken
//! apart here can be put together again byte for byte, because only commas are left out.

use std::fmt::Write;

/// Stands around the numbers of a list. No JSON text holds it: there it would be escaped.
pub(super) const MARK: char = '\u{1}';

/// A list of fewer lines is left where it stands.
const LONG: usize = 8;

/// JSON within JSON deeper than this is left as it is.
const DEEPEST: usize = 32;

/// Part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// As it stands.
    Text(&'t str),
    /// The lines of a long list, without the commas between them.
    List(Vec<&'t str>),
}

/// The text in pieces; a text that is no JSON is one piece.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut reader = Reader { text, at: 0, found: Vec::new() };
    let whole = !text.contains(MARK) && reader.value(0).is_some() && reader.at == text.len();
    if !whole {
        return vec![Piece::Text(text)];
    }
    let mut pieces = Vec::new();
    let mut from = 0;
    for (start, end, lines) in reader.found {
        pieces.push(Piece::Text(&text[from..start]));
        pieces.push(Piece::List(lines));
        from = end;
    }
    pieces.push(Piece::Text(&text[from..]));
    pieces
}

/// Where the inside of a list begins and ends, and its lines.
type Found<'t> = (usize, usize, Vec<&'t str>);

struct Reader<'t> {
    text: &'t str,
    at: usize,
    found: Vec<Found<'t>>,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Walks over a value; none where there is none.
    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        self.blanks();
        match self.peek()? {
            b'[' => self.list(depth)?,
            b'{' => self.object(depth)?,
            b'"' => self.string()?,
            _ => {
                let from = self.at;
                while self.peek().is_some_and(|byte| !b",]}:\"[{ \t\n\r".contains(&byte)) {
                    self.at += 1;
                }
                (self.at > from).then_some(())?;
            }
        }
        self.blanks();
        Some(())
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        let (start, inner) = (self.at, self.found.len());
        let mut lines = Vec::new();
        self.blanks();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        let mut from = start;
        loop {
            self.value(depth + 1)?;
            lines.push(self.text.get(from..self.at)?);
            match self.peek()? {
                b',' => self.at += 1,
                b']' => break,
                _ => return None,
            }
            from = self.at;
        }
        // Of lists within lists the inner ones are taken: they are what repeats.
        if lines.len() >= LONG && self.found.len() == inner {
            self.found.push((start, self.at, lines));
        }
        self.at += 1;
        Some(())
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        self.blanks();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.blanks();
            self.string()?;
            self.blanks();
            (self.peek()? == b':').then_some(())?;
            self.at += 1;
            self.value(depth + 1)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return None,
            }
        }
        self.at += 1;
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        (self.peek()? == b'"').then_some(())?;
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }
}

/// The longest run of steps that is written once for all its repeats.
const PERIOD: usize = 4;

/// Numbers as text: the first, then the steps from each to the next, `steps*times` where they
/// repeat. Two sends of one conversation differ at its ends, so that this is mostly a few runs.
pub(super) fn write(numbers: &[i64]) -> String {
    let mut text = String::new();
    let Some(first) = numbers.first() else { return text };
    let _ = write!(text, "{first}");
    let steps: Vec<i64> = numbers.windows(2).map(|two| two[1].wrapping_sub(two[0])).collect();
    let mut rest = steps.as_slice();
    while !rest.is_empty() {
        let times = |period: usize| {
            let run = &rest[..period];
            rest.chunks_exact(period).take_while(|chunk| *chunk == run).count()
        };
        let best = (1..=PERIOD.min(rest.len())).max_by_key(|period| {
            // Of those that cover as much the shortest.
            let times = times(*period);
            (if times > 1 { times * period } else { 1 }, usize::MAX - period)
        });
        let period = best.unwrap_or(1);
        let times = times(period).max(1);
        text.push(';');
        for (place, step) in rest[..period].iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{step}");
        }
        if times > 1 {
            let _ = write!(text, "*{times}");
        }
        rest = &rest[period * times..];
    }
    text
}

/// The numbers again; none where the text is not one of ours, or says more than `most`.
pub(super) fn read(text: &str, most: usize) -> Option<Vec<i64>> {
    let mut parts = text.split(';');
    let mut at: i64 = parts.next()?.parse().ok()?;
    let mut numbers = vec![at];
    for part in parts {
        let (steps, times) = part.split_once('*').unwrap_or((part, "1"));
        let steps: Vec<i64> =
            steps.split(',').map(|step| step.parse().ok()).collect::<Option<_>>()?;
        let times: usize = times.parse().ok()?;
        if steps.len().checked_mul(times)?.checked_add(numbers.len())? > most {
            return None;
        }
        for _ in 0..times {
            for step in &steps {
                at = at.wrapping_add(*step);
                numbers.push(at);
            }
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn together(pieces: &[Piece<'_>]) -> String {
        let piece = |piece: &Piece<'_>| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::List(lines) => lines.join(","),
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn long_lists_are_taken_out_and_short_ones_stay() {
        let long = r#"{"a":[1,2],"b":[1,"x,]\"",3, 4,[5],{"c":6},7,8],"d":"]"}"#;
        let found = pieces(long);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(matches!(&found[1], Piece::List(lines) if lines[1] == r#""x,]\"""#));
        assert_eq!(together(&found), long);
        // Of a list of lists that are long the inner ones.
        let nested = format!("[{}]", ["[1,2,3,4,5,6,7,8]"; 9].join(","));
        assert_eq!(pieces(&nested).iter().filter(|p| matches!(p, Piece::List(_))).count(), 9);
        for plain in ["", "{", "[1,2", "nothing", "{\"a\":1}", "[1,2,3,4,5,6,7,8", "\u{1}[1]"] {
            assert_eq!(pieces(plain), vec![Piece::Text(plain)]);
        }
    }

    #[test]
    fn runs_and_patterns_are_short() {
        let run: Vec<i64> = (10..2010).collect();
        assert_eq!(write(&run), "10;1*1999");
        let pattern: Vec<i64> = (0..1000).flat_map(|n| [3 * n, 3 * n + 1]).collect();
        assert_eq!(write(&pattern), "0;1,2*999;1");
        assert_eq!(read("0;1,2*999;1", 2000), Some(pattern));
        assert_eq!(read("0;1*99999999999", 2000), None, "no text makes a list of any length");
        assert_eq!(read("x", 10), None);
        assert_eq!(write(&[]), "");
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(-20i64..20, 1..200)) {
            prop_assert_eq!(read(&write(&numbers), numbers.len()), Some(numbers));
        }

        #[test]
        fn every_text_comes_back_byte_for_byte(
            texts in prop::collection::vec(any::<String>(), 0..30),
            pretty in any::<bool>(),
            noise in any::<String>(),
        ) {
            let json = serde_json::json!({"a": texts, "b": [{"c": texts}], "d": noise});
            let json = if pretty { format!("{json:#}") } else { json.to_string() };
            prop_assert_eq!(together(&pieces(&json)), json);
            prop_assert_eq!(together(&pieces(&noise)), noise);
        }
    }
}
