//! Rules of conversations (HIS-9): sends, drafts, sizes and deletions of each.

use plimsoll_domain::{
    DeletionId, Draft, HistoryScope, LifecycleEvent, MessagePair, Topic, TopicId,
};

use super::{Backend, LEASE, answered, at, held, pair, pair_id, ready, topic};
use plimsoll_store::{
    ConversationPlace, ConversationQuery, Deletable, DeletedKind, NewDeletion, Outcome, StoreError,
};

fn other_topic() -> Topic {
    Topic { name: "Hello".to_owned(), ..Topic::new_chat(TopicId::new(at(2), [9; 10])) }
}

fn in_other(pair: MessagePair) -> MessagePair {
    MessagePair { topic_id: other_topic().id, ..pair }
}

/// SND-2: each conversation has a send of its own; whoever looks at everything waits for all.
pub(crate) async fn one_send_a_conversation(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_topic(&workspace, &other_topic()).await.unwrap();
    let alone = HistoryScope::Conversation;
    store.begin(&workspace, &[pair(1)], alone, "me", at(50), LEASE).await.unwrap();
    let busy = StoreError::Busy { since: at(50), pair: pair_id(1) };
    let refused = store.begin(&workspace, &[pair(2)], alone, "me", at(60), LEASE).await;
    assert_eq!(refused.unwrap_err(), busy);
    store.begin(&workspace, &[in_other(pair(3))], alone, "me", at(61), LEASE).await.unwrap();
    let everything = HistoryScope::Everything;
    let refused =
        store.begin(&workspace, &[in_other(pair(4))], everything, "me", at(62), LEASE).await;
    assert_eq!(refused.unwrap_err(), busy);
    let pairs: Vec<_> =
        store.in_flight(&workspace).await.unwrap().iter().map(|send| send.pair).collect();
    assert_eq!(pairs, [pair_id(1), pair_id(3)]);
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Finish, &Outcome::default())
        .await
        .unwrap();
    store.begin(&workspace, &[pair(2)], alone, "me", at(70), LEASE).await.unwrap();
    assert_eq!(store.count(&workspace).await.unwrap(), 3);
}

/// HIS-9b: each conversation has a draft of its own, also one that holds nothing yet.
pub(crate) async fn a_draft_for_each_conversation(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let draft = |text: &str| Draft { text: text.to_owned(), ..Draft::default() };
    let (one, two) = (Some(topic().id), Some(other_topic().id));
    for (conversation, text) in [(None, "all"), (one, "one"), (two, "two")] {
        store.put_draft(&workspace, conversation, &draft(text), at(50)).await.unwrap();
    }
    let again = backend.open().await;
    for (conversation, text) in [(None, "all"), (one, "one"), (two, "two")] {
        assert_eq!(again.draft(&workspace, conversation).await.unwrap(), Some(draft(text)));
    }
    let mut texts = again.draft_texts(&workspace).await.unwrap();
    texts.sort();
    assert_eq!(texts, ["all", "one", "two"]);
    store.put_draft(&workspace, one, &draft(" "), at(51)).await.unwrap();
    assert_eq!(store.draft(&workspace, one).await.unwrap(), None);
    assert_eq!(store.draft(&workspace, two).await.unwrap(), Some(draft("two")));
}

