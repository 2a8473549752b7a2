//! A proxy for TCP that does to connections what networks do: it cuts them, takes none, or lets
//! nothing through for a while. Each connection goes where the proxy is told when it comes.

use std::{
    io,
    net::{SocketAddr, TcpListener as StdListener},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    runtime::{Builder, Runtime},
    sync::watch,
    task::AbortHandle,
};

type Choose = dyn Fn() -> Option<SocketAddr> + Send + Sync;

/// A proxy; dropping it ends it with its connections.
pub struct TcpProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

struct Shared {
    choose: Box<Choose>,
    refusing: AtomicBool,
    passing: watch::Sender<bool>,
    open: Mutex<Vec<AbortHandle>>,
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Vec<AbortHandle>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TcpProxy {
    /// A proxy before one address.
    pub fn before(target: SocketAddr) -> io::Result<Self> {
        Self::choosing(move || Some(target))
    }

    /// A proxy that asks for each connection where it goes; nowhere means that it is closed at once.
    pub fn choosing(
        choose: impl Fn() -> Option<SocketAddr> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = StdListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let shared = Arc::new(Shared {
            choose: Box::new(choose),
            refusing: AtomicBool::new(false),
            passing: watch::channel(true).0,
            open: Mutex::default(),
        });
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(listener)?
        };
        runtime.spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, runtime: Some(runtime) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes all connections that are open. New ones are taken.
    pub fn cut(&self) {
        self.shared.open().drain(..).for_each(|connection| connection.abort());
    }

    /// Closes new connections at once, until it is told otherwise.
    pub fn refuse(&self, refuse: bool) {
        self.shared.refusing.store(refuse, Ordering::SeqCst);
    }

    /// Lets nothing through, while all connections stay open. What came meanwhile arrives later.
    pub fn stall(&self, stall: bool) {
        self.shared.passing.send_replace(!stall);
    }
}

impl Drop for TcpProxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        if shared.refusing.load(Ordering::SeqCst) {
            continue;
        }
        let carrying = tokio::spawn(serve(client, Arc::clone(&shared)));
        let mut open = shared.open();
        open.retain(|connection| !connection.is_finished());
        open.push(carrying.abort_handle());
    }
}

async fn serve(mut client: TcpStream, shared: Arc<Shared>) {
    let mut passing = shared.passing.subscribe();
    let _ = passing.wait_for(|passing| *passing).await;
    let Some(target) = (shared.choose)() else { return };
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    // Whichever way breaks first takes the other along.
    let _ = tokio::try_join!(
        one_way(from_client, to_server, passing.clone()),
        one_way(from_server, to_client, passing),
    );
}

async fn one_way(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    mut passing: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let read = from.read(&mut buffer).await?;
        let _ = passing.wait_for(|passing| *passing).await;
        if read == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..read]).await?;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpStream,
    };

    use super::*;
    use crate::scripted::{Reply, ScriptedServer};

    #[test]
    fn a_connection_goes_through_until_it_is_cut() {
        let server = ScriptedServer::always(Reply::stalls_after(&["half"])).unwrap();
        let target = SocketAddr::from(([127, 0, 0, 1], server.port()));
        let proxy = TcpProxy::before(target).unwrap();
        let mut client = TcpStream::connect(proxy.address()).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut said = [0; 4];
        client.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"HTTP");
        proxy.cut();
        let mut rest = Vec::new();
        let _ = client.read_to_end(&mut rest);
        assert!(server.wait_for_hang_up(std::time::Duration::from_secs(20)));
        proxy.refuse(true);
        let mut refused = TcpStream::connect(proxy.address()).unwrap();
        let _ = refused.write_all(b"GET / HTTP/1.1\r\n\r\n");
        assert!(matches!(refused.read(&mut said), Ok(0) | Err(_)), "nobody is there");
    }

    #[test]
    fn what_was_held_up_arrives_later() {
        let server = ScriptedServer::always(Reply::openai_whole("late", 1, 1)).unwrap();
        let target = SocketAddr::from(([127, 0, 0, 1], server.port()));
        let proxy = TcpProxy::before(target).unwrap();
        proxy.stall(true);
        let address = proxy.address().to_string();
        let asking = std::thread::spawn(move || {
            crate::http::request(&address, "POST", "/", &[("x-a", "b")], b"{}").unwrap().status
        });
        assert!(!server.wait_for_requests(1, std::time::Duration::from_millis(50)));
        proxy.stall(false);
        // The server keeps connections open, so that the end of the answer is ours to make.
        assert!(server.wait_for_requests(1, std::time::Duration::from_secs(20)));
        drop(server);
        assert_eq!(asking.join().unwrap(), 200);
    }
}
