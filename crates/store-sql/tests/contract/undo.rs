//! Rules of deletions that can be undone (REC-5).

use std::sync::Arc;

use plimsoll_domain::{
    ColorFlag, DeletionId, HistoryScope, Lifecycle, MessagePair, PairError, PairId, Snippet, Star,
    Topic, TopicId,
};

use super::{
    Backend, LEASE, answered, at, books, files, filled, held, memory, pair, pair_id, ready, topic,
};
use plimsoll_store::{
    Deletable, DeletedKind, Deletion, Edit, ErrorSnapshot, FailedAnswer, MemoryQuery, NewDeletion,
    Noun, SavedFilter, Store, StoreError, ToolCallRecord, Workspace,
};

fn id(n: u8) -> DeletionId {
    DeletionId::new(at(i64::from(n) * 1000), [n; 10])
}

/// Deletion `n`, made at second `n`.
fn new(n: u8) -> NewDeletion {
    let words = format!("deletion {n}");
    NewDeletion { id: id(n), workspace: Workspace::default(), at: at(i64::from(n) * 1000), words }
}

fn these(ids: &[u8]) -> Deletable {
    Deletable::Pairs(ids.iter().map(|n| pair_id(*n)).collect())
}

async fn ids(store: &Arc<dyn Store>, workspace: &Workspace) -> Vec<PairId> {
    store.rows(workspace).await.unwrap().into_iter().map(|row| row.id).collect()
}

fn snapshot(of: u8, quotes: &[u8]) -> ErrorSnapshot {
    ErrorSnapshot {
        pair: pair_id(of),
        at: at(70),
        included: quotes.iter().map(|n| pair_id(*n)).collect(),
        outgoing_user_text: format!("question {of}"),
        json_doc: Some(request("the plover egg")),
        answer: Some(FailedAnswer {
            status: Some(400),
            body: Some("'the plover egg' is too long".to_owned()),
            transport: None,
        }),
    }
}

/// A request with these words among many others, which other requests hold too.
fn request(words: &str) -> String {
    let others: Vec<String> = (0..20).map(|n| format!("{{\"content\":\"line {n}\"}}")).collect();
    format!("{{\"messages\":[{},{{\"content\":\"{words}\"}}]}}", others.join(","))
}

