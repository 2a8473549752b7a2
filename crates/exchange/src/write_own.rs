//! Writing our own export: one JSON document, one record a line. It holds no time and
//! no name of the place where it was made, so equal stores give equal bytes.

use std::io::{self, Write};

use plimsoll_domain::{File, Topic};
use plimsoll_store::{ArchivedPair, SavedFilter};
use serde::Serialize;

use crate::{
    own::{MARK, OwnFilter, OwnPair, OwnTopic, VERSION},
    own_file::OwnFile,
};

/// Writes a lossless export, piece by piece.
pub struct OwnWriter<W> {
    to: W,
    pairs: u64,
}

impl<W: Write> OwnWriter<W> {
    /// Starts with the topics, parents first, the saved filters, and the files that pairs
    /// attach.
    pub fn start(
        mut to: W,
        topics: &[Topic],
        filters: &[SavedFilter],
        files: &[File],
    ) -> io::Result<Self> {
        write!(to, "{{\"{MARK}\":{VERSION},\n\"topics\":[")?;
        list(&mut to, topics.iter().map(OwnTopic::from))?;
        write!(to, "],\n\"savedFilters\":[")?;
        list(&mut to, filters.iter().map(OwnFilter::from))?;
        write!(to, "],\n\"files\":[")?;
        list(&mut to, files.iter().map(OwnFile::from))?;
        write!(to, "],\n\"pairs\":[")?;
        Ok(Self { to, pairs: 0 })
    }

    pub fn pair(&mut self, pair: &ArchivedPair) -> io::Result<()> {
        line(&mut self.to, self.pairs == 0, &OwnPair::from(pair))?;
        self.pairs += 1;
        Ok(())
    }

    /// The end, without which a reader takes it for broken.
    pub fn finish(mut self) -> io::Result<W> {
        if self.pairs > 0 {
            self.to.write_all(b"\n")?;
        }
        self.to.write_all(b"]}\n")?;
        Ok(self.to)
    }
}

fn list<T: Serialize>(to: &mut impl Write, records: impl Iterator<Item = T>) -> io::Result<()> {
    let mut first = true;
    for record in records {
        line(to, first, &record)?;
        first = false;
    }
    if first { Ok(()) } else { to.write_all(b"\n") }
}

fn line(to: &mut impl Write, first: bool, record: &impl Serialize) -> io::Result<()> {
    to.write_all(if first { b"\n" } else { b",\n" })?;
    Ok(serde_json::to_writer(to, record)?)
}
