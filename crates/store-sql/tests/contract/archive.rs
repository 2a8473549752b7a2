//! Rules of exports and imports (HIS-8).

use plimsoll_domain::{
    Attachment, Delivery, FileId, HistoryScope, LifecycleEvent, PairError, Timestamp, Topic,
    TopicId, Usage,
};

use super::{
    Backend, LEASE, answered, at, estimates::stale, files::file, held, pair, pair_id, ready, topic,
};
use plimsoll_store::{
    ArchivedPair, BroughtIn, Edit, Estimate, Noun, Outcome, PreviousAnswer, Revision, StoreError,
    Workspace,
};

fn archived(n: u8) -> ArchivedPair {
    ArchivedPair {
        pair: answered(n),
        cut: false,
        revision: 0,
        edited_at: None,
        revisions: Vec::new(),
        previous: None,
    }
}

fn brought(topics: u64, pairs: u64) -> BroughtIn {
    BroughtIn { topics, pairs, mended: 0 }
}

fn other_topic(n: u8, name: &str) -> Topic {
    Topic {
        id: TopicId::new(Timestamp::from_millis(i64::from(n)), [n; 10]),
        name: name.to_owned(),
        ..topic()
    }
}

/// Edits, cut answers and what a regeneration put aside all come back.
pub(crate) async fn a_pair_is_taken_out_and_brought_in_whole(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &answered(1)).await.unwrap();
    store.claim(pair_id(1), "other", HistoryScope::Everything, "me", at(5), LEASE).await.unwrap();
    let outcome = Outcome {
        assistant_text: Some("half an".to_owned()),
        error: Some(PairError { code: "net".to_owned(), message: "gone".to_owned() }),
        usage: Some(Usage { prompt: 3, ..Usage::default() }),
        cut: true,
        ..Outcome::default()
    };
    store.set_state(held(&store, pair_id(1)).await, LifecycleEvent::Fail, &outcome).await.unwrap();
    for (millis, text) in [(50, "better"), (60, "best")] {
        let edit = Edit { user_text: Some(text.to_owned()), assistant_text: None };
        store.edit(pair_id(1), &edit, at(millis)).await.unwrap();
    }
    let out = store.archived(&[pair_id(1), pair_id(2), pair_id(1)]).await.unwrap();
    let [whole] = out.as_slice() else { panic!("{out:?}") };
    assert!(whole.cut && whole.edited_at == Some(at(60)));
    assert_eq!(whole.revisions.len(), 2);
    assert_eq!(whole.revisions[0].user_text, answered(1).user_text, "the original is first");
    let previous = whole.previous.as_ref().unwrap();
    assert_eq!(previous.text, answered(1).assistant_text);
    assert_eq!(whole.pair.previous_answer, previous.text);

    store.delete(&[pair_id(1)]).await.unwrap();
    let done = store.bring_in(&workspace, &[], &out).await.unwrap();
    assert_eq!(done, brought(0, 1));
    assert_eq!(store.archived(&[pair_id(1)]).await.unwrap(), out);
    // It lives on like any other.
    let edit = Edit { user_text: Some("still".to_owned()), assistant_text: None };
    store.edit(pair_id(1), &edit, at(70)).await.unwrap();
    assert_eq!(store.archived(&[pair_id(1)]).await.unwrap()[0].revisions.len(), 3);
    store.swap_answer(pair_id(1)).await.unwrap();
    assert_eq!(store.search(&workspace, "still", 9).await.unwrap().len(), 1);
    assert!(store.check().await.unwrap().is_empty());
}

/// What is there stays as it is, so that an import can be run again.
pub(crate) async fn a_batch_may_be_brought_again(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let topics = [other_topic(9, "Imported")];
    let pairs = [archived(1), archived(2)];
    let first = store.bring_in(&workspace, &topics, &pairs[..1]).await.unwrap();
    assert_eq!(first, brought(1, 1));
    let edit = Edit { user_text: Some("mine".to_owned()), assistant_text: None };
    store.edit(pair_id(1), &edit, at(50)).await.unwrap();
    let again = store.bring_in(&workspace, &topics, &pairs).await.unwrap();
    assert_eq!(again, brought(0, 1));
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair.user_text, "mine");
    assert_eq!(store.count(&workspace).await.unwrap(), 2);
    let taken = store.whereabouts(&[pair_id(1), pair_id(7)]).await.unwrap();
    assert_eq!(taken, [(pair_id(1), Workspace::default())]);
}

