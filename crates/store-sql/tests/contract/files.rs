//! Rules of the registry of files, of attachments and of tool calls.

use plimsoll_domain::{
    Attachment, ContentHash, Delivery, Draft, File, FileId, FileKind, FileSource, HistoryScope,
    MessagePair, PairUse, ProviderFileId, Topic, TopicId,
};

use super::{Backend, LEASE, answered, at, filled, held, pair, pair_id, ready, topic};
use plimsoll_store::{Estimate, ListedIn, ToolCallRecord, Workspace};

pub(super) fn file(n: u8) -> File {
    File {
        id: FileId::new(at(i64::from(n)), [n; 10]),
        name: format!("chart {n}.png"),
        mime: "image/png".to_owned(),
        kind: FileKind::Image,
        size: 1234,
        hash: ContentHash::parse(&format!("{n:064x}")).unwrap(),
        extension: "png".to_owned(),
        source: FileSource::User,
        upload_context: None,
        created_at: at(i64::from(n)),
        expires_at: Some(at(99_000)),
        provider_ids: Vec::new(),
        tokens: Some(765),
        pixels: Some((1024, 768)),
        is_text: false,
        listed: false,
        made_for: None,
        extraction: None,
    }
}

pub(super) fn with_file(n: u8, file: &File) -> MessagePair {
    let attachment = Attachment { file: Some(file.id), delivery: Some(Delivery::Inline) };
    MessagePair {
        user_text: "see <<context:image:/x/chart.png>>>".to_owned(),
        attachments: vec![attachment],
        ..answered(n)
    }
}

/// FIL-1: all of it comes back, newest first, in its own workspace alone.
pub(crate) async fn a_file_comes_back_as_it_was_written(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let other = Workspace::parse("other/main").unwrap();
    store.create_workspace(&other, at(0)).await.unwrap();
    for n in [1, 3, 2] {
        store.put_file(&workspace, &file(n)).await.unwrap();
    }
    assert_eq!(store.files(&workspace).await.unwrap(), [file(3), file(2), file(1)]);
    assert_eq!(store.file(&workspace, file(2).id).await.unwrap(), file(2));
    assert!(store.put_file(&workspace, &file(1)).await.is_err(), "an id is used once");
    assert!(store.file(&other, file(2).id).await.is_err());
    assert!(store.files(&other).await.unwrap().is_empty());
    assert!(store.delete_file(&other, file(2).id).await.is_err());
    assert_eq!(store.hashes_in_use(&workspace).await.unwrap().len(), 3);
}

/// TOK-5: two files can have the same bytes; the newest is meant.
pub(crate) async fn bytes_find_the_newest_file(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let twin = File { hash: file(1).hash, ..file(2) };
    for one in [&twin, &file(1)] {
        store.put_file(&workspace, one).await.unwrap();
    }
    let found = store.file_by_hash(&workspace, &file(1).hash).await.unwrap();
    assert_eq!(found.map(|file| file.id), Some(twin.id));
    assert_eq!(store.file_by_hash(&workspace, &file(9).hash).await.unwrap(), None);
}

/// The files of all messages.
const ALL: ListedIn = ListedIn { conversation: None, pinned: false, also: None };

/// FIL-6: models are told of what was sent or added for them, never of what a draft holds.
pub(crate) async fn a_file_is_listed_when_it_is_sent_or_added(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    for n in 1..=4 {
        store.put_file(&workspace, &file(n)).await.unwrap();
    }
    let held = Attachment { file: Some(file(4).id), delivery: None };
    let text = "<<context:image:/x/chart.png>>>".to_owned();
    let draft = Draft { text, attachments: vec![held], ..Draft::default() };
    store.put_draft(&workspace, None, &draft, at(50)).await.unwrap();
    assert!(store.listed_files(&workspace, ALL).await.unwrap().is_empty());
    filled(&store, &workspace, &[with_file(1, &file(1))]).await;
    store.set_listed(&workspace, file(2).id, true).await.unwrap();
    let added = File { listed: true, ..file(2) };
    assert_eq!(store.listed_files(&workspace, ALL).await.unwrap(), [added.clone(), file(1)]);
    assert_eq!(store.listed_file(&workspace, ALL, file(2).id).await.unwrap(), added);
    for unlisted in [3, 4] {
        assert!(store.listed_file(&workspace, ALL, file(unlisted).id).await.is_err());
    }
    let other = Workspace::parse("other/main").unwrap();
    assert!(store.set_listed(&other, file(3).id, true).await.is_err());
    assert!(store.listed_file(&other, ALL, file(2).id).await.is_err());
    store.set_listed(&workspace, file(2).id, false).await.unwrap();
    store.delete(&[pair_id(1)]).await.unwrap();
    assert!(store.listed_files(&workspace, ALL).await.unwrap().is_empty(), "the message is gone");
}

