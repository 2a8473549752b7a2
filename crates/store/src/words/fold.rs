//! One form for words that people take for the same: case, accents, widths, endings.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::{
    UnicodeNormalization,
    char::{decompose_canonical, is_combining_mark},
};

use super::cut::is_spaceless;

/// The longest word that is kept, in characters. What is longer is no word of people.
const MAX_CHARS: usize = 64;

/// A word in small letters without accents; `ß` is `ss`.
pub fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    let letters = word.nfkc().flat_map(char::to_lowercase).take(MAX_CHARS);
    for letter in letters {
        push_plain(&mut folded, letter);
    }
    // What a sign such as ⑴ stands for may hold brackets, dots and spaces.
    folded.retain(char::is_alphanumeric);
    folded
}

fn push_plain(folded: &mut String, letter: char) {
    match letter {
        'ß' => folded.push_str("ss"),
        // Marks of a script without spaces are letters, not accents.
        _ if letter.is_ascii() || is_spaceless(letter) => folded.push(letter),
        _ => decompose_canonical(letter, |part| {
            if !is_combining_mark(part) {
                folded.push(part);
            }
        }),
    }
}

/// The word as it is typed where there are no keys for its letters: `ue` for `ü`. None for most.
pub fn spelled_out(word: &str) -> Option<String> {
    let composed: String = word.nfkc().flat_map(char::to_lowercase).take(MAX_CHARS).collect();
    if !composed.contains(['ä', 'ö', 'ü']) {
        return None;
    }
    let mut spelled = String::with_capacity(composed.len() + 2);
    for letter in composed.chars() {
        match letter {
            'ä' => spelled.push_str("ae"),
            'ö' => spelled.push_str("oe"),
            'ü' => spelled.push_str("ue"),
            other => push_plain(&mut spelled, other),
        }
    }
    spelled.retain(char::is_alphanumeric);
    Some(spelled)
}

/// What is left of a folded word without its ending, as English has it.
pub fn english_stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// The same as German has it.
pub fn german_stem(word: &str) -> String {
    Stemmer::create(Algorithm::German).stem(word).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_people_take_for_the_same_are_the_same() {
        assert_eq!(fold("Málaga"), "malaga");
        assert_eq!(fold("STRASSE"), fold("Straße"));
        assert_eq!(fold("ＡＢＣ"), "abc");
        assert_eq!(fold("ガード"), "ガード", "marks of kana are letters");
        assert_eq!(fold("ｶﾞｰﾄﾞ"), "ガード");
        assert_eq!((fold("⑴deploy"), fold("⒈Install")), ("1deploy".into(), "1install".into()));
        assert_eq!(spelled_out("Zeitüberschreitung").as_deref(), Some("zeitueberschreitung"));
        assert_eq!(spelled_out("plain"), None);
        assert_eq!(english_stem("configurations"), english_stem("configuration"));
        assert_eq!(german_stem("verbindungen"), german_stem("verbindung"));
    }
}
