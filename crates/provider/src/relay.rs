//! A client's own request on its way to a provider, and the answer's bytes as they arrive (GWY-3).
//!
//! Nothing is read before it is asked for, so a client that reads slowly slows the server down.
//! Dropping the body drops the connection with it.

use std::{pin::Pin, time::Duration};

use futures_core::Stream;
use futures_util::{StreamExt, stream};
use reqwest::{
    Response,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::{Instant, timeout, timeout_at};

use crate::{
    ProviderFailure, Secret,
    http::{Began, Call, Client, refusal},
    scrub::{Found, MARK, at_place},
    transport,
};

/// A request that is handed on as it is.
pub struct RelayRequest {
    /// Where it goes, below the provider's base URL.
    pub path: Vec<String>,
    /// The model, where the address depends on it.
    pub model: String,
    /// What the client says in headers and the provider should hear.
    pub headers: Vec<(String, String)>,
    /// The media type of the body.
    pub kind: String,
    pub body: Vec<u8>,
    /// Whether the answer comes in pieces; else nothing of it may come before all of it is there.
    pub streamed: bool,
    /// The client's own key, where that goes instead of ours.
    pub key: Option<Secret>,
}

/// An answer that has begun, with success.
pub struct Relayed {
    pub status: u16,
    /// Without those that concern one connection or hold secrets.
    pub headers: Vec<(String, String)>,
    pub body: RelayedBody,
}

/// The bytes of an answer, in the pieces in which they arrive.
pub type RelayedBody = Pin<Box<dyn Stream<Item = Result<Vec<u8>, ProviderFailure>> + Send>>;

/// An answer on its way. What is no success is a failure.
pub type Relaying = Pin<Box<dyn Future<Output = Result<Relayed, ProviderFailure>> + Send>>;

/// As long as the clients of providers wait for an answer in one piece.
const WHOLE_ANSWER: Duration = Duration::from_secs(600);

/// Headers of an answer that are the connection's own, or that are set here.
const NOT_HANDED_ON: [&str; 16] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "content-encoding",
    "content-security-policy",
    "strict-transport-security",
    "alt-svc",
    "set-cookie",
    "server",
    "date",
];

/// Sends a call, and hands its answer on.
pub(crate) fn relay(
    client: Client,
    mut call: Call,
    headers: Vec<(String, String)>,
    streamed: bool,
) -> Relaying {
    for (name, value) in headers {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
        else {
            continue;
        };
        call.headers.retain(|(known, _)| *known != name);
        call.headers.push((name, value));
    }
    Box::pin(async move {
        let timeouts = client.timeouts;
        let patience =
            if streamed { timeouts.first_byte } else { timeouts.first_byte.max(WHOLE_ANSWER) };
        let until = Instant::now() + patience;
        let Ok(sent) = timeout_at(until, client.send(call)).await else {
            let transport = Some(transport::no_first_byte(patience));
            return Err(ProviderFailure { transport, ..ProviderFailure::default() });
        };
        let response = sent.map_err(|failure| client.scrubbed(failure))?;
        if !response.status().is_success() {
            return Err(client.scrubbed(refusal(response, timeouts).await));
        }
        let status = response.status().as_u16();
        let headers = handed_on(response.headers(), &client);
        Ok(Relayed { status, headers, body: body(client, response, until) })
    })
}

fn handed_on(headers: &HeaderMap, client: &Client) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| {
        let name = name.as_str();
        !NOT_HANDED_ON.contains(&name) && !name.starts_with("access-control-")
    });
    let safe = |text: &str| {
        let mut scrubber = client.byte_scrubber();
        let safe = [scrubber.push(text.as_bytes()), scrubber.rest()].concat();
        String::from_utf8(safe).ok()
    };
    kept.filter_map(|(name, value)| Some((name.to_string(), safe(value.to_str().ok()?)?))).collect()
}

