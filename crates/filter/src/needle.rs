//! Finding a short ASCII text without its case, many times as fast as a general matcher
//! can when the text starts like much else in the rows.
//!
//! A block of places is ruled out at once by three of the text's bytes, those that are
//! rarest in what people write; the loop over a block is simple enough for the compiler
//! to turn it into vector instructions. Only what is left is compared in full.

use std::ops::Range;

/// The longest text in bytes. A block that is not ruled out costs as much again for each
/// byte, so that long texts in hostile rows need a bound.
pub(crate) const MAX_NEEDLE: usize = 64;

/// How many places are looked at together.
const BLOCK: usize = 64;

/// The bytes of English prose, the most frequent first.
const FREQUENT: &[u8] = b" etaoinshrdlucmwfgypbvkjxqz";

/// A text to look for.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    /// In lower case.
    text: Box<[u8]>,
    probes: [Probe; 3],
}

/// One byte of the text, and where it stands there.
#[derive(Clone, Copy, Debug)]
struct Probe {
    offset: usize,
    byte: u8,
    /// The bit that makes a letter lower case. It changes other bytes as well, which
    /// only means that more places are compared in full.
    case: u8,
}

impl Probe {
    /// Zero if the byte may stand here.
    fn differs(self, byte: u8) -> u8 {
        (byte | self.case) ^ self.byte
    }
}

impl Needle {
    /// A text that is not blank, pure ASCII and not too long.
    pub(crate) fn new(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > MAX_NEEDLE || !text.is_ascii() {
            return None;
        }
        let text = text.to_ascii_lowercase().into_bytes().into_boxed_slice();
        let mut rarest: Vec<usize> = (0..text.len()).collect();
        rarest.sort_by_key(|&offset| std::cmp::Reverse(rarity(text[offset])));
        // A text of one or two bytes is probed for the same byte again, which is harmless.
        let probe = |rank: usize| {
            let offset = rarest[rank.min(rarest.len() - 1)];
            let byte = text[offset];
            Probe { offset, byte, case: if byte.is_ascii_lowercase() { 0x20 } else { 0 } }
        };
        let probes = [probe(0), probe(1), probe(2)];
        Some(Self { text, probes })
    }

    /// The end of the first place at or after `from` where the text stands.
    pub(crate) fn find_end(&self, haystack: &[u8], from: usize) -> Option<usize> {
        let places = (haystack.len() + 1).checked_sub(self.text.len())?;
        let mut at = from;
        while at + BLOCK <= places {
            if self.may_stand_in_block(haystack, at)
                && let Some(end) = self.compare(haystack, at..at + BLOCK)
            {
                return Some(end);
            }
            at += BLOCK;
        }
        // The last block overlaps the one before, since comparing one by one is slow.
        let ruled_out =
            places.checked_sub(BLOCK).is_some_and(|last| !self.may_stand_in_block(haystack, last));
        if ruled_out { None } else { self.compare(haystack, at..places) }
    }

    /// Whether the probes agree with at least one of the places from `at` on.
    fn may_stand_in_block(&self, haystack: &[u8], at: usize) -> bool {
        let block = |probe: Probe| haystack.get(at + probe.offset..)?.first_chunk::<BLOCK>();
        let [a, b, c] = self.probes;
        let (Some(in_a), Some(in_b), Some(in_c)) = (block(a), block(b), block(c)) else {
            return true;
        };
        let mut least = u8::MAX;
        for place in 0..BLOCK {
            let differs = a.differs(in_a[place]) | b.differs(in_b[place]) | c.differs(in_c[place]);
            least = least.min(differs);
        }
        least == 0
    }

    /// The end of the first of these places where the whole text stands.
    fn compare(&self, haystack: &[u8], places: Range<usize>) -> Option<usize> {
        let [probe, ..] = self.probes;
        let length = self.text.len();
        let all = haystack.get(places.start..places.end + length - 1)?;
        let stands = |candidate: &[u8]| {
            probe.differs(candidate[probe.offset]) == 0
                && candidate.eq_ignore_ascii_case(&self.text)
        };
        all.windows(length).position(stands).map(|at| places.start + at + length)
    }
}

/// How seldom a byte is met; those that are no letters are taken for rather rare.
fn rarity(byte: u8) -> usize {
    let known = FREQUENT.iter().position(|frequent| *frequent == byte);
    known.unwrap_or(FREQUENT.len() * 3 / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(needle: &str, haystack: &str, from: usize, expected: Option<usize>) {
        let found = Needle::new(needle).unwrap().find_end(haystack.as_bytes(), from);
        assert_eq!(found, expected, "{needle:?} in {haystack:?} from {from}");
    }

    #[test]
    fn texts_are_found_at_every_place() {
        for place in 0..300 {
            let haystack = format!("{}Load Line{}", "load ".repeat(60), "@".repeat(place));
            check("load line", &haystack, place, Some(309));
            let haystack = format!("{}Q", "z".repeat(place));
            check("q", &haystack, 0, Some(place + 1));
            check("zq", &haystack, 0, (place > 0).then_some(place + 1));
            check("q", &haystack, place + 1, None);
        }
    }

    #[test]
    fn only_the_case_of_letters_is_ignored() {
        check("[a]", "{A} `[A`[a]", 0, Some(11));
        check("@", "`````@", 0, Some(6));
        check("a b", "a\0b A B", 0, Some(7));
        check("abc", "ab", 0, None);
        check("abc", "", 0, None);
        check("abc", "abc", 9, None);
    }

    #[test]
    fn other_texts_are_for_others() {
        assert!(Needle::new("").is_none());
        assert!(Needle::new("é").is_none());
        assert!(Needle::new(&"x".repeat(MAX_NEEDLE + 1)).is_none());
    }
}
