//! All of the memory as lines of JSON, out and in (MEM-9). What was deleted is not in it.
//!
//! The first line says what the file is; each other line is one record. The earlier texts of
//! an observation stand before it, so that a reader holds one observation at a time.

mod line;

use std::{
    collections::HashMap,
    io::{self, BufRead, Read, Write},
    ops::ControlFlow,
};

use plimsoll_store::{MemoryRecord, ObservationRevision, Session, StoreError};
use thiserror::Error;

use crate::Memory;
use line::{Line, VERSION};

/// Records that are read or written at a time, in one transaction.
const BATCH: usize = 1000;
/// The most bytes of text that wait to be written: a note may have 64 KB and many revisions.
const BATCH_BYTES: u64 = 4 << 20;
/// The longest line: a text of 64 KB whose every character is escaped, and its circumstances.
const LONGEST_LINE: u64 = 1 << 20;

/// Why a memory was not taken out or brought in.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// Reading or writing failed.
    #[error("the file failed: {0}; check it and try again")]
    Io(#[from] io::Error),
    /// A line is no record of a memory.
    #[error(
        "line {line} is no record of a memory: {why}; what stands before it may be in already, and bringing it in again does no harm"
    )]
    BadLine {
        /// Which line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The file is not one of ours, or of a newer version.
    #[error("this is no export of a memory that this version knows; export it again")]
    NotAnExport,
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was brought in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that were not there before.
    pub added: u64,
    /// Records that were there already.
    pub known: u64,
    /// Observations and prompts that have another id here.
    pub renumbered: u64,
    /// Whether it was told to stop before the end. What came in until then is whole, and
    /// bringing in the same file again goes on.
    pub stopped: bool,
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportStep {
    /// Bytes that were read so far.
    pub bytes: u64,
    /// Records that are in by now, those that were there before among them.
    pub records: u64,
}

impl Memory {
    /// Writes the memory of the workspace, a line a record; says how many records.
    pub async fn export(&self, writer: &mut (dyn Write + Send)) -> Result<u64, ArchiveError> {
        write(writer, &Line::Header { version: VERSION })?;
        let mut written = 0;
        let mut last: Option<MemoryRecord> = None;
        loop {
            let page = self.store.memory_after(&self.workspace, last.as_ref(), BATCH).await?;
            if page.is_empty() {
                writer.flush()?;
                return Ok(written);
            }
            for record in &page {
                for line in Line::of(record) {
                    write(writer, &line)?;
                }
                written += 1;
            }
            last = page.into_iter().next_back();
        }
    }

    /// Brings in what [`export`](Self::export) wrote. Ids that are free are kept; what is
    /// there already stays, so that the same file may be brought in twice.
    pub async fn import(
        &self,
        reader: &mut (dyn BufRead + Send),
    ) -> Result<Imported, ArchiveError> {
        self.import_watched(reader, &mut |_| ControlFlow::Continue(())).await
    }

    /// The same, and says after each batch how far it is. It stops there when it is told to:
    /// a batch is one transaction, so that no record is ever half in.
    pub async fn import_watched(
        &self,
        reader: &mut (dyn BufRead + Send),
        watch: &mut (dyn FnMut(ImportStep) -> ControlFlow<()> + Send),
    ) -> Result<Imported, ArchiveError> {
        let mut lines = Lines { reader, number: 0, bytes: 0 };
        match lines.next()? {
            Some(Line::Header { version: VERSION }) => {}
            _ => return Err(ArchiveError::NotAnExport),
        }
        let mut desk = Desk::default();
        while let Some(line) = lines.next()? {
            let record = match line {
                Line::Header { .. } => return Err(lines.bad("a second beginning")),
                Line::Revision(earlier) => {
                    let of = earlier.observation;
                    let earlier = earlier.record().map_err(|why| lines.bad(&why))?;
                    desk.revisions.push((of, earlier));
                    continue;
                }
                Line::Observation(note) => {
                    let id = note.id;
                    let earlier = std::mem::take(&mut desk.revisions);
                    if earlier.iter().any(|(of, _)| *of != id) {
                        return Err(lines.bad("the revisions before it are another's"));
                    }
                    let revisions = earlier.into_iter().map(|(_, earlier)| earlier).collect();
                    note.record(revisions)
                }
                Line::Relation(relation) => {
                    // Its ends must have their ids before it can be drawn.
                    if !desk.waiting.is_empty()
                        && !matches!(desk.waiting.last(), Some(MemoryRecord::Relation(_)))
                    {
                        self.bring(&mut desk).await?;
                    }
                    let end = |id: u64| desk.ids.get(&id).copied();
                    match (end(relation.from), end(relation.to)) {
                        // Earlier versions drew such arrows; they say nothing.
                        (Some(from), Some(to)) if from == to => {
                            desk.imported.known += 1;
                            continue;
                        }
                        (Some(from), Some(to)) => relation.record(from, to),
                        _ => Err("it relates what is not in the file".to_owned()),
                    }
                }
                Line::Session(session) => {
                    let record = session.record();
                    // A summary becomes a note, and takes its number after those of the file.
                    if let Ok(MemoryRecord::Session(session)) = &record
                        && session.summary.is_some()
                    {
                        let bare = Session { summary: None, ..session.clone() };
                        desk.summarised.push(MemoryRecord::Session(session.clone()));
                        Ok(MemoryRecord::Session(bare))
                    } else {
                        record
                    }
                }
                Line::Prompt(prompt) => prompt.record(),
                Line::Progress(document) => document.record(),
            };
            desk.waiting.push(record.map_err(|why| lines.bad(&why))?);
            let waiting = lines.bytes - desk.brought_bytes;
            if desk.waiting.len() >= BATCH || waiting >= BATCH_BYTES {
                self.bring(&mut desk).await?;
                desk.brought_bytes = lines.bytes;
                let records = desk.imported.added + desk.imported.known;
                if watch(ImportStep { bytes: lines.bytes, records }).is_break() {
                    return Ok(Imported { stopped: true, ..desk.imported });
                }
            }
        }
        if !desk.revisions.is_empty() {
            return Err(lines.bad("revisions without their observation"));
        }
        self.bring(&mut desk).await?;
        for summarised in desk.summarised.chunks(BATCH) {
            let brought = self.store.bring_memory(&self.workspace, summarised).await?;
            for one in brought {
                desk.imported.added += u64::from(one.fresh);
            }
        }
        Ok(desk.imported)
    }

    async fn bring(&self, desk: &mut Desk) -> Result<(), ArchiveError> {
        let records = std::mem::take(&mut desk.waiting);
        let brought = self.store.bring_memory(&self.workspace, &records).await?;
        for (record, brought) in records.iter().zip(brought) {
            let was = match record {
                MemoryRecord::Observation(note) => {
                    desk.ids.insert(note.observation.id, brought.id);
                    Some(note.observation.id)
                }
                MemoryRecord::Prompt(prompt) => Some(prompt.id),
                _ => None,
            };
            desk.imported.renumbered += u64::from(was.is_some_and(|was| was != brought.id));
            desk.imported.added += u64::from(brought.fresh);
            desk.imported.known += u64::from(!brought.fresh);
        }
        Ok(())
    }
}

/// What an import has in hand.
#[derive(Default)]
struct Desk {
    waiting: Vec<MemoryRecord>,
    summarised: Vec<MemoryRecord>,
    revisions: Vec<(u64, ObservationRevision)>,
    /// The ids of observations in the file, and here.
    ids: HashMap<u64, u64>,
    imported: Imported,
    /// How much of the file the batches so far were.
    brought_bytes: u64,
}

fn write(writer: &mut (dyn Write + Send), line: &Line) -> Result<(), ArchiveError> {
    let mut text = serde_json::to_string(line).map_err(io::Error::from)?;
    text.push('\n');
    Ok(writer.write_all(text.as_bytes())?)
}

/// The lines of a file, each of bounded length.
struct Lines<'r> {
    reader: &'r mut (dyn BufRead + Send),
    number: u64,
    /// Read so far.
    bytes: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<Line>, ArchiveError> {
        loop {
            let mut text = Vec::new();
            let taken = (&mut *self.reader).take(LONGEST_LINE).read_until(b'\n', &mut text)?;
            if taken == 0 {
                return Ok(None);
            }
            self.number += 1;
            let taken = u64::try_from(taken).unwrap_or(u64::MAX);
            self.bytes += taken;
            if taken == LONGEST_LINE {
                return Err(self.bad("it is too long"));
            }
            if !text.trim_ascii().is_empty() {
                let line = serde_json::from_slice(&text);
                return line.map(Some).map_err(|error| self.bad(&error.to_string()));
            }
        }
    }

    fn bad(&self, why: &str) -> ArchiveError {
        ArchiveError::BadLine { line: self.number, why: why.to_owned() }
    }
}