/// One bad topic or pair, and nothing of the batch is there.
pub(crate) async fn a_batch_is_brought_in_all_or_none(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let mut lost = archived(2);
    lost.pair.topic_id = other_topic(8, "nowhere").id;
    let mut in_flight = archived(2);
    in_flight.pair = pair(2);
    in_flight.pair.lifecycle = plimsoll_domain::Lifecycle::Sending;
    let mut odd = archived(2);
    odd.previous = Some(PreviousAnswer {
        model: String::new(),
        text: None,
        lifecycle: plimsoll_domain::Lifecycle::Sending,
        cut: false,
        usage: None,
        receipt_id: None,
        error: None,
    });
    odd.revisions =
        vec![Revision { user_text: String::new(), assistant_text: None, edited_at: at(1) }];
    let before = store.topics(&workspace).await.unwrap();
    for (bad, expected) in [
        (lost, StoreError::NotFound(Noun::Topic)),
        (in_flight, StoreError::Unclaimed),
        (odd, StoreError::Unclaimed),
    ] {
        let fresh = [other_topic(9, "Imported")];
        let refused = store.bring_in(&workspace, &fresh, &[archived(1), bad]).await;
        assert_eq!(refused, Err(expected));
        assert_eq!(store.count(&workspace).await.unwrap(), 0);
        assert_eq!(store.topics(&workspace).await.unwrap(), before);
    }
    let name = before[0].name.to_uppercase();
    let taken = store.bring_in(&workspace, &[other_topic(9, &name)], &[archived(1)]).await;
    assert!(matches!(taken, Err(StoreError::Topic(_))), "{taken:?}");
    assert_eq!(store.count(&workspace).await.unwrap(), 0);
}

/// HIS-8: a file that was left out of one import may come with the next; words that were
/// changed since are not touched, and neither is another workspace.
pub(crate) async fn his_8_a_token_without_a_file_gets_the_one_that_is_brought(
    backend: &impl Backend,
) {
    let (store, workspace) = ready(backend).await;
    let (first, second) = (file(1), file(2));
    for one in [&first, &second] {
        store.put_file(&workspace, one).await.unwrap();
    }
    let with = |n: u8, files: [Option<FileId>; 2]| {
        let mut one = archived(n);
        one.pair.user_text = "see <<context:text:/x>>> and <<context:text:/y>>>".to_owned();
        let delivery = Some(Delivery::Inline);
        one.pair.attachments = files.map(|file| Attachment { file, delivery }).to_vec();
        one
    };
    let half = [with(1, [Some(second.id), None]), with(2, [None, None])];
    assert_eq!(store.bring_in(&workspace, &[], &half).await.unwrap(), brought(0, 2));
    let edit = Edit { user_text: Some("<<context:text:/y>>>".to_owned()), assistant_text: None };
    store.edit(pair_id(2), &edit, at(50)).await.unwrap();
    let estimate = Estimate { revision: 1, user_tokens: 3, assistant_tokens: 4 };
    store.put_estimates(&[(pair_id(1), estimate)], "s").await.unwrap();
    assert!(!stale(&store, &workspace, "s").await.contains(&pair_id(1)));
    let whole = [1, 2].map(|n| with(n, [Some(first.id), Some(second.id)]));
    let elsewhere = Workspace::parse("else/where").unwrap();
    store.create_workspace(&elsewhere, at(1)).await.unwrap();
    assert_eq!(store.bring_in(&elsewhere, &[], &whole).await.unwrap(), brought(0, 0));
    let mended = BroughtIn { mended: 1, ..brought(0, 0) };
    assert_eq!(store.bring_in(&workspace, &[], &whole).await.unwrap(), mended);
    let kept = store.get(pair_id(1)).await.unwrap().pair;
    let files: Vec<_> = kept.attachments.iter().map(|one| one.file).collect();
    assert_eq!(files, [Some(second.id), Some(second.id)], "what stood for a file still does");
    assert!(stale(&store, &workspace, "s").await.contains(&pair_id(1)));
    assert_eq!(store.get(pair_id(2)).await.unwrap().pair.attachments[0].file, None);
    assert_eq!(store.bring_in(&workspace, &[], &whole).await.unwrap(), brought(0, 0));
}
