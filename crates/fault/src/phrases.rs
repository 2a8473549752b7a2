//! The tables of `phrases.txt`, and how they are matched.

/// Makes a constant of each table.
macro_rules! tables {
    ($($name:ident)*) => {
        $(pub(crate) const $name: &str = table(concat!("\n[", stringify!($name), "]\n"));)*
    };
}

tables! {
    FILTER_CODES FILTER QUOTA_CODES QUOTA OWN_LIMIT QUOTA_OR_RATE METRICS RATE_CODES RATE WAIT
    AUTH_CODES AUTH MODEL_CODES MODEL MODEL_NAMES MISSING WITHHELD NETWORK BUSY SERVER_CODES
    SERVER ODD_SIZE_CODES ODD_SIZES INVALID_CODES INVALID OVERFLOW_CODES OVERFLOW OVERFLOW_ADVICE
    OVERFLOW_LIKELY WINDOWS OTHER_MEASURES SUBJECTS EXCESSES OUTPUT_AMOUNTS INPUTS ABOVE
    OUTPUT_PARAMETERS TEXT_UNITS OTHER_UNITS LIMIT LIMIT_VAGUE TOTAL_VAGUE REQUESTED
    REQUESTED_VAGUE OUTPUT_VAGUE NEITHER NAMES LIMIT_PARTS REQUESTED_PARTS EXCESS_PARTS
    OUTPUT_SHARES INPUT_SHARES EMPTY_PHRASES ADVICE WAIT_LEADS STATUS_NAMES STATUS_REASONS
    MESSAGE_KEYS CODE_KEYS ECHO_KEYS LIMIT_KEYS REQUESTED_KEYS
}

/// What stands under a heading, up to the next empty line. As this runs when the program is
/// built, a table that is not in the file is a mistake that does not compile.
const fn table(heading: &str) -> &'static str {
    const FILE: &str = concat!(include_str!("phrases.txt"), "\n\n");
    let start = find(FILE, heading, 0) + heading.len();
    FILE.split_at(find(FILE, "\n\n", start)).0.split_at(start).1
}

const fn find(text: &str, part: &str, mut at: usize) -> usize {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let mut same = 0;
    while same < part.len() {
        if text[at + same] == part[same] {
            same += 1;
        } else {
            at += 1;
            same = 0;
        }
    }
    at
}

/// The entries of a table.
pub(crate) fn entries(table: &str) -> impl Iterator<Item = &str> {
    table.split(';').map(str::trim)
}

/// Whether a word is an entry of a table, exactly.
pub(crate) fn lists(table: &str, word: &str) -> bool {
    entries(table).any(|entry| entry.trim_end_matches('$') == word)
}

/// The first phrase of a table that occurs in a text.
pub(crate) fn find_any(text: &str, table: &'static str) -> Option<&'static str> {
    entries(table).find(|phrase| occurs(text, phrase)).map(|phrase| phrase.trim_end_matches('$'))
}

/// Whether a phrase of a table occurs in a text.
pub(crate) fn contains_any(text: &str, table: &str) -> bool {
    entries(table).any(|phrase| occurs(text, phrase))
}

fn occurs(text: &str, phrase: &str) -> bool {
    let needle = phrase.trim_end_matches('$');
    let whole = needle.len() < phrase.len();
    let bytes = text.as_bytes();
    text.match_indices(needle).any(|(at, _)| {
        let after = bytes.get(at + needle.len());
        !(at > 0 && bytes[at - 1].is_ascii_alphanumeric()
            || whole && after.is_some_and(u8::is_ascii_alphanumeric))
    })
}
