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
    let sure = find_any(&evidence.flat, OVERFLOW);
    let advice = || find_any(&evidence.flat, OVERFLOW_ADVICE).filter(|_| !took_too_long(evidence));
    let sure = sure.or_else(advice);
    if sure.is_some() || evidence.status == Some(429) {
        return sure;
    }
    // FAU-5: some servers say the code and nothing else, where others put a sentence. A field
    // of that name that nobody knows is another matter.
    let about_field =
        "unknown; unrecognized; unexpected; not permitted; parameter; field; argument";
    if sentences(&evidence.hay)
        .any(|said| said.contains("context_length") && !contains_any(said, about_field))
    {
        return Some("context_length");
    }
    // A file or a tool may be what fills the window; where the window is named, it is
    // the window that was too small.
    if sentences(&evidence.flat)
        .any(|said| contains_any(said, WINDOWS) && contains_any(said, EXCESSES))
    {
        return Some("context window");
    }
    sentences(&evidence.flat).filter(|said| !contains_any(said, OTHER_MEASURES)).find_map(|said| {
        let phrase = find_any(said, OVERFLOW_LIKELY)?;
        // These name a window without saying that it was too small.
        let bare =
            matches!(phrase, "context length" | "context window" | "context size" | "token limit");
        let has_number = said.bytes().filter(u8::is_ascii_digit).count() >= 3;
        (!bare || contains_any(said, EXCESSES) || has_number).then_some(phrase)
    })
}

/// Whether one sentence speaks of the input and of too much. `current length is 42000 while
/// limit is 40000` needs no verb to be understood.
pub(crate) fn concept(evidence: &Evidence) -> bool {
    let states_excess = |said: &str| {
        let figures = numbers::read(said);
        figures.limit.is_some() && figures.requested > figures.limit
    };
    evidence.status != Some(429)
        && sentences(&evidence.flat).any(|said| {
            contains_any(said, SUBJECTS)
                && (contains_any(said, EXCESSES) || states_excess(said))
                && !contains_any(said, OTHER_MEASURES)
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

/// The sentences of a text. A dot inside a number or a name ends none.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split(". ")).filter(|sentence| !sentence.trim().is_empty())
}
