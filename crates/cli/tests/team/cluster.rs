//! All of a team's server: PostgreSQL, an object store, nodes, and a proxy before them. Each node
//! reaches the database by a proxy of its own, which can be cut.

use std::{
    ffi::OsString,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use plimsoll_testkit::{
    balancer::Balancer, postgres::Postgres, real, s3_server::S3Server, tcp_proxy::TcpProxy,
};

use crate::{node::Node, provider::Provider};

/// What is waited for comes soon, or the test fails; a busy machine takes its time.
pub(crate) const SOON: Duration = Duration::from_secs(60);

pub(crate) struct Cluster {
    // Nodes end first, so that they do not complain about all that ends.
    pub(crate) nodes: Vec<Node>,
    pub(crate) balancer: Balancer,
    pub(crate) links: Vec<TcpProxy>,
    pub(crate) provider: Provider,
    pub(crate) objects: S3Server,
    pub(crate) postgres: Postgres,
    database: String,
    pub(crate) lease: Duration,
}

/// A send as the database has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) pair: String,
    pub(crate) epoch: String,
}

impl Cluster {
    /// Starts it with three nodes; none where the machine has no PostgreSQL, which is said.
    pub(crate) fn start(lease: Duration) -> Option<Self> {
        let postgres = match Postgres::start("") {
            Ok(postgres) => postgres,
            Err(why) => {
                real::skipped(&format!("this test needs PostgreSQL: {why}"));
                return None;
            }
        };
        let database = postgres.database();
        let objects = S3Server::start().unwrap();
        let balancer = Balancer::start(3).unwrap();
        let mut cluster = Self {
            nodes: Vec::new(),
            balancer,
            links: Vec::new(),
            provider: Provider::start(),
            objects,
            postgres,
            database,
            lease,
        };
        (0..3).for_each(|place| cluster.add_node(place));
        (0..3).for_each(|place| cluster.until_ready(place));
        Some(cluster)
    }

    fn add_node(&mut self, place: usize) {
        let direct = SocketAddr::from(([127, 0, 0, 1], self.postgres.port()));
        let link = TcpProxy::before(direct).unwrap();
        let name = self.database.rsplit('/').next().unwrap();
        let store = format!("postgres://postgres@{}/{name}", link.address());
        let mut environment: Vec<(OsString, OsString)> =
            self.objects.variables().into_iter().map(|(a, b)| (a.into(), b.into())).collect();
        environment.push(("PLIMSOLL_STORE".into(), store.into()));
        environment.push(("PLIMSOLL_BLOBS".into(), self.objects.address("team").into()));
        environment.push(("PLIMSOLL_TEST_KEY".into(), format!("sk-of-node-{place}").into()));
        let lease = self.lease.as_secs();
        let settings = format!("leaseSeconds = {lease}\nretries = 0\n");
        let node = Node::start(&self.provider.server, &settings, environment);
        self.balancer.set(place, node.address);
        self.nodes.push(node);
        self.links.push(link);
    }

    pub(crate) fn until_ready(&self, place: usize) {
        let ready = self.balancer.wait(place, true, SOON);
        assert!(ready, "node {place} is not ready: {}", self.nodes[place].log());
    }

    /// Starts a node that has ended, and waits until it is ready.
    pub(crate) fn start_again(&mut self, place: usize) {
        self.nodes[place].start_again();
        self.balancer.set(place, self.nodes[place].address);
        self.until_ready(place);
    }

    /// Starts the database again. Its port may be taken for a moment by a connection that nobody
    /// answered.
    pub(crate) fn database_again(&mut self) {
        let until = Instant::now() + SOON;
        while let Err(why) = self.postgres.run() {
            assert!(Instant::now() < until, "{why}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    pub(crate) fn objects_again(&mut self) {
        let until = Instant::now() + SOON;
        while let Err(why) = self.objects.start_again() {
            assert!(Instant::now() < until, "{why}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    pub(crate) fn sql(&self, sql: &str) -> String {
        self.postgres.run_sql(&self.database, sql)
    }

    /// The sends in the hands of a node, or of all.
    pub(crate) fn held(&self, node: Option<&Node>) -> Vec<Held> {
        let owner = node.map_or(String::new(), Node::owner);
        let sql = format!("SELECT pair_id, epoch FROM sends WHERE owner LIKE '{owner}%'");
        let found = self.sql(&sql);
        let read = |line: &str| {
            let (pair, epoch) = line.split_once('|')?;
            Some(Held { pair: pair.to_owned(), epoch: epoch.to_owned() })
        };
        found.lines().filter_map(read).collect()
    }

    /// A name that no other of this process has.
    pub(crate) fn new_name(&self) -> u64 {
        static NAMES: AtomicU64 = AtomicU64::new(1);
        NAMES.fetch_add(1, Ordering::Relaxed)
    }
}
