//! Texts with wildcards, and how they match names.

use std::fmt;

use crate::scan::Glyph;

/// The largest number of characters in one pattern. Matching takes time in proportion
/// to the pattern, so that one without a bound could stall a filter (FLT-8).
pub const MAX_PATTERN: usize = 4096;

/// A text in which `*` stands for any run of characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// What stands between the wildcards: never empty, and only the first and the last
    /// piece may be blank.
    pieces: Vec<String>,
}

impl Pattern {
    pub(crate) fn from_glyphs(glyphs: &[Glyph]) -> Self {
        let mut pieces = vec![String::new()];
        let mut after_star = false;
        for glyph in glyphs {
            match (glyph, pieces.last_mut()) {
                (Glyph::Char(c), Some(piece)) => {
                    piece.push(*c);
                    after_star = false;
                }
                // A run of stars means the same as one.
                (Glyph::Star, _) if !after_star => {
                    pieces.push(String::new());
                    after_star = true;
                }
                _ => {}
            }
        }
        Self { pieces }
    }

    /// The text itself, when it has no wildcard.
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// What stands between the wildcards. A blank first or last piece means that the
    /// pattern starts or ends with one.
    pub fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// The pattern in the form that [`fold`]ed names are matched with.
    pub(crate) fn folded(&self) -> Folded {
        Folded { pieces: self.pieces.iter().map(|piece| fold(piece)).collect() }
    }
}

/// Prints the pattern without quotes, but escaped so that it may stand between them.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, piece) in self.pieces.iter().enumerate() {
            if index > 0 {
                f.write_str("*")?;
            }
            f.write_str(&escape(piece))?;
        }
        Ok(())
    }
}

/// A text as it stands between single quotes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '\'' | '*' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ => out.push(c),
        }
    }
    out
}

/// A name without its case. Going through upper case first makes letters with several
/// lower-case forms, such as the two sigmas, the same.
pub(crate) fn fold(name: &str) -> String {
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// A pattern without its case.
pub(crate) struct Folded {
    pieces: Vec<String>,
}

impl Folded {
    /// Whether the pattern covers all of a folded name.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let (first, middle, last) = match self.pieces.as_slice() {
            [] => return false,
            [only] => return only == name,
            [first, middle @ .., last] => (first, middle, last),
        };
        let Some(mut rest) =
            name.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()))
        else {
            return false;
        };
        // Taking the first place for each piece leaves the most room for the next.
        for piece in middle {
            match rest.find(piece.as_str()) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        let glyph = |c| if c == '*' { Glyph::Star } else { Glyph::Char(c) };
        Pattern::from_glyphs(&text.chars().map(glyph).collect::<Vec<_>>())
    }

    #[test]
    fn patterns_cover_whole_names_without_case() {
        let check = |text: &str, name: &str, expected: bool| {
            let matched = pattern(text).folded().matches(&fold(name));
            assert_eq!(matched, expected, "{text:?} {name:?}");
        };
        check("gpt", "GPT", true);
        check("gpt", "gpt-4", false);
        check("gpt*", "gpt-4", true);
        check("gpt*", "gpt", true);
        check("*4", "gpt-4", true);
        check("g*4", "g4", true);
        check("ab*ba", "aba", false);
        check("*a*b*", "xbxaxbx", true);
        check("*a*b*", "ba", false);
        check("*", "", true);
        check("ÉTÉ", "été", true);
        check("ΣΑΣ", "σας", true);
        check("straße", "STRASSE", true);
    }

    #[test]
    fn runs_of_stars_are_one_and_printing_escapes() {
        assert_eq!(pattern("a***b"), pattern("a*b"));
        assert_eq!(pattern("**").to_string(), "*");
        let awkward = Pattern { pieces: vec!["'\\\n*".into(), "\t\"".into()] };
        assert_eq!(awkward.to_string(), "\\'\\\\\\n\\**\\t\"");
        assert_eq!(pattern("ab").literal(), Some("ab"));
        assert_eq!(pattern("a*").literal(), None);
    }
}
