//! A real object store that speaks S3, on a free loopback port: it checks signatures, knows
//! `If-None-Match` and uploads in parts. It can be stopped in the midst of anything and started
//! again with the same address and the same data.

use std::{
    fs, io,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use s3s::{
    auth::SimpleAuth,
    service::{S3Service, S3ServiceBuilder},
};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::real;

/// A server that runs until it is stopped or dropped.
pub struct S3Server {
    data: TempDir,
    address: SocketAddr,
    runtime: Option<Runtime>,
    traffic: Arc<Traffic>,
}

/// What was asked, and how much more is answered.
struct Traffic {
    asked: Mutex<Vec<String>>,
    left: AtomicU64,
}

impl S3Server {
    /// The one bucket that is there.
    pub const BUCKET: &str = "plimsoll-test";
    /// The one key that is taken, and its secret.
    pub const KEY_ID: &str = "AKIDPLIMSOLLTEST";
    /// It must never be seen anywhere.
    pub const SECRET: &str = "canary-secret-of-the-object-store";

    /// The server that all tests of a process share. Its data go with the process, also with one
    /// that is killed.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<io::Result<(S3Server, Child)>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| {
            let server = Self::start()?;
            let mut sweeper = Command::new("sh");
            sweeper.args(["-c", "cat >/dev/null; rm -rf \"$1\"", "sh"]);
            let sweeper = sweeper.arg(server.data.path()).stdin(Stdio::piped()).spawn()?;
            Ok((server, sweeper))
        });
        if let Err(why) = shared {
            real::skipped(&format!("this test needs an object store: {why}"));
        }
        shared.as_ref().ok().map(|(server, _)| server)
    }

    /// Starts a server with an empty bucket.
    pub fn start() -> io::Result<Self> {
        let data = tempfile::tempdir()?;
        fs::create_dir(data.path().join(Self::BUCKET))?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let traffic = Traffic { asked: Mutex::default(), left: AtomicU64::new(u64::MAX) };
        let mut server = Self { data, address, runtime: None, traffic: Arc::new(traffic) };
        server.serve(listener)?;
        Ok(server)
    }

    /// Ends it at once, connections included. What is not written yet is lost.
    pub fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }

    /// Starts it again, with the same address and data.
    pub fn start_again(&mut self) -> io::Result<()> {
        self.stop();
        self.traffic.left.store(u64::MAX, Ordering::SeqCst);
        self.serve(TcpListener::bind(self.address)?)
    }

    /// Answers so many requests more; on all others the connection breaks off.
    pub fn answer_only(&self, requests: u64) {
        self.traffic.left.store(requests, Ordering::SeqCst);
    }

    /// The address of the server.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// `s3://bucket/prefix`.
    pub fn address(&self, prefix: &str) -> String {
        format!("s3://{}/{prefix}", Self::BUCKET)
    }

    /// The variables with which it is reached.
    pub fn variables(&self) -> Vec<(String, String)> {
        let variables = [
            ("AWS_ENDPOINT_URL", self.endpoint()),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", Self::KEY_ID.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", Self::SECRET.to_owned()),
        ];
        variables.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// Where the objects of the bucket are, each a file by its key.
    pub fn bucket_dir(&self) -> PathBuf {
        self.data.path().join(Self::BUCKET)
    }

    /// The keys of all objects, in order.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        gather(&self.bucket_dir(), "", &mut keys);
        keys.sort();
        keys
    }

    /// What was asked since the last time: method, path, query and the condition, if any.
    pub fn asked(&self) -> Vec<String> {
        let mut asked = self.traffic.asked.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *asked)
    }

    fn serve(&mut self, listener: TcpListener) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        let files = FileSystem::new(self.data.path());
        let files = files.map_err(|error| io::Error::other(format!("{error:?}")))?;
        let mut service = S3ServiceBuilder::new(files);
        service.set_auth(SimpleAuth::from_single(Self::KEY_ID, Self::SECRET));
        let (service, traffic) = (service.build(), Arc::clone(&self.traffic));
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        runtime.spawn(accept(listener, service, traffic));
        self.runtime = Some(runtime);
        Ok(())
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        // A test may drop it on a thread of a runtime, which must not wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: tokio::net::TcpListener, service: S3Service, traffic: Arc<Traffic>) {
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        let (service, traffic) = (service.clone(), Arc::clone(&traffic));
        let answer = service_fn(move |request: hyper::Request<Incoming>| {
            let answered = traffic.hear(&request);
            let service = service.clone();
            async move {
                if !answered {
                    return Err(io::Error::other("the server was told to stop"));
                }
                let answer = service.call(request.map(s3s::Body::from)).await;
                answer.map_err(|error| io::Error::other(format!("{error:?}")))
            }
        });
        tokio::spawn(async move {
            // A connection that breaks off is the test's doing.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), answer).await;
        });
    }
}

impl Traffic {
    /// Writes a request down; says whether it is answered.
    fn hear(&self, request: &hyper::Request<Incoming>) -> bool {
        let condition = request.headers().get("if-none-match");
        let condition = condition.and_then(|value| value.to_str().ok());
        let condition = condition.map(|value| format!(" if-none-match: {value}"));
        let line =
            format!("{} {}{}", request.method(), request.uri(), condition.unwrap_or_default());
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        let one_less = |left: u64| if left == u64::MAX { Some(left) } else { left.checked_sub(1) };
        self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
    }
}

/// Hidden files are the server's own.
fn gather(dir: &Path, prefix: &str, keys: &mut Vec<String>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let key = format!("{prefix}{name}");
        if entry.path().is_dir() {
            gather(&entry.path(), &format!("{key}/"), keys);
        } else {
            keys.push(key);
        }
    }
}
