//! A relay that does nothing but relay, with the libraries that we use: what there is to lose.

use axum::{
    Router,
    body::Body,
    extract::{DefaultBodyLimit, Request, State},
    http::{Response, StatusCode, header::HOST},
    routing::post,
};

use crate::{Outcome, own_process};

/// The argument that makes this program the relay; the upstream's address follows it.
pub(crate) const ASKED: &str = "--bare-relay";

/// Where a call goes on to.
#[derive(Clone)]
struct Upstream {
    client: reqwest::Client,
    url: String,
}

/// Serves until it is killed.
pub(crate) fn serve(upstream: &str) -> Outcome {
    // A client cannot be made without, though nothing here is encrypted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = format!("http://{upstream}/v1/chat/completions");
    let upstream = Upstream { client: reqwest::Client::builder().build()?, url };
    let routes = Router::new()
        .route("/v1/chat/completions", post(relayed))
        .layer(DefaultBodyLimit::disable())
        .with_state(upstream);
    own_process::serve(routes)
}

/// Both bodies pass through as they arrive.
async fn relayed(
    State(upstream): State<Upstream>,
    asked: Request,
) -> Result<Response<Body>, (StatusCode, String)> {
    let (mut head, body) = asked.into_parts();
    head.headers.remove(HOST);
    let body = reqwest::Body::wrap_stream(body.into_data_stream());
    let call = upstream.client.post(upstream.url).headers(head.headers).body(body);
    let answer = call.send().await.map_err(|error| (StatusCode::BAD_GATEWAY, error.to_string()))?;
    Ok(Response::from(answer).map(Body::new))
}