/// However many pairs it took; with their ids, order, labels and all that is kept of them.
pub(crate) async fn rec_5_a_deletion_is_one_step_and_comes_back_whole(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let mut rich = answered(2);
    rich.star = Star::new(2).unwrap();
    rich.color_flag = ColorFlag::Grey;
    rich.user_text = "the plover egg".to_owned();
    rich.previous_answer = Some("an earlier answer".to_owned());
    let failed = MessagePair {
        lifecycle: Lifecycle::Error,
        error: Some(PairError { code: "net".to_owned(), message: "gone".to_owned() }),
        ..pair(3)
    };
    filled(&store, &workspace, &[answered(1), rich, failed, answered(4)]).await;
    let edit = Edit { user_text: Some("the gannet egg".to_owned()), assistant_text: None };
    store.edit(pair_id(2), &edit, at(50)).await.unwrap();
    let call = ToolCallRecord {
        name: "read_file".to_owned(),
        arguments: "{}".to_owned(),
        result: "lines".to_owned(),
        failed: false,
        tokens: 3,
        millis: 4,
        made: vec![files::file(7).id],
    };
    store.add_tool_call(held(&store, pair_id(2)).await, &call).await.unwrap();
    store.put_receipt(&books::receipt(1)).await.unwrap();
    store.put_snapshot(&snapshot(3, &[1, 2])).await.unwrap();
    let all = [1, 2, 3, 4].map(pair_id);
    let before = store.archived(&all).await.unwrap();
    let receipt = store.receipt(books::receipt(1).id).await.unwrap();

    let done = store.put_aside(&new(9), &these(&[1, 2, 3, 77])).await.unwrap();
    assert_eq!(done.count, 3, "what does not exist is not counted");
    assert_eq!(ids(&store, &workspace).await, [pair_id(4)]);
    assert_eq!(store.get(pair_id(2)).await.unwrap_err(), StoreError::NotFound(Noun::Pair));
    for word in ["plover", "gannet"] {
        assert!(store.search(&workspace, word, 10).await.unwrap().is_empty(), "{word}");
    }
    assert!(store.archived(&all[..3]).await.unwrap().is_empty());
    assert_eq!(store.receipt(receipt.id).await.unwrap().body, None);
    let listed = store.deletions(&workspace, at(0)).await.unwrap();
    let step = Deletion {
        id: id(9),
        at: at(9000),
        kind: DeletedKind::Pairs,
        count: 3,
        words: "deletion 9".to_owned(),
    };
    assert_eq!(listed, std::slice::from_ref(&step));

    let elsewhere = Workspace::parse("other/main").unwrap();
    let missing = StoreError::NotFound(Noun::Deletion);
    assert_eq!(store.restore(&elsewhere, id(9)).await.unwrap_err(), missing);
    let restored = store.restore(&workspace, id(9)).await.unwrap();
    assert_eq!((restored.deletion, restored.pairs.len()), (step, 3));
    assert_eq!(ids(&store, &workspace).await, all);
    assert_eq!(store.archived(&all).await.unwrap(), before);
    assert_eq!(store.tool_calls(pair_id(2)).await.unwrap(), [call]);
    assert_eq!(store.receipt(receipt.id).await.unwrap(), receipt);
    assert_eq!(store.snapshot(pair_id(3)).await.unwrap(), Some(snapshot(3, &[1, 2])));
    assert_eq!(store.search(&workspace, "gannet", 10).await.unwrap().len(), 1);
    assert_eq!(store.restore(&workspace, id(9)).await.unwrap_err(), missing, "once");
    assert!(store.deletions(&workspace, at(0)).await.unwrap().is_empty());
    assert!(store.check().await.unwrap().is_empty());
}

/// The time decides, and another handle sees the same.
pub(crate) async fn rec_5_what_was_deleted_outlives_a_restart_and_is_then_purged(
    backend: &impl Backend,
) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2), answered(3)]).await;
    for n in [1, 2, 3] {
        store.put_aside(&new(n), &these(&[n])).await.unwrap();
    }
    drop(store);
    let store = backend.open().await;
    let told = store.deletions(&workspace, at(2000)).await.unwrap();
    assert_eq!(told.iter().map(|one| one.id).collect::<Vec<_>>(), [id(3), id(2)], "newest first");
    assert_eq!(store.purge_deleted_before(at(2000)).await.unwrap(), 1);
    let missing = StoreError::NotFound(Noun::Deletion);
    assert_eq!(store.restore(&workspace, id(1)).await.unwrap_err(), missing);
    assert!(store.purge_deletion(&workspace, id(3)).await.unwrap(), "for good, at once");
    assert!(!store.purge_deletion(&workspace, id(3)).await.unwrap());
    assert_eq!(store.restore(&workspace, id(2)).await.unwrap().pairs, [pair_id(2)]);
    assert_eq!(ids(&store, &workspace).await, [pair_id(2)]);
}

