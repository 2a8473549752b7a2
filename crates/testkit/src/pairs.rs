//! Pairs to fill a store with, each known by a small number.

use plimsoll_domain::{
    ColorFlag, Lifecycle, MessagePair, PairId, PairKind, PairUse, Star, Timestamp, Topic, TopicId,
};

/// A time, in milliseconds after some Tuesday.
pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis)
}

/// For how long a send of these tests is held.
pub const LEASE: std::time::Duration = std::time::Duration::from_secs(15);

/// The id of pair `n`, which sorts by `n`.
pub fn pair_id(n: u8) -> PairId {
    PairId::new(at(i64::from(n) * 1000), [n; 10])
}

/// The topic that the pairs of these tests are filed under.
pub fn topic() -> Topic {
    Topic {
        id: TopicId::new(at(0), [1; 10]),
        parent: None,
        name: "Sea".to_owned(),
        named: true,
        system_message: None,
        default_model: None,
        temperature: None,
        max_output: None,
    }
}

/// Idle pair `n`, with a text of its own.
pub fn pair(n: u8) -> MessagePair {
    MessagePair {
        id: pair_id(n),
        topic_id: topic().id,
        model: "phi-3-mini-4k".to_owned(),
        user_text: format!("question {n}"),
        assistant_text: None,
        star: Star::default(),
        color_flag: ColorFlag::default(),
        pair_use: PairUse::default(),
        kind: PairKind::default(),
        summarises: Vec::new(),
        group: None,
        lifecycle: Lifecycle::Idle,
        created_at: at(i64::from(n) * 1000),
        error: None,
        usage: None,
        receipt_id: None,
        previous_answer: None,
        attachments: Vec::new(),
    }
}

/// Pair `n` with its answer.
pub fn answered(n: u8) -> MessagePair {
    MessagePair {
        assistant_text: Some(format!("answer {n}")),
        lifecycle: Lifecycle::Complete,
        ..pair(n)
    }
}
