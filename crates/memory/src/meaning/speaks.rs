//! Whether a question is one for a model that knows English alone.
//!
//! It is asked by meaning unless it is evidently in another language: then the model would
//! give it to whatever notes look as foreign, and the words of the question find better.

/// Common words of languages in Latin script that are no English words.
const FOREIGN: &[&str] = &[
    // German
    "aber", "auch", "auf", "aus", "bei", "beim", "bin", "das", "dass", "dem", "den", "der", "des",
    "die", "durch", "ein", "eine", "einem", "einen", "einer", "für", "gibt", "haben", "hat", "ich",
    "ist", "kann", "keine", "mit", "nach", "nicht", "oder", "sich", "sind", "und", "von", "warum",
    "wenn", "werden", "wie", "wir", "wird", "wo", "wurde", "zu", "zum", "zur", "über",
    // French
    "avec", "ce", "cette", "comment", "dans", "du", "est", "et", "il", "je", "la", "le", "les",
    "mais", "nous", "où", "par", "pas", "pour", "pourquoi", "que", "quel", "quelle", "qui", "sont",
    "sur", "une", "vous", // Spanish, Portuguese
    "cómo", "como", "con", "cuál", "de", "del", "dónde", "el", "em", "es", "esta", "está", "las",
    "los", "mas", "muito", "más", "não", "nos", "os", "para", "pero", "por", "porque", "puede",
    "qué", "se", "si", "sin", "são", "su", "um", "uma", "una", "uno", "y", // Italian
    "che", "chi", "come", "cosa", "di", "dove", "gli", "perché", "più", "quando", "sono", "è",
    // Dutch
    "dat", "deze", "een", "en", "het", "hoe", "niet", "ook", "van", "voor", "waar", "waarom", "wat",
    "worden", "zijn", // Polish, Czech, Swedish, Turkish
    "jak", "jest", "nie", "och", "dla", "się", "proč", "och", "för", "hur", "är", "att", "ve",
    "için", "bir", "nasıl",
];

/// How long words of those languages end, and none of English.
const FOREIGN_ENDS: &[&str] = &[
    "ung", "ungen", "keit", "heit", "schaft", "lich", "isch", "ieren", "iert", // German
    "miento", "zione", "zioni", "heid", "lijk", // Spanish, Italian, Dutch
];

/// Words of so many letters are looked at by their ends; shorter ones such as "young" are not.
const LONG: usize = 7;

/// Common words of English. Where a language shares one, as `in` and `was`, it is not here.
const ENGLISH: &[&str] = &[
    "a", "about", "after", "and", "are", "be", "because", "been", "before", "by", "can", "could",
    "did", "do", "does", "for", "from", "get", "had", "has", "have", "how", "i", "if", "into",
    "is", "it", "its", "my", "not", "of", "on", "only", "or", "our", "out", "should", "some",
    "that", "the", "their", "then", "there", "they", "this", "to", "too", "we", "were", "what",
    "when", "where", "which", "while", "who", "why", "with", "without", "would", "you", "your",
];

/// Whether a question should be asked by meaning. One of names and code alone should: there is
/// nothing against it.
pub fn speaks(text: &str) -> bool {
    let (mut latin, mut other, mut accented) = (0usize, 0usize, 0usize);
    for letter in text.chars().filter(|letter| letter.is_alphabetic()) {
        match letter {
            _ if letter.is_ascii() => latin += 1,
            // Latin letters with accents and umlauts.
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => accented += 1,
            // A character of Chinese or Japanese says as much as three letters.
            '\u{2e80}'.. => other += 3,
            _ => other += 1,
        }
    }
    if latin == 0 || other * 4 > latin {
        return false;
    }
    let lower = text.to_lowercase();
    let words = || {
        let words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        // What has digits or underscores is a name, in whatever language it is asked about.
        words.filter(|word| !word.is_empty() && word.chars().all(char::is_alphabetic))
    };
    let count = |list: &[&str]| words().filter(|word| list.contains(word)).count();
    let ends =
        |word: &&str| word.len() >= LONG && FOREIGN_ENDS.iter().any(|end| word.ends_with(end));
    let (foreign, english) = (count(FOREIGN) + words().filter(ends).count(), count(ENGLISH));
    // A word such as "café" is English enough; a third of all words with accents is not.
    let with_accents = words().filter(|word| !word.is_ascii()).count();
    let mostly_accented = accented > 0 && english == 0 && with_accents * 3 >= words().count();
    foreign <= english && !mostly_accented
}

/// Whether a question has words of an English sentence. One of keywords and names alone may be in
/// any language, and is found by its words first.
pub(super) fn is_english_sentence(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| ENGLISH.contains(&word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mem_10_english_and_names_are_asked_by_meaning() {
        for text in [
            "why did some shoppers pay double for one purchase",
            "retry limit",
            "OAuth2PasswordBearer tokenUrl",
            "where is parse_max_tokens",
            "the naïve café example",
            "deploy to São Paulo region",
            "ports",
            "how do we translate 東京 in addresses",
            "how to get the die size of the chip",
            "La Liga feed import is slow, why?",
            "young users among the sprung leaks",
        ] {
            assert!(speaks(text), "{text}");
        }
    }

    #[test]
    fn mem_10_other_languages_are_asked_by_their_words() {
        for text in [
            "",
            "1234 --- ?",
            "压缩响应",
            "トークンの更新はどこ",
            "как сбросить пароль",
            "πού είναι το όριο",
            "세션 만료",
            "warum werden Kunden abgemeldet",
            "wo steht die Grenze für Wiederholungen",
            "Rückerstattung über PayPal",
            "Größe prüfen",
            "pourquoi les clients sont déconnectés",
            "dónde está el límite de reintentos",
            "perché la sessione scade",
            "waarom werkt het niet",
            "Sitzung in Redis",
            "RoleConflict beim Speichern",
            "CloudFront 画像",
            "Geschwindigkeit Datenbank",
        ] {
            assert!(!speaks(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in any::<String>()) {
            let _ = speaks(&text);
        }
    }
}
