//! What a process takes.

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

/// The processor time that a process has used so far, in milliseconds: unlike the time that
/// passes it does not depend on what else the machine does.
pub(crate) fn processor_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything; what follows it is numbers.
    let numbers: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| numbers.get(at)?.parse::<u64>().ok();
    Some((ticks(11)? + ticks(12)?) * 10)
}
