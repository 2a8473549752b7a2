//! What a client is told besides the answer: the headers of GWY-9, and problems in its protocol.

use axum::{
    Json,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use plimsoll_app::{CallHead, CallRefused};
use plimsoll_domain::Protocol;
use plimsoll_gateway::Problem;
use serde_json::json;

/// Headers of a provider, as far as none of ours stands there.
pub(super) fn hand_on(headers: &mut HeaderMap, told: Vec<(String, String)>) {
    for (name, value) in told {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
        else {
            continue;
        };
        if name == header::CONTENT_TYPE {
            headers.insert(name, value);
        } else if !name.as_str().starts_with("x-plimsoll-") {
            headers.append(name, value);
        }
    }
}

/// GWY-9: what is known before the first byte.
pub(super) fn head(headers: &mut HeaderMap, head: &CallHead) {
    let mut set = |name: &'static str, value: String| {
        if let Ok(value) = HeaderValue::try_from(plain(&value)) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    set("x-plimsoll-receipt", head.receipt.to_string());
    set("x-plimsoll-model", head.model.clone());
    set("x-plimsoll-window", head.window.to_string());
    set("x-plimsoll-estimate", head.estimate.to_string());
    set("x-plimsoll-estimate-basis", head.basis.to_owned());
    set("x-plimsoll-trimmed-exchanges", head.trimmed_exchanges.to_string());
    set("x-plimsoll-trimmed-tokens", head.trimmed_tokens.to_string());
    set("x-plimsoll-attempts", head.attempts.to_string());
    if head.trimmed_rounds > 0 {
        set("x-plimsoll-trimmed-rounds", head.trimmed_rounds.to_string());
    }
    if let Some(over) = head.over.filter(|_| head.trimmed_tokens == 0) {
        set("x-plimsoll-over", over.to_string());
    }
    if let Some(words) = &head.over_quota {
        set("x-plimsoll-over-quota", words.clone());
    }
    if head.partial {
        set("x-plimsoll-estimate-partial", "true".to_owned());
    }
    if !head.passed_over.is_empty() {
        set("x-plimsoll-passed-over", head.passed_over.join(", "));
    }
}

/// A text as headers take it.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_graphic() { letter } else { ' ' }).collect()
}

/// A problem of a request that was not weighed.
pub(super) fn problem(protocol: Protocol, problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status(protocol));
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(problem.body(protocol))).into_response()
}

/// A call that was not answered.
pub(super) fn refused(protocol: Protocol, refused: &CallRefused) -> Response {
    let overflow = matches!(refused.problem, Problem::Overflow { .. });
    let mut response = match &refused.verbatim {
        Some(told) => {
            let (status, body) = &**told;
            let status = StatusCode::from_u16(*status).unwrap_or(StatusCode::BAD_GATEWAY);
            let kind = [(header::CONTENT_TYPE, "application/json")];
            (status, kind, body.clone()).into_response()
        }
        // Who reads a stream of responses hears of an overflow in it, or does not understand (GWY-5).
        None if overflow && refused.streamed && protocol == Protocol::Responses => {
            let id =
                refused.head.as_ref().map_or_else(String::new, |head| head.receipt.to_string());
            let event = refused.problem.event(protocol, &format!("resp_{id}"), 0);
            ([(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")], event).into_response()
        }
        None => {
            let status = StatusCode::from_u16(refused.problem.status(protocol));
            let mut body = refused.problem.body(protocol);
            if !refused.suggestions.is_empty() {
                body["plimsoll"] = json!({"suggestions": refused.suggestions});
            }
            (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), Json(body)).into_response()
        }
    };
    let headers = response.headers_mut();
    if let Some(told) = &refused.head {
        head(headers, told);
    }
    if let Some(after) = refused.retry_after {
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