/// A request that was put aside never shows the words of a pair that is deleted.
pub(crate) async fn rec_5_a_request_comes_back_only_with_all_that_it_quotes(
    backend: &impl Backend,
) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2), answered(3), answered(4)]).await;
    store.put_snapshot(&snapshot(3, &[1, 2])).await.unwrap();
    let whole = Some(snapshot(3, &[1, 2]));
    let document = async || {
        let kept = store.snapshot(pair_id(3)).await.unwrap().unwrap();
        let answer = kept.answer.unwrap().body;
        assert_eq!(kept.json_doc.is_some(), answer.is_some(), "servers repeat what they were sent");
        kept.json_doc
    };
    // Two quoted pairs go, and come back the other way round.
    store.put_aside(&new(5), &these(&[1])).await.unwrap();
    assert_eq!(document().await, None);
    store.put_aside(&new(6), &these(&[2])).await.unwrap();
    store.restore(&workspace, id(6)).await.unwrap();
    assert_eq!(document().await, None, "the first one is still away");
    store.restore(&workspace, id(5)).await.unwrap();
    assert_eq!(store.snapshot(pair_id(3)).await.unwrap(), whole);
    // The failed pair is away while one that it quoted is deleted for good.
    store.put_aside(&new(7), &these(&[3])).await.unwrap();
    store.delete(&[pair_id(1)]).await.unwrap();
    store.restore(&workspace, id(7)).await.unwrap();
    let back = store.snapshot(pair_id(3)).await.unwrap().unwrap();
    assert_eq!((back.included, back.json_doc), (vec![pair_id(2)], None));
    // One that was put aside for a quoted pair goes for good with another that it quotes.
    store.put_snapshot(&snapshot(3, &[2, 4])).await.unwrap();
    store.put_aside(&new(8), &these(&[2])).await.unwrap();
    store.delete(&[pair_id(4)]).await.unwrap();
    store.restore(&workspace, id(8)).await.unwrap();
    assert_eq!(document().await, None);
    assert!(store.check().await.unwrap().is_empty());
}

/// With its tokens, also where file and message are brought back in another order.
pub(crate) async fn rec_5_a_file_comes_back_with_its_tokens(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let file = files::file(1);
    store.put_file(&workspace, &file).await.unwrap();
    let holds = files::with_file(1, &file);
    filled(&store, &workspace, std::slice::from_ref(&holds)).await;
    let done = store.put_aside(&new(2), &Deletable::File(file.id)).await.unwrap();
    assert_eq!((done.count, done.changed), (1, vec![pair_id(1)]));
    assert!(store.files(&workspace).await.unwrap().is_empty());
    assert!(store.file_by_hash(&workspace, &file.hash).await.unwrap().is_none());
    assert!(store.hashes_in_use(&workspace).await.unwrap().contains(&file.hash), "no garbage yet");
    let attached = async || store.get(pair_id(1)).await.unwrap().pair.attachments;
    assert_eq!(attached().await[0].file, None);
    assert_eq!(store.restore(&workspace, id(2)).await.unwrap().changed, [pair_id(1)]);
    assert_eq!(store.files(&workspace).await.unwrap(), std::slice::from_ref(&file));
    assert_eq!(attached().await, holds.attachments);

    store.put_aside(&new(3), &these(&[1])).await.unwrap();
    let texts = store.deleted_texts(&workspace).await.unwrap();
    assert_eq!(texts, std::slice::from_ref(&holds.user_text));
    store.put_aside(&new(4), &Deletable::File(file.id)).await.unwrap();
    store.restore(&workspace, id(3)).await.unwrap();
    assert_eq!(attached().await[0].file, None, "the file is still away");
    store.restore(&workspace, id(4)).await.unwrap();
    assert_eq!(attached().await, holds.attachments);

    store.put_aside(&new(5), &Deletable::File(file.id)).await.unwrap();
    store.purge_deletion(&workspace, id(5)).await.unwrap();
    assert!(store.hashes_in_use(&workspace).await.unwrap().is_empty());
    assert!(store.check().await.unwrap().is_empty());
}

