//! How an overflow of the window is known: by codes, by phrases, and by the concept
//! of something about the input near something about exceeding (FAU-2, FAU-5).

use crate::{
    evidence::Evidence,
    lex::{Token, lex},
    numbers,
    phrases::{
        EXCESSES, OTHER_MEASURES, OVERFLOW, OVERFLOW_ADVICE, OVERFLOW_LIKELY, SUBJECTS, TEXT_UNITS,
        WINDOWS, contains_any, find_any, lists,
    },
};

/// The phrase that means overflow.
pub(crate) fn phrase(evidence: &Evidence) -> Option<&'static str> {
    if let Some(phrase) = find_any(&evidence.flat, OVERFLOW) {
        return Some(phrase);
    }
    if let Some(advice) =
        find_any(&evidence.flat, OVERFLOW_ADVICE).filter(|_| !took_too_long(evidence))
    {
        return Some(advice);
    }
    if evidence.status == Some(429) {
        return None;
    }
    // FAU-5: some servers say the code and nothing else, where others put a sentence. A field
    // of that name that nobody knows is another matter.
    let about_field = |sentence: &str| {
        contains_any(
            sentence,
            "unknown; unrecognized; unexpected; not permitted; parameter; field; argument",
        )
    };
    let bare_code = |sentence: &&str| sentence.contains("context_length") && !about_field(sentence);
    if sentences(&evidence.hay).any(|sentence| bare_code(&sentence)) {
        return Some("context_length");
    }
    // A file or a tool may be what fills the window; where the window is named, it is
    // the window that was too small.
    let named =
        |sentence: &&str| contains_any(sentence, WINDOWS) && contains_any(sentence, EXCESSES);
    if sentences(&evidence.flat).any(|sentence| named(&sentence)) {
        return Some("context window");
    }
    sentences(&evidence.flat).filter(|s| !measures_other(s)).find_map(|sentence| {
        let phrase = find_any(sentence, OVERFLOW_LIKELY)?;
        // These name a window without saying that it was too small.
        let bare =
            matches!(phrase, "context length" | "context window" | "context size" | "token limit");
        (!bare || contains_any(sentence, EXCESSES) || has_number(sentence)).then_some(phrase)
    })
}

/// Whether one sentence speaks of the input and of too much.
pub(crate) fn concept(evidence: &Evidence) -> bool {
    if evidence.status == Some(429) {
        return false;
    }
    sentences(&evidence.flat).any(|sentence| {
        contains_any(sentence, SUBJECTS)
            && (contains_any(sentence, EXCESSES) || states_excess(sentence))
            && !measures_other(sentence)
    })
}

/// Whether the failure is one of time.
pub(crate) fn took_too_long(evidence: &Evidence) -> bool {
    let told = "timed out; time out; took too long; request timeout; read timeout; timeout error";
    evidence.status == Some(408) || contains_any(&evidence.flat, told)
}

/// Whether a text speaks of the model's window by name.
pub(crate) fn is_named(text: &str) -> bool {
    contains_any(text, WINDOWS) || contains_any(text, "maximum context; max context")
}

/// Whether a limit is stated in bytes or characters. Where tokens are counted too the
/// other unit is an aside, and a whole conversation can be made smaller in any unit.
pub(crate) fn counts_other_units(text: &str) -> bool {
    let bounds = "or less; or fewer; maximum; limit";
    let counts = |sentence: &str| {
        let tokens = lex(sentence);
        tokens.windows(2).any(
            |pair| matches!(pair, [Token::Number(_), Token::Word(unit)] if lists(TEXT_UNITS, unit)),
        )
    };
    !contains_any(text, "token; context; conversation; history")
        && sentences(text).any(|sentence| {
            (contains_any(sentence, EXCESSES) || contains_any(sentence, bounds)) && counts(sentence)
        })
}

/// Whether a sentence is about the size of something other than the window.
pub(crate) fn measures_other(sentence: &str) -> bool {
    contains_any(sentence, OTHER_MEASURES)
}

/// The sentences of a text. A dot inside a number or a name ends none.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split(". ")).filter(|sentence| !sentence.trim().is_empty())
}

/// `current length is 42000 while limit is 40000` needs no verb to be understood.
fn states_excess(sentence: &str) -> bool {
    let figures = numbers::read(sentence);
    matches!((figures.requested, figures.limit), (Some(requested), Some(limit)) if requested > limit)
}

fn has_number(sentence: &str) -> bool {
    sentence.bytes().filter(u8::is_ascii_digit).count() >= 3
}