/// UI-15: a list of conversations reads no texts, and follows every change of them.
pub(crate) async fn sizes_follow_the_texts(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_topic(&workspace, &other_topic()).await.unwrap();
    store.insert(&workspace, &answered(1)).await.unwrap();
    store.insert(&workspace, &in_other(pair(2))).await.unwrap();
    let size = async |topic: TopicId| {
        let query = ConversationQuery { limit: 10, ..ConversationQuery::default() };
        let page = store.conversations(&workspace, &query).await.unwrap();
        page.conversations.into_iter().find(|one| one.place.id == topic).unwrap()
    };
    let bytes = |pair: &MessagePair| {
        (pair.user_text.len() + pair.assistant_text.as_ref().map_or(0, String::len)) as u64
    };
    let one = size(topic().id).await;
    assert_eq!((one.pairs, one.text_bytes), (1, bytes(&answered(1))));
    assert_eq!((one.place.newest, one.model), (answered(1).created_at, Some(answered(1).model)));
    let edit = plimsoll_store::Edit {
        user_text: Some("日本".to_owned()),
        assistant_text: Some("x".to_owned()),
    };
    store.edit(pair_id(1), &edit, at(60)).await.unwrap();
    assert_eq!(size(topic().id).await.text_bytes, 7);
    let alone = HistoryScope::Conversation;
    store.claim(pair_id(2), "m", alone, "me", at(70), LEASE).await.unwrap();
    let outcome = Outcome { assistant_text: Some("four".to_owned()), ..Outcome::default() };
    store
        .set_state(held(&store, pair_id(2)).await, LifecycleEvent::Finish, &outcome)
        .await
        .unwrap();
    let words = pair(2).user_text.len() as u64;
    assert_eq!(size(other_topic().id).await.text_bytes, words + 4);
    assert_eq!(store.rows_of(&workspace, topic().id).await.unwrap().len(), 1);
    // Nothing of this was sent here, as far as receipts tell.
    assert_eq!(store.newest_model(&workspace).await.unwrap(), None);
    assert_eq!(store.last_sent_in(&workspace).await.unwrap(), None);
    store.claim(pair_id(2), "m", alone, "me", at(75), LEASE).await.unwrap();
    assert_eq!(store.newest_model(&workspace).await.unwrap().as_deref(), Some("m"));
    assert_eq!(store.last_sent_in(&workspace).await.unwrap(), Some(other_topic().id));
}

/// A conversation whose title is its number, and that was made when all others were.
fn numbered(n: u8) -> Topic {
    Topic { name: format!("Conversation {n}"), ..Topic::new_chat(TopicId::new(at(5), [n; 10])) }
}

/// UI-15, REL-7: the list is told in parts, newest first; each conversation stands in one of them,
/// also where many are of the same time.
pub(crate) async fn parts_of_the_list_hold_each_once(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    for n in 0..23 {
        store.put_topic(&workspace, &numbered(n)).await.unwrap();
        // Some hold nothing; of the others five at a time were written in at once.
        if n % 3 != 0 {
            let created_at = at(1000 + i64::from(n / 5));
            let said = MessagePair { topic_id: numbered(n).id, created_at, ..answered(n + 1) };
            store.insert(&workspace, &said).await.unwrap();
        }
    }
    let part = async |before: Option<ConversationPlace>, limit: usize| {
        let query = ConversationQuery { before, limit, ..ConversationQuery::default() };
        store.conversations(&workspace, &query).await.unwrap()
    };
    let all = part(None, 100).await;
    let places: Vec<_> = all.conversations.iter().map(|one| one.place).collect();
    assert!(places.is_sorted_by(|one, other| one > other), "the newest first, and each once");
    // The topic that every store of these tests has is one of them.
    assert_eq!((all.total, places.len(), all.more), (24, 24, false));
    for limit in [1, 2, 5, 7, 23, 24] {
        let (mut told, mut before) = (Vec::new(), None);
        loop {
            let next = part(before, limit).await;
            assert_eq!(next.total, 24);
            assert!(next.conversations.len() == limit || !next.more);
            before = next.conversations.last().map(|one| one.place);
            told.extend(next.conversations);
            if !next.more {
                break;
            }
        }
        assert_eq!(told, all.conversations, "{limit} at a time");
    }
}

/// UI-15: every word stands in the title, whatever its case; a topic that only holds others is no
/// conversation.
pub(crate) async fn titles_are_found_by_their_words(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let titles = ["Trip to Porto", "Ärger im Hafen", "A trip by train"];
    for (title, n) in titles.into_iter().zip(0..) {
        let topic = Topic { name: title.to_owned(), ..numbered(n) };
        store.put_topic(&workspace, &topic).await.unwrap();
    }
    let holder = Topic::new(TopicId::new(at(6), [77; 10]), None, "Trip of trips");
    let below = Topic::new(TopicId::new(at(7), [78; 10]), Some(holder.id), "Below");
    for topic in [holder, below] {
        store.put_topic(&workspace, &topic).await.unwrap();
    }
    for (find, expected) in [
        ("trip", &["A trip by train", "Trip to Porto"][..]),
        ("PORTO  trip", &["Trip to Porto"]),
        ("ärGER", &["Ärger im Hafen"]),
        ("trip ärger", &[]),
        ("%", &[]),
    ] {
        let find = find.to_owned();
        let query = ConversationQuery { find, limit: 10, ..ConversationQuery::default() };
        let page = store.conversations(&workspace, &query).await.unwrap();
        let found: Vec<_> = page.conversations.iter().map(|one| one.title.as_str()).collect();
        assert_eq!((found.as_slice(), page.total), (expected, expected.len() as u64), "{query:?}");
    }
}

