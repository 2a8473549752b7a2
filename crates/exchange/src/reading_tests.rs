//! The readers on small exports of every kind, and on hostile ones.

use std::{
    io::{Cursor, Write},
    ops::ControlFlow,
};

use proptest::prelude::*;

use crate::{BadRecord, Conversation, Format, LeftOut, ReadError, Record, Sink, Summary, read};

const CHATGPT: &str = include_str!("../fixtures/chatgpt.json");
const CLAUDE: &str = include_str!("../fixtures/claude.json");
const MESSAGES: &str = include_str!("../fixtures/messages.jsonl");
const ONE_BY_ONE: &str = include_str!("../fixtures/one_by_one.jsonl");

#[derive(Default)]
struct Kept {
    records: Vec<Record>,
    bad: Vec<BadRecord>,
    stop_after: Option<usize>,
    done: u64,
}

impl Sink for Kept {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        self.records.push(record);
        match self.stop_after {
            Some(most) if self.records.len() >= most => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
    fn bad(&mut self, bad: BadRecord) -> ControlFlow<()> {
        self.bad.push(bad);
        ControlFlow::Continue(())
    }
    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        assert!(done >= self.done && done <= total);
        self.done = done;
        ControlFlow::Continue(())
    }
}

fn taken(bytes: &[u8]) -> (Result<Summary, ReadError>, Kept) {
    let mut kept = Kept::default();
    let read = read(Cursor::new(bytes), &mut kept);
    (read, kept)
}

fn conversations(kept: &Kept) -> Vec<&Conversation> {
    let mut found = Vec::new();
    for record in &kept.records {
        if let Record::Conversation(_, conversation) = record {
            found.push(conversation);
        }
    }
    found
}

fn texts(conversation: &Conversation) -> Vec<(&str, Option<&str>)> {
    conversation.turns.iter().map(|turn| (turn.user.as_str(), turn.assistant.as_deref())).collect()
}

