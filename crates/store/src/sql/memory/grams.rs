//! Texts without spaces between words. A tokenizer takes a whole run of Chinese, Japanese,
//! Korean or Thai for one word, in which nothing is found; so each run is also kept as the
//! pairs of its neighbouring characters, and looked for as such a row of pairs.

/// A stretch of a word in one kind of script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stretch<'t> {
    /// Letters of a script that puts spaces between words.
    Word(&'t str),
    /// Characters of one that does not.
    Run(&'t str),
}

/// What an index must hold of a text besides its words; none for most.
pub fn grams(text: &str) -> Option<String> {
    let mut grams = String::new();
    for word in words(text).filter(|word| word.contains(is_spaceless)) {
        for stretch in stretches(word) {
            match stretch {
                Stretch::Word(word) => push(&mut grams, word),
                // The last character begins a word of its own, so that each of them does.
                Stretch::Run(run) => {
                    pairs(run).for_each(|pair| push(&mut grams, pair));
                    push(&mut grams, last_char(run));
                }
            }
        }
    }
    (!grams.is_empty()).then_some(grams)
}

fn push(grams: &mut String, word: &str) {
    if !grams.is_empty() {
        grams.push(' ');
    }
    grams.push_str(word);
}

/// The words of a text, as a tokenizer sees them.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// Combining marks stay with their letters; the tokenizer takes them away.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

/// A word, where the kind of script changes.
pub fn stretches(word: &str) -> Vec<Stretch<'_>> {
    let mut stretches = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let spaceless = is_spaceless(first);
        let end = rest.find(|c| is_spaceless(c) != spaceless).unwrap_or(rest.len());
        let (stretch, after) = rest.split_at(end);
        stretches.push(if spaceless { Stretch::Run(stretch) } else { Stretch::Word(stretch) });
        rest = after;
    }
    stretches
}

/// Each character with the one after it.
pub fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let ends = run.char_indices().skip(1).map(|(at, c)| at + c.len_utf8());
    run.char_indices().zip(ends).map(|((start, _), end)| &run[start..end])
}

fn last_char(run: &str) -> &str {
    run.char_indices().next_back().map_or("", |(at, _)| &run[at..])
}

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_texts_without_spaces_have_grams() {
        assert_eq!(grams("plain words, nothing else 42"), None);
        assert_eq!(grams("東京都").as_deref(), Some("東京 京都 都"));
        assert_eq!(grams("a 東京tower b").as_deref(), Some("東京 京 tower"));
        assert_eq!(grams("語").as_deref(), Some("語"));
    }

    proptest! {
        #[test]
        fn stretches_are_the_word(word in "[a-zé語京タ한]{0,12}") {
            let joined: String = stretches(&word)
                .iter()
                .map(|stretch| match stretch { Stretch::Word(text) | Stretch::Run(text) => *text })
                .collect();
            prop_assert_eq!(joined, word);
        }

        #[test]
        fn every_character_of_a_run_begins_a_gram(text in "[語京都タ]{1,12}") {
            let grams = grams(&text).unwrap();
            let begins: String = grams.split(' ').map(|gram| gram.chars().next().unwrap()).collect();
            prop_assert_eq!(begins, text);
        }
    }
}
