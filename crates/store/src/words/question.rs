//! What people type, as words that are looked for. Nothing in it is an operator.

use super::{
    cut::{CutWord, WordKind, cut},
    stop::is_stop_word,
};

/// More words than this are not looked for.
const MAX_WORDS: usize = 32;
/// Nor are more phrases.
const MAX_PHRASES: usize = 8;
/// Nor is what stands behind so many bytes of a question.
const MAX_QUESTION_BYTES: usize = 4096;

/// One word that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedWord {
    /// In its folded form.
    pub word: String,
    pub kind: AskedKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedKind {
    /// A word.
    Word,
    /// The last word, which may be the beginning of one.
    Open,
    /// One that says little; it is looked for only where there is no other.
    Stop,
    /// Two characters of a script without spaces.
    Pair,
    /// One character of it.
    Char,
    /// The parts of an identifier in one; good to have, but nobody has to have it.
    Joined,
}

/// A question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    pub words: Vec<AskedWord>,
    /// Words that were quoted, and so have to stand together.
    pub phrases: Vec<Vec<String>>,
}

impl Question {
    /// Reads a question; without a word it is empty.
    pub fn parse(text: &str) -> Self {
        let text = beginning(text);
        let mut question = Self::default();
        let mut open = None;
        for (place, part) in text.split('"').enumerate() {
            let words = cut(part);
            if words.is_empty() {
                continue;
            }
            let quoted = place % 2 == 1;
            if quoted && question.phrases.len() < MAX_PHRASES {
                let mut phrase: Vec<String> = words.iter().map(|word| word.word.clone()).collect();
                // The last character of a row begins no pair here, but may do so in a text.
                let ends_a_row = words.last().is_some_and(|word| word.kind == WordKind::LastChar);
                if ends_a_row && phrase.len() > 1 {
                    phrase.pop();
                }
                if !question.phrases.contains(&phrase) {
                    question.phrases.push(phrase);
                }
            }
            for word in &words {
                question.add(word);
            }
            let ends_in_word = words.last().is_some_and(|word| word.kind != WordKind::LastChar);
            open = (!quoted && ends_in_word).then(|| question.last_word()).flatten();
        }
        question.words.truncate(MAX_WORDS);
        let says_nothing = question.words.iter().all(|word| word.kind == AskedKind::Stop);
        if says_nothing {
            question.words.iter_mut().for_each(|word| word.kind = AskedKind::Word);
        }
        if let Some(word) = open.and_then(|place| question.words.get_mut(place))
            && word.kind == AskedKind::Word
            && word.word.chars().nth(1).is_some()
        {
            word.kind = AskedKind::Open;
        }
        question
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn last_word(&self) -> Option<usize> {
        let mut places = (0..self.words.len()).rev();
        places.find(|place| matches!(self.words[*place].kind, AskedKind::Word | AskedKind::Stop))
    }

    fn add(&mut self, word: &CutWord) {
        let after_pair = self.words.last().is_some_and(|last| last.kind == AskedKind::Pair);
        let kind = match word.kind {
            WordKind::Spelling => return,
            // The last character is in the pair before it.
            WordKind::LastChar if after_pair => return,
            WordKind::LastChar => AskedKind::Char,
            WordKind::Pair => AskedKind::Pair,
            WordKind::Joined => AskedKind::Joined,
            WordKind::Word if is_stop_word(&word.word) => AskedKind::Stop,
            WordKind::Word => AskedKind::Word,
        };
        if !self.words.iter().any(|known| known.word == word.word) {
            self.words.push(AskedWord { word: word.word.clone(), kind });
        }
    }
}

/// Its beginning, up to the end of a word if it is too long.
fn beginning(text: &str) -> &str {
    if text.len() <= MAX_QUESTION_BYTES {
        return text;
    }
    let end = text.floor_char_boundary(MAX_QUESTION_BYTES);
    let whole = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    &text[..whole]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let question = Question::parse(text);
        let words: Vec<String> = question
            .words
            .iter()
            .map(|word| match word.kind {
                AskedKind::Open => format!("{}*", word.word),
                AskedKind::Stop => format!("({})", word.word),
                AskedKind::Joined => format!("[{}]", word.word),
                _ => word.word.clone(),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn nothing_that_is_typed_is_an_operator() {
        let cases = [
            ("ship", "ship*"),
            ("the ship", "(the) ship*"),
            ("\"the ship\"", "(the) ship"),
            ("the", "the*"),
            ("a AND NOT b*", "(a) (and) (not) b"),
            ("user_text:x ^y {zz}", "user text [usertext] x y zz*"),
            ("压缩响应", "压缩 缩响 响应"),
            ("港", "港"),
            ("", ""),
            ("  \"\" -- * ( ", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(told(text), expected, "{text}");
        }
        assert_eq!(Question::parse("x \"refresh tokens\"").phrases, [["refresh", "tokens"]]);
    }

    #[test]
    fn a_question_of_any_length_is_bounded() {
        let long = "word ".repeat(9_000) + &"語".repeat(9_000);
        assert!(Question::parse(&long).words.len() <= MAX_WORDS);
    }
}
