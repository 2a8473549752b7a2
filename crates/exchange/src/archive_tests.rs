//! HIS-8: our own export with its files, there and back, and archives that mean harm.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
    ops::ControlFlow,
};

use plimsoll_domain::{
    Attachment, ColorFlag, ContentHash, Delivery, File, FileId, FileKind, FileSource, Lifecycle,
    MessagePair, PairId, PairKind, PairUse, Star, Timestamp, Topic, TopicId, print_token,
};
use plimsoll_store::ArchivedPair;
use proptest::prelude::*;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{
    ArchiveWriter, BadRecord, BlobPart, OwnHead, OwnWriter, ReadError, Record, Sink, Summary, read,
};

type Blobs = BTreeMap<String, Vec<u8>>;

/// Keeps everything that a file holds.
#[derive(Default)]
struct Kept {
    records: Vec<Record>,
    bad: Vec<BadRecord>,
    blobs: Blobs,
    open: Option<(String, Vec<u8>)>,
}

impl Sink for Kept {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        assert!(self.open.is_none(), "bytes come before records, and whole");
        self.records.push(record);
        ControlFlow::Continue(())
    }
    fn blob(&mut self, part: BlobPart<'_>) -> ControlFlow<()> {
        match part {
            BlobPart::Begin(entry) => {
                self.open = Some((format!("{}.{}", entry.hash, entry.extension), Vec::new()));
            }
            BlobPart::Bytes(bytes) => self.open.as_mut().unwrap().1.extend_from_slice(bytes),
            BlobPart::Whole => self.blobs.extend(self.open.take()),
            BlobPart::Bad => self.open = None,
        }
        ControlFlow::Continue(())
    }
    fn bad(&mut self, bad: BadRecord) -> ControlFlow<()> {
        self.bad.push(bad);
        ControlFlow::Continue(())
    }
    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        assert!(done <= total);
        ControlFlow::Continue(())
    }
}

fn taken(bytes: &[u8]) -> (Result<Summary, ReadError>, Kept) {
    let mut kept = Kept::default();
    let read = read(Cursor::new(bytes), &mut kept);
    (read, kept)
}

fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash::from_bytes(blake3::hash(bytes).as_bytes())
}

fn topic() -> Topic {
    Topic {
        id: TopicId::new(Timestamp::from_millis(1), [1; 10]),
        parent: None,
        name: "Sea".to_owned(),
        named: true,
        system_message: None,
        default_model: None,
        temperature: None,
        max_output: None,
    }
}

/// A file and its bytes.
fn file() -> impl Strategy<Value = (File, Vec<u8>)> {
    let kinds = prop::sample::select(FileKind::ALL.to_vec());
    let sources = prop::sample::select(FileSource::ALL.to_vec());
    let what = (any::<String>(), kinds, "[ -~]{0,30}", "[a-z0-9_-]{1,16}", sources);
    let count = || prop::option::of(0..=i64::MAX.unsigned_abs());
    let more = (
        prop::option::of(any::<String>()),
        any::<i64>(),
        prop::option::of(any::<i64>()),
        count(),
        prop::option::of(any::<(u32, u32)>()),
        any::<bool>(),
    );
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    (any::<[u8; 10]>(), what, more, bytes).prop_map(|(random, what, more, bytes)| {
        let (name, kind, mime, extension, source) = what;
        let (upload_context, created, expires, tokens, pixels, is_text) = more;
        let created_at = Timestamp::from_millis(created);
        // What a tool made stands by itself in another store, and is listed there.
        let source = if source == FileSource::Pending { FileSource::Assistant } else { source };
        let file = File {
            id: FileId::new(created_at, random),
            name,
            mime,
            kind,
            size: bytes.len() as u64,
            hash: hash(&bytes),
            extension,
            source,
            upload_context,
            created_at,
            expires_at: expires.map(Timestamp::from_millis),
            provider_ids: Vec::new(),
            tokens,
            pixels,
            is_text,
            listed: source != FileSource::User,
            made_for: None,
            extraction: None,
        };
        (file, bytes)
    })
}

/// A pair with a token for each of these files, some of them bare.
fn pair_with(files: &[(File, Vec<u8>)], choices: &[(bool, Option<Delivery>)]) -> ArchivedPair {
    let created_at = Timestamp::from_millis(9);
    let mut text = "look".to_owned();
    let mut attachments = Vec::new();
    for ((file, _), (told, delivery)) in files.iter().zip(choices) {
        let path = format!("/home/sam/context/blobs/{}", file.blob_name());
        text.push_str(&print_token(file.context_kind(), &path));
        attachments.push(Attachment { file: told.then_some(file.id), delivery: *delivery });
    }
    ArchivedPair {
        pair: MessagePair {
            id: PairId::new(created_at, [7; 10]),
            topic_id: topic().id,
            model: "m".to_owned(),
            user_text: text,
            assistant_text: Some("seen".to_owned()),
            star: Star::default(),
            color_flag: ColorFlag::default(),
            pair_use: PairUse::default(),
            kind: PairKind::default(),
            summarises: Vec::new(),
            group: None,
            lifecycle: Lifecycle::Complete,
            created_at,
            error: None,
            usage: None,
            receipt_id: None,
            previous_answer: None,
            attachments,
        },
        cut: false,
        revision: 0,
        edited_at: None,
        revisions: Vec::new(),
        previous: None,
    }
}

