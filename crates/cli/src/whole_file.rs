//! A file that has its name only when it is whole and on the disk.

use std::{
    fs::File,
    io::{self, BufWriter, ErrorKind, Write},
    path::Path,
};

use tempfile::{NamedTempFile, TempPath};

use crate::{failure::Failure, machine::sync_name};

pub(crate) struct WholeFile<'a> {
    path: &'a Path,
    /// Whether a file of that name is replaced.
    replace: bool,
    /// Where it stands until it is whole.
    beside: TempPath,
    out: BufWriter<File>,
}

impl<'a> WholeFile<'a> {
    pub(crate) fn create(path: &'a Path, replace: bool) -> Result<Self, Failure> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let file = NamedTempFile::new_in(directory.unwrap_or(Path::new(".")));
        // Apart, so that an error of writing does not name a file that nobody knows.
        let (file, beside) = file.map_err(|error| unwritable(path, &error))?.into_parts();
        Ok(Self { path, replace, beside, out: BufWriter::with_capacity(64 * 1024, file) })
    }

    /// Says early that the name is taken; `finish` says it again if somebody takes it meanwhile.
    pub(crate) fn check_name(path: &Path, replace: bool) -> Result<(), Failure> {
        match !replace && path.symlink_metadata().is_ok() {
            true => Err(exists(path)),
            false => Ok(()),
        }
    }

    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Self { path, replace, beside, out } = self;
        let failed = |error: io::Error| unwritable(path, &error);
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        let named = match replace {
            true => beside.persist(path),
            false => beside.persist_noclobber(path),
        };
        named.map_err(|error| match error.error.kind() {
            ErrorKind::AlreadyExists => exists(path),
            _ => failed(error.error),
        })?;
        sync_name(path).map_err(failed)
    }
}

impl Write for WholeFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!("cannot write {}: {error}", path.display()))
        .hint("check that the directory is there and can be written to")
}

fn exists(path: &Path) -> Failure {
    Failure::failed(format!("{} is there already", path.display()))
        .hint("choose another name, or use --force to replace it")
}
