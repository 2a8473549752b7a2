//! Taking files in: `cargo xtask bench import`.
//!
//! Each number stands beside the plain way in the same run, in turns, so that a slow moment
//! of the machine falls on both; the median of a few runs counts, because how fast a disk
//! takes a gigabyte differs fivefold from one minute to the next. `--quick` measures less.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use plimsoll_blobs::Blobs;
use plimsoll_testkit::{history::Random, report::Table};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const GOAL: f64 = 0.7;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().collect();
    // The peak of memory is that of a whole process, so one is started that only imports.
    if let Some(at) = args.iter().position(|arg| arg == "--one-import") {
        let (Some(file), Some(context)) = (args.get(at + 1), args.get(at + 2)) else {
            return Err("--one-import FILE CONTEXT".into());
        };
        return one_import(Path::new(file), Path::new(context));
    }
    let quick = args.iter().any(|arg| arg == "--quick");
    let runs = if quick { 3 } else { 5 };
    // Nothing is deleted before all is measured: ext4 is slow for seconds after that, and a
    // disk that is told of freed blocks is busy with them.
    let home = tempfile::tempdir()?;
    let mut table = Table::default();
    let counts: &[usize] = if quick { &[10_000] } else { &[10_000, 100_000] };
    for count in counts {
        small(&home.path().join(count.to_string()), *count, runs, &mut table)?;
    }
    let (size, said) = if quick { (256 << 20, "256 MiB") } else { (1 << 30, "1 GiB") };
    large(home.path(), size, said, runs, &mut table)?;
    Ok(table.print_and_save("import")?)
}

/// Bytes that no file system stores in less space, and that are different each time.
fn noise(random: &mut Random, bytes: &mut [u8]) {
    for part in bytes.chunks_mut(8) {
        part.copy_from_slice(&random.next_u64().to_le_bytes()[..part.len()]);
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn large(home: &Path, size: u64, said: &str, runs: u64, table: &mut Table) -> Outcome {
    let source = home.join("source.bin");
    let mut random = Random::new(size);
    let mut part = vec![0; 1 << 20];
    let mut file = File::create(&source)?;
    for _ in 0..size >> 20 {
        noise(&mut random, &mut part);
        file.write_all(&part)?;
    }
    file.sync_all()?;
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for run in 0..runs {
        let copy = home.join(format!("copy-{run}"));
        let started = Instant::now();
        fs::copy(&source, &copy)?;
        File::open(&copy)?.sync_all()?;
        plain.push(started.elapsed());
        let context = home.join(format!("context-{run}"));
        let started = Instant::now();
        let blob = Blobs::open(&context)?.import_file(&source, None, &mut |_, _| {}, &|| false)?;
        ours.push(started.elapsed());
        if blob.size != size || !blob.new {
            return Err("not all of it was taken in".into());
        }
    }
    let (ours, plain) = (median(&mut ours), median(&mut plain));
    let rate = (size >> 20) as f64 / ours.as_secs_f64();
    let ratio = plain.as_secs_f64() / ours.as_secs_f64();
    table.row("import of one file, durable", said, rate, "MiB/s");
    table.ratio(format!("{ratio:.2} × plain copy + fsync"));
    table.goal("≥ 0.7 ×", ratio >= GOAL);
    let context = home.join("measured");
    let child = std::process::Command::new(std::env::current_exe()?)
        .arg("--one-import")
        .args([&source, &context])
        .output()?;
    let peak: f64 = String::from_utf8(child.stdout)?.trim().parse()?;
    table.row("– peak memory of a process that does it", said, peak / 1024.0, "MiB");
    table.goal("≤ 32 MiB", peak <= 32.0 * 1024.0);
    Ok(())
}

/// Imports one file and prints the peak of this process's memory in KiB.
fn one_import(file: &Path, context: &Path) -> Outcome {
    Blobs::open(context)?.import_file(file, None, &mut |_, _| {}, &|| false)?;
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.split_whitespace().next()).ok_or("no peak is told")?;
    Ok(writeln!(std::io::stdout(), "{peak}")?)
}

/// Many small texts, from memory, beside write + rename + one sync of the same.
fn small(home: &Path, count: usize, runs: u64, table: &mut Table) -> Outcome {
    let mut random = Random::new(count as u64);
    let texts: Vec<String> = (0..count)
        .map(|n| format!("{n} {}", plimsoll_testkit::history::prose(&mut random, 2_000)))
        .collect();
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for run in 0..runs {
        let plain_home = home.join(format!("plain-{run}"));
        fs::create_dir_all(&plain_home)?;
        let started = Instant::now();
        write_plainly(&plain_home, &texts)?;
        plain.push(started.elapsed());
        let started = Instant::now();
        let blobs = Blobs::open(home.join(format!("context-{run}")))?;
        let mut batch = blobs.batch();
        for text in &texts {
            let mut intake = blobs.begin("note.md", None)?;
            intake.write(text.as_bytes())?;
            batch.add(intake)?;
        }
        let taken = batch.finish()?;
        ours.push(started.elapsed());
        if taken.iter().filter(|blob| blob.new).count() != count {
            return Err("not all were taken in".into());
        }
    }
    let (ours, plain) = (median(&mut ours), median(&mut plain));
    let size = format!("{count} of 2 KB");
    let ratio = plain.as_secs_f64() / ours.as_secs_f64();
    table.row(
        "import of small files, durable",
        &size,
        count as f64 / ours.as_secs_f64(),
        "files/s",
    );
    table.ratio(format!("{ratio:.2} × write + rename + one sync"));
    table.goal("≥ 0.7 ×", ratio >= GOAL);
    Ok(())
}

fn write_plainly(home: &Path, texts: &[String]) -> Outcome {
    let (tmp, named) = (home.join("tmp"), home.join("named"));
    fs::create_dir(&tmp)?;
    fs::create_dir(&named)?;
    for (n, text) in texts.iter().enumerate() {
        let path = tmp.join(n.to_string());
        fs::write(&path, text)?;
        fs::rename(&path, named.join(format!("{n:064}.md")))?;
    }
    sync_file_system(home)
}

#[cfg(target_os = "linux")]
fn sync_file_system(home: &Path) -> Outcome {
    Ok(rustix::fs::syncfs(File::open(home)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(home: &Path) -> Outcome {
    Ok(File::open(home)?.sync_all()?)
}
