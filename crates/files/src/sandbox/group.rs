//! A control group for one run, where this user may make one: the kernel then holds all its
//! processes together to the limits. Where there is none, `watch.rs` adds up.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::Limits;

/// All groups of ours begin so.
pub(super) const PREFIX: &str = "plimsoll-run-";

/// What bubblewrap itself needs beside the program: two processes and some memory.
const MORE_PROCESSES: u64 = 4;
const MORE_MEMORY: u64 = 64 << 20;

/// A group that is removed with all its processes when this is dropped.
#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
}

impl Group {
    /// Makes a group with this name, if that is possible here.
    pub(super) fn make(name: &str, limits: &Limits) -> Option<Self> {
        Self::make_below(&parent()?, name, limits).ok()
    }

    fn make_below(parent: &Path, name: &str, limits: &Limits) -> io::Result<Self> {
        let path = parent.join(name);
        fs::create_dir(&path)?;
        let group = Self { path };
        group.set("memory.max", limits.memory + limits.disk + MORE_MEMORY)?;
        group.set("pids.max", limits.processes + MORE_PROCESSES)?;
        // Not every kernel has these two; the first two are the limits.
        let _ = group.set("memory.swap.max", 0);
        let _ = group.set("memory.oom.group", 1);
        Ok(group)
    }

    fn set(&self, file: &str, value: u64) -> io::Result<()> {
        fs::write(self.path.join(file), value.to_string())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the kernel ended a process for want of memory.
    pub(super) fn ran_out_of_memory(&self) -> bool {
        let told = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        told.lines()
            .filter_map(|line| line.strip_prefix("oom_kill "))
            .any(|count| count.trim() != "0")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What is still in it is ended; a group that is not empty yet is removed at the next
        // start.
        let _ = self.set("cgroup.kill", 1);
        let _ = fs::remove_dir(&self.path);
    }
}

/// Removes the empty groups that killed runs left.
pub(super) fn clear_left() {
    let Some(parent) = parent() else { return };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            // One in use is not empty and stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The nearest group above this process that hands on memory and processes.
fn parent() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mount = mounts.lines().find_map(mount_of)?;
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    nearest(&mount, own)
}

/// Where the groups are, if this line says so: they must be seen from their root.
fn mount_of(line: &str) -> Option<PathBuf> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ').skip(3);
    let (root, place) = (fields.next()?, fields.next()?);
    (after.starts_with("cgroup2 ") && root == "/").then(|| PathBuf::from(place))
}

fn nearest(mount: &Path, own: &str) -> Option<PathBuf> {
    let start = mount.join(own);
    let up = start.ancestors().take_while(|path| path.starts_with(mount));
    let hands_on = |path: &&Path| {
        let told = fs::read_to_string(path.join("cgroup.subtree_control")).unwrap_or_default();
        let has = |name| told.split_ascii_whitespace().any(|word| word == name);
        has("memory") && has("pids")
    };
    up.into_iter().find(hands_on).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_group_that_hands_on_both_is_found() {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("user/app/terminal");
        fs::create_dir_all(&own).unwrap();
        assert_eq!(nearest(mount.path(), "user/app/terminal"), None, "none hands on");
        fs::write(own.join("cgroup.subtree_control"), "pids\n").unwrap();
        fs::write(mount.path().join("user/cgroup.subtree_control"), "cpu memory pids\n").unwrap();
        let found = nearest(mount.path(), "user/app/terminal");
        assert_eq!(found, Some(mount.path().join("user")));
    }

    #[test]
    fn only_the_second_kind_of_groups_is_used() {
        let new = "31 24 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw";
        assert_eq!(mount_of(new), Some(PathBuf::from("/sys/fs/cgroup")));
        let old = "31 24 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids";
        assert_eq!(mount_of(old), None);
        let part = "31 24 0:27 /inner /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw";
        assert_eq!(mount_of(part), None);
    }

    /// The kernel's own groups, where this machine has them to give.
    #[test]
    fn a_group_is_made_and_goes_away() {
        let limits =
            Limits { memory: 1 << 30, disk: 1 << 20, file: 1 << 20, processes: 32, cpu: 1 };
        let name = format!("{PREFIX}test-{}", std::process::id());
        let Some(group) = Group::make(&name, &limits) else {
            return plimsoll_testkit::real::skipped(
                "no control group can be made here (cgroup v2 with memory and pids)",
            );
        };
        let most = fs::read_to_string(group.path().join("pids.max")).unwrap();
        assert_eq!(most.trim(), "36");
        let path = group.path().to_owned();
        drop(group);
        assert!(!path.exists());
    }
}
