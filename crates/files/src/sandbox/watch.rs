//! An eye on what a running program uses in all: limits of the kernel bind one process at
//! a time, and one file at a time.

use std::{collections::HashMap, fs, io, path::PathBuf, sync::Arc, time::Duration};

use super::{Limits, rooms::Rooms, system};

/// How many entries all that it can write to may have.
pub(super) const ENTRIES: u64 = 2_000;

/// How often is looked. A program can overdraw by what it manages in this time.
const EVERY: Duration = Duration::from_millis(100);

/// What was overdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The memory of all processes together.
    Memory,
    /// The number of files that it can write.
    Disk,
}

/// Returns when something is overdrawn.
pub(super) async fn watch(root: u32, rooms: Arc<Rooms>, limits: Limits) -> Over {
    loop {
        tokio::time::sleep(EVERY).await;
        let rooms = Arc::clone(&rooms);
        let look = move || look(root, &rooms, limits.memory);
        if let Ok(Some(over)) = tokio::task::spawn_blocking(look).await {
            return over;
        }
    }
}

fn look(root: u32, rooms: &Rooms, memory: u64) -> Option<Over> {
    // What is written is memory too.
    let (bytes, entries) = rooms.used();
    let processes = below(root);
    // What processes share is counted for each of them. The fair count takes the kernel
    // some time, so it is asked for only when the quick one is too high.
    if bytes + processes.values().sum::<u64>() > memory {
        let fair = processes.iter().map(|(id, resident)| fair_share(*id, *resident));
        if bytes + fair.sum::<u64>() > memory {
            return Some(Over::Memory);
        }
    }
    (entries > ENTRIES).then_some(Over::Disk)
}

/// All processes below one, with their resident memory in bytes.
pub(super) fn below(root: u32) -> HashMap<u32, u64> {
    let mut children: HashMap<u32, Vec<(u32, u64)>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        if let Some((parent, pages)) = parent_and_pages(&stat) {
            children.entry(parent).or_default().push((id, pages));
        }
    }
    let mut found = HashMap::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        for (child, pages) in children.remove(&id).unwrap_or_default() {
            // A cap far above all memory, so that sums stay in range.
            found.insert(child, pages.saturating_mul(system::page_size()).min(1 << 48));
            open.push(child);
        }
    }
    found
}

/// The memory of one process, with its part of what it shares. Where that may not be asked,
/// what is resident counts; a process that is just ending holds nothing any more.
fn fair_share(id: u32, resident: u64) -> u64 {
    use io::ErrorKind::{NotFound, PermissionDenied};
    let process = PathBuf::from(format!("/proc/{id}"));
    let told = match fs::read_to_string(process.join("smaps_rollup")) {
        Ok(told) => told,
        Err(error) if error.kind() == PermissionDenied => return resident,
        Err(error) if error.kind() == NotFound && process.exists() => return resident,
        Err(_) => return 0,
    };
    let line = told.lines().find_map(|line| line.strip_prefix("Pss:"));
    let number = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    number.map_or(resident, |number| number.saturating_mul(1024))
}

/// The fourth and the twenty-fourth field. The second is a name in brackets, which may
/// hold anything.
fn parent_and_pages(stat: &str) -> Option<(u32, u64)> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let pages = fields.nth(19)?.parse().ok()?;
    Some((parent, pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernel_is_read() {
        let stat = "12 (a) b) R) S 7 12 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1000 321 18 0";
        assert_eq!(parent_and_pages(stat), Some((7, 321)));
        assert_eq!(parent_and_pages("nonsense"), None);
    }
}
