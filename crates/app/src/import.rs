//! Bringing conversations in (HIS-8): read, checked as a whole, written in batches.

use std::{
    io::{Read, Seek},
    ops::ControlFlow,
};

use plimsoll_blobs::{BlobError, Blobs};
use plimsoll_exchange::{
    BadRecord, BlobPart, Format, LeftOut, ReadError, Record, Sink, Summary, read,
};
use plimsoll_store::Workspace;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{App, AppError, Cancel, import_blobs::BlobTaker, importer::Importer};

/// A file, or something like one. It is read twice: to see that it is whole, and to take
/// it in.
pub trait ImportSource: Read + Seek + Send {}

impl<T: Read + Seek + Send> ImportSource for T {}

/// What to do with a file.
#[derive(Clone, Debug, Default)]
pub struct ImportAsk {
    /// Where to.
    pub workspace: Workspace,
    /// Below which topic, as a path; else below one that is named after the source, or,
    /// for our own exports, where everything was.
    pub topic: Option<String>,
    /// Leave bad records out; else one of them and nothing is imported.
    pub skip_bad: bool,
}

/// How far an import has come, in bytes of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportProgress {
    /// The file is looked through; nothing was written yet.
    Checking(u64, u64),
    /// It is taken in.
    Writing(u64, u64),
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Whose format the file has; none if it held nothing.
    pub format: Option<Format>,
    pub new_pairs: u64,
    /// Pairs that were there already, and were left as they are.
    pub known_pairs: u64,
    pub new_files: u64,
    /// Files that were there already.
    pub known_files: u64,
    pub new_topics: u64,
    /// Saved filters that are new.
    pub new_filters: u64,
    /// Snippets that are new.
    pub new_snippets: u64,
    /// Drafts that stand where none stood.
    pub new_drafts: u64,
    /// New pairs for which the file tells no time; they got that of the import.
    pub undated: u64,
    /// What the file holds beyond texts, and stayed behind.
    pub left_out: LeftOut,
    /// Pieces that were no UTF-8 and were read as U+FFFD.
    pub replaced: u64,
    /// Records that were left out because they are bad.
    pub skipped: u64,
    /// The first of them.
    pub bad: Vec<BadRecord>,
    /// Where the file breaks off; what stands before it was taken.
    pub broken: Option<String>,
    /// Whether it was stopped before the end. What was written is whole, and running it
    /// again goes on.
    pub cancelled: bool,
}

/// How many bad records are told one by one.
const TOLD: usize = 20;

/// Records that wait between the one who reads and the one who writes.
const WAITING: usize = 16;

enum Message {
    Record(Box<Record>),
    Bad(BadRecord),
    Progress(u64, u64),
}

/// Sends what is read to where it is written. Who does not listen any more stops it.
struct Sender {
    to: mpsc::Sender<Message>,
    /// Where bytes go, and whether anything is taken in at all.
    taker: Option<BlobTaker>,
    settled: bool,
    told: u64,
}

/// Progress is told each time so many bytes are done.
const STEP: u64 = 256 << 10;

impl Sender {
    fn send(&self, message: Message) -> ControlFlow<()> {
        match self.to.blocking_send(message) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

impl Sink for Sender {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        let Some(taker) = &mut self.taker else { return ControlFlow::Continue(()) };
        // Bytes come before all records; they are on the disk before a file names them.
        if !self.settled {
            taker.settle()?;
            self.settled = true;
        }
        self.send(Message::Record(Box::new(record)))
    }

    fn blob(&mut self, part: BlobPart<'_>) -> ControlFlow<()> {
        self.taker.as_mut().map_or(ControlFlow::Continue(()), |taker| taker.take(part))
    }

    fn bad(&mut self, bad: BadRecord) -> ControlFlow<()> {
        self.send(Message::Bad(bad))
    }

    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        if self.to.is_closed() {
            return ControlFlow::Break(());
        }
        if done >= self.told + STEP || done == total {
            self.told = done;
            return self.send(Message::Progress(done, total));
        }
        ControlFlow::Continue(())
    }
}

