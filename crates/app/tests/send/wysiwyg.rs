//! Promise 1 with a real store: what was prepared is what arrives at the provider.

use plimsoll_app::Cancel;
use plimsoll_budget::OverBudget;
use plimsoll_domain::{
    ColorFlag, Lifecycle, MessagePair, PairError, PairId, PairKind, PairUse, Star, Timestamp,
    TopicId,
};
use plimsoll_store::Workspace;
use plimsoll_testkit::history::Random;

use crate::rig::{Written, answer, ask, choices, plain_settings, rig_with, view};

fn pair(n: u64, topic: TopicId, random: &mut Random) -> MessagePair {
    let at = Timestamp::from_millis(1_000_000 + n as i64);
    let lifecycle = match random.below(8) {
        0 => Lifecycle::Error,
        1 => Lifecycle::Cancelled,
        _ => Lifecycle::Complete,
    };
    let text = |random: &mut Random, name: &str| match random.below(6) {
        0 => String::new(),
        more => format!("{name}{n} {}", "y".repeat(more as usize * 3)),
    };
    MessagePair {
        id: PairId::new(at, [n as u8; 10]),
        topic_id: topic,
        model: ["m", "larger"][random.below(2) as usize].to_owned(),
        user_text: text(random, "u"),
        assistant_text: Some(text(random, "a")).filter(|text| !text.is_empty()),
        star: Star::new(random.below(4)).unwrap(),
        color_flag: if random.below(2) == 0 { ColorFlag::Blue } else { ColorFlag::Grey },
        pair_use: PairUse::ALL[random.below(3) as usize],
        kind: PairKind::default(),
        summarises: Vec::new(),
        group: None,
        lifecycle,
        created_at: at,
        error: (lifecycle == Lifecycle::Error)
            .then(|| PairError { code: "x".into(), message: "x".into() }),
        usage: None,
        receipt_id: None,
        previous_answer: None,
        attachments: Vec::new(),
    }
}

/// HIS-4, PAY-5: labels choose what is sent through the filter, and stand in nothing.
#[tokio::test]
async fn the_request_equals_the_plan_for_many_histories_and_filters() {
    let filters = [
        "",
        "b",
        "s>=2 | b",
        "!e r9",
        "c'u1' | c'a2'",
        "m'larger'",
        "k>10 !b",
        "o",
        "!o",
        "x",
        "!x",
        "p | r3",
    ];
    for seed in 0..24u64 {
        let mut random = Random::new(seed);
        let errors = if seed % 3 == 0 { "on" } else { "off" };
        let settings = plain_settings(&[("PLIMSOLL_SEND_ERROR_PAIRS", errors)]);
        let scripts = filters.iter().map(|_| answer("ok", 9)).collect();
        let rig = rig_with(60 + random.below(200), scripts, settings, false).await;
        let store = rig.app.store();
        // The first prepare makes the topic.
        rig.prepare(&ask("x")).await.unwrap();
        let workspace = Workspace::default();
        let topic = store.topics(&workspace).await.unwrap()[0].id;
        let pairs: Vec<MessagePair> = (0..20).map(|n| pair(n, topic, &mut random)).collect();
        store.insert_many(&workspace, &pairs).await.unwrap();
        for (call, filter) in filters.iter().enumerate() {
            let message = Written { view: view(filter), ..ask("the new message") };
            let prepared = rig.prepare(&message).await.unwrap();
            let mut expected: Vec<String> = Vec::new();
            for id in prepared.included_ids() {
                let stored = store.get(id).await.unwrap().pair;
                let answer = stored.assistant_text.filter(|_| stored.lifecycle != Lifecycle::Error);
                let texts = [Some(stored.user_text), answer].into_iter().flatten();
                expected.extend(texts.filter(|text| !text.trim().is_empty()));
            }
            expected.push("the new message".to_owned());
            let json: serde_json::Value =
                serde_json::from_str(prepared.exact_request(OverBudget::Trim).shown()).unwrap();
            let planned: Vec<String> = json["messages"]
                .as_array()
                .unwrap()
                .iter()
                .map(|message| message["content"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(planned, expected, "seed {seed}, filter {filter:?}");
            let sent = rig
                .app
                .send(prepared, choices(OverBudget::Trim), &Cancel::default(), &mut |_| {})
                .await
                .unwrap();
            assert_eq!(rig.sent(call), expected, "seed {seed}, filter {filter:?}");
            // What was sent must not change what the next filter shows.
            store.delete(&[sent.pair]).await.unwrap();
        }
    }
}
