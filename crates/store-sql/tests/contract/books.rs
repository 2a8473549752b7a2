//! Rules of receipts and snapshots (REC-2, REC-5).

use plimsoll_domain::{ReceiptId, Timestamp, TopicId, Usage};

use super::{Backend, answered, at, filled, pair_id, ready, topic};
use plimsoll_store::{
    ErrorSnapshot, EstimateErrors, FailedAnswer, GroupBy, ReceiptFilter, ReceiptRecord, TotalsKey,
    Workspace,
};

const HOUR: i64 = 60 * 60 * 1000;

/// The receipt of pair `n`, an hour after that of pair `n − 1`.
pub(super) fn receipt(n: u8) -> ReceiptRecord {
    let n64 = u64::from(n);
    ReceiptRecord {
        id: ReceiptId::new(at(i64::from(n)), [n; 10]),
        workspace: Workspace::default(),
        pair: Some(pair_id(n)),
        topic: topic().id,
        model: if n.is_multiple_of(2) { "gpt-4o" } else { "phi-4-mini" }.to_owned(),
        at: at(i64::from(n) * HOUR),
        stage: "success".to_owned(),
        estimate: 100 * n64,
        usage: Some(Usage { prompt: 90 * n64, cached: n64, completion: 10, reasoning: 2 }),
        first_prompt: Some(80 * n64),
        cost: Some(0.25),
        trimmed: n64 - 1,
        body: Some(body(n)),
    }
}

/// With lists that are long, of which one holds mostly what those of other receipts do.
fn body(n: u8) -> String {
    let lines = |from: u8| {
        let line = |n| format!("{{\"hash\":\"{n}\",\"text\":\"a, [b] \\\"c\\\"\"}}");
        (from..from + 20).map(line).collect::<Vec<_>>().join(",")
    };
    let own: Vec<String> = (0..9).map(|at| format!("\"{n} {at}\"")).collect();
    format!("{{\"n\":{n},\"messages\":[{}], \"few\":[1,2],\"own\":[{}]}}", lines(n), own.join(","))
}

/// A list is without bodies; one alone has it; writing it again replaces it.
pub(crate) async fn receipts_come_back_newest_first(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2), answered(3)]).await;
    let poor = ReceiptRecord { usage: None, first_prompt: None, cost: None, ..receipt(3) };
    for written in [&receipt(2), &poor, &receipt(1)] {
        store.put_receipt(written).await.unwrap();
    }
    assert_eq!(store.receipt(poor.id).await.unwrap(), poor);
    store.put_receipt(&receipt(3)).await.unwrap();
    assert_eq!(store.receipt(poor.id).await.unwrap(), receipt(3));
    let listed = store.receipts(&workspace, &ReceiptFilter::default()).await.unwrap();
    let bare = |n| ReceiptRecord { body: None, ..receipt(n) };
    assert_eq!(listed, [bare(3), bare(2), bare(1)]);
}

/// By time, model, topic, pair and number, alone and together.
pub(crate) async fn receipts_are_narrowed(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2), answered(3), answered(4)]).await;
    let other = TopicId::new(at(1), [6; 10]);
    for n in 1..=4 {
        let topic = if n == 4 { other } else { topic().id };
        store.put_receipt(&ReceiptRecord { topic, ..receipt(n) }).await.unwrap();
    }
    let all = ReceiptFilter::default();
    let time = |n: i64| Some(at(n * HOUR));
    let cases: [(ReceiptFilter, &[u8]); 7] = [
        (ReceiptFilter { from: time(3), ..all.clone() }, &[4, 3]),
        (ReceiptFilter { until: time(3), ..all.clone() }, &[2, 1]),
        (ReceiptFilter { model: Some("gpt-4o".to_owned()), ..all.clone() }, &[4, 2]),
        (ReceiptFilter { topic: Some(other), ..all.clone() }, &[4]),
        (ReceiptFilter { pair: Some(pair_id(2)), ..all.clone() }, &[2]),
        (ReceiptFilter { limit: Some(1), ..all.clone() }, &[4]),
        (
            ReceiptFilter {
                from: time(1),
                until: time(4),
                model: Some("phi-4-mini".to_owned()),
                topic: Some(topic().id),
                limit: Some(1),
                ..all
            },
            &[3],
        ),
    ];
    for (filter, expected) in cases {
        let listed = store.receipts(&workspace, &filter).await.unwrap();
        let ids: Vec<_> = listed.iter().map(|receipt| receipt.id).collect();
        let expected: Vec<_> = expected.iter().map(|n| receipt(*n).id).collect();
        assert_eq!(ids, expected, "{filter:?}");
    }
}

