//! Serving over streamable HTTP, as a service that a web server mounts.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService,
        session::{SessionId, SessionManager, local::LocalSessionManager},
    },
};
use tokio::sync::Mutex;

use crate::{LONGEST_ARGUMENT, Server};

/// The names of this machine that are always right.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The largest request: several arguments of the greatest length, with room for escapes.
const LARGEST_REQUEST: usize = 64 * LONGEST_ARGUMENT;

/// How long a session may be silent. Agents wait for people, and people go for lunch.
const LONGEST_SILENCE: Duration = Duration::from_secs(4 * 60 * 60);

/// A service for `/mcp`. Requests must name a loopback host or one of `hosts`, and pages
/// may speak to it only if they come from there: whoever mounts it should check too, but
/// this door has a lock of its own. Each client is served by what `connect` makes for it:
/// [`Server::connect`], unless a test serves more.
pub fn http_service<H: ServerHandler>(
    server: &Server,
    hosts: &[String],
    connect: fn(&Server) -> H,
) -> StreamableHttpService<H, LocalSessionManager> {
    let names = || LOOPBACK.iter().copied().chain(hosts.iter().map(String::as_str));
    let origins = names().flat_map(|name| {
        let name = if name.contains(':') && !name.starts_with('[') && name.matches(':').count() > 1
        {
            format!("[{name}]")
        } else {
            name.to_owned()
        };
        ["http", "https"].map(|scheme| format!("{scheme}://{name}:*"))
    });
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(names())
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(LARGEST_REQUEST)
        .with_cancellation_token(server.shared.stop.child_token());
    let server = server.clone();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(LONGEST_SILENCE);
    let sessions = Arc::new(sessions);
    let bounded = Arc::new(Bounded { sessions: Arc::clone(&sessions), order: Mutex::default() });
    let connected = move || {
        // The new session has its place in the table before its connection is asked for.
        tokio::spawn(Arc::clone(&bounded).close_the_oldest());
        Ok(connect(&server))
    };
    StreamableHttpService::new(connected, sessions, config)
}

/// So many sessions at once: each takes some ten kilobytes, and clients that crash do not close
/// theirs. Whoever finds its session closed begins another, as the protocol says.
const MOST_SESSIONS: usize = 256;

struct Bounded {
    sessions: Arc<LocalSessionManager>,
    /// The sessions in the order in which they were met.
    order: Mutex<VecDeque<SessionId>>,
}

impl Bounded {
    async fn close_the_oldest(self: Arc<Self>) {
        let mut order = self.order.lock().await;
        {
            let open = self.sessions.sessions.read().await;
            let known: HashSet<SessionId> = order.iter().cloned().collect();
            order.retain(|id| open.contains_key(id));
            order.extend(open.keys().filter(|id| !known.contains(*id)).cloned());
        }
        while order.len() > MOST_SESSIONS
            && let Some(oldest) = order.pop_front()
        {
            // One that has ended meanwhile is closed as well as any.
            let _ = self.sessions.close_session(&oldest).await;
        }
    }
}
