//! Serving over standard input and output, or any other pair of streams.

use rmcp::{
    RoleServer, ServiceExt,
    model::{ClientJsonRpcMessage, ClientRequest, GetMeta},
    service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport, stdio_pipes},
};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    Server,
    client_lines::{LONGEST_LINE, check_lines, unreadable},
};

/// Room between the two who look at a client's lines.
const PIPE: usize = 64 * 1024;

/// Why serving ended before the client left.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The client could not be written to, or the handshake failed for good.
    #[error("the client could not be served: {0}")]
    Connection(String),
}

/// Serves the client at the other end of standard input and output until it leaves.
pub async fn serve_stdio(server: &Server) -> Result<(), ServeError> {
    let (read, write) = stdio_pipes();
    serve(server, read, write).await
}

/// Serves one client over a pair of streams until it leaves.
pub async fn serve<R, W>(server: &Server, read: R, write: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (unchecked, checked) = tokio::io::duplex(PIPE);
    let checking = tokio::spawn(check_lines(read, unchecked));
    // With the end of the line that the other counts without.
    let lines = AsyncRwTransport::new_server(checked, write).with_max_line_length(LONGEST_LINE + 1);
    let served = serve_lines(server, lines).await;
    checking.abort();
    served
}

async fn serve_lines<T>(server: &Server, lines: T) -> Result<(), ServeError>
where
    T: Transport<RoleServer> + 'static,
{
    let running = match server.connect().serve(Patient { lines, begun: false }).await {
        Ok(running) => running,
        // Who leaves before the handshake is gone, and that is all.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Connection(error.to_string())),
    };
    match running.waiting().await {
        Ok(reason) => {
            tracing::debug!(?reason, "the client left");
            Ok(())
        }
        Err(error) => Err(ServeError::Connection(error.to_string())),
    }
}

/// Lets nothing but requests through until a client has begun: the SDK gives up when the
/// first message is anything else, and a stray one is no reason to.
struct Patient<T> {
    lines: T,
    begun: bool,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.lines.receive().await?;
            if let Some((error, id)) = unreadable(&message) {
                // It is sent beside, since whoever waits here may be called away.
                let answer = TxJsonRpcMessage::<RoleServer>::error(error, id);
                let sending = self.lines.send(answer);
                tokio::spawn(async move {
                    if sending.await.is_err() {
                        tracing::debug!("the client left before it was told of a bad line");
                    }
                });
                continue;
            }
            let begins = match &message {
                ClientJsonRpcMessage::Request(request) => match &request.request {
                    ClientRequest::InitializeRequest(_) => Some(true),
                    ClientRequest::DiscoverRequest(_) => Some(false),
                    other => Some(other.get_meta().protocol_version().is_some()),
                },
                _ => None,
            };
            match begins {
                Some(begins) => {
                    self.begun |= begins;
                    return Some(message);
                }
                None if self.begun => return Some(message),
                None => tracing::debug!("a message before the first request was left aside"),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}