/// A pair belongs to a topic; it is refused where a sibling has its name by now.
pub(crate) async fn rec_5_a_topic_comes_back_with_its_pairs(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let child = Topic {
        id: TopicId::new(at(1), [2; 10]),
        parent: Some(topic().id),
        name: "Tides".to_owned(),
        system_message: Some("Be brief.".to_owned()),
        temperature: Some(1.0),
        ..topic()
    };
    store.put_topic(&workspace, &child).await.unwrap();
    let filed = MessagePair { topic_id: child.id, ..answered(1) };
    filled(&store, &workspace, std::slice::from_ref(&filed)).await;
    assert!(store.put_aside(&new(2), &Deletable::Topic(child.id)).await.is_err(), "not empty");
    store.put_aside(&new(3), &these(&[1])).await.unwrap();
    for (n, topic) in [(4, child.id), (5, topic().id)] {
        store.put_aside(&new(n), &Deletable::Topic(topic)).await.unwrap();
    }
    assert!(store.topics(&workspace).await.unwrap().is_empty());
    store.restore(&workspace, id(3)).await.unwrap();
    assert_eq!(store.topics(&workspace).await.unwrap(), [topic(), child.clone()]);
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair, filed);
    assert!(
        store.deletions(&workspace, at(0)).await.unwrap().is_empty(),
        "nothing is left in them"
    );
    store.delete(&[pair_id(1)]).await.unwrap();
    store.put_aside(&new(6), &Deletable::Topic(child.id)).await.unwrap();
    let rival = Topic { id: TopicId::new(at(2), [3; 10]), ..child.clone() };
    store.put_topic(&workspace, &rival).await.unwrap();
    assert!(matches!(store.restore(&workspace, id(6)).await, Err(StoreError::Topic(_))));
    store.remove_topic(&workspace, rival.id).await.unwrap();
    store.restore(&workspace, id(6)).await.unwrap();
    assert_eq!(store.topics(&workspace).await.unwrap(), [topic(), child]);
}

/// A filter of the same name is not overwritten.
pub(crate) async fn rec_5_filters_come_back_where_their_name_is_free(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let filter = SavedFilter { name: "sea".to_owned(), text: "c'sea'".to_owned() };
    let gone = Deletable::Filter("sea".to_owned());
    let missing = StoreError::NotFound(Noun::Filter);
    assert_eq!(store.put_aside(&new(1), &gone).await.unwrap_err(), missing);
    store.save_filter(&workspace, &filter).await.unwrap();
    store.put_aside(&new(1), &gone).await.unwrap();
    let other = SavedFilter { text: "s3".to_owned(), ..filter.clone() };
    store.save_filter(&workspace, &other).await.unwrap();
    let taken = StoreError::Exists(Noun::Filter);
    assert_eq!(store.restore(&workspace, id(1)).await.unwrap_err(), taken);
    assert_eq!(store.saved_filters(&workspace).await.unwrap(), [other]);
    store.drop_filter(&workspace, "sea").await.unwrap();
    store.restore(&workspace, id(1)).await.unwrap();
    assert_eq!(store.saved_filters(&workspace).await.unwrap(), [filter]);
}

/// A snippet of the same name is not overwritten.
pub(crate) async fn rec_5_snippets_come_back_where_their_name_is_free(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let snippet = Snippet { name: "sea".to_owned(), text: "{{ship}}".to_owned() };
    let gone = Deletable::Snippet("sea".to_owned());
    let missing = StoreError::NotFound(Noun::Snippet);
    assert_eq!(store.put_aside(&new(1), &gone).await.unwrap_err(), missing);
    store.put_snippet(&workspace, &snippet).await.unwrap();
    store.put_aside(&new(1), &gone).await.unwrap();
    assert!(store.snippets(&workspace).await.unwrap().is_empty());
    let other = Snippet { text: "other".to_owned(), ..snippet.clone() };
    store.put_snippet(&workspace, &other).await.unwrap();
    let taken = StoreError::Exists(Noun::Snippet);
    assert_eq!(store.restore(&workspace, id(1)).await.unwrap_err(), taken);
    assert_eq!(store.snippets(&workspace).await.unwrap(), [other]);
    store.put_aside(&new(2), &gone).await.unwrap();
    store.restore(&workspace, id(1)).await.unwrap();
    assert_eq!(store.snippets(&workspace).await.unwrap(), [snippet]);
}