/// FIL-6: what a tool made is pending until the send ends, and goes with one that is stopped.
pub(crate) async fn what_a_tool_made_stays_unless_the_send_is_cancelled(backend: &impl Backend) {
    use plimsoll_domain::LifecycleEvent::{Cancel, Fail, Finish};
    let (store, workspace) = ready(backend).await;
    for (n, event) in [(1, Finish), (2, Fail), (3, Cancel)] {
        store
            .begin(&workspace, &[pair(n)], HistoryScope::Everything, "me", at(60), LEASE)
            .await
            .unwrap();
        let (source, made_for) = (FileSource::Pending, Some(pair_id(n)));
        let made = File { source, made_for, ..file(n) };
        store.put_file(&workspace, &made).await.unwrap();
        assert_eq!(store.listed_file(&workspace, ALL, made.id).await.unwrap(), made);
        store
            .set_state(held(&store, pair_id(n)).await, event, &plimsoll_store::Outcome::default())
            .await
            .unwrap();
        let kept = store.listed_file(&workspace, ALL, made.id).await.ok();
        let expected = (event != Cancel).then_some(FileSource::Assistant);
        assert_eq!(kept.map(|file| file.source), expected, "{event:?}");
    }
    assert!(store.file(&workspace, file(3).id).await.is_err(), "dropped, not hidden");
}

/// FIL-2: the first words that came with a file stay.
pub(crate) async fn words_are_kept_once(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_file(&workspace, &file(1)).await.unwrap();
    assert_eq!(store.set_upload_context(&[file(1).id], "my homework").await.unwrap(), 1);
    assert_eq!(store.set_upload_context(&[file(1).id], "again").await.unwrap(), 0);
    let kept = store.file(&workspace, file(1).id).await.unwrap();
    assert_eq!(kept.upload_context.as_deref(), Some("my homework"));
}

/// FIL-4: one copy a provider, replaced when it is made anew.
pub(crate) async fn copies_at_providers_are_replaced(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_file(&workspace, &file(1)).await.unwrap();
    let copy = |id: &str, millis| ProviderFileId {
        provider: "https://a".to_owned(),
        id: id.to_owned(),
        expires_at: at(millis),
    };
    for one in [copy("file_1", 5), copy("file_2", 9)] {
        store.put_provider_id(file(1).id, &one).await.unwrap();
    }
    let kept = store.file(&workspace, file(1).id).await.unwrap();
    assert_eq!(kept.provider_ids, [copy("file_2", 9)]);
    assert_eq!(store.files(&workspace).await.unwrap(), [kept]);
}

/// TOK-5: each token keeps its file and its delivery, through an edit too.
pub(crate) async fn a_pair_keeps_what_its_tokens_stand_for(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_file(&workspace, &file(1)).await.unwrap();
    let written = with_file(1, &file(1));
    filled(&store, &workspace, &[written.clone(), answered(2)]).await;
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair, written);
    assert_eq!(store.used_by(file(1).id).await.unwrap(), [pair_id(1)]);
    let text = "<<context:file:/new>>> and <<context:image:/x/chart.png>>>".to_owned();
    let edit = plimsoll_store::Edit { user_text: Some(text), assistant_text: None };
    store.edit(pair_id(1), &edit, at(50)).await.unwrap();
    let kept = store.get(pair_id(1)).await.unwrap().pair.attachments;
    assert_eq!(kept, [Attachment::BARE, written.attachments[0]]);
}

/// BND-4: another delivery is another weight.
pub(crate) async fn a_delivery_changes_and_estimates_are_stale(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_file(&workspace, &file(1)).await.unwrap();
    filled(&store, &workspace, &[with_file(1, &file(1))]).await;
    let before = store.get(pair_id(1)).await.unwrap();
    let estimate = Estimate { revision: before.revision, user_tokens: 9, assistant_tokens: 9 };
    store.put_estimates(&[(pair_id(1), estimate)], "s").await.unwrap();
    store.set_delivery(pair_id(1), 0, Delivery::OnDemand).await.unwrap();
    let after = store.get(pair_id(1)).await.unwrap();
    assert_eq!(after.pair.attachments[0].delivery, Some(Delivery::OnDemand));
    assert!(after.revision > before.revision);
    assert!(store.estimates(&workspace, "s").await.unwrap().is_empty());
    assert!(store.set_delivery(pair_id(1), 1, Delivery::Inline).await.is_err());
}

/// A file that is gone leaves a token without one, and a pair that weighs something else.
pub(crate) async fn a_deleted_file_leaves_its_tokens_broken(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_file(&workspace, &file(1)).await.unwrap();
    filled(&store, &workspace, &[with_file(1, &file(1))]).await;
    let before = store.get(pair_id(1)).await.unwrap();
    assert_eq!(store.delete_file(&workspace, file(1).id).await.unwrap(), [pair_id(1)]);
    let after = store.get(pair_id(1)).await.unwrap();
    assert_eq!(after.pair.attachments[0].file, None);
    assert_eq!(after.pair.user_text, before.pair.user_text, "TOK-1: the text is never rewritten");
    assert!(after.revision > before.revision);
    assert!(store.delete_file(&workspace, file(1).id).await.is_err());
}

