//! Cutting a text into words: identifiers also into their parts, and scripts without spaces into
//! pairs of neighbouring characters.

use std::ops::Range;

use super::fold::{fold, spelled_out};

/// The most words that are kept of one text.
const MAX_WORDS: usize = 20_000;

/// A word by which a text is found, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutWord {
    /// In small letters without accents.
    pub word: String,
    /// Where in the text, in bytes.
    pub at: Range<usize>,
    pub kind: WordKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A word, or a part of an identifier.
    Word,
    /// An identifier without what joins its parts: `dbpoolsize` for `DB_POOL_SIZE`.
    Joined,
    /// Another spelling of the word before it.
    Spelling,
    /// Two characters of a script without spaces.
    Pair,
    /// The last character of a row of pairs.
    LastChar,
}

/// The words of a text, in their order.
pub fn cut(text: &str) -> Vec<CutWord> {
    let mut words = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(is_word).map(|at| from + at) {
        let end = token_end(text, start);
        cut_token(text, start..end, &mut words);
        from = end;
        if words.len() >= MAX_WORDS {
            words.truncate(MAX_WORDS);
            break;
        }
    }
    words
}

/// The words of a text in one line, as a database keeps and searches them.
pub fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in cut(text) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word.word);
    }
    line
}

/// Combining marks stay with their letters until these are folded.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

/// Characters of scripts that put no spaces between words.
pub fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff // Thai, Lao
        | 0x1000..=0x109f // Myanmar
        | 0x1100..=0x11ff // Hangul
        | 0x1780..=0x17ff // Khmer
        | 0x2e80..=0xa4cf // CJK, Kana, Yi
        | 0xac00..=0xd7af // Hangul
        | 0xf900..=0xfaff
        | 0xff66..=0xff9f
        | 0x20000..=0x3ffff)
}

fn joins(c: char) -> bool {
    matches!(c, '_' | '-')
}

/// A token goes on over one joining character between two word characters.
fn token_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut rest = text[start..].chars().peekable();
    while let Some(c) = rest.next() {
        let goes_on = is_word(c) || (joins(c) && rest.peek().is_some_and(|next| is_word(*next)));
        if !goes_on {
            break;
        }
        end += c.len_utf8();
    }
    end
}

fn cut_token(text: &str, token: Range<usize>, words: &mut Vec<CutWord>) {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut from = token.start;
    while from < token.end {
        let here = &text[from..token.end];
        let Some(first) = here.chars().next() else { break };
        if joins(first) {
            from += first.len_utf8();
            continue;
        }
        let spaceless = is_spaceless(first);
        let end = here.find(|c: char| joins(c) || is_spaceless(c) != spaceless);
        let end = from + end.unwrap_or(here.len());
        if spaceless {
            join(text, &parts, words);
            parts.clear();
            cut_run(text, from..end, words);
        } else {
            for part in humps(&text[from..end]) {
                let part = from + part.start..from + part.end;
                push(text, part.clone(), WordKind::Word, words);
                parts.push(part);
            }
        }
        from = end;
    }
    join(text, &parts, words);
}

fn push(text: &str, at: Range<usize>, kind: WordKind, words: &mut Vec<CutWord>) {
    let word = fold(&text[at.clone()]);
    if word.is_empty() {
        return;
    }
    if let Some(other) = spelled_out(&text[at.clone()]) {
        words.push(CutWord { word, at: at.clone(), kind });
        words.push(CutWord { word: other, at, kind: WordKind::Spelling });
    } else {
        words.push(CutWord { word, at, kind });
    }
}

/// What several parts are together.
fn join(text: &str, parts: &[Range<usize>], words: &mut Vec<CutWord>) {
    let ([first, .., last], true) = (parts, parts.len() <= 12) else { return };
    let whole: String = parts.iter().map(|part| &text[part.clone()]).collect();
    let word = fold(&whole);
    words.push(CutWord { word, at: first.start..last.end, kind: WordKind::Joined });
}

fn cut_run(text: &str, run: Range<usize>, words: &mut Vec<CutWord>) {
    let folded = |at: &Range<usize>| fold(&text[at.clone()]);
    let chars: Vec<usize> =
        text[run.clone()].char_indices().map(|(at, _)| run.start + at).collect();
    let end = |place: usize| chars.get(place).copied().unwrap_or(run.end);
    for (place, start) in chars.iter().enumerate() {
        let (at, kind) = match place + 1 < chars.len() {
            true => (*start..end(place + 2), WordKind::Pair),
            // It begins a word of its own, so that each character does.
            false => (*start..run.end, WordKind::LastChar),
        };
        words.push(CutWord { word: folded(&at), at, kind });
    }
}

/// The parts of `camelCase` and `XMLParser`; a single letter stays with what follows it.
fn humps(word: &str) -> Vec<Range<usize>> {
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let mut starts = vec![0];
    for place in 1..letters.len() {
        let (before, (at, here)) = (letters[place - 1].1, letters[place]);
        let next_is_small = letters.get(place + 1).is_some_and(|(_, next)| next.is_lowercase());
        let begins = here.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && next_is_small));
        let last = starts.last().copied().unwrap_or(0);
        if begins && word[last..at].chars().nth(1).is_some() {
            starts.push(at);
        }
    }
    let ends = starts.iter().copied().skip(1).chain([word.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn identifiers_are_words_and_parts() {
        let cases = [
            ("plain words, nothing else 42", "plain words nothing else 42"),
            ("OAuth2PasswordBearer", "oauth2 password bearer oauth2passwordbearer"),
            ("DB_POOL_SIZE", "db pool size dbpoolsize"),
            ("XMLHttpRequest", "xml http request xmlhttprequest"),
            ("src/auth/tokenRefresh.ts", "src auth token refresh tokenrefresh ts"),
            ("e-mail --max-lines", "e mail email max lines maxlines"),
            ("E1042 it's", "e1042 it s"),
            ("Zeitüberschreitung", "zeituberschreitung zeitueberschreitung"),
        ];
        for (text, expected) in cases {
            assert_eq!(line(text), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_pairs() {
        assert_eq!(line("東京都"), "東京 京都 都");
        assert_eq!(line("a 東京tower b"), "a 東京 京 tower b");
        assert_eq!(line("語"), "語");
    }

    proptest! {
        #[test]
        fn words_stand_where_they_say(text in "[a-zA-ZéÜ語京タ한_ /.\\-]{0,40}") {
            for word in cut(&text) {
                let there = &text[word.at.clone()];
                prop_assert!(!there.is_empty() && there.chars().next().is_some_and(is_word));
                prop_assert!(!word.word.contains(' '));
                if word.kind == WordKind::Word {
                    prop_assert_eq!(fold(there), word.word);
                }
            }
        }

        #[test]
        fn a_word_of_a_line_is_found_in_it_again(text in "[a-zA-Z語京_ ]{0,40}") {
            let line = line(&text);
            for word in cut(&text) {
                prop_assert!(line.split(' ').any(|kept| kept == word.word));
            }
        }
    }
}
