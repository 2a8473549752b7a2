//! The provider behind all ways: it answers at once, always the same.

use std::convert::Infallible;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, State},
    http::{HeaderValue, Response, header::CONTENT_TYPE},
    routing::{get, post},
};
use futures_util::{StreamExt, stream};

use crate::{Outcome, bodies, own_process};

/// The argument that makes this program the upstream.
pub(crate) const ASKED: &str = "--mock-upstream";

/// The answers, made once.
#[derive(Clone)]
struct Answers {
    whole: Bytes,
    events: Vec<Bytes>,
    events_with_usage: Vec<Bytes>,
}

/// Serves until it is killed.
pub(crate) fn serve() -> Outcome {
    let answers = Answers {
        whole: bodies::completion(),
        events: bodies::events(false),
        events_with_usage: bodies::events(true),
    };
    // LiteLLM asks for the models when it starts.
    let models = format!(r#"{{"object":"list","data":[{{"id":"{}"}}]}}"#, bodies::MODEL);
    let routes = Router::new()
        .route("/v1/models", get(|| async move { answer("application/json", models.into()) }))
        .route("/v1/chat/completions", post(chat))
        .layer(DefaultBodyLimit::disable())
        .with_state(answers);
    own_process::serve(routes)
}

async fn chat(State(answers): State<Answers>, asked: Bytes) -> Response<Body> {
    if !says(&asked, b"\"stream\":", b"true") {
        return answer("application/json", answers.whole.into());
    }
    let with_usage = says(&asked, b"\"include_usage\":", b"true");
    let events = if with_usage { answers.events_with_usage } else { answers.events };
    // A breath after each event: it leaves in a write of its own, as from a model that thinks.
    let events = stream::iter(events).then(|event| async {
        tokio::task::yield_now().await;
        Ok::<_, Infallible>(event)
    });
    answer("text/event-stream", Body::from_stream(events))
}

fn answer(kind: &'static str, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// Whether the request has this key with this value. Both ends are looked at, where all who
/// ask put it, so that reading 400 KB does not cost more than what is measured.
fn says(asked: &[u8], key: &[u8], value: &[u8]) -> bool {
    const END: usize = 512;
    let start = &asked[..asked.len().min(END)];
    let end = &asked[asked.len().saturating_sub(END)..];
    [start, end].iter().any(|part| {
        let at = part.windows(key.len()).position(|window| window == key);
        at.is_some_and(|at| part[at + key.len()..].trim_ascii_start().starts_with(value))
    })
}
