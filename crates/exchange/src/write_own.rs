//! Writing our own export: one JSON document, one record a line. It holds no time and
//! no name of the place where it was made, so equal stores give equal bytes.

use std::io::{self, Write};

use plimsoll_domain::{ContextMark, Draft, File, HistoryScope, Snippet, Topic, TopicId};
use plimsoll_store::{ArchivedPair, SavedFilter};
use serde::Serialize;

use crate::{
    own::{MARK, OwnFilter, OwnPair, OwnTopic, VERSION},
    own_extras::{OwnDraft, OwnMark, OwnSnippet},
    own_file::OwnFile,
};

/// What an export says before its pairs.
#[derive(Clone, Debug, Default)]
pub struct OwnHead {
    /// What was looked at.
    pub scope: HistoryScope,
    /// Parents first.
    pub topics: Vec<Topic>,
    pub filters: Vec<SavedFilter>,
    pub snippets: Vec<Snippet>,
    /// The files that pairs and drafts attach.
    pub files: Vec<File>,
    /// By conversation; none is a page that shows everything.
    pub drafts: Vec<(Option<TopicId>, Draft)>,
    /// Where people set the line (UI-17).
    pub marks: Vec<(Option<TopicId>, ContextMark)>,
}

/// Writes a lossless export, piece by piece.
pub struct OwnWriter<W> {
    to: W,
    pairs: u64,
}

impl<W: Write> OwnWriter<W> {
    /// Starts with all that stands before the pairs.
    pub fn start(mut to: W, head: &OwnHead) -> io::Result<Self> {
        let scope = head.scope.name();
        write!(to, "{{\"{MARK}\":{VERSION},\n\"scope\":\"{scope}\",\n\"topics\":[")?;
        list(&mut to, head.topics.iter().map(OwnTopic::from))?;
        write!(to, "],\n\"savedFilters\":[")?;
        list(&mut to, head.filters.iter().map(OwnFilter::from))?;
        write!(to, "],\n\"snippets\":[")?;
        list(&mut to, head.snippets.iter().map(OwnSnippet::from))?;
        write!(to, "],\n\"files\":[")?;
        list(&mut to, head.files.iter().map(OwnFile::from))?;
        write!(to, "],\n\"drafts\":[")?;
        list(&mut to, head.drafts.iter().map(OwnDraft::from))?;
        write!(to, "],\n\"contextFrom\":[")?;
        list(&mut to, head.marks.iter().map(OwnMark::from))?;
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