fn body(client: Client, response: Response, first: Instant) -> RelayedBody {
    let began = Began::of(&response);
    let scrubber = client.byte_scrubber();
    let state = (client, response, scrubber, Some(first), false);
    let pieces = stream::unfold(state, move |(client, mut response, mut scrubber, first, over)| {
        let began = began.clone();
        async move {
            if over {
                return None;
            }
            loop {
                let idle = client.timeouts.idle;
                // The time that a reader takes is not the server's.
                let chunk = match first {
                    Some(until) => timeout_at(until, response.chunk()).await,
                    None => timeout(idle, response.chunk()).await,
                };
                let (step, over) = match chunk {
                    Ok(Ok(Some(bytes))) => {
                        let safe = scrubber.push(&bytes);
                        if safe.is_empty() {
                            continue;
                        }
                        (Ok(safe), false)
                    }
                    Ok(Ok(None)) => {
                        let rest = scrubber.rest();
                        if rest.is_empty() {
                            return None;
                        }
                        (Ok(rest), true)
                    }
                    Ok(Err(error)) => {
                        (Err(began.cut_off(transport::in_mid_stream(Some(error)))), true)
                    }
                    Err(_) => (Err(began.broken(transport::idle(idle))), true),
                };
                let step = step.map_err(|failure| client.scrubbed(failure));
                return Some((step, (client, response, scrubber, None, over)));
            }
        }
    });
    // Who asks again behind the end hears that it is over.
    Box::pin(pieces.fuse())
}

/// Takes a key out of bytes, across the pieces in which they come. Only what could be the beginning
/// of the key is held back.
#[derive(Default)]
pub(crate) struct ByteScrubber {
    key: Option<Secret>,
    held: Vec<u8>,
}

impl ByteScrubber {
    pub(crate) fn of(key: Option<Secret>) -> Self {
        Self { key, held: Vec::new() }
    }

    fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Some(key) = &self.key else { return bytes.to_vec() };
        let key = key.expose().as_bytes();
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let mut safe = Vec::with_capacity(all.len());
        let (mut from, mut at) = (0, 0);
        // However it is written: a JSON text may escape any of its letters.
        while at < all.len() {
            match at_place(key, &all, at) {
                Found::Whole(end) => {
                    safe.extend_from_slice(&all[from..at]);
                    safe.extend_from_slice(MARK.as_bytes());
                    (from, at) = (end, end);
                }
                Found::Begun => break,
                Found::Other => at += 1,
            }
        }
        safe.extend_from_slice(&all[from..at]);
        self.held = all.split_off(at);
        safe
    }

    fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_9_a_key_in_pieces_of_a_relayed_answer_does_not_leave() {
        let key = "sk-canary-0123456789";
        let text = format!("data: a{key}b sk-can {key}{key} sk-canary-01");
        for size in 1..text.len() {
            let mut scrubber = ByteScrubber::of(Some(Secret::new(key)));
            let mut out = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                out.extend(scrubber.push(piece));
            }
            out.extend(scrubber.rest());
            let out = String::from_utf8(out).unwrap();
            assert_eq!(out, text.replace(key, "[key]"), "in pieces of {size}");
        }
        // Escaped, it is the key as well.
        let escaped: String = key.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        let text = format!("{{\"a\":\"{escaped}\",\"b\":\"\\u0073k, \\n\"}}");
        for size in 1..text.len() {
            let mut scrubber = ByteScrubber::of(Some(Secret::new(key)));
            let pieces = text.as_bytes().chunks(size);
            let mut out: Vec<u8> = pieces.flat_map(|piece| scrubber.push(piece)).collect();
            out.extend(scrubber.rest());
            let expected = text.replace(&escaped, "[key]");
            assert_eq!(String::from_utf8(out).unwrap(), expected, "in pieces of {size}");
        }
        // What cannot begin the key is not held back.
        let mut scrubber = ByteScrubber::of(Some(Secret::new(key)));
        assert_eq!(scrubber.push(b"data: x\n\n"), b"data: x\n\n");
        assert_eq!(ByteScrubber::of(None).push(b"abc"), b"abc");
    }
}
