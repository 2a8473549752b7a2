//! Any file to import: read twice it gives the same, turns sort as they were said, and
//! what is ours is written and read back as it was.
#![no_main]

use std::{io::Cursor, ops::ControlFlow};

use libfuzzer_sys::fuzz_target;
use plimsoll_exchange::{
    BadRecord, BlobPart, OwnWriter, ReadError, Record, Sink, pair_id, read, topic_name,
};

#[derive(Default)]
struct Kept {
    records: Vec<Record>,
    bad: usize,
    open: bool,
    done: u64,
}

impl Sink for Kept {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        self.records.push(record);
        ControlFlow::Continue(())
    }
    fn bad(&mut self, bad: BadRecord) -> ControlFlow<()> {
        assert!(!bad.to_string().is_empty());
        self.bad += 1;
        ControlFlow::Continue(())
    }
    fn blob(&mut self, part: BlobPart<'_>) -> ControlFlow<()> {
        assert!(self.records.is_empty(), "bytes come before records");
        assert_eq!(self.open, !matches!(part, BlobPart::Begin(_)));
        self.open = matches!(part, BlobPart::Begin(_) | BlobPart::Bytes(_));
        ControlFlow::Continue(())
    }
    fn progress(&mut self, done: u64, _: u64) -> ControlFlow<()> {
        assert!(done >= self.done);
        self.done = done;
        ControlFlow::Continue(())
    }
}

fn taken(data: &[u8]) -> (bool, Kept) {
    let mut kept = Kept::default();
    let read = read(Cursor::new(data), &mut kept);
    assert!(!matches!(read, Err(ReadError::Stopped)), "nobody stopped it");
    (read.is_ok(), kept)
}

fuzz_target!(|data: &[u8]| {
    let (whole, kept) = taken(data);
    let (again, same) = taken(data);
    assert_eq!((whole, &kept.records, kept.bad), (again, &same.records, same.bad));
    let (mut topics, mut filters) = (Vec::new(), Vec::new());
    let (mut files, mut pairs) = (Vec::new(), Vec::new());
    for record in &kept.records {
        match record {
            Record::Topic(topic) => topics.push(topic.clone()),
            Record::Filter(filter) => filters.push(filter.clone()),
            Record::File(file) => files.push(file.clone()),
            Record::Pair(pair) => pairs.push(pair),
            Record::Conversation(_, conversation) => {
                let key = |turn| (turn_time(turn), pair_id("a/b", turn));
                assert!(conversation.turns.iter().map(key).is_sorted(), "HIS-2");
                let _ = conversation.title.as_deref().map(topic_name);
            }
        }
    }
    if whole && !topics.is_empty() && kept.bad == 0 {
        let mut writer = OwnWriter::start(Vec::new(), &topics, &filters, &files).unwrap();
        pairs.iter().for_each(|pair| writer.pair(pair).unwrap());
        let (whole, back) = taken(&writer.finish().unwrap());
        assert!(whole && back.bad == 0);
        let ours = |record: &&Record| matches!(record, Record::File(_) | Record::Pair(_));
        let before: Vec<_> = kept.records.iter().filter(ours).collect();
        let after: Vec<_> = back.records.iter().filter(ours).collect();
        assert_eq!(before, after);
    }
});

/// A conversation without any time gets one from whoever imports it.
fn turn_time(turn: &plimsoll_exchange::Turn) -> Option<i64> {
    turn.created_at.map(|time| time.millis())
}
