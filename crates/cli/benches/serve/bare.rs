//! The same routes with nothing but axum: what there is to lose.

use std::{
    convert::Infallible,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use axum::{
    Router,
    response::{
        Sse,
        sse::{Event, KeepAlive},
    },
    routing::{get, post},
};
use futures_util::{Stream, stream};
use serde_json::json;

use crate::filled::Outcome;

/// The argument that makes this program the server.
pub(crate) const ASKED: &str = "--bare-axum";

/// Pieces of an answer; as many events.
pub(crate) const PIECES: usize = 20_000;

/// What a piece says.
pub(crate) const PIECE: &str = "harbour ";

/// The server in a process of its own; it ends with this.
pub(crate) struct Bare {
    child: Child,
    pub(crate) address: String,
}

impl Bare {
    pub(crate) fn start() -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let command = command.arg(ASKED).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut address = String::new();
        let said = child.stdout.take().ok_or("it has no standard output")?;
        BufReader::new(said).read_line(&mut address)?;
        Ok(Self { child, address: address.trim().to_owned() })
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves until it is killed.
pub(crate) fn serve() -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let mut out = std::io::stdout();
        writeln!(out, "{}", listener.local_addr()?)?;
        out.flush()?;
        let routes = Router::new()
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/events", get(events))
            .route("/v1/chat/completions", post(chat));
        Ok(axum::serve(listener, routes).await?)
    })
}

type Events<S> = Sse<axum::response::sse::KeepAliveStream<S>>;

/// The pieces as our own events have them, straight from here.
async fn events() -> Events<impl Stream<Item = Result<Event, Infallible>>> {
    let pieces = (0..PIECES).map(|n| {
        let data = json!({"pair": "019a8c5e-0000-7000-8000-000000000000", "text": PIECE});
        Ok(Event::default().id(n.to_string()).event("delta").data(data.to_string()))
    });
    let end = [Ok(Event::default().event("ended").data("{}"))];
    Sse::new(stream::iter(pieces.chain(end))).keep_alive(KeepAlive::default())
}

/// The pieces as a provider says them.
async fn chat() -> Events<impl Stream<Item = Result<Event, Infallible>>> {
    let chunk = |delta: serde_json::Value, finish: Option<&str>| {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).to_string()
    };
    let piece = chunk(json!({"content": PIECE}), None);
    let pieces = (0..PIECES).map(move |_| Ok(Event::default().data(&piece)));
    let end = [chunk(json!({}), Some("stop")), "[DONE]".to_owned()];
    let end = end.map(|data| Ok(Event::default().data(data)));
    Sse::new(stream::iter(pieces.chain(end))).keep_alive(KeepAlive::default())
}