/// Sums by day, model and topic; a day is where the user lives.
pub(crate) async fn totals_add_up(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2), answered(3)]).await;
    store.put_receipt(&receipt(1)).await.unwrap();
    store.put_receipt(&receipt(2)).await.unwrap();
    let failed = ReceiptRecord { usage: None, first_prompt: None, cost: None, ..receipt(3) };
    store.put_receipt(&failed).await.unwrap();
    let all = ReceiptFilter::default();
    let by_model = store.totals(&workspace, &all, GroupBy::Model).await.unwrap();
    let keys: Vec<_> = by_model.iter().map(|total| total.key.clone()).collect();
    let model = |name: &str| TotalsKey::Model(name.to_owned());
    assert_eq!(keys, [model("gpt-4o"), model("phi-4-mini")]);
    let phi = &by_model[1];
    assert_eq!((phi.sends, phi.estimate, phi.usage.prompt, phi.cost), (2, 400, 90, 0.25));
    let even = EstimateErrors { sends: 1, mean: 25.0, lowest: 25.0, highest: 25.0 };
    assert_eq!(phi.errors, Some(even), "what told nothing is not compared");
    let by_topic = store.totals(&workspace, &all, GroupBy::Topic).await.unwrap();
    assert_eq!(by_topic[0].key, TotalsKey::Topic(topic().id));
    assert_eq!((by_topic[0].sends, by_topic[0].usage.reasoning), (3, 4));
    // The receipts are of 23:13, 0:13 and 1:13 in UTC, and of one day an hour east.
    let day = |utc_offset_minutes| GroupBy::Day { utc_offset_minutes };
    // UI-18: what a topic cost.
    assert_eq!(store.cost(topic().id).await.unwrap(), Some(by_topic[0].cost));
    assert_eq!(store.cost(TopicId::new(at(9), [9; 10])).await.unwrap(), None);
    let by_day = store.totals(&workspace, &all, day(0)).await.unwrap();
    assert_eq!(by_day.iter().map(|total| total.sends).collect::<Vec<_>>(), [1, 2]);
    // One that read nothing, as an endpoint may say, cannot be compared either.
    let nothing = ReceiptRecord { first_prompt: Some(0), ..failed.clone() };
    let spread = ReceiptRecord { first_prompt: Some(400), ..receipt(2) };
    for written in [&nothing, &spread] {
        store.put_receipt(written).await.unwrap();
    }
    let by_topic = store.totals(&workspace, &all, GroupBy::Topic).await.unwrap();
    let errors = EstimateErrors { sends: 2, mean: -12.5, lowest: -50.0, highest: 25.0 };
    assert_eq!(by_topic[0].errors, Some(errors));
    let each: Vec<_> = [&nothing, &spread].iter().map(|one| one.error_percent()).collect();
    assert_eq!(each, [None, Some(-50.0)]);
    let midnight = 1_700_006_400_000;
    assert_eq!(by_day[1].key, TotalsKey::Day(Timestamp::from_millis(midnight)));
    let east = store.totals(&workspace, &all, day(60)).await.unwrap();
    assert_eq!(east.iter().map(|total| total.sends).collect::<Vec<_>>(), [3]);
    assert_eq!(east[0].key, TotalsKey::Day(Timestamp::from_millis(midnight - HOUR)));
}

/// One snapshot a pair, with the pairs that it quoted in order.
pub(crate) async fn a_snapshot_replaces_the_one_before(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2), answered(3)]).await;
    assert_eq!(store.snapshot(pair_id(3)).await.unwrap(), None);
    let first = ErrorSnapshot {
        pair: pair_id(3),
        at: at(50),
        included: vec![pair_id(2), pair_id(1)],
        outgoing_user_text: "question 3".to_owned(),
        json_doc: Some("{}".to_owned()),
        answer: Some(FailedAnswer {
            status: Some(502),
            body: Some("<html>Bad Gateway</html>\r\n".to_owned()),
            transport: Some("connection closed".to_owned()),
        }),
    };
    store.put_snapshot(&first).await.unwrap();
    assert_eq!(store.snapshot(pair_id(3)).await.unwrap(), Some(first.clone()));
    let second = ErrorSnapshot { at: at(60), included: vec![pair_id(2)], answer: None, ..first };
    store.put_snapshot(&second).await.unwrap();
    assert_eq!(store.snapshot(pair_id(3)).await.unwrap(), Some(second));
}
