//! What happens to a server while people work: each fault from its beginning until all of it is
//! mended again.

use std::{
    thread,
    time::{Duration, Instant},
};

use plimsoll_testkit::history::Random;

use crate::cluster::{Cluster, Held};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// A node is killed.
    Kill,
    /// Two nodes are killed at once.
    KillTwo,
    /// A node is told to end (TEA-8).
    Drain,
    /// A node stands still for longer than its lease.
    Sleep,
    /// The database stops at once, as with its machine.
    Crash,
    /// An administrator starts the database again.
    Restart,
    /// The database crashes, and a node dies while it is away.
    CrashAndKill,
    /// All connections between a node and the database are cut once.
    CutDatabase,
    /// A node does not reach the database for longer than its lease.
    NoDatabase,
    /// Nothing passes between a node and the database for longer than its lease.
    StallDatabase,
    /// The connections of all clients are cut.
    CutClients,
    /// The object store is away.
    NoObjects,
}

pub(crate) const FAULTS: [Fault; 12] = [
    Fault::Kill,
    Fault::KillTwo,
    Fault::Drain,
    Fault::Sleep,
    Fault::Crash,
    Fault::Restart,
    Fault::CrashAndKill,
    Fault::CutDatabase,
    Fault::NoDatabase,
    Fault::StallDatabase,
    Fault::CutClients,
    Fault::NoObjects,
];

/// The faults in an order of their own: each comes once before one comes again.
pub(crate) fn shuffled(dice: &mut Random) -> Vec<Fault> {
    let mut faults = FAULTS.to_vec();
    for place in (1..faults.len()).rev() {
        faults.swap(place, dice.below(place as u64 + 1) as usize);
    }
    faults
}

/// A busy machine takes so long beyond the two leases for what must be done within them.
const SLACK: Duration = Duration::from_secs(2);

impl Cluster {
    /// Lets a fault happen, and mends it.
    pub(crate) fn suffer(&mut self, fault: Fault, dice: &mut Random) {
        let place = dice.below(3) as usize;
        let other = (place + 1) % 3;
        let moment = Duration::from_millis(dice.below(1_500));
        match fault {
            Fault::Kill => self.kill(&[place]),
            Fault::KillTwo => self.kill(&[place, other]),
            Fault::Drain => {
                self.nodes[place].ask_to_end();
                let ended = self.nodes[place].ended();
                assert_eq!(ended.code(), Some(0), "{}", self.nodes[place].log());
                self.start_again(place);
            }
            Fault::Sleep => self.sleep(place),
            Fault::Crash => {
                self.postgres.stop().unwrap();
                thread::sleep(moment);
                self.database_again();
            }
            Fault::Restart => {
                self.postgres.stop_politely().unwrap();
                self.database_again();
            }
            Fault::CrashAndKill => {
                self.postgres.stop().unwrap();
                self.nodes[place].kill();
                thread::sleep(moment);
                self.database_again();
                self.start_again(place);
            }
            Fault::CutDatabase => self.links[place].cut(),
            Fault::NoDatabase => {
                self.links[place].refuse(true);
                self.links[place].cut();
                self.silent(place, |cluster| cluster.links[place].refuse(false));
            }
            Fault::StallDatabase => {
                self.links[place].stall(true);
                self.silent(place, |cluster| cluster.links[place].stall(false));
            }
            Fault::CutClients => self.balancer.cut(),
            Fault::NoObjects => {
                self.objects.stop();
                thread::sleep(moment);
                self.objects_again();
            }
        }
        (0..3).for_each(|place| self.until_ready(place));
    }

    fn kill(&mut self, places: &[usize]) {
        let since = Instant::now();
        places.iter().for_each(|place| self.nodes[*place].kill());
        let held = places.iter().flat_map(|place| self.held(Some(&self.nodes[*place])));
        let held: Vec<Held> = held.collect();
        self.given_up(&held, since);
        places.iter().for_each(|place| self.start_again(*place));
    }

    fn sleep(&mut self, place: usize) {
        self.nodes[place].sleep();
        self.silent(place, |cluster| cluster.nodes[place].wake());
    }

    /// A node gives no sign of life for longer than its lease. What it sends is ended by others,
    /// and nothing of it is changed when the node is there again.
    fn silent(&mut self, place: usize, back: impl FnOnce(&mut Self)) {
        let since = Instant::now();
        let held = self.held(Some(&self.nodes[place]));
        self.given_up(&held, since);
        thread::sleep((self.lease * 3 / 2).saturating_sub(since.elapsed()));
        let before = self.ends_of(&held);
        back(self);
        self.until_ready(place);
        // The time that a late write would need: a lease is renewed and texts are saved meanwhile.
        thread::sleep(Duration::from_millis(700));
        assert_eq!(self.ends_of(&held), before, "node {place} wrote when it was back");
    }

    /// No send stays with a node that died beyond two leases (TEA-7).
    pub(crate) fn given_up(&self, held: &[Held], since: Instant) {
        loop {
            let left: Vec<Held> =
                self.held(None).into_iter().filter(|one| held.contains(one)).collect();
            if left.is_empty() {
                return;
            }
            let waited = since.elapsed();
            assert!(
                waited < self.lease * 2 + SLACK,
                "still sending after {waited:?}: {left:?}\n{}",
                self.sql("SELECT pair_id, owner, expires_at, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint FROM sends")
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// How these sends ended, as far as a send can change it.
    pub(crate) fn ends_of(&self, held: &[Held]) -> String {
        let pairs: Vec<String> = held.iter().map(|one| format!("'{}'", one.pair)).collect();
        if pairs.is_empty() {
            return String::new();
        }
        let sql = format!(
            "SELECT id, lifecycle, error_code, receipt_id, assistant_text FROM pairs
             JOIN pair_texts ON pair_id = id WHERE id IN ({}) AND lifecycle <> 'complete' ORDER BY id",
            pairs.join(", ")
        );
        self.sql(&sql)
    }
}
