//! The few things that are done with the file system, each once.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use uuid::Builder;

use crate::BlobError;

/// Makes a directory that only its owner may look into, where there is none, and those above
/// it, each with its name on the disk: what is synced in it would be lost with its name.
pub(crate) fn make_dir(path: &Path) -> Result<(), BlobError> {
    let new: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(BlobError::io("make the directory", path))?;
    new.into_iter().filter_map(Path::parent).try_for_each(sync_dir)
}

/// Makes the names in a directory durable. Windows has no such call, and does so by itself.
pub(crate) fn sync_dir(path: &Path) -> Result<(), BlobError> {
    if cfg!(unix) {
        let synced = File::open(path).and_then(|dir| dir.sync_all());
        synced.map_err(BlobError::io("synchronise", path))?;
    }
    Ok(())
}

/// Makes the names of a directory and of those above it durable, so many levels. One that may
/// not be opened is another's, and was there before.
pub(crate) fn sync_above(path: &Path, levels: usize) -> Result<(), BlobError> {
    for above in path.ancestors().skip(1).take(levels).filter(|_| cfg!(unix)) {
        if let Ok(dir) = File::open(above) {
            dir.sync_all().map_err(BlobError::io("synchronise", above))?;
        }
    }
    Ok(())
}

/// Opens a regular file below `context/` for reading. A link is not followed.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// A file in `tmp/` that is gone when it is dropped, unless it got a name elsewhere.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// A new file `<uuid>.<ext>` that only its owner may read.
    pub(crate) fn create(dir: &Path, extension: &str) -> Result<(Self, File), BlobError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)
            .map_err(|error| io::Error::other(error.to_string()))
            .map_err(BlobError::io("name a file in", dir))?;
        let uuid = Builder::from_random_bytes(random).into_uuid();
        let path = dir.join(format!("{uuid}.{extension}"));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(BlobError::io("create", &path))?;
        Ok((Self { path }, file))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name.
    pub(crate) fn rename(self, to: &Path) -> Result<(), BlobError> {
        fs::rename(&self.path, to).map_err(BlobError::io("rename to", to))?;
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed now is swept later.
        drop(fs::remove_file(&self.path));
    }
}
