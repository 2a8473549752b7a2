//! The error of a failed send, in words for people (FAU-6, FAU-7).

use plimsoll_domain::{PairError, PairId};
use plimsoll_fault::{self as fault, Held};
use plimsoll_send::{AttemptRecord, MAX_TOOL_ROUNDS, SendError};

use crate::{Prepared, driver::opening};

fn pair_error(error: &SendError, held: Held<'_>) -> PairError {
    let message = match error {
        SendError::PromptTooLarge => "the message is larger than the model's window".to_owned(),
        SendError::EmptyAnswer => {
            "the answer ended without any text; the server may have run out of room".to_owned()
        }
        SendError::OutOfRounds => format!(
            "the model used tools in {MAX_TOOL_ROUNDS} rounds, which is the most, and did not \
             answer; ask again more narrowly, or for an answer from what it has read"
        ),
        SendError::OverflowAfterTrimming(fault) | SendError::Provider(fault) => {
            in_words(fault, held)
        }
    };
    PairError { code: error.code().to_owned(), message }
}

/// FAU-7: a token limit is explained; every other error speaks for itself, with the time
/// that the provider asks for, if it does (FAU-6).
fn in_words(fault: &fault::Fault, held: Held<'_>) -> String {
    match (fault::explain(fault, held), fault::asks_to_wait(fault)) {
        (Some(text), _) => text,
        (None, Some(wait)) => format!("{}\n{wait}", fault.message),
        (None, None) => fault.message.clone(),
    }
}

/// More pins than these are counted and not named.
const NAMED_PINS: usize = 3;

impl Prepared {
    /// The error that is stored with the pair.
    pub(crate) fn error(&self, error: &SendError, last: Option<&AttemptRecord>) -> PairError {
        let mut told = pair_error(error, self.held(last));
        if let (SendError::OverflowAfterTrimming(_), Some(last)) = (error, last) {
            told.message.push_str(&self.pins_left(last));
        }
        told
    }

    /// OVF-3, BND-8: what is added where nothing but pins was left to send.
    fn pins_left(&self, last: &AttemptRecord) -> String {
        let pins: Vec<PairId> = last.selection.iter().map(|pair| pair.id).collect();
        if pins.is_empty() || last.selection.iter().any(|pair| !pair.pinned) {
            return String::new();
        }
        let pairs = self.included.iter().filter(|stored| pins.contains(&stored.pair.id));
        let named = pairs.take(NAMED_PINS).map(|stored| opening(&stored.pair.user_text));
        let named: Vec<String> = named.map(|words| format!("\u{201c}{words}\u{201d}")).collect();
        let more = match pins.len().saturating_sub(NAMED_PINS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("\nOnly pinned messages were left to send: {}{more}. Unpin one.", named.join(", "))
    }

    /// What the last call of a send held that could be smaller.
    fn held(&self, last: Option<&AttemptRecord>) -> Held<'_> {
        let files = self.plan.attached.iter();
        let largest = files.filter(|one| one.file.is_ok()).max_by_key(|one| one.tokens);
        let file = largest.and_then(|one| one.file.as_ref().ok()).map(|file| file.name.as_str());
        Held { file, pairs: last.map_or(0, |last| last.selection.len()) }
    }
}
