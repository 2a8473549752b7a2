//! Where the log goes: to standard error and, by a setting, to a file. What is logged are ids,
//! names, sizes and times; no key and no message ever is.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::Mutex,
};

use plimsoll_config::Settings;
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::failure::Failure;

const NAME: &str = "plimsoll.log";

/// A larger log is put aside when the program starts; the one before it goes.
const LARGEST_LOG_BYTES: u64 = 16 << 20;

/// Begins to log, once for a process.
pub(crate) fn start(settings: &Settings, dir: &Path) -> Result<(), Failure> {
    let level: LevelFilter = settings.log().parse().unwrap_or(LevelFilter::WARN);
    // What libraries say is about their own insides.
    let ours = || Targets::new().with_target("plimsoll", level);
    let file = match settings.log_to_file() && level != LevelFilter::OFF {
        true => {
            let path = dir.join(NAME);
            let open = open(&path).map_err(|error| {
                Failure::failed(format!("{}: {error}", path.display()))
                    .hint("`plimsoll settings set logToFile off` goes without it")
            })?;
            Some(fmt::layer().with_ansi(false).with_writer(Mutex::new(open)).with_filter(ours()))
        }
        false => None,
    };
    let lines = fmt::layer().with_ansi(false).with_writer(io::stderr).with_filter(ours());
    // A process that logs already goes on as it began.
    let _ = tracing_subscriber::registry().with(lines).with(file).try_init();
    Ok(())
}

fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path).is_ok_and(|log| log.len() > LARGEST_LOG_BYTES) {
        fs::rename(path, path.with_extension("log.1"))?;
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}