/// HIS-9b: a conversation goes with its pairs and comes back with them, in one step.
pub(crate) async fn a_conversation_goes_and_comes_back_whole(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.put_topic(&workspace, &other_topic()).await.unwrap();
    store.insert(&workspace, &answered(1)).await.unwrap();
    for n in [2, 3] {
        store.insert(&workspace, &in_other(answered(n))).await.unwrap();
    }
    let before = store.rows(&workspace).await.unwrap();
    let new = NewDeletion {
        id: DeletionId::new(at(80), [1; 10]),
        workspace: workspace.clone(),
        at: at(80),
        words: "Hello".to_owned(),
    };
    let what = Deletable::Conversation(other_topic().id);
    assert_eq!(store.put_aside(&new, &what).await.unwrap().count, 3);
    assert_eq!(store.count(&workspace).await.unwrap(), 1);
    assert_eq!(store.topics(&workspace).await.unwrap().len(), 1);
    let restored = store.restore(&workspace, new.id).await.unwrap();
    assert_eq!(restored.deletion.kind, DeletedKind::Conversation);
    assert_eq!(restored.pairs, [pair_id(2), pair_id(3)]);
    assert_eq!(store.rows(&workspace).await.unwrap(), before);
    assert!(store.topics(&workspace).await.unwrap().contains(&other_topic()));
    // Somebody who goes on in a deleted conversation still gets back what was said in it.
    let third = NewDeletion { id: DeletionId::new(at(82), [3; 10]), ..new.clone() };
    store.put_aside(&third, &what).await.unwrap();
    store.put_topic(&workspace, &other_topic()).await.unwrap();
    store.restore(&workspace, third.id).await.unwrap();
    assert_eq!(store.rows(&workspace).await.unwrap(), before);
    // One that holds others is not deleted (HIS-9b), and nothing of it is.
    let child = Topic::new(TopicId::new(at(3), [8; 10]), Some(other_topic().id), "Below");
    store.put_topic(&workspace, &child).await.unwrap();
    let again = NewDeletion { id: DeletionId::new(at(81), [2; 10]), ..new };
    assert!(store.put_aside(&again, &what).await.is_err());
    assert_eq!(store.rows(&workspace).await.unwrap(), before);
}

/// REC-5: what was being written in a conversation and how it was looked at goes with it, comes back
/// with it, and is purged with it.
pub(crate) async fn a_conversation_takes_its_draft_and_its_values_along(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let id = other_topic().id;
    store.put_topic(&workspace, &other_topic()).await.unwrap();
    store.insert(&workspace, &in_other(answered(2))).await.unwrap();
    let draft = Draft { text: "half a thought".to_owned(), ..Draft::default() };
    store.put_draft(&workspace, Some(id), &draft, at(70)).await.unwrap();
    store.put_draft(&workspace, None, &draft, at(70)).await.unwrap();
    let own = [format!("view:{workspace}:{id}:everything"), format!("line:{workspace}:{id}")];
    let other = format!("view:{workspace}");
    for name in own.iter().chain([&other]) {
        store.put_value(name, Some("kept")).await.unwrap();
    }
    let new = NewDeletion {
        id: DeletionId::new(at(80), [1; 10]),
        workspace: workspace.clone(),
        at: at(80),
        words: "Hello".to_owned(),
    };
    let what = Deletable::Conversation(id);
    store.put_aside(&new, &what).await.unwrap();
    assert_eq!(store.draft(&workspace, Some(id)).await.unwrap(), None);
    for name in &own {
        assert_eq!(store.value(name).await.unwrap(), None, "{name}");
    }
    assert!(store.draft(&workspace, None).await.unwrap().is_some(), "that of everything stays");
    assert!(store.value(&other).await.unwrap().is_some());
    // What somebody wrote there since is newer than what comes back.
    store.put_value(&own[1], Some("newer")).await.unwrap();
    store.restore(&workspace, new.id).await.unwrap();
    assert_eq!(store.draft(&workspace, Some(id)).await.unwrap(), Some(draft));
    assert_eq!(store.value(&own[0]).await.unwrap().as_deref(), Some("kept"));
    assert_eq!(store.value(&own[1]).await.unwrap().as_deref(), Some("newer"));
}
