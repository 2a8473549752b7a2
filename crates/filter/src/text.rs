//! Text terms: `c'…'`, compiled once.

use regex::{Regex, RegexBuilder};

use crate::{Pattern, needle::Needle};

/// The largest number of different texts in one filter. Each holds a compiled matcher,
/// so that memory needs a bound.
pub const MAX_TEXT_TERMS: usize = 256;

/// How many pieces of a pattern are searched for one after the other.
const MAX_MATCHERS: usize = 8;

/// The only letters beyond ASCII that are the same as one of ASCII, case aside: those of
/// `s` and `k`.
const ASCII_IN_DISGUISE: [&str; 2] = ["ſ", "\u{212a}"];

/// A text that rows are searched for.
#[derive(Clone, Debug)]
pub struct TextTerm {
    pattern: Pattern,
    /// One for each piece between wildcards, in order; none if a piece is no ASCII.
    needles: Option<Vec<Needle>>,
    /// The same for any text; none if the needles find all there is.
    matchers: Option<Vec<Regex>>,
}

impl TextTerm {
    /// Compiles a pattern; none if the matcher would be too large.
    pub(crate) fn new(pattern: &Pattern) -> Option<Self> {
        // The text may stand anywhere, so wildcards at either end say nothing.
        let pieces: Vec<&str> =
            pattern.pieces().iter().map(String::as_str).filter(|piece| !piece.is_empty()).collect();
        let needles: Option<Vec<Needle>> = pieces.iter().map(|piece| Needle::new(piece)).collect();
        let disguised = |piece: &&str| piece.contains(['s', 'S', 'k', 'K']);
        let matchers = match needles {
            Some(_) if !pieces.iter().any(disguised) => None,
            _ => Some(matchers(&pieces)?),
        };
        Some(Self { pattern: pattern.clone(), needles, matchers })
    }

    /// What is searched for, for a caller that has an index of its own (FLT-7).
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Whether a text contains the term, case aside.
    pub fn is_match(&self, text: &str) -> bool {
        match (&self.needles, &self.matchers) {
            (Some(needles), None) => needles_match(needles, text),
            // What the needles find is there; what they miss can only be in disguise.
            (Some(needles), Some(matchers)) => {
                needles_match(needles, text)
                    || !text.is_ascii()
                        && ASCII_IN_DISGUISE.iter().any(|letter| text.contains(letter))
                        && matchers_match(matchers, text)
            }
            (None, Some(matchers)) => matchers_match(matchers, text),
            (None, None) => false,
        }
    }
}

/// Compiles the pieces; none if that takes too much memory.
fn matchers(pieces: &[&str]) -> Option<Vec<Regex>> {
    let mut pieces: Vec<String> = pieces.iter().map(|piece| regex::escape(piece)).collect();
    // A plain text is found far faster than one with wildcards. That is only worth it
    // for a few pieces, as each matcher takes memory.
    if pieces.len() > MAX_MATCHERS {
        let rest = pieces.split_off(MAX_MATCHERS - 1).join(".*?");
        pieces.push(rest);
    }
    let matchers = pieces.iter().map(|piece| {
        RegexBuilder::new(piece).case_insensitive(true).dot_matches_new_line(true).build()
    });
    matchers.collect::<Result<_, _>>().ok()
}

// Taking the first place for each piece leaves the most room for the next, in both of
// these, so that no byte is looked at for two pieces.

fn needles_match(needles: &[Needle], text: &str) -> bool {
    let mut from = 0;
    needles.iter().all(|needle| match needle.find_end(text.as_bytes(), from) {
        Some(end) => {
            from = end;
            true
        }
        None => false,
    })
}

fn matchers_match(matchers: &[Regex], text: &str) -> bool {
    let Some((last, before)) = matchers.split_last() else { return true };
    let mut from = 0;
    for matcher in before {
        match matcher.find_at(text, from) {
            Some(found) => from = found.end(),
            None => return false,
        }
    }
    last.is_match_at(text, from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Enough text for several blocks, made of what the pieces are made of.
    fn texts() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            4 => "[a-eksKS @`\n]{1,6}",
            2 => "[aAkKsSſ\u{212a}éÉß漢]{1,4}",
            1 => "[xyz ]{40,90}",
        ];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// FLT-3, FLT-7: the fast way finds what the general one does.
        #[test]
        fn needles_agree_with_matchers(
            pieces in prop::collection::vec("[a-cksAKS @`]{1,3}", 0..4),
            text in texts(),
        ) {
            let parsed = crate::parse(&format!("c'*{}*'", pieces.join("*")));
            let Ok(Some(crate::Expr::Atom(crate::Atom::Text(pattern), _))) =
                parsed.map(|query| query.expr)
            else {
                return Err(TestCaseError::fail("not a text term"));
            };
            let term = TextTerm::new(&pattern).unwrap();
            prop_assert!(term.needles.is_some());
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let expected = matchers_match(&matchers(&pieces).unwrap(), &text);
            prop_assert_eq!(term.is_match(&text), expected, "{}", pattern);
        }

        /// A text that is cut out of another one is found there.
        #[test]
        fn what_is_there_is_found(text in texts(), start in 0..400usize, length in 1..70usize) {
            let start = text.floor_char_boundary(start);
            let end = text.floor_char_boundary(start + length);
            let piece = &text[start..end];
            if let Some(needle) = Needle::new(&piece.to_ascii_uppercase()) {
                prop_assert!(needle.find_end(text.as_bytes(), 0).is_some_and(|at| at <= end));
            }
        }
    }

    #[test]
    fn letters_beyond_ascii_count_as_their_partners() {
        let check = |piece: &str, text: &str, expected: bool| {
            let pattern = match crate::parse(&format!("c'{piece}'")).unwrap().expr {
                Some(crate::Expr::Atom(crate::Atom::Text(pattern), _)) => pattern,
                other => panic!("{other:?}"),
            };
            assert_eq!(TextTerm::new(&pattern).unwrap().is_match(text), expected, "{piece} {text}");
        };
        check("ship*keel", "a ſhip, its \u{212a}EEL", true);
        check("ship*keel", "a ſhip, its \u{212a}EE", false);
        check("ſ", "S", true);
        check("é", "É", true);
        check("hull", "漢 HULL", true);
    }
}