fn document<W: Write>(to: W, files: &[(File, Vec<u8>)], pair: &ArchivedPair) -> W {
    let files: Vec<File> = files.iter().map(|(file, _)| file.clone()).collect();
    let head = OwnHead { topics: vec![topic()], files, ..OwnHead::default() };
    let mut writer = OwnWriter::start(to, &head).unwrap();
    writer.pair(pair).unwrap();
    writer.finish().unwrap()
}

fn blobs_of(files: &[(File, Vec<u8>)]) -> Blobs {
    files.iter().map(|(file, bytes)| (file.blob_name(), bytes.clone())).collect()
}

fn archive(files: &[(File, Vec<u8>)], pair: &ArchivedPair) -> Vec<u8> {
    let mut archive = document(ArchiveWriter::start(Vec::new()).unwrap(), files, pair);
    for (name, bytes) in blobs_of(files) {
        let (hash, extension) = name.split_once('.').unwrap();
        archive.blob(&ContentHash::parse(hash).unwrap(), extension, bytes.len() as u64).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    archive.finish(&[]).unwrap()
}

/// An archive of these entries, in this order, packed.
fn packed<'a>(entries: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in entries {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

const EMPTY: &[u8] = br#"{"plimsollExport":2,"topics":[],"files":[],"pairs":[]}"#;

proptest! {
    /// HIS-8: with files too, a round trip loses nothing, in either form and in any order.
    #[test]
    fn his_8_files_and_their_bytes_come_back(
        files in prop::collection::vec(file(), 0..4),
        choices in prop::collection::vec(
            (any::<bool>(), prop::option::of(prop::sample::select(Delivery::ALL.to_vec()))), 4),
    ) {
        let pair = pair_with(&files, &choices);
        let mut expected = vec![Record::Topic(topic())];
        expected.extend(files.iter().map(|(file, _)| Record::File(file.clone())));
        expected.push(Record::Pair(Box::new(pair.clone())));

        let text = document(Vec::new(), &files, &pair);
        let (summary, kept) = taken(&text);
        prop_assert!(summary.is_ok() && kept.bad.is_empty(), "{:?} {:?}", summary, kept.bad);
        prop_assert_eq!(&kept.records, &expected);

        let zip = archive(&files, &pair);
        prop_assert_eq!(&zip, &archive(&files, &pair), "equal stores give equal bytes");
        let (summary, kept) = taken(&zip);
        prop_assert!(summary.is_ok() && kept.bad.is_empty(), "{:?} {:?}", summary, kept.bad);
        prop_assert_eq!(&kept.records, &expected);
        prop_assert_eq!(&kept.blobs, &blobs_of(&files));

        let mut entries: Vec<(String, Vec<u8>)> = Vec::new();
        let mut opened = ZipArchive::new(Cursor::new(&zip)).unwrap();
        for at in (0..opened.len()).rev() {
            let mut entry = opened.by_index(at).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            entries.push((entry.name().unwrap().into_owned(), bytes));
        }
        let turned = packed(entries.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
        let (_, other) = taken(&turned);
        prop_assert_eq!((&other.records, &other.blobs), (&kept.records, &kept.blobs));
    }

    /// Whatever is done to an archive: no panic, and bytes that are called whole are.
    #[test]
    fn his_8_any_damage_to_an_archive_is_survived(
        cut in any::<prop::sample::Index>(),
        bent in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        whole in any::<bool>(),
    ) {
        let name = format!("blobs/{}.txt", hash(b"hello"));
        let mut zip = packed([(name.as_str(), &b"hello"[..]), ("plimsoll.json", EMPTY)]);
        if !whole {
            zip.truncate(cut.index(zip.len() + 1));
        }
        for (at, byte) in bent {
            if !zip.is_empty() {
                let at = at.index(zip.len());
                zip[at] = byte;
            }
        }
        let (_, kept) = taken(&zip);
        for (name, bytes) in &kept.blobs {
            prop_assert!(name.starts_with(hash(bytes).as_str()));
        }
    }
}

#[test]
fn his_8_an_export_of_the_first_version_is_read() {
    let text = r#"{"plimsollExport":1,"topics":[],"savedFilters":[],"pairs":[]}"#;
    let (summary, kept) = taken(text.as_bytes());
    summary.unwrap();
    assert!(kept.bad.is_empty() && kept.records.is_empty());
    let (summary, _) = taken(br#"{"plimsollExport":2,"pairs":[],"files":[]}"#);
    assert!(summary.unwrap_err().to_string().contains("'files' stands after the pairs"));
}

#[test]
fn his_8_a_file_that_cannot_be_is_told() {
    let good = &serde_json::json!({
        "id": "00000000-0000-7000-8000-000000000001", "name": "a.txt", "kind": "DOCUMENT",
        "mime": "text/plain", "hash": "0f".repeat(32), "extension": "txt", "size": 3,
        "source": "user", "createdAt": "2026-01-01T00:00:00Z",
    });
    let cases = [
        ("id", "x".into(), "file 1: 'x' is no id"),
        ("extension", "../etc".into(), "file 1: its extension is none"),
        ("hash", "../../etc/passwd".into(), "file 1: a content hash is"),
        ("kind", "SECRET".into(), "file 1: kind is one of IMAGE, PDF"),
        ("source", "nobody".into(), "file 1: source is one of user"),
        ("mime", "text/html\r\nX: y".into(), "file 1: its content type"),
        ("size", u64::MAX.into(), "file 1: 18446744073709551615 is larger"),
        ("name", "n".repeat(5000).into(), "file 1: its name is longer"),
        ("path", "/etc/passwd".into(), "file 1: unknown field"),
    ];
    let text = |file: &serde_json::Value| format!(r#"{{"plimsollExport":2,"files":[{file}]}}"#);
    assert_eq!(taken(text(good).as_bytes()).1.records.len(), 1);
    for (field, value, said) in cases {
        let mut file = good.clone();
        file[field] = value;
        let (summary, kept) = taken(text(&file).as_bytes());
        summary.unwrap();
        assert!(kept.bad[0].to_string().starts_with(said), "{said}: {:?}", kept.bad);
    }
}

#[test]
fn his_8_names_and_bytes_that_lie_are_told_and_the_rest_is_taken() {
    let good = format!("blobs/{}.txt", hash(b"hello"));
    let wrong = format!("blobs/{}.txt", hash(b"something else"));
    let upper = format!("blobs/{}.TXT", hash(b"hello"));
    let entries: [(&str, &[u8]); 8] = [
        ("../../../etc/cron.d/evil", b"evil"),
        ("/etc/passwd", b"evil"),
        ("blobs/", b""),
        ("blobs/../../evil.txt", b"evil"),
        (&upper, b"hello"),
        (&wrong, b"hello"),
        (&good, b"hello"),
        ("plimsoll.json", EMPTY),
    ];
    let (summary, kept) = taken(&packed(entries));
    summary.unwrap();
    let said: Vec<String> = kept.bad.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said.iter().any(|said| said.contains("do not give the hash")), "{said:?}");
    assert!(said.iter().any(|said| said.contains("blobs/../../evil.txt: it is not named")));
    let expected = Blobs::from([(good["blobs/".len()..].to_owned(), b"hello".to_vec())]);
    assert_eq!(kept.blobs, expected);
}

#[test]
fn his_8_two_entries_of_one_name_are_refused() {
    let (one, two) = (format!("blobs/{}.a", hash(b"1")), format!("blobs/{}.a", hash(b"2")));
    let zip = packed([(one.as_str(), &b"1"[..]), (&two, b"2"), ("plimsoll.json", EMPTY)]);
    let (summary, _) = taken(&replaced(&zip, two.as_bytes(), one.as_bytes()));
    assert!(
        matches!(&summary, Err(ReadError::Zip(why)) if why.contains("same name")),
        "{summary:?}"
    );
}

#[test]
fn his_8_a_bomb_is_refused_whatever_it_says_about_its_size() {
    let size = (65 << 20) as u32;
    let bytes = vec![0; size as usize];
    let name = format!("blobs/{}.bin", hash(&bytes));
    let bomb = packed([(name.as_str(), bytes.as_slice()), ("plimsoll.json", EMPTY)]);
    assert!(bomb.len() < 100 << 10);
    let (summary, kept) = taken(&bomb);
    assert!(matches!(summary, Err(ReadError::TooLarge(_))), "{summary:?}");
    assert!(kept.blobs.is_empty());
    let (summary, kept) = taken(&replaced(&bomb, &size.to_le_bytes(), &9u32.to_le_bytes()));
    assert!(summary.is_err() || kept.bad.len() == 1, "{summary:?} {:?}", kept.bad);
    assert!(kept.blobs.is_empty(), "what lies is not taken");
}

#[test]
fn his_8_more_attachments_than_tokens_stand_for_nothing() {
    let mut pair = pair_with(&[], &[]);
    pair.pair.attachments = vec![Attachment::BARE; 3];
    let (summary, kept) = taken(&document(Vec::new(), &[], &pair));
    summary.unwrap();
    let Record::Pair(back) = &kept.records[1] else { panic!("{:?}", kept.records) };
    assert_eq!(back.pair.attachments, []);
}
