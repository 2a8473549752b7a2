//! Errors in the client's own protocol, with its own codes, so that its own handling works (GWY-5).

use plimsoll_fault::{Fault, Label};
use serde_json::{Value, json};

use crate::{reading::Protocol, refusal::Refusal};

/// What went wrong, whoever said so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The request cannot be taken as it is.
    Refused(Refusal),
    /// The request is larger than the window.
    Overflow {
        tokens: u64,
        window: u64,
    },
    /// The body is larger than may be read.
    BodyTooLarge {
        most: u64,
    },
    /// Who asks is not known.
    NoKey(String),
    /// Who asks may not.
    Forbidden(String),
    NoSuchModel(String),
    /// Too much in a stretch of time.
    Rate(String),
    /// No money left.
    Quota(String),
    /// The provider refused the content.
    ContentFilter(String),
    /// Nobody here can do it.
    NotHere(String),
    /// The provider is too busy.
    Overloaded(String),
    /// The provider cannot be reached, or broke.
    Upstream(String),
}

/// How a problem is told: the status, and the words of the two families of protocols.
struct Told {
    status: u16,
    /// `type` and `code` of OpenAI's errors.
    openai: (&'static str, Option<&'static str>),
    /// `type` of Anthropic's.
    anthropic: &'static str,
}

impl Problem {
    /// What a provider's failure is for a client, as FAU-1 understands it; `tokens` and `window` are
    /// what is known here where the provider states no figures.
    pub fn of(fault: &Fault, tokens: u64, window: u64) -> Self {
        let words = fault.message.clone();
        match fault.label {
            // Also where prompt and answer are too much together.
            Label::Overflow | Label::OverflowOutput if fault.shrink_helps() => {
                let (said, limit) = (fault.requested, fault.limit);
                let window = limit.unwrap_or(window);
                // What was refused is more than the window, whatever was estimated.
                let tokens = said.unwrap_or(tokens).max(window.saturating_add(1));
                Self::Overflow { tokens, window }
            }
            // Less history may help here as well, but the client asked for that much itself.
            Label::Overflow | Label::OverflowOutput | Label::Invalid => {
                Self::Refused(Refusal::whole(words))
            }
            Label::Rate => Self::Rate(words),
            Label::Quota => Self::Quota(words),
            Label::Auth => Self::NoKey(words),
            Label::Model => Self::NoSuchModel(words),
            Label::ContentFilter => Self::ContentFilter(words),
            Label::Server if is_busy(fault) => Self::Overloaded(words),
            Label::Server | Label::Network | Label::Unknown => Self::Upstream(words),
        }
    }

    fn told(&self) -> Told {
        let (status, openai, code, anthropic) = match self {
            Self::Refused(_) => (400, "invalid_request_error", None, "invalid_request_error"),
            Self::Overflow { .. } => {
                let code = Some("context_length_exceeded");
                (400, "invalid_request_error", code, "invalid_request_error")
            }
            Self::BodyTooLarge { .. } => (413, "invalid_request_error", None, "request_too_large"),
            Self::NoKey(_) => {
                (401, "invalid_request_error", Some("invalid_api_key"), "authentication_error")
            }
            Self::Forbidden(_) => (403, "invalid_request_error", None, "permission_error"),
            Self::NoSuchModel(_) => {
                (404, "invalid_request_error", Some("model_not_found"), "not_found_error")
            }
            Self::Rate(_) => {
                (429, "rate_limit_error", Some("rate_limit_exceeded"), "rate_limit_error")
            }
            Self::Quota(_) => {
                (429, "insufficient_quota", Some("insufficient_quota"), "rate_limit_error")
            }
            Self::ContentFilter(_) => {
                (400, "invalid_request_error", Some("content_filter"), "invalid_request_error")
            }
            Self::NotHere(_) => (501, "invalid_request_error", None, "invalid_request_error"),
            Self::Overloaded(_) => {
                (503, "server_error", Some("server_is_overloaded"), "overloaded_error")
            }
            Self::Upstream(_) => (502, "server_error", None, "api_error"),
        };
        Told { status, openai: (openai, code), anthropic }
    }

    /// The status of the answer. A busy provider has one of its own in `/v1/messages`.
    pub fn status(&self, protocol: Protocol) -> u16 {
        match (self, protocol) {
            (Self::Overloaded(_), Protocol::Messages) => 529,
            _ => self.told().status,
        }
    }

    /// The words, as the protocol's own clients look for them.
    pub fn message(&self, protocol: Protocol) -> String {
        match self {
            Self::Refused(refusal) => refusal.message.clone(),
            Self::Overflow { tokens, window } => match protocol {
                Protocol::Messages => format!("prompt is too long: {tokens} tokens > {window} maximum"),
                Protocol::Chat => format!(
                    "This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens. Please reduce the length of the messages."
                ),
                Protocol::Responses => {
                    "Your input exceeds the context window of this model. Please adjust your input and try again.".to_owned()
                }
            },
            Self::BodyTooLarge { most } => format!("the body is larger than {most} bytes"),
            Self::NoKey(words)
            | Self::Forbidden(words)
            | Self::NoSuchModel(words)
            | Self::Rate(words)
            | Self::Quota(words)
            | Self::ContentFilter(words)
            | Self::NotHere(words)
            | Self::Overloaded(words)
            | Self::Upstream(words) => words.clone(),
        }
    }

    fn param(&self, protocol: Protocol) -> Option<&str> {
        match self {
            Self::Refused(refusal) => refusal.param.as_deref(),
            Self::NoSuchModel(_) => Some("model"),
            Self::Overflow { .. } if protocol == Protocol::Responses => Some("input"),
            Self::Overflow { .. } => Some("messages"),
            _ => None,
        }
    }