/// INS-5: a draft keeps its attachments.
pub(crate) async fn a_draft_keeps_its_attachments(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_file(&workspace, &file(1)).await.unwrap();
    let draft = Draft {
        text: "see <<context:image:/x>>> <<context:file:/y>>>".to_owned(),
        attachments: vec![
            Attachment { file: Some(file(1).id), delivery: Some(Delivery::OnDemand) },
            Attachment::BARE,
        ],
        ..Draft::default()
    };
    store.put_draft(&workspace, None, &draft, at(50)).await.unwrap();
    assert_eq!(backend.open().await.draft(&workspace, None).await.unwrap(), Some(draft.clone()));
    store.put_draft(&workspace, None, &Draft::default(), at(51)).await.unwrap();
    assert_eq!(store.draft(&workspace, None).await.unwrap(), None);
    let bare = Draft { attachments: Vec::new(), ..draft };
    store.put_draft(&workspace, None, &bare, at(52)).await.unwrap();
    assert_eq!(store.draft(&workspace, None).await.unwrap(), Some(bare));
}

/// PRV-5: what was read belongs to its answer, also when that is put aside and brought back.
pub(crate) async fn tool_calls_go_with_their_answer(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), pair(2)]).await;
    let call = |name: &str| ToolCallRecord {
        name: name.to_owned(),
        arguments: "{\"offset\":1}".to_owned(),
        result: "1 a".to_owned(),
        failed: false,
        tokens: 12,
        millis: 3,
        made: vec![file(7).id, file(8).id],
    };
    for name in ["first", "second"] {
        store.add_tool_call(held(&store, pair_id(1)).await, &call(name)).await.unwrap();
    }
    assert_eq!(store.tool_calls(pair_id(1)).await.unwrap(), [call("first"), call("second")]);
    store.claim(pair_id(1), "m", HistoryScope::Everything, "me", at(60), LEASE).await.unwrap();
    assert!(store.tool_calls(pair_id(1)).await.unwrap().is_empty());
    store.add_tool_call(held(&store, pair_id(1)).await, &call("third")).await.unwrap();
    let done =
        plimsoll_store::Outcome { assistant_text: Some("b".to_owned()), ..Default::default() };
    let finish = plimsoll_domain::LifecycleEvent::Finish;
    store.set_state(held(&store, pair_id(1)).await, finish, &done).await.unwrap();
    assert_eq!(store.tool_calls(pair_id(1)).await.unwrap(), [call("third")]);
    store.swap_answer(pair_id(1)).await.unwrap();
    assert_eq!(store.tool_calls(pair_id(1)).await.unwrap(), [call("first"), call("second")]);
    store.swap_answer(pair_id(1)).await.unwrap();
    assert_eq!(store.tool_calls(pair_id(1)).await.unwrap(), [call("third")]);
    store.delete(&[pair_id(1)]).await.unwrap();
    assert!(store.tool_calls(pair_id(1)).await.unwrap().is_empty());
    assert!(store.add_tool_call(held(&store, pair_id(1)).await, &call("late")).await.is_err());
}

/// FIL-6: the files of one conversation, of its pinned messages, and of a message in any case.
pub(crate) async fn files_are_listed_by_conversation_and_pin(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let id = TopicId::new(at(2), [2; 10]);
    let other = Topic { id, name: "Other".to_owned(), ..topic() };
    store.put_topic(&workspace, &other).await.unwrap();
    for n in 1..=4 {
        let made_for = (n == 3).then(|| pair_id(3));
        let added = n == 4;
        let one = File { made_for, listed: added, ..file(n) };
        store.put_file(&workspace, &one).await.unwrap();
    }
    let elsewhere = |n| MessagePair { topic_id: other.id, ..answered(n) };
    let pairs = [with_file(1, &file(1)), with_file(2, &file(2)), elsewhere(3)];
    filled(&store, &workspace, &pairs).await;
    store.set_use(&[pair_id(2)], PairUse::Pinned).await.unwrap();
    let here = pair(1).topic_id;
    let of = |conversation, pinned, also: Option<u8>| ListedIn {
        conversation,
        pinned,
        also: also.map(pair_id),
    };
    for (of, expected) in [
        (ALL, vec![4, 3, 2, 1]),
        (of(Some(here), false, None), vec![4, 2, 1]),
        (of(Some(other.id), false, None), vec![4, 3]),
        (of(None, true, None), vec![4, 2]),
        (of(Some(other.id), true, None), vec![4]),
        (of(Some(here), true, Some(3)), vec![4, 3, 2]),
    ] {
        let listed = store.listed_files(&workspace, of).await.unwrap();
        let listed: Vec<FileId> = listed.iter().map(|file| file.id).collect();
        let expected: Vec<FileId> = expected.into_iter().map(|n| file(n).id).collect();
        assert_eq!(listed, expected, "{of:?}");
        for n in 1..=4 {
            let one = store.listed_file(&workspace, of, file(n).id).await;
            assert_eq!(one.is_ok(), expected.contains(&file(n).id), "{of:?} {n}");
        }
    }
}
