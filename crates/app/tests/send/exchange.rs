//! HIS-8: imports and exports through a real store.

use std::io::Cursor;

use plimsoll_app::{
    AppError, Cancel, ExportAsk, ExportFormat, ExportOrder, ImportAsk, ImportProgress, Imported,
};
use plimsoll_domain::{
    ColorFlag, ContextMark, Draft, Lifecycle, MessagePair, PairError, PairId, PairKind, PairUse,
    ReceiptId, Snippet, Star, Summarised, Timestamp, Topic, TopicId, Usage,
};
use plimsoll_store::{ArchivedPair, PreviousAnswer, Revision, SavedFilter, Workspace};
use proptest::prelude::*;

use crate::rig::{Rig, rig};

const CHATGPT: &str = include_str!("../../../exchange/fixtures/chatgpt.json");
const CLAUDE: &str = include_str!("../../../exchange/fixtures/claude.json");
const MESSAGES: &str = include_str!("../../../exchange/fixtures/messages.jsonl");

impl Rig {
    async fn import(&self, text: &str, ask: &ImportAsk) -> Result<Imported, AppError> {
        let source = Box::new(Cursor::new(text.as_bytes().to_vec()));
        self.app.import(ask, source, &Cancel::default(), &mut |_| {}).await
    }

    async fn export(&self, filter: &str, format: ExportFormat) -> String {
        self.export_of(&Workspace::default(), filter, format, ExportOrder::Time).await
    }

    async fn export_of(
        &self,
        workspace: &Workspace,
        filter: &str,
        format: ExportFormat,
        order: ExportOrder,
    ) -> String {
        let ask = ExportAsk {
            scope: plimsoll_domain::HistoryScope::Everything,
            workspace: workspace.clone(),
            filter: filter.to_owned(),
            topic: None,
            model: None,
            format,
            order,
        };
        let mut bytes = Vec::new();
        self.app.export(&ask, &mut bytes, &mut |_, _| {}).await.unwrap();
        String::from_utf8(bytes).unwrap()
    }