    /// The body of the answer.
    pub fn body(&self, protocol: Protocol) -> Value {
        let (told, message) = (self.told(), self.message(protocol));
        if protocol == Protocol::Messages {
            return json!({"type": "error", "error": {"type": told.anthropic, "message": message}});
        }
        let (kind, code) = told.openai;
        let param = self.param(protocol);
        json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
    }

    /// The event that ends a stream, as server-sent events write it. Those who read
    /// `/v1/responses` hear of an overflow so, also before anything else came.
    pub fn event(&self, protocol: Protocol, response: &str, sequence: u64) -> String {
        let data = |value: &Value| format!("data: {value}\n\n");
        match protocol {
            Protocol::Chat => data(&self.body(protocol)),
            Protocol::Messages => format!("event: error\n{}", data(&self.body(protocol))),
            Protocol::Responses => {
                let code = self.told().openai.1.unwrap_or(match self {
                    Self::Upstream(_) => "server_error",
                    _ => "invalid_prompt",
                });
                let error = json!({"code": code, "message": self.message(protocol)});
                let failed = json!({
                    "type": "response.failed",
                    "sequence_number": sequence,
                    "response": {"id": response, "object": "response", "status": "failed", "error": error, "output": []},
                });
                format!("event: response.failed\n{}", data(&failed))
            }
        }
    }
}

/// Whether a server that broke only has too much to do.
fn is_busy(fault: &Fault) -> bool {
    let matched = fault.matched.as_deref().unwrap_or_default().to_ascii_lowercase();
    ["overload", "503", "529", "unavailable", "capacity"].iter().any(|word| matched.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERFLOW: Problem = Problem::Overflow { tokens: 9000, window: 8192 };

    #[test]
    fn gwy_5_an_overflow_is_told_as_each_protocol_tells_it() {
        let chat = OVERFLOW.body(Protocol::Chat);
        assert_eq!(chat["error"]["code"], "context_length_exceeded");
        assert_eq!(
            (&chat["error"]["param"], OVERFLOW.status(Protocol::Chat)),
            (&json!("messages"), 400)
        );
        let messages = OVERFLOW.body(Protocol::Messages);
        let expected = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9000 tokens > 8192 maximum"}});
        assert_eq!(messages, expected);
        let event = OVERFLOW.event(Protocol::Responses, "resp_1", 0);
        let data = event.strip_prefix("event: response.failed\ndata: ").unwrap();
        let data: Value = serde_json::from_str(data.trim()).unwrap();
        assert_eq!(data["response"]["error"]["code"], "context_length_exceeded");
        assert_eq!(
            (&data["type"], &data["response"]["status"]),
            (&json!("response.failed"), &json!("failed"))
        );
    }

    #[test]
    fn gwy_5_every_problem_has_its_status_and_words() {
        let words = || "because".to_owned();
        for (problem, status, kind) in [
            (Problem::Refused(Refusal::of("messages[0]", "because")), 400, "invalid_request_error"),
            (Problem::BodyTooLarge { most: 64 }, 413, "request_too_large"),
            (Problem::NoKey(words()), 401, "authentication_error"),
            (Problem::Forbidden(words()), 403, "permission_error"),
            (Problem::NoSuchModel(words()), 404, "not_found_error"),
            (Problem::Rate(words()), 429, "rate_limit_error"),
            (Problem::Quota(words()), 429, "rate_limit_error"),
            (Problem::ContentFilter(words()), 400, "invalid_request_error"),
            (Problem::NotHere(words()), 501, "invalid_request_error"),
            (Problem::Overloaded(words()), 529, "overloaded_error"),
            (Problem::Upstream(words()), 502, "api_error"),
        ] {
            assert_eq!(problem.status(Protocol::Messages), status, "{problem:?}");
            assert_eq!(problem.body(Protocol::Messages)["error"]["type"], kind, "{problem:?}");
            for protocol in [Protocol::Chat, Protocol::Responses, Protocol::Messages] {
                let body = problem.body(protocol);
                assert_ne!(body["error"]["message"], "", "{problem:?}");
                let event = problem.event(protocol, "resp_1", 3);
                assert!(event.ends_with("\n\n") && event.lines().count() <= 3, "{event}");
            }
        }
    }

    #[test]
    fn gwy_5_what_a_provider_says_is_told_in_the_clients_protocol() {
        use plimsoll_fault::ProviderFailure;
        let told = |status: u16, body: &str| {
            let failure = ProviderFailure {
                status: Some(status),
                body: body.to_owned(),
                ..ProviderFailure::default()
            };
            Problem::of(&failure.fault(), 11, 22)
        };
        // An overflow of one provider is the overflow of the other's protocol, with its figures.
        let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#;
        let overflow = told(400, anthropic);
        assert_eq!(overflow, Problem::Overflow { tokens: 210_000, window: 200_000 });
        assert_eq!(overflow.body(Protocol::Chat)["error"]["code"], "context_length_exceeded");
        let vague =
            told(400, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#);
        assert_eq!(vague, Problem::Overflow { tokens: 23, window: 22 });
        for (status, body, expected) in [
            (429, r#"{"error":{"code":"rate_limit_exceeded","message":"slow down"}}"#, 429),
            (401, r#"{"error":{"message":"bad key"}}"#, 401),
            (404, r#"{"error":{"code":"model_not_found","message":"no model x"}}"#, 404),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                529,
            ),
            (500, r#"{"error":{"message":"oops"}}"#, 502),
        ] {
            let problem = told(status, body);
            assert_eq!(problem.status(Protocol::Messages), expected, "{problem:?}");
        }
    }
}
