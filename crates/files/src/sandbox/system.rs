//! The few things that each system does in its own way. Where there is no sandbox nothing
//! here is ever asked for, but it still builds.

#[cfg(unix)]
mod own {
    use std::{
        fs::{self, File, Metadata, OpenOptions},
        io,
        os::{
            fd::AsRawFd,
            unix::{
                fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
                process::ExitStatusExt,
            },
        },
        path::{Path, PathBuf},
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

    /// Whether it belongs to whoever runs this.
    pub(crate) fn is_ours(found: &Metadata) -> bool {
        found.uid() == process::geteuid().as_raw()
    }

    /// A path by which this process finds what it has open.
    pub(crate) fn path_of(open: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()))
    }

    /// Bytes and entries in use on a file system, whether they have a name or not.
    pub(crate) fn used(open: &File) -> (u64, u64) {
        let Ok(found) = rustix::fs::fstatvfs(open) else { return (0, 0) };
        let bytes = found.f_blocks.saturating_sub(found.f_bfree).saturating_mul(found.f_frsize);
        (bytes, found.f_files.saturating_sub(found.f_ffree))
    }

    /// The number of the call about keys.
    #[cfg(target_os = "linux")]
    pub(crate) const KEYCTL: Option<i64> = Some(libc::SYS_keyctl);
    #[cfg(not(target_os = "linux"))]
    pub(crate) const KEYCTL: Option<i64> = None;

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
    use std::{
        fs::{File, Metadata},
        io,
        path::{Path, PathBuf},
        process::ExitStatus,
    };

    pub(crate) fn is_root() -> bool {
        false
    }

    pub(crate) fn page_size() -> u64 {
        4096
    }

    pub(crate) fn set_mode(_: &Path, _: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn is_ours(_: &Metadata) -> bool {
        false
    }

    pub(crate) fn path_of(_: &File) -> PathBuf {
        PathBuf::new()
    }

    pub(crate) fn used(_: &File) -> (u64, u64) {
        (0, 0)
    }

    pub(crate) const KEYCTL: Option<i64> = None;

    pub(crate) fn open_itself(_: &Path) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn exit_code(status: ExitStatus) -> i32 {
        status.code().unwrap_or(-1)
    }
}

pub(super) use own::*;
