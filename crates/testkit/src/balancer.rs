//! A proxy before several nodes: it asks each again and again whether it is ready, and sends
//! clients to those that are, in turns. It ends no connection by itself.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{http, tcp_proxy::TcpProxy};

/// So often nodes are asked, and so long they have for an answer.
const ASK_EVERY: Duration = Duration::from_millis(100);
const ANSWER_WITHIN: Duration = Duration::from_millis(800);

/// The proxy; dropping it ends it.
pub struct Balancer {
    proxy: TcpProxy,
    nodes: Arc<Nodes>,
}

struct Nodes {
    list: Mutex<Vec<Node>>,
    turn: AtomicUsize,
    ended: AtomicBool,
}

#[derive(Clone, Copy, Default)]
struct Node {
    address: Option<SocketAddr>,
    ready: bool,
    taken_out: bool,
}

impl Nodes {
    fn list(&self) -> MutexGuard<'_, Vec<Node>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<SocketAddr> {
        let list = self.list();
        let usable = |node: &&Node| node.ready && !node.taken_out;
        let ready: Vec<SocketAddr> =
            list.iter().filter(usable).filter_map(|node| node.address).collect();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        ready.get(turn % ready.len().max(1)).copied()
    }

    /// Asks one node after the other until the proxy ends. One that does not answer keeps nobody
    /// waiting but those behind it, for less than a second.
    fn ask(&self, place: usize) {
        while !self.ended.load(Ordering::Relaxed) {
            let address = self.list().get(place).and_then(|node| node.address);
            let ready = address.is_some_and(|address| {
                let answer = http::status(&address.to_string(), "/readyz", ANSWER_WITHIN);
                answer.is_ok_and(|status| status == 200)
            });
            if let Some(node) = self.list().get_mut(place)
                // It may have been told of another run of the node meanwhile.
                && node.address == address
            {
                node.ready = ready;
            }
            thread::sleep(ASK_EVERY);
        }
    }
}

impl Balancer {
    /// A proxy before so many nodes, of which none has an address yet.
    pub fn start(nodes: usize) -> io::Result<Self> {
        let list = Mutex::new(vec![Node::default(); nodes]);
        let nodes_of =
            Arc::new(Nodes { list, turn: AtomicUsize::new(0), ended: AtomicBool::new(false) });
        for place in 0..nodes {
            let asking = Arc::clone(&nodes_of);
            thread::Builder::new().spawn(move || asking.ask(place))?;
        }
        let choosing = Arc::clone(&nodes_of);
        let proxy = TcpProxy::choosing(move || choosing.next())?;
        Ok(Self { proxy, nodes: nodes_of })
    }

    /// `host:port`
    pub fn address(&self) -> String {
        self.proxy.address().to_string()
    }

    /// A node has this address from now on.
    pub fn set(&self, node: usize, address: SocketAddr) {
        if let Some(node) = self.nodes.list().get_mut(node) {
            (node.address, node.ready) = (Some(address), false);
        }
    }

    /// Nobody new is sent to a node any more, or again.
    pub fn take_out(&self, node: usize, out: bool) {
        if let Some(node) = self.nodes.list().get_mut(node) {
            node.taken_out = out;
        }
    }

    pub fn is_ready(&self, node: usize) -> bool {
        self.nodes.list().get(node).is_some_and(|node| node.ready)
    }

    /// Waits until a node is ready, or is not; whether that came in time.
    pub fn wait(&self, node: usize, ready: bool, within: Duration) -> bool {
        let until = Instant::now() + within;
        while self.is_ready(node) != ready {
            if Instant::now() > until {
                return false;
            }
            thread::sleep(Duration::from_millis(10));
        }
        true
    }

    /// Cuts the connections of all clients.
    pub fn cut(&self) {
        self.proxy.cut();
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.nodes.ended.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Reply, ScriptedServer};

    const SOON: Duration = Duration::from_secs(20);

    fn node(name: &str) -> ScriptedServer {
        let headers = [("connection", "close")];
        let reply = Reply::whole(200, &headers, name).close();
        ScriptedServer::always(reply).unwrap()
    }

    fn at(server: &ScriptedServer) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], server.port()))
    }

    #[test]
    fn clients_go_to_nodes_that_are_ready() {
        let balancer = Balancer::start(2).unwrap();
        let ask = || http::request(&balancer.address(), "GET", "/", &[], b"").map(|it| it.body);
        assert!(ask().is_err(), "there is no node");
        let (one, two) = (node("one"), node("two"));
        balancer.set(0, at(&one));
        balancer.set(1, at(&two));
        assert!(balancer.wait(0, true, SOON) && balancer.wait(1, true, SOON));
        let mut both = [ask().unwrap(), ask().unwrap()];
        both.sort();
        assert_eq!(both, ["one", "two"]);
        balancer.take_out(0, true);
        assert_eq!(ask().unwrap(), "two");
        balancer.take_out(0, false);
        drop(two);
        assert!(balancer.wait(1, false, SOON));
        assert_eq!(ask().unwrap(), "one");
    }
}
