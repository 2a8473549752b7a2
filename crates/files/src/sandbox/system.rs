//! The few things that each system does in its own way. Where there is no sandbox nothing
//! here is ever asked for, but it still builds.

#[cfg(unix)]
mod own {
    use std::{
        fs::{self, File, OpenOptions},
        io,
        os::unix::{
            fs::{OpenOptionsExt, PermissionsExt, chown},
            process::ExitStatusExt,
        },
        path::Path,
        process::ExitStatus,
    };

    use rustix::{fs::OFlags, param, process};

    pub(crate) fn is_root() -> bool {
        process::geteuid().is_root()
    }

    pub(crate) fn page_size() -> u64 {
        param::page_size() as u64
    }

    pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }

    pub(crate) fn give_to(path: &Path, owner: u32) -> io::Result<()> {
        chown(path, Some(owner), Some(owner))
    }

    /// Opens a file to read it. A link is not followed, and a pipe is not waited for.
    pub(crate) fn open_itself(path: &Path) -> io::Result<File> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path)
    }

    /// The code of an ending; above 128 by the signal above that.
    pub(crate) fn exit_code(status: ExitStatus) -> i32 {
        status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
    }
}

#[cfg(not(unix))]
mod own {
    use std::{fs::File, io, path::Path, process::ExitStatus};

    pub(crate) fn is_root() -> bool {
        false
    }

    pub(crate) fn page_size() -> u64 {
        4096
    }

    pub(crate) fn set_mode(_: &Path, _: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn give_to(_: &Path, _: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn open_itself(_: &Path) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn exit_code(status: ExitStatus) -> i32 {
        status.code().unwrap_or(-1)
    }
}

pub(super) use own::*;