fn zipped(name: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    archive.start_file("user.json", options).unwrap();
    archive.write_all(b"{}").unwrap();
    archive.start_file(name, options).unwrap();
    archive.write_all(content).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn his_8_chatgpt_follows_the_current_path() {
    let (summary, kept) = taken(CHATGPT.as_bytes());
    let summary = summary.unwrap();
    assert_eq!(summary.format, Some(Format::ChatGpt));
    let left_out = LeftOut { system: 1, tool: 2, branches: 1, attachments: 1 };
    assert_eq!(summary.left_out, left_out);
    let found = conversations(&kept);
    assert_eq!(found[0].title.as_deref(), Some("Load lines / Plimsoll"));
    let expected = [
        ("What is a load line? ⚓", Some("A mark on a ship's hull.")),
        ("Plot the depth over time.", Some("Here is the plot.")),
    ];
    assert_eq!(texts(found[0]), expected);
    assert_eq!(found[0].turns[0].model.as_deref(), Some("gpt-4o-mini"));
    assert_eq!(found[0].turns[0].created_at.unwrap().millis(), 1_716_000_001_500);
    assert_eq!(texts(found[1])[1], ("Thanks!", None));
    assert_eq!(found[1].turns[1].created_at, found[1].turns[0].created_at);
    assert_eq!(texts(found[2]), [("", Some("Hello, how can I help?"))]);
    let (again, zip) = taken(&zipped("export/conversations.json", CHATGPT.as_bytes()));
    assert_eq!((again.unwrap(), &zip.records), (summary, &kept.records));
}

#[test]
fn his_8_claude_gives_texts_and_pasted_files() {
    let (summary, kept) = taken(CLAUDE.as_bytes());
    let summary = summary.unwrap();
    assert_eq!(summary.format, Some(Format::Claude));
    assert_eq!(summary.left_out, LeftOut { tool: 2, attachments: 1, ..LeftOut::default() });
    let found = conversations(&kept);
    let expected = [
        ("How do I tie a bowline? 🪢", Some("Make a loop.\n\nThen go around.")),
        ("Read this.\n\n[log.txt]\nday 1: calm", Some("Calm, then.")),
    ];
    assert_eq!(texts(found[0]), expected);
    assert_eq!(texts(found[1]), [("Only text here.", None)]);
    let (again, zip) = taken(&zipped("conversations.json", CLAUDE.as_bytes()));
    assert_eq!((again.unwrap(), &zip.records), (summary, &kept.records));
}

#[test]
fn his_8_messages_come_in_lists_and_one_by_one() {
    let (summary, kept) = taken(MESSAGES.as_bytes());
    let summary = summary.unwrap();
    assert_eq!(summary.format, Some(Format::Messages));
    assert_eq!(summary.left_out, LeftOut { system: 1, tool: 2, branches: 0, attachments: 1 });
    let found = conversations(&kept);
    assert_eq!(texts(found[1]), [("Look:", Some("High tide – 14:05."))]);
    assert_eq!(found[1].turns[0].model.as_deref(), Some("gpt-4o"));
    assert_eq!(found[0].turns[0].created_at, None);
    assert_eq!(found[1].turns[0].created_at.unwrap().millis(), 1_716_300_000_000);

    let (_, kept) = taken(ONE_BY_ONE.as_bytes());
    let found = conversations(&kept);
    assert_eq!(texts(found[0]), [("Ahoj?", Some("Ahoj!")), ("Kam plujeme?", None)]);
    let list = format!("[{}]", ONE_BY_ONE.trim().replace('\n', ","));
    let (_, listed) = taken(list.as_bytes());
    assert_eq!(texts(conversations(&listed)[0]), texts(found[0]));
}

#[test]
fn a_log_without_end_comes_in_parts_of_one_conversation() {
    let line = |n: u32| format!("{{\"role\":\"user\",\"content\":\"message {n}\"}}\n");
    let log: String = (0..1000).map(line).collect();
    let (summary, kept) = taken(log.as_bytes());
    summary.unwrap();
    let found = conversations(&kept);
    assert!(found.len() > 2 && found.iter().all(|part| part.key == found[0].key));
    assert_eq!(found.iter().map(|part| part.turns.len()).sum::<usize>(), 1000);
    let ordinals: Vec<u64> =
        found.iter().flat_map(|part| &part.turns).map(|turn| turn.ordinal).collect();
    assert_eq!(ordinals, (0..1000).collect::<Vec<_>>());
}

#[test]
fn a_bad_record_is_told_with_its_place_and_the_rest_goes_on() {
    let circle = r#"{"mapping":{"a":{"parent":"b"},"b":{"parent":"a"}},"current_node":"a"}"#;
    let deep = format!("{{\"mapping\":{{}},\"title\":{}1{}}}", "[".repeat(9000), "]".repeat(9000));
    let huge = r#"{"mapping":{},"create_time":1e999}"#;
    let lone = r#"{"mapping":{},"title":"\ud800"}"#;
    for bad in [circle, &deep, huge, "7", "null", lone, r#"{"mapping":[]}"#] {
        let list = format!("[{},{bad},{}]", r#"{"mapping":{}}"#, r#"{"mapping":{}}"#);
        let (summary, kept) = taken(list.as_bytes());
        assert_eq!(summary.unwrap().format, Some(Format::ChatGpt), "{bad:.60}");
        assert_eq!(kept.records.len(), 2, "{bad:.60}");
        assert!(kept.bad[0].to_string().starts_with("conversation 2: "), "{}", kept.bad[0]);
    }
    let lines = "\n{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\n{\"role\":\"pirate\"}\n";
    let (summary, kept) = taken(lines.as_bytes());
    summary.unwrap();
    let said: Vec<String> = kept.bad.iter().map(ToString::to_string).collect();
    assert!(said[0].starts_with("line 3: ") && said[1].starts_with("line 4: role 'pirate'"));
}

#[test]
fn a_file_that_breaks_off_says_where() {
    let half = &CHATGPT.as_bytes()[..CHATGPT.len() - 40];
    let (summary, kept) = taken(half);
    let error = summary.unwrap_err();
    assert!(error.to_string().starts_with("conversation 3: the file is broken here"), "{error}");
    assert_eq!(kept.records.len(), 2, "what stands before the break was told");
    let (summary, _) = taken(format!("{CLAUDE} and more").as_bytes());
    assert!(matches!(summary, Err(ReadError::Broken { .. })), "{summary:?}");
}

#[test]
fn what_is_no_export_is_said_to_be_none() {
    for no in ["hello", "[1,2]", "{\"a\":1}", "<html>", "[{\"a\":1}]", "\u{0}", "{", "\"x\""] {
        let (summary, _) = taken(no.as_bytes());
        assert!(matches!(summary, Err(ReadError::Unrecognised)), "{no:?} {summary:?}");
    }
    for nothing in ["", " \n", "[]", "\u{feff}"] {
        let (summary, kept) = taken(nothing.as_bytes());
        assert_eq!(summary.unwrap(), Summary::default(), "{nothing:?}");
        assert!(kept.records.is_empty());
    }
    let (summary, _) = taken(b"{ \"plimsollExport\": 99 }");
    assert!(matches!(summary, Err(ReadError::Newer(99))), "{summary:?}");
}

#[test]
fn his_8_earlier_formats_are_read_and_a_later_one_is_refused_by_its_number() {
    let id = "00000000-0000-7000-8000-000000000001";
    let topic = format!(r#"{{"id":"{id}","name":"Sea"}}"#);
    let pair = format!(
        r#"{{"id":"{id}","topicId":"{id}","model":"m","userText":"a","colorFlag":"grey","lifecycleState":"complete","createdAt":"2026-01-01T00:00:00Z"}}"#
    );
    let first =
        format!(r#"{{"plimsollExport":1,"topics":[{topic}],"savedFilters":[],"pairs":[{pair}]}}"#);
    let second = format!(
        r#"{{"plimsollExport":2,"topics":[{topic}],"savedFilters":[],"files":[],"pairs":[{pair}]}}"#
    );
    for text in [first, second] {
        let (summary, kept) = taken(text.as_bytes());
        assert!(summary.is_ok() && kept.bad.is_empty(), "{text}: {summary:?} {:?}", kept.bad);
        let [Record::Topic(topic), Record::Pair(pair)] = &kept.records[..] else {
            panic!("{:?}", kept.records)
        };
        assert!(topic.named && pair.pair.group.is_none() && pair.pair.summarises.is_empty());
    }
    let (summary, _) = taken(br#"{"plimsollExport":4,"topics":[],"wonders":[]}"#);
    let said = summary.unwrap_err().to_string();
    assert!(said.contains("version 4"), "{said}");
}

#[test]
fn our_own_export_is_checked_as_a_whole() {
    let id = |n: u8| format!("00000000-0000-7000-8000-00000000000{n}");
    let topic = |n: u8, name: &str, parent: &str| {
        format!(r#"{{"id":"{}","name":"{name}"{parent}}}"#, id(n))
    };
    let pair = |topic: u8, more: &str| {
        format!(
            r#"{{"id":"{}","topicId":"{}","model":"m","userText":"u","colorFlag":"grey","lifecycleState":"complete","createdAt":"2026-01-01T00:00:00Z"{more}}}"#,
            id(9),
            id(topic)
        )
    };
    let lost = format!(r#","parent":"{}""#, id(7));
    let cases = [
        (topic(1, "A", ""), pair(1, ""), None),
        (topic(1, "A/B", ""), pair(1, ""), Some("topic 1: 'A/B' is not a topic name")),
        (
            format!("{},{}", topic(1, "A", ""), topic(2, "a", "")),
            pair(1, ""),
            Some("topic 2: there is already"),
        ),
        (topic(1, "A", &lost), pair(1, ""), Some("topic 1: there is no such topic")),
        (topic(1, "A", ""), pair(2, ""), Some("pair 1: its topic is not in the file")),
        (topic(1, "A", ""), pair(1, r#","star":4"#), Some("pair 1: stars go from 0 to 3")),
        (topic(1, "A", ""), pair(1, r#","colour":4"#), Some("pair 1: unknown field")),
        (
            topic(1, "A", r#","maxOutput":18446744073709551615"#),
            pair(1, ""),
            Some("topic 1: 18446744073709551615 is larger"),
        ),
    ];
    for (topics, pairs, said) in cases {
        let text = format!(r#"{{"plimsollExport":1,"topics":[{topics}],"pairs":[{pairs}]}}"#);
        let (summary, kept) = taken(text.as_bytes());
        summary.unwrap();
        match said {
            None => assert_eq!((kept.records.len(), kept.bad.len()), (2, 0), "{:?}", kept.bad),
            Some(said) => {
                assert!(kept.bad[0].to_string().starts_with(said), "{said}: {:?}", kept.bad);
            }
        }
    }
    let (summary, _) = taken(br#"{"plimsollExport":1,"pairs":[],"topics":[]}"#);
    assert!(summary.unwrap_err().to_string().contains("'topics' stands after the pairs"));
}

#[test]
fn archives_are_bounded() {
    let (summary, _) = taken(&zipped("pictures.json", b"[]"));
    assert!(matches!(summary, Err(ReadError::NoConversations)), "{summary:?}");
    let (summary, _) = taken(b"PK\x03\x04 and nothing");
    assert!(matches!(summary, Err(ReadError::Zip(_))), "{summary:?}");
    // White space packs as tightly as anything does.
    let bomb = zipped("conversations.json", " ".repeat(65 << 20).as_bytes());
    assert!(bomb.len() < 100 << 10);
    let (summary, _) = taken(&bomb);
    assert!(matches!(summary, Err(ReadError::TooLarge(_))), "{summary:?}");
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_counted() {
    let mut bytes = ONE_BY_ONE.as_bytes().to_vec();
    let at = ONE_BY_ONE.find("Ahoj?").unwrap();
    bytes[at] = 0xff;
    let (summary, kept) = taken(&bytes);
    assert_eq!(summary.unwrap().replaced, 1);
    assert_eq!(texts(conversations(&kept)[0])[0].0, "\u{fffd}hoj?");
}

#[test]
fn the_sink_may_stop_at_any_record() {
    for most in 1..=3 {
        let mut kept = Kept { stop_after: Some(most), ..Kept::default() };
        let stopped = read(Cursor::new(CHATGPT), &mut kept);
        assert!(matches!(stopped, Err(ReadError::Stopped)), "{stopped:?}");
        assert_eq!(kept.records.len(), most);
    }
}

fn cut_and_bent() -> impl Strategy<Value = Vec<u8>> {
    let sources = [CHATGPT, CLAUDE, MESSAGES, ONE_BY_ONE];
    let source = prop::sample::select(sources.map(|text| text.as_bytes().to_vec()).to_vec());
    (
        source,
        any::<prop::sample::Index>(),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    )
        .prop_map(|(mut bytes, cut, bent)| {
            bytes.truncate(cut.index(bytes.len() + 1));
            for (at, byte) in bent {
                if !bytes.is_empty() {
                    let at = at.index(bytes.len());
                    bytes[at] = byte;
                }
            }
            bytes
        })
}

proptest! {
    /// Whatever is done to a file: no panic, and the same answer each time.
    #[test]
    fn any_damage_is_survived(bytes in cut_and_bent()) {
        let (first, kept) = taken(&bytes);
        let (second, again) = taken(&bytes);
        prop_assert_eq!(first.is_ok(), second.is_ok());
        prop_assert_eq!(kept.records, again.records);
        prop_assert_eq!(kept.bad, again.bad);
    }
}
