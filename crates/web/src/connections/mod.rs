//! Connections: taken in, told apart by account, bounded in number and time, served.

mod account;
mod held;
mod watched;

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Request, Response, StatusCode, header},
};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio::net::{TcpListener, TcpStream};

pub(crate) use account::Account;
pub use account::accounts_are_told;
pub use held::Patience;
use held::{Connections, Place, room};
use watched::{Answer, InTime, Watched};

/// No head of a request is longer, its address included.
const LONGEST_HEAD: usize = 96 * 1024;

/// How long to wait when the machine has no descriptor for a connection.
const NO_ROOM: Duration = Duration::from_millis(50);

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Where it is.
    pub(crate) address: SocketAddr,
    /// Whose it is.
    pub(crate) account: Account,
    /// The port that it came to.
    pub(crate) port: u16,
}

/// Serves until it is dropped.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    descriptors: Option<u64>,
    patience: Patience,
) {
    let connections = Connections::new(room(descriptors), patience);
    let accepting = async {
        loop {
            match listener.accept().await {
                Ok((stream, address)) => {
                    let place = connections.take();
                    tokio::spawn(connection(stream, address, router.clone(), place, patience));
                }
                Err(error) if lost_before_it_began(&error) => {}
                Err(_) => {
                    connections.make_room();
                    tokio::time::sleep(NO_ROOM).await;
                }
            }
        }
    };
    tokio::join!(accepting, connections.watch());
}

fn lost_before_it_began(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

async fn connection(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    place: Place,
    patience: Patience,
) {
    // Events are small, and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let Ok(server) = stream.local_addr() else { return };
    let account = account::account(address, server, || stream.peer_addr().is_ok());
    let peer = Peer { address, account, port: server.port() };
    let (held, last_resort) = (Arc::clone(&place.held), place.held.last_resort);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        held.request_came();
        let (held, router) = (Arc::clone(&held), router.clone());
        request.extensions_mut().insert(peer);
        async move {
            let response = if last_resort && request.uri().path() != "/healthz" {
                full()
            } else {
                let request = request.map(|body| Body::new(InTime::new(body, patience.body)));
                router.call(request).await.unwrap_or_else(|never: Infallible| match never {})
            };
            Ok::<_, Infallible>(response.map(|body| Answer::new(body, held)))
        }
    });
    let io = TokioIo::new(Watched { stream, held: Arc::clone(&place.held) });
    let serving = http1::Builder::new()
        .max_buf_size(LONGEST_HEAD)
        .keep_alive(!last_resort)
        .serve_connection(io, service);
    tokio::select! {
        // Whatever was wrong, it is over.
        _ = serving => {}
        () = place.held.must_go() => {}
    }
}

/// The answer when every place is taken by a request.
fn full() -> Response<Body> {
    let mut response = Response::new(Body::from("too many clients at once; try again soon\n"));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, header::HeaderValue::from_static("5"));
    headers.insert(header::CONNECTION, header::HeaderValue::from_static("close"));
    response
}
