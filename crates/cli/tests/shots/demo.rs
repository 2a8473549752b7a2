//! A made-up history for the pictures: a person who learns about ships and Rust.

use plimsoll_domain::{
    ColorFlag, Lifecycle, MessagePair, PairId, PairKind, PairUse, ReceiptId, Star, Timestamp,
    Topic, TopicId, Usage,
};
use plimsoll_store::{Pairs, ReceiptRecord, Receipts, Topics, Workspace};
use plimsoll_store_sql::SqlStore;

const HOUR: i64 = 3_600_000;

/// Question, answer, stars.
const TALK: [(&str, &str, u64); 8] = [
    (
        "Compare tokio's current_thread and multi_thread schedulers for a chat server.",
        "The multi-threaded runtime **steals work** between its workers, so a future that moves \
         between them must be `Send`. The current-thread runtime never moves a task, takes \
         `Rc` and `RefCell`, and has nothing to synchronise.\n\n| | current_thread | multi_thread |\n\
         |---|---|---|\n| futures | any | `Send` |\n| cores | one | all |\n| latency under load | \
         grows with the slowest task | evened out |\n\nFor a chat server with a few hundred \
         sockets one thread is plenty; measure before you add the second.",
        1,
    ),
    (
        "Who was Samuel Plimsoll?",
        "A member of the British parliament who fought, from 1868 on, against ships that were \
         sent out overloaded and overinsured: *coffin ships*. The Merchant Shipping Act of 1876 \
         made a mark on the hull compulsory, and sailors gave it his name.",
        3,
    ),
    (
        "What do the letters beside the load line mean?",
        "They say for which water the line is:\n\n- **TF** tropical fresh water\n- **F** fresh \
         water\n- **T** tropical salt water\n- **S** summer, **W** winter\n- **WNA** winter, North \
         Atlantic\n\nWarm or fresh water carries less, so the ship lies deeper with the same cargo.",
        2,
    ),
    (
        "How deep does a ship sink when she comes from salt into fresh water?",
        "By about one part in forty of what is under water. If $\\rho_s = 1025$ and \
         $\\rho_f = 1000$ kg/m³, the draught grows by\n\n$$\\Delta d = d \\left( \
         \\frac{\\rho_s}{\\rho_f} - 1 \\right) \\approx 0.025\\, d$$\n\nso a draught of 8 m becomes 8.2 m.",
        0,
    ),
    (
        "Why does this future block the executor?",
        "Because `std::sync::Mutex` is held across an `.await`. Drop the guard first:\n\n```rust\n\
         let job = { queue.lock().unwrap().pop() }; // guard dropped here\n\
         if let Some(job) = job {\n    run(job).await;\n}\n```\n\nClippy's `await_holding_lock` \
         finds this for you.",
        2,
    ),
    (
        "And if I need the lock during the call?",
        "Then use `tokio::sync::Mutex`: its guard may live across an `.await`, because waiting for \
         it yields to the executor instead of blocking the thread. It is slower, so keep it for \
         the places that need it.",
        0,
    ),
    (
        "Show me how to cancel the job when the client goes away.",
        "Race it against the signal, and let the loser be dropped:\n\n```rust\ntokio::select! {\n    \
         done = run(job) => reply(done).await,\n    () = gone.cancelled() => tracing::info!(\"client left\"),\n}\n\
         ```\n\nDropping a future cancels it at its last `.await`; anything that must be undone \
         belongs into a guard with a `Drop`.",
        1,
    ),
    (
        "What does the flame graph say?",
        "Most samples sit in `serde_json::from_slice`, not in the scheduler. Borrow the strings \
         (`&'a str`) instead of copying them, and parse only what you use.",
        0,
    ),
];

/// Fills a store. Times count back from `now`.
pub(crate) async fn fill(store: &SqlStore, now: i64) {
    let workspace = Workspace::default();
    let topic = |n: u8, parent: Option<TopicId>, name: &str| {
        Topic::new(TopicId::new(Timestamp::from_millis(now), [n; 10]), parent, name)
    };
    let general = topic(1, None, "General");
    let rust = topic(2, None, "Rust");
    let mut asynchronous = topic(3, Some(rust.id), "async");
    asynchronous.system_message =
        Some("Answer briefly, for an experienced engineer. Show code where it says more.".into());
    for topic in [&general, &rust, &asynchronous] {
        store.put_topic(&workspace, topic).await.unwrap();
    }
    let mut pairs = Vec::new();
    let old = (0..26).map(|n| {
        let question = format!("Note {} on the history of the load line", n + 1);
        let answer = "Before the mark was law, owners decided how deep a ship could lie. \
                      Insurers paid when she was lost, and the crew did not come back. "
            .repeat(2 + n % 3);
        (question, answer, 0)
    });
    let talk = TALK.iter().map(|(q, a, stars)| ((*q).to_owned(), (*a).to_owned(), *stars));
    for (n, (question, answer, stars)) in (0u8..).zip(old.chain(talk)) {
        let at = Timestamp::from_millis(now - HOUR - i64::from(40 - n) * 11 * 60_000);
        let weight = (question.len() + answer.len()) as u64 / 4;
        pairs.push(MessagePair {
            id: PairId::new(at, [n; 10]),
            topic_id: if n < 26 { general.id } else { asynchronous.id },
            model: "qwen2.5-0.5b".to_owned(),
            user_text: question,
            assistant_text: Some(answer),
            star: Star::new(stars).unwrap(),
            color_flag: if n == 30 { ColorFlag::Blue } else { ColorFlag::Grey },
            pair_use: PairUse::default(),
            kind: PairKind::default(),
            summarises: Vec::new(),
            group: None,
            lifecycle: Lifecycle::Complete,
            created_at: at,
            error: None,
            usage: Some(Usage { prompt: weight, completion: weight / 2, ..Usage::default() }),
            receipt_id: None,
            previous_answer: None,
            attachments: Vec::new(),
        });
    }
    store.insert_many(&workspace, &pairs).await.unwrap();
    for n in 0..72u8 {
        store.put_receipt(&earlier(now, n, [general.id, asynchronous.id])).await.unwrap();
    }
}

/// A receipt of the weeks before: three a day, whose estimates get better.
fn earlier(now: i64, n: u8, topics: [TopicId; 2]) -> ReceiptRecord {
    let days_ago = 24 - i64::from(n / 3);
    let at = Timestamp::from_millis(now - days_ago * 24 * HOUR);
    let turn = u64::from(n);
    let read = 420 + turn * 53 % 480;
    let off = (f64::from(n) * f64::from(n) * 31.0 % 19.0 - 10.0) * (0.25 + days_ago as f64 / 24.0);
    ReceiptRecord {
        id: ReceiptId::new(at, [n; 10]),
        workspace: Workspace::default(),
        pair: None,
        topic: topics[usize::from(n.is_multiple_of(4))],
        model: if n % 5 == 1 { "llama-3.2-3b" } else { "qwen2.5-0.5b" }.to_owned(),
        at,
        stage: "success".to_owned(),
        estimate: (read as f64 * (1.0 + off / 100.0)) as u64,
        usage: Some(Usage { prompt: read, completion: 60 + turn % 90, ..Usage::default() }),
        first_prompt: Some(read),
        cost: None,
        trimmed: 0,
        body: None,
    }
}