type Source = Box<dyn ImportSource + 'static>;
type Reader = JoinHandle<(Source, Result<Summary, ReadError>, Option<BlobError>)>;

/// Reads a file on a thread of its own: to take it in, with its bytes going there, or to
/// look at it.
fn start_reading(mut source: Source, into: Option<Blobs>) -> (mpsc::Receiver<Message>, Reader) {
    let (to, messages) = mpsc::channel(WAITING);
    let reader = tokio::task::spawn_blocking(move || {
        let taker = into.map(BlobTaker::new);
        let mut sender = Sender { to, taker, settled: false, told: 0 };
        let done = read(&mut source, &mut sender);
        (source, done, sender.taker.and_then(BlobTaker::failure))
    });
    (messages, reader)
}

impl App {
    /// Imports a file. Unless bad records may be skipped, it is read to its end before
    /// anything is written, so that a broken file changes nothing. What is written is
    /// written in batches that are there whole or not at all (REL-1), and what is there
    /// already is left alone, so that an import can be run again.
    pub async fn import(
        &self,
        ask: &ImportAsk,
        source: Source,
        cancel: &Cancel,
        watch: &mut (dyn FnMut(ImportProgress) + Send),
    ) -> Result<Imported, AppError> {
        let mut imported = Imported::default();
        let Some(source) = self.check(ask, source, cancel, watch).await? else {
            imported.cancelled = true;
            return Ok(imported);
        };
        self.open_workspace(&ask.workspace).await?;
        let mut importer = Importer::open(self, ask).await?;
        let (mut messages, reader) = start_reading(source, Some(self.blobs(&ask.workspace)?));
        loop {
            let message = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    imported.cancelled = true;
                    break;
                }
                message = messages.recv() => message,
            };
            match message {
                None => break,
                Some(Message::Record(record)) => importer.take(*record, &mut imported).await?,
                Some(Message::Progress(done, total)) => {
                    watch(ImportProgress::Writing(done, total));
                }
                Some(Message::Bad(bad)) => {
                    imported.skipped += 1;
                    if imported.bad.len() < TOLD {
                        imported.bad.push(bad);
                    }
                }
            }
        }
        drop(messages);
        let (_, read, failed) = reader.await.map_err(|_| AppError::Ended)?;
        if imported.cancelled {
            importer.tell_files();
            return Ok(imported);
        }
        if let Some(failed) = failed {
            return Err(failed.into());
        }
        importer.finish(&mut imported).await?;
        match read {
            Ok(summary) => {
                imported.format = summary.format;
                imported.left_out.add(summary.left_out);
                imported.replaced = summary.replaced;
            }
            Err(error @ (ReadError::Broken { .. } | ReadError::RecordTooLarge { .. }))
                if ask.skip_bad =>
            {
                imported.broken = Some(error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
        Ok(imported)
    }

    /// Reads a file to its end without writing anything. Gives it back, or nothing when
    /// it was cancelled.
    async fn check(
        &self,
        ask: &ImportAsk,
        source: Source,
        cancel: &Cancel,
        watch: &mut (dyn FnMut(ImportProgress) + Send),
    ) -> Result<Option<Source>, AppError> {
        if ask.skip_bad {
            return Ok(Some(source));
        }
        let (mut messages, reader) = start_reading(source, None);
        loop {
            let message = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    drop(messages);
                    // The reader ends at its next record; nothing depends on it any more.
                    return Ok(None);
                }
                message = messages.recv() => message,
            };
            match message {
                None => break,
                Some(Message::Bad(bad)) => return Err(AppError::BadRecord(bad)),
                Some(Message::Progress(done, total)) => {
                    watch(ImportProgress::Checking(done, total));
                }
                Some(Message::Record(_)) => {}
            }
        }
        let (source, read, _) = reader.await.map_err(|_| AppError::Ended)?;
        read?;
        Ok(Some(source))
    }
}
