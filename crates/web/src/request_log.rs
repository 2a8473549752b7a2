//! A line in the log for each request, and an id that everything it leads to carries: the page
//! makes one for each of its calls, others get one.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use tracing::{Instrument, debug, info_span, warn};

const ID: HeaderName = HeaderName::from_static("x-request-id");

/// A longer id is nobody's.
const LONGEST_ID_BYTES: usize = 64;

static COUNT: AtomicU64 = AtomicU64::new(1);

/// The id that a client gave, if it is one that can stand in a line; else the next of ours.
fn id_of(headers: &HeaderMap) -> String {
    let given = headers.get(ID).and_then(|id| id.to_str().ok());
    let harmless = |id: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        !id.is_empty() && id.len() <= LONGEST_ID_BYTES && id.bytes().all(plain)
    };
    given
        .filter(harmless)
        .map_or_else(|| format!("r{}", COUNT.fetch_add(1, Ordering::Relaxed)), str::to_owned)
}

/// Wraps every request. An address is logged without its query, which may hold a token.
pub(crate) async fn log(request: Request, next: Next) -> Response {
    let id = id_of(request.headers());
    let begun = Instant::now();
    let span = info_span!("request", %id, method = %request.method(), path = request.uri().path());
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, ms) = (response.status().as_u16(), begun.elapsed().as_millis());
    span.in_scope(|| match status {
        500.. => warn!(status, ms, "answered"),
        _ => debug!(status, ms, "answered"),
    });
    if let Ok(id) = HeaderValue::try_from(id) {
        // A provider's own id says more to its clients.
        response.headers_mut().entry(ID).or_insert(id);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_from_outside_is_taken_where_it_can_stand_in_a_line() {
        let id = |given: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(ID, HeaderValue::from_bytes(given).unwrap());
            id_of(&headers)
        };
        assert_eq!(id(b"tab-7.1_a"), "tab-7.1_a");
        for strange in [&b""[..], b"a b", b"a\tb", &[b'x'; 65], b"\xff"] {
            assert!(id(strange).starts_with('r'), "{strange:?}");
        }
    }
}