    async fn paths(&self) -> Vec<String> {
        let topics = self.app.store().topics(&Workspace::default()).await.unwrap();
        let mut tree = plimsoll_domain::TopicTree::default();
        topics.iter().for_each(|topic| tree.add(topic.clone()).unwrap());
        topics.iter().map(|topic| tree.path(topic.id).unwrap()).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn others_conversations_become_topics_and_come_once() {
    let rig = rig(1000, vec![]).await;
    let ask = ImportAsk::default();
    let first = rig.import(CHATGPT, &ask).await.unwrap();
    assert_eq!((first.new_pairs, first.known_pairs, first.new_topics), (5, 0, 5));
    assert_eq!(first.left_out.branches, 1);
    let again = rig.import(CHATGPT, &ask).await.unwrap();
    assert_eq!((again.new_pairs, again.known_pairs, again.new_topics), (0, 5, 0));
    let claude = rig.import(CLAUDE, &ask).await.unwrap();
    assert_eq!((claude.new_pairs, claude.undated), (3, 0));
    let below = ImportAsk { topic: Some("/Work/Old".to_owned()), ..ask.clone() };
    let messages = rig.import(MESSAGES, &below).await.unwrap();
    assert_eq!((messages.new_pairs, messages.undated), (2, 1));
    let paths = rig.paths().await;
    for path in [
        "/Imported/ChatGPT/Load lines ∕ Plimsoll",
        "/Imported/ChatGPT/Übersetzung 日本語",
        "/Imported/Claude/Knots",
        "/Work/Old/Tides",
    ] {
        assert!(paths.iter().any(|found| found == path), "{path} in {paths:?}");
    }
    // Those without a title have the first words of their first message (HIS-9).
    let topics = rig.app.store().topics(&Workspace::default()).await.unwrap();
    let mut titles: Vec<&str> = Vec::new();
    titles.extend(topics.iter().filter(|topic| !topic.named).map(|topic| topic.name.as_str()));
    titles.sort_unstable();
    let wanted = ["Hello, how can I help?", "Only text here.", "What is a knot, as a speed?"];
    assert_eq!(titles, wanted);
    let text = rig.export("t'Knots'", ExportFormat::Markdown).await;
    assert!(text.starts_with("## 2025-03-01 09:00 UTC · /Imported/Claude/Knots\n"), "{text}");
    assert!(text.contains("\n**User**\n\nHow do I tie a bowline? 🪢\n\n**Assistant**\n"));
    // A second workspace takes a whole copy of its own.
    let other = Workspace::parse("default/second").unwrap();
    let there = ImportAsk { workspace: other, ..ask };
    assert_eq!(rig.import(CHATGPT, &there).await.unwrap().new_pairs, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_conversations_of_one_title_stay_two() {
    let rig = rig(1000, vec![]).await;
    let one = r#"{"title":"New chat","messages":[{"role":"user","content":"a"}]}"#;
    let text = format!("{one}\n{}\n{one}\n", one.replace("New chat", "new chat"));
    assert_eq!(rig.import(&text, &ImportAsk::default()).await.unwrap().new_pairs, 3);
    let paths = rig.paths().await;
    for name in ["New chat", "new chat (2)", "New chat (3)"] {
        let path = format!("/Imported/Messages/{name}");
        assert!(paths.contains(&path), "{path} in {paths:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_file_changes_nothing_unless_told_to_skip() {
    let rig = rig(1000, vec![]).await;
    let good = r#"{"messages":[{"role":"user","content":"a"}]}"#;
    let text = format!("{good}\n{{\"messages\":7}}\n{good}\n");
    let refused = rig.import(&text, &ImportAsk::default()).await.unwrap_err();
    assert!(refused.to_string().starts_with("line 2: "), "{refused}");
    let half = &CHATGPT[..CHATGPT.len() / 2];
    assert!(rig.import(half, &ImportAsk::default()).await.is_err());
    assert!(rig.paths().await.is_empty() && rig.export("", ExportFormat::Text).await.is_empty());

    let skip = ImportAsk { skip_bad: true, ..ImportAsk::default() };
    let taken = rig.import(&text, &skip).await.unwrap();
    assert_eq!((taken.new_pairs, taken.skipped, taken.bad.len()), (2, 1, 1));
    let taken = rig.import(half, &skip).await.unwrap();
    assert!(taken.broken.unwrap().starts_with("conversation "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_import_keeps_whole_batches_and_goes_on() {
    let rig = rig(1000, vec![]).await;
    let line = |n: u32| {
        format!(
            "{{\"title\":\"c{n}\",\"messages\":[{{\"role\":\"user\",\"content\":\"{}\"}}]}}\n",
            "x".repeat(2000)
        )
    };
    let text: String = (0..2000).map(line).collect();
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let mut steps = 0;
    let mut watch = |progress: ImportProgress| {
        if let ImportProgress::Writing(done, total) = progress {
            assert!(done <= total);
            steps += 1;
            if steps == 3 {
                stop.cancel();
            }
        }
    };
    let source = Box::new(Cursor::new(text.clone().into_bytes()));
    let ask = ImportAsk::default();
    let imported = rig.app.import(&ask, source, &cancel, &mut watch).await.unwrap();
    assert!(imported.cancelled && imported.new_pairs < 2000, "{imported:?}");
    let kept = rig.app.store().count(&Workspace::default()).await.unwrap();
    assert_eq!(kept, imported.new_pairs, "what it says is what is there");
    let rest = rig.import(&text, &ask).await.unwrap();
    assert_eq!((rest.new_pairs + kept, rest.known_pairs), (2000, kept));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_holds_what_the_filter_shows() {
    let rig = rig(1000, vec![]).await;
    rig.import(CHATGPT, &ImportAsk::default()).await.unwrap();
    rig.import(CLAUDE, &ImportAsk::default()).await.unwrap();
    let json = rig.export("c'Japanese'", ExportFormat::Json).await;
    let lines = json.lines().filter(|line| line.contains("\"userText\"")).count();
    let topics = json.lines().filter(|line| line.contains("\"name\"")).count();
    assert_eq!((lines, topics), (1, 3), "its topic and those above it: {json}");
    let by_topic =
        rig.export_of(&Workspace::default(), "", ExportFormat::Text, ExportOrder::Topic).await;
    let heads: Vec<&str> = by_topic.lines().filter(|line| line.starts_with("===")).collect();
    assert_eq!(heads.len(), 5);
    assert!(heads.is_sorted(), "{heads:?}");
    // Terms that weigh ask the model that is asked about.
    assert_eq!(rig.export("k<1", ExportFormat::Text).await, "");
    assert_ne!(rig.export("o", ExportFormat::Text).await, "");
    let wrong = ExportAsk {
        scope: plimsoll_domain::HistoryScope::Everything,
        workspace: Workspace::default(),
        filter: "s9".to_owned(),
        topic: None,
        model: None,
        format: ExportFormat::Json,
        order: ExportOrder::Time,
    };
    let mut bytes = Vec::new();
    let refused = rig.app.export(&wrong, &mut bytes, &mut |_, _| {}).await;
    assert!(matches!(refused, Err(AppError::Filter { .. })) && bytes.is_empty());
}

fn text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec!['\0', '"', '\\', '\n', '\u{2028}', '\u{feff}', '🪢']);
    let char = prop_oneof![4 => any::<char>(), 1 => odd];
    prop::collection::vec(char, 0..12).prop_map(|chars| chars.into_iter().collect())
}

fn count() -> impl Strategy<Value = u64> {
    0..=i64::MAX.unsigned_abs()
}

fn usage() -> impl Strategy<Value = Option<Usage>> {
    let usage =
        (count(), count(), count(), count()).prop_map(|(prompt, cached, completion, reasoning)| {
            Usage { prompt, cached, completion, reasoning }
        });
    prop::option::of(usage)
}

fn error() -> impl Strategy<Value = Option<PairError>> {
    prop::option::of((text(), text()).prop_map(|(code, message)| PairError { code, message }))
}

fn state() -> impl Strategy<Value = Lifecycle> {
    use Lifecycle::{Cancelled, Complete, Error, Idle};
    prop::sample::select(vec![Idle, Complete, Error, Cancelled])
}

fn receipt() -> impl Strategy<Value = Option<ReceiptId>> {
    let id = any::<[u8; 10]>().prop_map(|random| ReceiptId::new(Timestamp::from_millis(5), random));
    prop::option::of(id)
}

fn topic(n: usize) -> impl Strategy<Value = Topic> {
    let all = (
        text(),
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(any::<f32>().prop_filter("finite", |value| value.is_finite())),
        prop::option::of(count()),
        any::<bool>(),
    );
    all.prop_map(move |(name, system_message, default_model, temperature, max_output, child)| {
        Topic {
            id: id_of(n),
            parent: (child && n > 0).then(|| id_of(n - 1)),
            name: format!("N{n}{}", name.replace(['/', '>'], "")),
            named: !n.is_multiple_of(3),
            system_message,
            default_model,
            temperature,
            max_output,
        }
    })
}

fn id_of(n: usize) -> TopicId {
    TopicId::new(Timestamp::from_millis(7), [u8::try_from(n).unwrap(); 10])
}

fn previous() -> impl Strategy<Value = Option<PreviousAnswer>> {
    let all =
        (text(), prop::option::of(text()), state(), any::<bool>(), usage(), receipt(), error());
    prop::option::of(all.prop_map(|(model, text, lifecycle, cut, usage, receipt_id, error)| {
        PreviousAnswer { model, text, lifecycle, cut, usage, receipt_id, error }
    }))
}

fn pair() -> impl Strategy<Value = ArchivedPair> {
    let texts = (text(), prop::option::of(text()), text(), 0..3usize);
    let labels = (0..4u64, any::<bool>(), state(), any::<i64>(), any::<[u8; 10]>());
    let revision = (text(), prop::option::of(text()), any::<i64>());
    let more = (
        usage(),
        receipt(),
        error(),
        any::<bool>(),
        prop::option::of(any::<i64>()),
        prop::collection::vec(revision, 0..3),
        previous(),
    );
    (texts, labels, more).prop_map(|(texts, labels, more)| {
        let (user_text, assistant_text, model, topic) = texts;
        let (star, blue, lifecycle, millis, random) = labels;
        let (usage, receipt_id, error, cut, edited_at, revisions, previous) = more;
        let created_at = Timestamp::from_millis(millis);
        let revisions = revisions.into_iter().map(|(user_text, assistant_text, at)| Revision {
            user_text,
            assistant_text,
            edited_at: Timestamp::from_millis(at),
        });
        ArchivedPair {
            pair: MessagePair {
                id: PairId::new(created_at, random),
                topic_id: id_of(topic),
                model,
                user_text,
                assistant_text,
                star: Star::new(star).unwrap(),
                color_flag: if blue { ColorFlag::Blue } else { ColorFlag::Grey },
                pair_use: PairUse::ALL[star as usize % 3],
                kind: PairKind::default(),
                summarises: Vec::new(),
                group: None,
                lifecycle,
                created_at,
                error,
                usage,
                receipt_id,
                previous_answer: previous.as_ref().and_then(|previous| previous.text.clone()),
                attachments: Vec::new(),
            },
            cut,
            revision: 0,
            edited_at: edited_at.map(Timestamp::from_millis),
            revisions: revisions.collect(),
            previous,
        }
    })
}

/// Pairs of which some are summaries or of one comparison with an earlier one.
fn linked(mut pairs: Vec<ArchivedPair>, revision: u64) -> Vec<ArchivedPair> {
    pairs.sort_by_key(|one| (one.pair.created_at, one.pair.id));
    let first = pairs.first().map(|first| first.pair.id);
    for (at, archived) in pairs.iter_mut().enumerate().skip(1) {
        archived.revision = revision;
        let (pair, first) = (&mut archived.pair, first.unwrap());
        match at % 3 {
            1 => {
                pair.kind = PairKind::Summary;
                let use_before = PairUse::Pinned;
                pair.summarises = vec![Summarised { pair: first, revision, use_before }];
            }
            2 => pair.group = Some(first),
            _ => {}
        }
    }
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// HIS-8: a round trip loses nothing, and gives the same bytes.
    #[test]
    fn an_export_comes_back_byte_for_byte(
        topics in (topic(0), topic(1), topic(2)),
        pairs in prop::collection::vec(pair(), 0..6),
        filters in prop::collection::btree_map(text(), text(), 0..3),
        by_topic in any::<bool>(),
        (written, revision, after) in (text(), 0u64..5, any::<bool>()),
    ) {
        let pairs = linked(pairs, revision);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let order = if by_topic { ExportOrder::Topic } else { ExportOrder::Time };
            let main = Workspace::default();
            let first = rig(1000, vec![]).await;
            let topics = [topics.0, topics.1, topics.2];
            first.app.store().bring_in(&main, &topics, &pairs).await.unwrap();
            for (name, text) in filters {
                first.app.store().save_filter(&main, &SavedFilter { name, text }).await.unwrap();
            }
            let snippet = Snippet { name: "sea".to_owned(), text: written.clone() };
            first.app.store().put_snippet(&main, &snippet).await.unwrap();
            // Of everything, of a conversation, and of one in which nothing was sent yet.
            for place in [None, Some(topics[0].id), Some(TopicId::new(Timestamp::from_millis(7), [7; 10]))] {
                let draft = Draft { text: format!("{written}{place:?}"), ..Draft::default() };
                first.app.store().put_draft(&main, place, &draft, Timestamp::from_millis(1)).await.unwrap();
            }
            for (place, pair) in [None, Some(topics[1].id)].into_iter().zip(&pairs) {
                let (created_at, pair) = (pair.pair.created_at, pair.pair.id);
                let mark = Some(ContextMark { created_at, pair, after });
                first.app.set_context_mark(&main, place, mark).await.unwrap();
            }
            let out = first.export_of(&main, "", ExportFormat::Json, order).await;

            let second = rig(1000, vec![]).await;
            let ask = ImportAsk::default();
            let imported = second.import(&out, &ask).await.unwrap();
            assert_eq!(second.export_of(&main, "", ExportFormat::Json, order).await, out);
            let again = second.import(&out, &ask).await.unwrap();
            assert_eq!((again.new_pairs, again.known_pairs), (0, imported.new_pairs));
            // Beside the original, under ids of its own.
            let other = Workspace::parse("default/copy").unwrap();
            let there = ImportAsk { workspace: other.clone(), ..ask };
            assert_eq!(second.import(&out, &there).await.unwrap().new_pairs, imported.new_pairs);
            assert_eq!(second.import(&out, &there).await.unwrap().new_pairs, 0);
            assert!(second.app.store().check().await.unwrap().is_empty());
        });
    }
}
