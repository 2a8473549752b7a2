//! A history file that can be read twice: once from end to end, then by line.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{failure::Failure, input::unreadable};

/// Files above this size show a progress bar on a terminal.
const LONG_READ: u64 = 32 * 1024 * 1024;

pub(crate) struct Source {
    path: PathBuf,
    /// What is read the second time: the file itself, or a copy of a stream.
    again: File,
    /// A stream that has no second time of its own.
    stream: Option<Box<dyn Read>>,
    progress: ProgressBar,
}

impl Source {
    /// Opens a file. What cannot be read twice, such as a pipe, is copied to a
    /// temporary file on the way.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |error| unreadable(path, &error);
        let spool = || {
            tempfile::tempfile().map_err(|error| {
                Failure::failed(format!("cannot make a temporary file: {error}")).hint(
                    "a stream is copied there to be read twice; set TMPDIR to a place with room",
                )
            })
        };
        let (again, stream, length): (File, Option<Box<dyn Read>>, u64) = if path == Path::new("-")
        {
            (spool()?, Some(Box::new(std::io::stdin())), 0)
        } else {
            let file = File::open(path).map_err(failed)?;
            let metadata = file.metadata().map_err(failed)?;
            match metadata.is_file() {
                true => (file, None, metadata.len()),
                false => (spool()?, Some(Box::new(file)), 0),
            }
        };
        let progress = match length {
            0..LONG_READ => ProgressBar::hidden(),
            _ => ProgressBar::new(length).with_style(style()),
        };
        Ok(Self { path: path.to_owned(), again, stream, progress })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Everything, from the first byte to the last.
    pub(crate) fn first_pass(&mut self) -> impl Read + '_ {
        FirstPass { again: &mut self.again, stream: self.stream.as_mut(), progress: &self.progress }
    }

    pub(crate) fn end_first_pass(&mut self) {
        self.progress.finish_and_clear();
    }

    /// One line, by its place.
    pub(crate) fn read_again(&mut self, offset: u64, length: usize) -> std::io::Result<Vec<u8>> {
        let mut line = vec![0; length];
        self.again.seek(SeekFrom::Start(offset))?;
        self.again.read_exact(&mut line)?;
        Ok(line)
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("reading {wide_bar} {bytes} of {total_bytes}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

struct FirstPass<'a> {
    again: &'a mut File,
    stream: Option<&'a mut Box<dyn Read>>,
    progress: &'a ProgressBar,
}

impl Read for FirstPass<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.stream {
            None => {
                let read = self.again.read(buffer)?;
                self.progress.inc(read as u64);
                Ok(read)
            }
            Some(stream) => {
                let read = stream.read(buffer)?;
                self.again.write_all(&buffer[..read])?;
                Ok(read)
            }
        }
    }
}
