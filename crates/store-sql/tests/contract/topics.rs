//! Rules of topics (HIS-3).

use plimsoll_domain::{Topic, TopicId, TopicTreeError};

use super::{Backend, at, pair, pair_id, ready, topic};
use plimsoll_store::{Noun, StoreError};

fn child(n: u8, parent: &Topic, name: &str) -> Topic {
    Topic {
        id: TopicId::new(at(i64::from(n)), [n; 10]),
        parent: Some(parent.id),
        name: name.to_owned(),
        ..topic()
    }
}

/// Everything comes back, in an order in which a tree can be built.
pub(crate) async fn topics_come_back_parents_first(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let ships = Topic {
        system_message: Some("Speak like a sailor.".to_owned()),
        default_model: Some("gpt-4o".to_owned()),
        temperature: Some(0.7),
        max_output: Some(512),
        ..child(2, &topic(), "Ships")
    };
    let brigs = child(3, &ships, "A brig");
    store.put_topic(&workspace, &ships).await.unwrap();
    store.put_topic(&workspace, &brigs).await.unwrap();
    assert_eq!(store.topics(&workspace).await.unwrap(), [topic(), ships, brigs]);
}

/// Names are unique among siblings, parents exist, circles do not.
pub(crate) async fn the_tree_keeps_its_rules(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let ships = child(2, &topic(), "Ships");
    store.put_topic(&workspace, &ships).await.unwrap();
    let twin = child(3, &topic(), "ships");
    let refusals = [
        (twin.clone(), TopicTreeError::NameTaken("ships".to_owned())),
        (child(3, &topic(), " "), TopicTreeError::BadName(" ".to_owned())),
        (child(3, &twin, "Lost"), TopicTreeError::Unknown),
        (Topic { parent: Some(ships.id), ..topic() }, TopicTreeError::Cycle),
    ];
    for (refused, expected) in refusals {
        let error = store.put_topic(&workspace, &refused).await.unwrap_err();
        assert_eq!(error, StoreError::Topic(expected));
    }
    let root = Topic { parent: None, name: "Boats".to_owned(), ..ships };
    store.put_topic(&workspace, &root).await.unwrap();
    store.put_topic(&workspace, &twin).await.unwrap();
    let moved = Topic { parent: None, ..twin };
    let taken = Topic { name: "boats".to_owned(), ..moved.clone() };
    assert!(store.put_topic(&workspace, &taken).await.is_err());
    store.put_topic(&workspace, &moved).await.unwrap();
    assert_eq!(store.topics(&workspace).await.unwrap(), [root, topic(), moved]);
}

/// A topic with pairs or topics below it stays.
pub(crate) async fn a_topic_goes_only_when_empty(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let ships = child(2, &topic(), "Ships");
    store.put_topic(&workspace, &ships).await.unwrap();
    let mut filed = pair(1);
    filed.topic_id = ships.id;
    store.insert(&workspace, &filed).await.unwrap();
    for (id, pairs, children) in [(topic().id, 0, 1), (ships.id, 1, 0)] {
        let refused = store.remove_topic(&workspace, id).await.unwrap_err();
        assert_eq!(refused, StoreError::Topic(TopicTreeError::NotEmpty { pairs, children }));
    }
    store.delete(&[pair_id(1)]).await.unwrap();
    store.remove_topic(&workspace, ships.id).await.unwrap();
    store.remove_topic(&workspace, topic().id).await.unwrap();
    let gone = store.remove_topic(&workspace, ships.id).await;
    assert_eq!(gone.unwrap_err(), StoreError::NotFound(Noun::Topic));
}
