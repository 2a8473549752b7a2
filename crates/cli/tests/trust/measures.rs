//! How much is tried, and what a process takes.

/// As often as this in every run, and so many times more often where there is time.
pub(crate) fn times(usual: u32, long: u32) -> u32 {
    if std::env::var_os("PLIMSOLL_LONG").is_some_and(|set| set == "1") { long } else { usual }
}

/// A number of kilobytes that the system tells of a process, in bytes; none where there is
/// no such system.
fn told(pid: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The memory that a process has now.
pub(crate) fn memory(pid: u32) -> Option<u64> {
    told(pid, "VmRSS:")
}

/// The most memory that a process ever had.
pub(crate) fn most_memory(pid: u32) -> Option<u64> {
    told(pid, "VmHWM:")
}