/// One that was deleted for good is in no deletion; several at once are one step.
pub(crate) async fn rec_5_notes_come_back_and_are_purged(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let first = memory::save(&store, &memory::note("one", "plover"), 1).await.id;
    let second = memory::save(&store, &memory::note("two", "gannet"), 1).await.id;
    store.delete_observation(&workspace, first, false, at(5000)).await.unwrap();
    let told = store.deletions(&workspace, at(0)).await.unwrap();
    assert_eq!((told[0].kind, told[0].count), (DeletedKind::Notes, 1));
    assert_eq!(told[0].words, "one");
    store.restore(&workspace, told[0].id).await.unwrap();
    assert_eq!(store.observation(&workspace, first).await.unwrap().title, "one");
    let query = MemoryQuery { text: "plover".to_owned(), limit: 9, ..MemoryQuery::default() };
    let found = store.search_memory(&workspace, &query).await.unwrap();
    assert_eq!(found.hits.len(), 1, "it is found again");

    let summary = memory::note("both", "birds");
    store.compact(&workspace, &[first, second], at(6000), &summary, at(7000)).await.unwrap();
    let told = store.deletions(&workspace, at(0)).await.unwrap();
    assert_eq!((told.len(), told[0].count), (1, 2), "one action is one step");
    store.delete_observation(&workspace, first, true, at(7500)).await.unwrap();
    assert_eq!(store.purge_deleted_before(at(8000)).await.unwrap(), 1);
    assert!(store.deletions(&workspace, at(0)).await.unwrap().is_empty());
    let gone = store.delete_observation(&workspace, second, true, at(9000)).await;
    assert_eq!(gone.unwrap_err(), StoreError::NotFound(Noun::Observation), "purged");
    assert!(store.check().await.unwrap().is_empty());
}

/// It has to be cancelled first; nothing of the bulk goes.
pub(crate) async fn rec_5_nothing_in_flight_is_put_aside(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1)]).await;
    store
        .begin(&workspace, &[pair(2)], HistoryScope::Everything, "me", at(50), LEASE)
        .await
        .unwrap();
    let busy = StoreError::Busy { since: at(50), pair: pair_id(2) };
    assert_eq!(store.put_aside(&new(3), &these(&[1, 2])).await.unwrap_err(), busy);
    assert_eq!(store.count(&workspace).await.unwrap(), 2);
    assert!(store.deletions(&workspace, at(0)).await.unwrap().is_empty());
}

/// A provider's error that quotes a pair loses its words with the pair, in the pair that failed
/// and in its receipt, and an undo brings them back.
pub(crate) async fn rec_5_what_was_said_of_a_deleted_pair_goes_with_it(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let quoted =
        MessagePair { user_text: "the plover lays its egg on the beach".into(), ..answered(1) };
    let said = "cannot read 'plover lays its egg on' in \"messages\"";
    let failed = MessagePair {
        lifecycle: Lifecycle::Error,
        error: Some(PairError { code: "other".to_owned(), message: said.to_owned() }),
        ..answered(3)
    };
    filled(&store, &workspace, &[quoted, answered(2), failed]).await;
    store.put_snapshot(&snapshot(3, &[1, 2])).await.unwrap();
    let body = in_quotes(said);
    let receipt = plimsoll_store::ReceiptRecord {
        body: Some(format!("{{\"lastErrorMessage\":{body}}}")),
        ..books::receipt(3)
    };
    store.put_receipt(&receipt).await.unwrap();
    let tells = async || {
        let pair = store.get(pair_id(3)).await.unwrap().pair.error.unwrap().message;
        let receipt = store.receipt(receipt.id).await.unwrap().body.unwrap();
        (pair, receipt)
    };
    let before = tells().await;
    store.put_aside(&new(1), &these(&[2])).await.unwrap();
    assert_eq!(tells().await, before, "another pair, whose words it does not hold");
    store.put_aside(&new(2), &these(&[1])).await.unwrap();
    let (pair, body) = tells().await;
    assert!(!pair.contains("plover") && !body.contains("plover"), "{pair} {body}");
    store.restore(&workspace, id(2)).await.unwrap();
    assert_eq!(tells().await, before);
    store.delete(&[pair_id(1)]).await.unwrap();
    let (pair, body) = tells().await;
    assert!(!pair.contains("plover") && !body.contains("plover"), "{pair} {body}");
}

/// A text as JSON, for a crate that has no JSON.
fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}
