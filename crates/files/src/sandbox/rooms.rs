//! The file systems that a program can write to: in memory, each with a size. They are
//! opened from outside before the program begins, so they can be measured with all that is
//! in them, named or not, and what was written can be read when the program is gone.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{INSIDE, system, watch};

/// How often is asked whether the sandbox stands.
const EVERY: Duration = Duration::from_millis(3);

/// The rooms of one run.
pub(super) struct Rooms {
    work: File,
    others: Vec<File>,
}

impl Rooms {
    /// Opens them as soon as the sandbox stands, which a sign inside tells. Its first process
    /// then waits for us.
    pub(super) async fn open(bubblewrap: u32, sign: &str) -> Self {
        loop {
            if let Some(rooms) = Self::try_open(bubblewrap, sign) {
                return rooms;
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    fn try_open(bubblewrap: u32, sign: &str) -> Option<Self> {
        children(bubblewrap).into_iter().find_map(|id| {
            let root = PathBuf::from(format!("/proc/{id}/root"));
            fs::symlink_metadata(root.join(sign)).ok()?;
            let open = |inside: &str| File::open(root.join(inside.trim_start_matches('/')));
            let others = ["/tmp", "/dev/shm"].into_iter().map(open).collect::<io::Result<_>>();
            Some(Self { work: open(INSIDE).ok()?, others: others.ok()? })
        })
    }

    /// The working directory, by a path of this process.
    pub(super) fn work(&self) -> PathBuf {
        system::path_of(&self.work)
    }

    /// Bytes and entries in all of them.
    pub(super) fn used(&self) -> (u64, u64) {
        let all = std::iter::once(&self.work).chain(&self.others).map(system::used);
        all.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

/// The children of a process. Some kernels do not list them; then all processes are asked.
fn children(id: u32) -> Vec<u32> {
    match fs::read_to_string(Path::new("/proc").join(format!("{id}/task/{id}/children"))) {
        Ok(told) => told.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect(),
        Err(_) => watch::below(id).into_keys().collect(),
    }
}
