//! Keys, and keeping them from every text that leaves (PRV-3, SEC-4).

use std::fmt;

use zeroize::Zeroizing;

use crate::{Delta, Finish, ProviderFailure};

/// A shorter key is a placeholder such as `none`, and would be found in innocent words.
const SCRUBBED_IN_FAILURES: usize = 6;
/// Answers are people's texts, and `sk-no-key-required` may stand in one of them. Real
/// keys are longer.
const SCRUBBED_IN_ANSWERS: usize = 20;
/// What stands where a key stood.
const MARK: &str = "[key]";

/// A provider's key. It cannot be printed, compared or serialised, and its memory is
/// wiped when it is dropped.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a key; blanks around it, as files and environments have them, are not part
    /// of it.
    pub fn new(key: impl Into<String>) -> Self {
        let key = Zeroizing::new(key.into());
        Self(Zeroizing::new(key.trim().to_owned()))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key itself, for the one place that writes it into a request.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Takes the key out of a text.
    fn scrub(&self, text: &mut String, shortest: usize) {
        if self.0.len() >= shortest && text.contains(self.0.as_str()) {
            *text = text.replace(self.0.as_str(), MARK);
        }
    }

    /// Takes the key out of a failure: servers echo what they were sent.
    pub(crate) fn scrub_failure(&self, failure: &mut ProviderFailure) {
        let headers = failure.headers.iter_mut().map(|(_, value)| value);
        let parts = [&mut failure.body].into_iter().chain(&mut failure.code);
        let mut chain = failure.chain.take().map(String::from);
        let parts = parts.chain(&mut failure.transport).chain(&mut chain);
        for text in parts.chain(headers) {
            self.scrub(text, SCRUBBED_IN_FAILURES);
        }
        failure.chain = chain.map(Into::into);
    }

    /// Takes the key out of a piece of an answer.
    pub(crate) fn scrub_delta(&self, delta: &mut Delta) {
        match delta {
            Delta::Text(text) | Delta::Reasoning(text) => self.scrub(text, SCRUBBED_IN_ANSWERS),
            Delta::Finished(Finish::Other(word)) => self.scrub(word, SCRUBBED_IN_FAILURES),
            Delta::ToolCall(call) => self.scrub(&mut call.arguments, SCRUBBED_IN_ANSWERS),
            Delta::Loading | Delta::Usage(_) | Delta::Finished(_) => {}
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANARY: &str = "sk-canary-0123456789abcdef";

    #[test]
    fn sec_4_a_secret_does_not_show_its_value() {
        let secret = Secret::new(format!(" {CANARY}\n"));
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "Secret Some(Secret)");
        assert_eq!(secret.expose(), CANARY);
        assert!(Secret::new(" \n").is_empty());
    }

    #[test]
    fn sec_4_an_echoed_key_is_taken_out_of_every_part_of_a_failure() {
        let mut failure = ProviderFailure {
            status: Some(401),
            code: Some(format!("bad {CANARY}")),
            headers: vec![("x-echo".into(), CANARY.into())],
            body: format!("Incorrect API key: {CANARY}, {CANARY}."),
            transport: Some(CANARY.into()),
            chain: Some(CANARY.into()),
        };
        Secret::new(CANARY).scrub_failure(&mut failure);
        assert!(!format!("{failure:?}").contains("canary"), "{failure:?}");
        assert_eq!(failure.body, "Incorrect API key: [key], [key].");
    }

    #[test]
    fn placeholders_leave_texts_alone() {
        for (key, text, expected) in [
            ("none", "there is none", "there is none"),
            ("ollama", "ask ollama", "ask ollama"),
            ("sk-no-key-required", "use sk-no-key-required", "use sk-no-key-required"),
            (CANARY, "it is sk-canary-0123456789abcdef.", "it is [key]."),
        ] {
            let mut delta = Delta::Text(text.into());
            Secret::new(key).scrub_delta(&mut delta);
            assert_eq!(delta, Delta::Text(expected.into()));
        }
        let mut failure = ProviderFailure { body: "none".into(), ..Default::default() };
        Secret::new("").scrub_failure(&mut failure);
        Secret::new("none").scrub_failure(&mut failure);
        assert_eq!(failure.body, "none");
    }
}
