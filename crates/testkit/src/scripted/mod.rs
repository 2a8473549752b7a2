//! A provider that does as it is told: an HTTP server on a free loopback port that
//! answers from a script, down to single bytes and pauses, and remembers what it was
//! asked.
//!
//! It is written on plain sockets and threads, since a proper HTTP server would refuse
//! to misbehave. A test needs no runtime to start it, and dropping it stops it.

mod answers;
mod connection;
mod faults;
mod gate;
mod reply;

use std::{
    collections::VecDeque,
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

pub use gate::Gate;
pub use reply::{Reply, Step};

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The method, such as `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Recorded {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

type Script = dyn Fn(&Recorded) -> Reply + Send + Sync;

struct Shared {
    script: Box<Script>,
    stop: AtomicBool,
    bytes_sent: AtomicU64,
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Recorded>,
    hung_up: Vec<Instant>,
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The server. It runs until it is dropped.
pub struct ScriptedServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
}

impl ScriptedServer {
    /// Starts a server that gives these replies, one a request, in order. Whatever is
    /// asked after the last one gets a 500 that says so.
    pub fn start(replies: impl IntoIterator<Item = Reply>) -> io::Result<Self> {
        let left: Mutex<VecDeque<Reply>> = Mutex::new(replies.into_iter().collect());
        Self::answering(move |_| {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            left.pop_front().unwrap_or_else(|| Reply::error(500, "The script is over."))
        })
    }

    /// A server that answers calls in order, the last reply for ever. Who asks for its
    /// models learns nothing, and takes no reply from the calls.
    pub fn chats(replies: impl IntoIterator<Item = Reply>) -> io::Result<Self> {
        let left: Mutex<VecDeque<Reply>> = Mutex::new(replies.into_iter().collect());
        Self::answering(move |request| {
            if request.method != "POST" {
                return Reply::model_missing("any");
            }
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            let next = if left.len() > 1 { left.pop_front() } else { left.front().cloned() };
            next.unwrap_or_else(Reply::server)
        })
    }

    /// Starts a server that always gives the same reply.
    pub fn always(reply: Reply) -> io::Result<Self> {
        Self::answering(move |_| reply.clone())
    }

    /// Starts a server that answers by path, query aside, and with 404 elsewhere.
    pub fn routes<P: Into<String>>(
        routes: impl IntoIterator<Item = (P, Reply)>,
    ) -> io::Result<Self> {
        let routes: Vec<(String, Reply)> =
            routes.into_iter().map(|(path, reply)| (path.into(), reply)).collect();
        Self::answering(move |request| {
            let path = request.path.split('?').next().unwrap_or_default();
            let found = routes.iter().find(|(route, _)| route == path);
            found.map_or_else(|| Reply::error(404, "File Not Found"), |(_, reply)| reply.clone())
        })
    }

    /// Starts a server that asks a function what to reply.
    pub fn answering(
        script: impl Fn(&Recorded) -> Reply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Box::new(script),
            stop: AtomicBool::new(false),
            bytes_sent: AtomicU64::new(0),
            seen: Mutex::default(),
            changed: Condvar::new(),
        });
        let accepting = Arc::clone(&shared);
        let thread = thread::Builder::new().name("scripted provider".into()).spawn(move || {
            for stream in listener.incoming() {
                if accepting.stopping() {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&accepting);
                // A connection that finds no thread is dropped, which is misbehaviour
                // enough for a server of this kind.
                let _ = thread::Builder::new().spawn(move || connection::serve(stream, &shared));
            }
        })?;
        Ok(Self { address, shared, thread: Some(thread) })
    }

    /// The address without a path: `http://127.0.0.1:<port>`.
    pub fn root_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL in the OpenAI style: the root with `/v1`.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.root_url())
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Everything that was asked so far, in order of arrival.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.seen().requests.clone()
    }

    /// Waits until this many requests have come; whether they did in time.
    pub fn wait_for_requests(&self, count: usize, within: Duration) -> bool {
        self.wait(within, |seen| seen.requests.len() >= count)
    }

    /// Waits until a client hangs up before its reply is complete; whether one did in
    /// time.
    pub fn wait_for_hang_up(&self, within: Duration) -> bool {
        self.wait(within, |seen| !seen.hung_up.is_empty())
    }

    /// When clients hung up before their replies were complete.
    pub fn hung_up(&self) -> Vec<Instant> {
        self.shared.seen().hung_up.clone()
    }

    /// Bytes that the system took for the clients so far.
    pub fn bytes_sent(&self) -> u64 {
        self.shared.bytes_sent.load(Ordering::Relaxed)
    }

    fn wait(&self, within: Duration, done: impl Fn(&Seen) -> bool) -> bool {
        let waiting = self.shared.changed.wait_timeout_while(
            self.shared.seen(),
            within,
            |seen: &mut Seen| !done(seen),
        );
        !waiting.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // The thread waits for a connection, so it is given one.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
