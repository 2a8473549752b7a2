//! Our export as an archive: the document, and the bytes of the files that it names (HIS-8).
//!
//! Entries carry no time and blobs are not packed, so equal stores give equal bytes and
//! nothing of ours looks like a bomb to the one who reads it.

use std::io::{self, Write};

use plimsoll_domain::ContentHash;
use zip::{
    CompressionMethod, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

/// The document in an archive of ours.
pub(crate) const DOCUMENT: &str = "plimsoll.json";

/// Where in the archive blobs are.
pub(crate) const BLOBS: &str = "blobs/";

/// What tells people which bytes could not be taken along.
const LEFT_OUT: &str = "left-out.txt";

/// The size from which an archive needs wider numbers.
const WIDE: u64 = u32::MAX as u64;

/// Writes an archive, entry by entry. What is written to it goes into the entry that was
/// begun last, which is the document at first.
pub struct ArchiveWriter<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
}

impl<W: Write> ArchiveWriter<W> {
    /// Begins with the document.
    pub fn start(to: W) -> io::Result<Self> {
        let mut zip = ZipWriter::new_stream(to);
        // How large it will be is not known.
        let options = options(CompressionMethod::Deflated).large_file(true);
        zip.start_file(DOCUMENT, options)?;
        Ok(Self { zip })
    }

    /// Goes on with the bytes of a blob, of which there are so many.
    pub fn blob(&mut self, hash: &ContentHash, extension: &str, size: u64) -> io::Result<()> {
        let options = options(CompressionMethod::Stored).large_file(size >= WIDE);
        Ok(self.zip.start_file(format!("{BLOBS}{hash}.{extension}"), options)?)
    }

    /// The end. What could not be taken along is told in a text that a reader passes over.
    pub fn finish(mut self, left_out: &[String]) -> io::Result<W> {
        if !left_out.is_empty() {
            self.zip.start_file(LEFT_OUT, options(CompressionMethod::Stored))?;
            for line in left_out {
                writeln!(self.zip, "{line}")?;
            }
        }
        Ok(self.zip.finish()?.into_inner())
    }
}

impl<W: Write> Write for ArchiveWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.zip.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zip.flush()
    }
}

fn options(method: CompressionMethod) -> SimpleFileOptions {
    SimpleFileOptions::DEFAULT.compression_method(method)
}
