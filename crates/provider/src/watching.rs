//! Looking on while the bytes of an answer pass by: what it used, whether it ended, what it said it
//! failed with.

use plimsoll_domain::{Protocol, Usage};
use plimsoll_fault::ProviderFailure;

use crate::{
    Delta, Finish,
    http::MAX_WHOLE,
    sse::{SseItem, SseParser},
    wire::{self, Decode, Deltas, Read, Refused},
};

/// Watches one answer. It never changes what it sees, and what it cannot read it passes over.
pub struct AnswerWatch {
    decoder: Box<dyn Decode>,
    out: Deltas,
    shape: Shape,
    usage: Option<Usage>,
    finish: Option<Finish>,
    failure: Option<ProviderFailure>,
    /// Whether the very last event came.
    last: bool,
}

enum Shape {
    Unknown,
    Events(SseParser),
    Whole(Vec<u8>),
    /// Too large or too odd to be looked at.
    Unreadable,
}

impl AnswerWatch {
    pub fn new(protocol: Protocol) -> Self {
        let decoder: Box<dyn Decode> = match protocol {
            Protocol::Chat => Box::new(wire::openai::Decoder::default()),
            Protocol::Responses => Box::new(wire::responses::Decoder),
            Protocol::Messages => Box::new(wire::anthropic::Decoder::default()),
        };
        Self {
            decoder,
            out: Deltas::default(),
            shape: Shape::Unknown,
            usage: None,
            finish: None,
            failure: None,
            last: false,
        }
    }

    /// For answers of any kind, of which only the usage is looked for.
    pub fn of_usage() -> Self {
        Self { decoder: Box::new(wire::usage_only::Decoder), ..Self::new(Protocol::Chat) }
    }

    /// Sees bytes pass by.
    pub fn see(&mut self, bytes: &[u8]) {
        if matches!(self.shape, Shape::Unknown) {
            self.shape = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return,
                Some(b'{' | b'[') => Shape::Whole(Vec::new()),
                Some(_) => Shape::Events(SseParser::default()),
            };
        }
        match &mut self.shape {
            Shape::Whole(body) if body.len() + bytes.len() > MAX_WHOLE => {
                self.shape = Shape::Unreadable;
            }
            Shape::Whole(body) => body.extend_from_slice(bytes),
            Shape::Events(parser) => {
                parser.push(bytes);
                self.read();
            }
            Shape::Unknown | Shape::Unreadable => {}
        }
    }

    fn read(&mut self) {
        loop {
            let Shape::Events(parser) = &mut self.shape else { return };
            match parser.next() {
                Ok(Some(SseItem::Event(event))) => {
                    let read = wire::read_event(self.decoder.as_mut(), &event, &mut self.out);
                    self.judge(read, &event.data);
                }
                Ok(Some(_)) => {}
                Ok(None) => return,
                Err(_) => self.shape = Shape::Unreadable,
            }
        }
    }

    fn judge(&mut self, read: Result<Read, Refused>, data: &str) {
        match read {
            Ok(Read::Last) => self.last = true,
            Ok(Read::Part | Read::Unknown) | Err(Refused::Malformed) => {}
            Err(Refused::Told | Refused::Filtered) => {
                let failure = ProviderFailure { body: data.to_owned(), ..Default::default() };
                self.failure.get_or_insert(failure);
            }
        }
        while let Some(delta) = self.out.pop() {
            match delta {
                Delta::Usage(usage) => self.usage = Some(usage),
                Delta::Finished(finish) => self.finish = Some(finish),
                _ => {}
            }
        }
    }

    /// Nothing more comes.
    pub fn end(&mut self) {
        match std::mem::replace(&mut self.shape, Shape::Unreadable) {
            Shape::Whole(body) => {
                let text = String::from_utf8_lossy(&body);
                let read = wire::read_whole(self.decoder.as_mut(), &text, &mut self.out);
                self.judge(read.map(|()| Read::Last), &text);
            }
            Shape::Events(mut parser) => {
                while let Ok(Some(item)) = parser.finish() {
                    if let SseItem::Event(event) = item {
                        let read = wire::read_event(self.decoder.as_mut(), &event, &mut self.out);
                        self.judge(read, &event.data);
                    }
                }
            }
            Shape::Unknown | Shape::Unreadable => {}
        }
    }

    /// What the provider says it used; so far, while the answer goes on.
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Whether the answer came to an end that its protocol knows.
    pub fn is_complete(&self) -> bool {
        self.last || self.finish.is_some()
    }

    /// Whether it was cut by its length.
    pub fn is_cut(&self) -> bool {
        self.finish == Some(Finish::Length)
    }

    /// What the provider said in the answer that it failed with.
    pub fn failure(&self) -> Option<&ProviderFailure> {
        self.failure.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(protocol: Protocol, text: &str) -> AnswerWatch {
        let mut watch = AnswerWatch::new(protocol);
        text.as_bytes().chunks(7).for_each(|piece| watch.see(piece));
        watch.end();
        watch
    }

    const CHAT: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
    const MESSAGES: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":2,\"output_tokens\":0}}}\n\n\
        event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n\
        event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    const RESPONSES: &str = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\n\
        event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"usage\":{\"input_tokens\":5,\"output_tokens\":2}}}\n\n";

    #[test]
    fn gwy_9_the_usage_of_each_protocol_is_seen_as_it_passes_by() {
        for (protocol, text) in [
            (Protocol::Chat, CHAT),
            (Protocol::Messages, MESSAGES),
            (Protocol::Responses, RESPONSES),
        ] {
            let watch = seen(protocol, text);
            let usage = watch.usage().unwrap();
            assert_eq!((usage.prompt, usage.completion), (5, 2), "{protocol:?}");
            assert!(watch.is_complete() && watch.failure().is_none(), "{protocol:?}");
            // Half of it has no end.
            assert!(!seen(protocol, &text[..60]).is_complete(), "{protocol:?}");
        }
    }

    #[test]
    fn gwy_9_whole_answers_are_seen_too() {
        let whole = r#"{"object":"response","status":"completed","output":[],"usage":{"input_tokens":5,"output_tokens":2,"input_tokens_details":{"cached_tokens":4}}}"#;
        let watch = seen(Protocol::Responses, whole);
        assert_eq!(watch.usage().map(|usage| (usage.prompt, usage.cached)), Some((5, 4)));
        assert!(watch.is_complete());
        let chat = r#"{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#;
        let watch = seen(Protocol::Chat, chat);
        assert!(watch.is_cut() && watch.usage().is_some());
    }

    #[test]
    fn gwy_5_a_failure_in_the_stream_is_seen() {
        for (protocol, text) in [
            (Protocol::Chat, "data: {\"error\":{\"message\":\"no\"}}\n\n"),
            (
                Protocol::Messages,
                "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"no\"}}\n\n",
            ),
            (
                Protocol::Responses,
                "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"no\"}}}\n\n",
            ),
        ] {
            let watch = seen(protocol, text);
            assert!(
                watch.failure().is_some_and(|failure| failure.body.contains("no")),
                "{protocol:?}"
            );
        }
        assert!(seen(Protocol::Chat, "neither this nor that").failure().is_none());
    }
}
