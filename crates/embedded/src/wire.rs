//! Requests and failures in the words of OpenAI, which everyone else already reads.

use plimsoll_provider::ProviderFailure;
use plimsoll_send::Request;
use serde::Serialize;

/// What a request would be on a wire.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: ErrorWords<'a>,
}

#[derive(Serialize)]
struct ErrorWords<'a> {
    message: &'a str,
    r#type: &'static str,
    code: &'static str,
}

pub(crate) fn body(request: &Request) -> String {
    let texts: Vec<String> = request.messages.iter().map(plimsoll_send::Message::text).collect();
    let said = request.messages.iter().zip(&texts);
    let body = Body {
        model: &request.model,
        messages: said
            .map(|(message, content)| Message { role: message.role.name(), content })
            .collect(),
        temperature: request.temperature.filter(|value| value.is_finite()),
        max_tokens: request.max_output,
    };
    json(&body)
}

/// Prompt and answer do not fit into the window. Where the prompt alone would fit, a
/// shorter answer helps, and the words say so.
pub(crate) fn overflow(window: usize, prompt: usize, output: u64) -> ProviderFailure {
    let limit = format!("This model's maximum context length is {window} tokens. However, ");
    let message = if prompt >= window {
        format!("{limit}your messages resulted in {prompt} tokens.")
    } else {
        let sum = prompt as u64 + output;
        format!(
            "{limit}you requested {sum} tokens ({prompt} in the messages, {output} in the \
             completion). Please reduce the length of the messages or completion."
        )
    };
    failure(400, "context_length_exceeded", &message)
}

/// There are no weights, or none that can be used. Trying again would not help.
pub(crate) fn no_model(message: &str) -> ProviderFailure {
    failure(404, "model_not_found", message)
}

/// Something broke that should not.
pub(crate) fn broken(message: &str) -> ProviderFailure {
    failure(500, "embedded_model_failed", message)
}

fn failure(status: u16, code: &'static str, message: &str) -> ProviderFailure {
    let error = ErrorWords { message, r#type: "invalid_request_error", code };
    let body = json(&ErrorBody { error });
    ProviderFailure { status: Some(status), body, ..ProviderFailure::default() }
}

/// Plain structs of texts and numbers always become JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use plimsoll_fault::{Label, Subkind};
    use plimsoll_send::Role;

    use super::*;

    #[test]
    fn fau_4_an_overflow_is_read_with_its_numbers() {
        let fault = overflow(4096, 5000, 1).fault();
        assert_eq!(fault.label, Label::Overflow, "{fault:?}");
        assert_eq!((fault.limit, fault.requested), (Some(4096), Some(5000)));
        let fault = overflow(4096, 4096, 1).fault();
        assert_eq!(fault.label, Label::Overflow, "{fault:?}");
        assert_eq!((fault.limit, fault.requested), (Some(4096), Some(4096)));
    }

    #[test]
    fn fau_1_too_long_an_answer_is_an_overflow_of_the_sum() {
        let fault = overflow(4096, 4000, 1000).fault();
        assert_eq!((fault.label, fault.subkind), (Label::OverflowOutput, Some(Subkind::Sum)));
        assert_eq!((fault.limit, fault.requested), (Some(4096), Some(5000)));
    }

    #[test]
    fn fau_6_a_missing_model_is_not_asked_again() {
        let home = std::path::Path::new("/somewhere");
        let error = crate::Weights::locate(home, None).unwrap_err();
        let fault = no_model(&error.to_string()).fault();
        assert_eq!(fault.label, Label::Model, "{fault:?}");
        let damaged = crate::gguf::GgufError::Damaged("it ends inside its head");
        assert_eq!(no_model(&damaged.to_string()).fault().label, Label::Model);
    }

    #[test]
    fn pay_5_the_body_says_what_was_asked_and_nothing_more() {
        let request = Request::new("m", vec![plimsoll_send::Message::new(Role::User, "a \"b\"\n")]);
        let request = Request { temperature: Some(0.5), ..request };
        let expected =
            r#"{"model":"m","messages":[{"role":"user","content":"a \"b\"\n"}],"temperature":0.5}"#;
        assert_eq!(body(&request), expected);
    }
}
