//! The load: so many connections, each asks again as soon as it was answered.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::body::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, StatusCode,
    client::conn::http1::{SendRequest, handshake},
    header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, sync::Barrier};

use crate::{bodies, ways::Door};

/// No call takes this long, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// One call.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// Until the first byte of the body.
    pub(crate) first: Duration,
    /// Until the last one.
    pub(crate) whole: Duration,
}

/// The calls of all connections, asked at the same time.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) calls: Vec<Call>,
    pub(crate) took: Duration,
    /// Why connections gave up that did: a failed call is the last of its connection.
    pub(crate) failed: Vec<String>,
}

/// What is asked, and how often.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) body: Bytes,
    pub(crate) stream: bool,
    pub(crate) connections: usize,
    /// For each connection.
    pub(crate) calls: usize,
}

/// One round. A connection's first call is not measured: clients keep their connections, and
/// what opening one takes is not what a call takes.
pub(crate) async fn round(door: &Door, asked: &Asked) -> Round {
    let start = Arc::new(Barrier::new(asked.connections));
    let clients: Vec<_> = (0..asked.connections)
        .map(|_| tokio::spawn(client(door.clone(), asked.clone(), Arc::clone(&start))))
        .collect();
    let mut round = Round::default();
    let (mut began, mut ended) = (None::<Instant>, None::<Instant>);
    for client in clients {
        let one = client.await.unwrap();
        began = began.into_iter().chain([one.began]).min();
        ended = ended.into_iter().chain([one.ended]).max();
        round.calls.extend(one.calls);
        round.failed.extend(one.failed);
    }
    round.took = began.zip(ended).map(|(began, ended)| ended - began).unwrap_or_default();
    round
}

/// What one connection saw.
struct Client {
    calls: Vec<Call>,
    failed: Option<String>,
    began: Instant,
    ended: Instant,
}

async fn client(door: Door, asked: Asked, start: Arc<Barrier>) -> Client {
    let mut calls = Vec::with_capacity(asked.calls);
    let opened = async {
        let mut sender = connect(&door).await?;
        call(&mut sender, &door, &asked).await?;
        Ok(sender)
    };
    let opened: Result<_, String> = opened.await;
    // Also who failed comes here: the others wait.
    start.wait().await;
    let began = Instant::now();
    let measured = async {
        let mut sender = opened?;
        for _ in 0..asked.calls {
            // A server may close a connection that waited for the others to open theirs.
            if sender.ready().await.is_err() {
                sender = connect(&door).await?;
            }
            calls.push(call(&mut sender, &door, &asked).await?);
        }
        Ok::<_, String>(())
    };
    let failed = measured.await.err();
    Client { calls, failed, began, ended: Instant::now() }
}

async fn connect(door: &Door) -> Result<SendRequest<Full<Bytes>>, String> {
    let stream = TcpStream::connect(&door.address).await.map_err(|error| error.to_string())?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let (sender, connection) =
        handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn call(
    sender: &mut SendRequest<Full<Bytes>>,
    door: &Door,
    asked: &Asked,
) -> Result<Call, String> {
    let call = tokio::time::timeout(PATIENCE, answered(sender, door, asked)).await;
    call.map_err(|_| format!("no answer for {PATIENCE:?}"))?
}

async fn answered(
    sender: &mut SendRequest<Full<Bytes>>,
    door: &Door,
    asked: &Asked,
) -> Result<Call, String> {
    let mut request = Request::post("/v1/chat/completions")
        .header(HOST, &door.address)
        .header(CONTENT_TYPE, "application/json")
        .header(CONTENT_LENGTH, asked.body.len());
    if let Some(key) = &door.key {
        request = request.header(AUTHORIZATION, format!("Bearer {key}"));
    }
    let request = request.body(Full::new(asked.body.clone())).map_err(|error| error.to_string())?;
    sender.ready().await.map_err(|error| error.to_string())?;
    let started = Instant::now();
    let answer = sender.send_request(request).await.map_err(|error| error.to_string())?;
    let status = answer.status();
    let (mut body, mut bytes, mut first) = (answer.into_body(), Vec::new(), None);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| error.to_string())?;
        if let Ok(data) = frame.into_data() {
            first.get_or_insert_with(|| started.elapsed());
            bytes.extend_from_slice(&data);
        }
    }
    let whole = started.elapsed();
    let complete = if asked.stream { bytes.ends_with(bodies::DONE) } else { bytes.ends_with(b"}") };
    if status != StatusCode::OK || !complete {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).into_owned();
        return Err(format!("{status} {start}"));
    }
    Ok(Call { first: first.unwrap_or(whole), whole })
}
