//! `mem_suggest_topic_key`: a key that the same subject gets each time.

use crate::{
    Memory, MemoryError, Reply, SuggestTopicKey,
    checks::{self, MAX_CONTENT_BYTES},
};

/// Words that say nothing about the subject.
const EMPTY_WORDS: [&str; 26] = [
    "a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "into", "is", "it", "its",
    "of", "on", "or", "our", "that", "the", "this", "to", "was", "we", "when", "with",
];
/// Words of a key at most.
const MOST_WORDS: usize = 6;
/// Bytes of a key's last part at most.
const MOST_BYTES: usize = 60;

impl Memory {
    /// A topic key for a note to be.
    pub async fn suggest_topic_key(&self, ask: SuggestTopicKey) -> Result<Reply, MemoryError> {
        // It tells without changing anything, so it needs what every read needs.
        self.ledger().allow(None)?;
        let title = checks::title(&ask.title)?;
        let content = ask.content.unwrap_or_default();
        if content.len() > MAX_CONTENT_BYTES {
            return Err(MemoryError::TooLong {
                what: "content",
                bytes: content.len(),
                limit: MAX_CONTENT_BYTES,
            });
        }
        let kind = checks::opt_name("type", ask.kind.as_deref())?;
        let key = topic_key(kind.as_deref(), &title, &crate::redact(&content));
        let text = format!("{key}\nGive it to mem_save as topic_key to update one note in place.");
        Ok(self.said("mem_suggest_topic_key", text, Vec::new()))
    }
}

/// `type/words-of-the-title`.
fn topic_key(kind: Option<&str>, title: &str, content: &str) -> String {
    let family = kind.map(slug).filter(|family| !family.is_empty());
    let subject = [title, content].into_iter().map(slug).find(|slug| !slug.is_empty());
    format!(
        "{}/{}",
        family.unwrap_or_else(|| "topic".to_owned()),
        subject.unwrap_or_else(|| "untitled".to_owned())
    )
}

fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut telling: Vec<&str> =
        words().filter(|word| !EMPTY_WORDS.contains(word)).take(MOST_WORDS).collect();
    if telling.is_empty() {
        telling = words().take(MOST_WORDS).collect();
    }
    let mut slug = String::new();
    for word in telling {
        let dash = usize::from(!slug.is_empty());
        let room = MOST_BYTES.saturating_sub(slug.len() + dash);
        if word.len() > room && dash == 1 {
            break;
        }
        if dash == 1 {
            slug.push('-');
        }
        slug.push_str(&word[..word.floor_char_boundary(room.min(word.len()))]);
    }
    slug
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_subject_gets_the_same_key() {
        let cases = [
            ((Some("decision"), "Use JWT for the API", ""), "decision/use-jwt-api"),
            ((None, "Use  JWT, for the api!", ""), "topic/use-jwt-api"),
            ((Some("Bug Fix"), "…", "Crash when saving"), "bug-fix/crash-saving"),
            ((None, "東京 server", ""), "topic/東京-server"),
            ((None, "the", ""), "topic/the"),
            ((None, "!!!", ""), "topic/untitled"),
        ];
        for ((kind, title, content), key) in cases {
            assert_eq!(topic_key(kind, title, content), key);
        }
    }

    proptest! {
        #[test]
        fn a_key_is_short_and_plain(title in ".{0,200}", content in ".{0,80}") {
            let key = topic_key(None, &title, &content);
            prop_assert!(key.len() <= "topic/".len() + MOST_BYTES && key.len() > "topic/".len());
            prop_assert!(!key.contains(char::is_whitespace));
        }
    }
}
