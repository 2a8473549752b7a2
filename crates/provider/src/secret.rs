//! Keys, and keeping them from every text that leaves (PRV-3, SEC-4).

use std::{collections::VecDeque, fmt};

use zeroize::Zeroizing;

use crate::{
    Delta, Finish, ProviderFailure,
    scrub::{self, Pieces},
};

/// A shorter key is a placeholder such as `none`, and would be found in innocent words.
const SCRUBBED_IN_FAILURES: usize = 6;
/// Answers are people's texts, in which short words stand for themselves. Real keys are longer.
const SCRUBBED_IN_ANSWERS: usize = 12;
/// What people set where a server wants no key; it may stand in an answer.
const PLACEHOLDERS: [&str; 2] = ["sk-no-key-required", "no-key-required"];

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

    /// Whether the key is looked for in what comes back.
    fn is_looked_for(&self, shortest: usize) -> bool {
        self.0.len() >= shortest && !PLACEHOLDERS.contains(&self.0.as_str())
    }

    /// Whether it is one that may stand in no answer.
    pub(crate) fn is_looked_for_in_answers(&self) -> bool {
        self.is_looked_for(SCRUBBED_IN_ANSWERS)
    }

    /// Takes the key out of a text.
    fn scrub(&self, text: &mut String, shortest: usize) {
        if self.is_looked_for(shortest)
            && let Some(safe) = scrub::whole(self, text)
        {
            *text = safe;
        }
    }

    /// Takes the key out of a failure: servers echo what they were sent.
    pub(crate) fn scrub_failure(&self, failure: &mut ProviderFailure) {
        let mut chain = failure.chain.take().map(String::from);
        let headers = failure.headers.iter_mut().flat_map(|(name, value)| [name, value]);
        let parts = [&mut failure.body].into_iter().chain(&mut failure.code);
        let parts = parts.chain(&mut failure.transport).chain(&mut chain);
        for text in parts.chain(headers) {
            self.scrub(text, SCRUBBED_IN_FAILURES);
        }
        failure.chain = chain.map(Into::into);
    }

    /// Takes the key out of a body before it is read: names and ids are in it too.
    pub(crate) fn scrub_body(&self, body: Vec<u8>) -> Vec<u8> {
        let safe = std::str::from_utf8(&body).ok().and_then(|text| {
            self.is_looked_for(SCRUBBED_IN_ANSWERS).then(|| scrub::whole(self, text))?
        });
        safe.map_or(body, String::into_bytes)
    }
}

/// The deltas of one answer on their way out, without the key.
#[derive(Debug, Default)]
pub(crate) struct Scrubbed {
    key: Option<Secret>,
    text: Pieces,
    reasoning: Pieces,
    ready: VecDeque<Delta>,
}

impl Scrubbed {
    pub(crate) fn of(key: Option<Secret>) -> Self {
        let key = key.filter(|key| key.is_looked_for(SCRUBBED_IN_ANSWERS));
        Self { key, ..Self::default() }
    }

    pub(crate) fn push(&mut self, mut delta: Delta) {
        let Some(key) = &self.key else { return self.ready.push_back(delta) };
        match &mut delta {
            Delta::Text(text) => *text = self.text.push(key, text),
            Delta::Reasoning(text) => *text = self.reasoning.push(key, text),
            Delta::ToolCall(call) => {
                let parts = [&mut call.id, &mut call.name, &mut call.arguments];
                for part in parts.into_iter().chain(&mut call.signature) {
                    key.scrub(part, SCRUBBED_IN_ANSWERS);
                }
            }
            Delta::Finished(finish) => {
                if let Finish::Other(word) = finish {
                    key.scrub(word, SCRUBBED_IN_FAILURES);
                }
                self.flush();
            }
            Delta::Loading | Delta::Usage(_) => {}
        }
        if !matches!(&delta, Delta::Text(text) | Delta::Reasoning(text) if text.is_empty()) {
            self.ready.push_back(delta);
        }
    }

    /// Nothing more comes: what was held back goes out.
    pub(crate) fn flush(&mut self) {
        let Some(key) = &self.key else { return };
        let (text, reasoning) = (self.text.flush(key), self.reasoning.flush(key));
        let rest = [Delta::Reasoning(reasoning), Delta::Text(text)];
        let rest = rest.into_iter().filter(
            |delta| !matches!(delta, Delta::Text(text) | Delta::Reasoning(text) if text.is_empty()),
        );
        self.ready.extend(rest);
    }

    /// The oldest delta that can go out.
    pub(crate) fn pop(&mut self) -> Option<Delta> {
        self.ready.pop_front()
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
            let mut answer = Scrubbed::of(Some(Secret::new(key)));
            answer.push(Delta::Text(text.into()));
            answer.flush();
            assert_eq!(answer.pop(), Some(Delta::Text(expected.into())));
            assert_eq!(answer.pop(), None);
        }
        let mut failure = ProviderFailure { body: "none".into(), ..Default::default() };
        Secret::new("").scrub_failure(&mut failure);
        Secret::new("none").scrub_failure(&mut failure);
        assert_eq!(failure.body, "none");
    }

    #[test]
    fn sec_9_a_key_in_pieces_in_a_name_and_in_an_id_does_not_leave() {
        let mut answer = Scrubbed::of(Some(Secret::new(CANARY)));
        let call = |part: &str| plimsoll_send::ToolCall {
            id: format!("id {part}"),
            name: format!("name {part}"),
            arguments: format!("{{\"a\": \"\\u0073{}\"}}", &part[1..]),
            signature: Some(part.to_owned()),
        };
        for delta in [
            Delta::Reasoning("It is sk-canary".into()),
            Delta::Text("Here: sk-canary-0123".into()),
            Delta::Reasoning("-0123456789abcdef, I think".into()),
            Delta::ToolCall(call(CANARY)),
            Delta::Text("456789abcdef".into()),
            Delta::Text(", and s".into()),
            Delta::Finished(Finish::Other(CANARY.into())),
        ] {
            answer.push(delta);
        }
        answer.flush();
        let out: Vec<Delta> = std::iter::from_fn(|| answer.pop()).collect();
        let expected = [
            Delta::Reasoning("It is ".into()),
            Delta::Text("Here: ".into()),
            Delta::Reasoning("[key], I think".into()),
            Delta::ToolCall(plimsoll_send::ToolCall {
                id: "id [key]".into(),
                name: "name [key]".into(),
                arguments: "{\"a\": \"[key]\"}".into(),
                signature: Some("[key]".into()),
            }),
            Delta::Text("[key]".into()),
            Delta::Text(", and ".into()),
            Delta::Text("s".into()),
            Delta::Finished(Finish::Other("[key]".into())),
        ];
        assert_eq!(out, expected);
    }

    #[test]
    fn sec_9_a_body_is_read_without_the_key() {
        let body = format!("{{\"data\": [{{\"id\": \"{CANARY}\"}}]}}").into_bytes();
        let safe = Secret::new(CANARY).scrub_body(body);
        assert_eq!(safe, b"{\"data\": [{\"id\": \"[key]\"}]}");
        assert_eq!(Secret::new(CANARY).scrub_body(vec![0xff, 1]), [0xff, 1]);
    }
}
