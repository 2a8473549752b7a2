//! The view of receipts: what it draws is what the receipts say (UI-14).

use std::path::Path;

use plimsoll_browser::Scheme;
use plimsoll_domain::{ReceiptId, Timestamp, TopicId, Usage};
use plimsoll_store::{ReceiptRecord, Workspace};
use plimsoll_testkit::scripted::Reply;
use serde_json::Value;

use crate::{
    bench::{Workbench, answer},
    served::store,
};

const DAY: i64 = 86_400_000;
/// The longest bar, and where the curve has its zero and its edges; see `views/`.
const LONGEST: f64 = 160.0;
const ZERO: f64 = 62.0;
const REACH: f64 = 52.0;

/// Noon of a day so many days ago, in UTC as the workbench of a test has it.
fn noon(days_ago: i64) -> Timestamp {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let today = i64::try_from(now.as_millis()).unwrap() / DAY;
    Timestamp::from_millis((today - days_ago) * DAY + DAY / 2)
}

/// A receipt of a day. Its tokens: estimated, read at first, read in all, written.
fn receipt(n: u32, days_ago: i64, model: &str, tokens: [u64; 4], cost: f64) -> ReceiptRecord {
    let [estimate, first, prompt, completion] = tokens;
    let mut chance = [7; 10];
    chance[..4].copy_from_slice(&n.to_be_bytes());
    ReceiptRecord {
        id: ReceiptId::new(noon(days_ago), chance),
        workspace: Workspace::default(),
        pair: None,
        topic: TopicId::new(noon(0), [1; 10]),
        model: model.to_owned(),
        at: noon(days_ago),
        stage: if prompt > 0 { "success" } else { "error" }.to_owned(),
        estimate,
        usage: (prompt > 0).then_some(Usage { prompt, completion, ..Usage::default() }),
        first_prompt: (first > 0).then_some(first),
        cost: (cost > 0.0).then_some(cost),
        trimmed: 0,
        body: None,
    }
}

/// Books that were kept before anybody looked.
fn keep(home: &Path, receipts: Vec<ReceiptRecord>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = store::open(&home.join("data"), noon(0)).await;
        for receipt in &receipts {
            store.put_receipt(receipt).await.unwrap();
        }
    });
}

/// Four days, of which one has nothing to compare and one was read by tools.
fn four_days() -> Vec<ReceiptRecord> {
    vec![
        receipt(1, 3, "old-model", [110, 100, 100, 50], 0.5),
        receipt(2, 3, "test", [90, 100, 100, 50], 0.0),
        receipt(3, 2, "old-model", [120, 100, 600, 400], 1.5),
        receipt(4, 1, "old-model", [500, 0, 0, 0], 0.0),
    ]
}

fn totals(bench: &Workbench, by: &str) -> Vec<Value> {
    let answer = bench.served.json("GET", &format!("/api/totals?by={by}"), None);
    answer["totals"].as_array().unwrap().clone()
}

/// Opens the panel and waits until all of it is there.
fn open(bench: &Workbench) {
    bench.view();
    bench.keys("L");
    bench.wait("T.panel() === 'Receipts' && T.one('#panel .receipts')");
}

/// The bars of a chart: name, length, words.
fn bars(bench: &Workbench, of: &str) -> Vec<(String, f64, String)> {
    bench.js(&format!(
        "[...document.querySelectorAll('#panel .bars[data-of={of}] tr')].map((row) => [
           row.querySelector('th').textContent,
           row.querySelector('rect').getBoundingClientRect().width,
           row.querySelector('td.n').textContent.trim(),
         ])"
    ))
}

/// A day as the page writes it, from what the API calls it.
fn named(key: &Value) -> String {
    let date: jiff::civil::Date = key.as_str().unwrap().parse().unwrap();
    date.strftime("%a %-d %b").to_string()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.11
}

#[test]
fn ui_14_bars_and_table_say_what_the_receipts_say() {
    let Some(bench) =
        Workbench::at_home([answer("fine")], 4096, |home| keep(home, four_days()), |_| {})
    else {
        return;
    };
    bench.send("What is a load line?");
    open(&bench);
    let tokens =
        |sum: &Value| sum["prompt"].as_u64().unwrap() + sum["completion"].as_u64().unwrap();

    let days = totals(&bench, "day");
    assert_eq!(days.iter().map(tokens).collect::<Vec<_>>(), [300, 1000, 0, 20]);
    let drawn = bars(&bench, "days");
    assert_eq!(drawn.len(), days.len());
    for ((name, length, text), (day, words)) in
        drawn.iter().zip(days.iter().zip(["300", "1K", "0", "20"]))
    {
        assert_eq!((name, text.as_str()), (&named(&day["key"]), words));
        let share = tokens(day) as f64 / 1000.0;
        assert!(close(*length, share * LONGEST), "{name}: {length}");
    }

    // Models and topics, the largest first; what a topic is called is its path.
    let models = totals(&bench, "model");
    let of = |key: &str| tokens(models.iter().find(|sum| sum["key"] == key).unwrap());
    assert_eq!((of("old-model"), of("test")), (1150, 170));
    let drawn: Vec<_> =
        bars(&bench, "models").into_iter().map(|(name, _, text)| (name, text)).collect();
    assert_eq!(drawn, [("old-model".into(), "1.2K".into()), ("test".into(), "170".into())]);
    let topics = bars(&bench, "topics");
    let names: Vec<_> = topics.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["a topic that is gone", "/General"]);
    assert!(close(topics[1].1, 20.0 / 1300.0 * LONGEST), "{topics:?}");

    // Cost by day, where there was one; all of it in words.
    let costs: Vec<f64> = days.iter().map(|day| day["cost"].as_f64().unwrap()).collect();
    assert_eq!(costs, [0.5, 1.5, 0.0, 0.0]);
    let drawn = bars(&bench, "costs");
    let words: Vec<_> = drawn.iter().map(|(_, _, text)| text.as_str()).collect();
    assert_eq!(words, ["$0.5000", "$1.50", "$0.0000", "$0.0000"]);
    assert!(close(drawn[0].1, LONGEST / 3.0) && drawn[2].1 == 0.0, "{drawn:?}");
    bench.says("#panel p", "$2.00 in all");

    // The table: one line a send, the newest first, each opens its receipt.
    let listed = bench.served.json("GET", "/api/receipts", None);
    let listed = listed["receipts"].as_array().unwrap();
    let rows: Vec<Vec<String>> =
        bench.js("[...document.querySelectorAll('#panel .receipts tr:not(:first-child)')]
           .map((row) => [row.querySelector('[data-receipt]').dataset.receipt,
             ...[...row.cells].slice(1).map((cell) => cell.textContent.trim())])");
    assert_eq!(rows.len(), 5);
    for (row, receipt) in rows.iter().zip(listed) {
        assert_eq!(row[0], receipt["id"]);
        assert_eq!(row[1], receipt["model"]);
        assert_eq!(row[2], receipt["estimate"].to_string());
        let used = receipt["prompt"].as_u64().map_or("error".to_owned(), |used| used.to_string());
        assert_eq!(row[3], used);
        assert_eq!(row[4], receipt["errorPercent"].as_f64().map(percent).unwrap_or_default());
    }
    assert_eq!(rows[2][4], percent(20.0), "of the first call, not of what tools read later");
    bench.click("#panel .receipts [data-receipt]");
    bench.wait("T.panel() === 'Receipt' && T.says('#panel', '14')");
    bench.fine();
}

/// A deviation as the page writes it.
fn percent(value: f64) -> String {
    match value.abs() < 0.05 {
        true => "0.0\u{a0}%".to_owned(),
        false => format!("{value:+.1}\u{a0}%").replace('-', "−"),
    }
}

#[test]
fn ui_14_the_curve_of_errors_is_that_of_the_receipts() {
    let Some(bench) =
        Workbench::at_home([answer("fine")], 4096, |home| keep(home, four_days()), |_| {})
    else {
        return;
    };
    bench.send("What is a load line?");
    open(&bench);
    let days: Vec<Value> =
        totals(&bench, "day").into_iter().filter(|day| !day["errors"].is_null()).collect();
    let number = |day: &Value, part: &str| day["errors"][part].as_f64().unwrap();
    let known: Vec<[f64; 4]> = (days[..2].iter())
        .map(|day| ["sends", "mean", "lowest", "highest"].map(|part| number(day, part).round()))
        .collect();
    assert_eq!(known, [[2.0, 0.0, -10.0, 10.0], [1.0, 20.0, 20.0, 20.0]]);
    let sent = &bench.served.json("GET", "/api/receipts?limit=1", None)["receipts"][0];
    assert_eq!(number(&days[2], "mean"), sent["errorPercent"].as_f64().unwrap());

    // The points stand where their means are, the bar goes from the lowest to the highest.
    let largest = days.iter().flat_map(|day| [number(day, "lowest"), number(day, "highest")]);
    let largest = largest.map(f64::abs).fold(0.0, f64::max);
    let scale = [10.0, 20.0, 50.0, 100.0].into_iter().find(|scale| *scale >= largest).unwrap();
    let y = |error: f64| ZERO - error / scale * REACH;
    let points: Vec<(f64, f64)> = bench
        .js("[...document.querySelectorAll('#panel .errors circle')]
           .map((point) => [point.cx.baseVal.value, point.cy.baseVal.value])");
    assert_eq!(points.len(), 3);
    assert!(points.is_sorted_by(|a, b| a.0 < b.0), "{points:?}");
    for ((_, at), day) in points.iter().zip(&days) {
        assert!(close(*at, y(number(day, "mean"))), "{points:?}: {day}");
    }
    let curve: usize =
        bench.js("T.one('#panel .errors .curve').getAttribute('d').match(/[ML]/g).length");
    assert_eq!(curve, 3);
    let spread: Vec<(f64, f64)> = bench
        .js("[...document.querySelectorAll('#panel .errors .spread')]
           .map((bar) => bar.getBBox()).map((box) => [box.y, box.y + box.height])");
    assert_eq!(spread.len(), 1, "a day with one send has no spread");
    assert!(close(spread[0].0, y(10.0)) && close(spread[0].1, y(-10.0)), "{spread:?}");

    // Those who do not see it have it in words and as a table.
    let sends: f64 = days.iter().map(|day| number(day, "sends")).sum();
    let mean: f64 = days.iter().map(|day| number(day, "mean") * number(day, "sends")).sum();
    let said: String = bench.js("T.one('#panel svg.errors[role=img]').getAttribute('aria-label')");
    assert!(
        said.starts_with(&format!("Mean {} over 4 sends on 3 days", percent(mean / sends))),
        "{said}"
    );
    bench.click("#panel .numbers summary");
    bench.wait("T.shown('#panel .numbers table')");
    let table: Vec<Vec<String>> = bench
        .js("[...document.querySelectorAll('#panel .numbers tbody tr')]
           .map((row) => [...row.cells].map((cell) => cell.textContent.trim()))");
    let told = |day: &Value| {
        let of = |part| percent(number(day, part));
        vec![
            named(&day["key"]),
            day["errors"]["sends"].to_string(),
            of("mean"),
            of("lowest"),
            of("highest"),
        ]
    };
    assert_eq!(table, days.iter().rev().map(told).collect::<Vec<_>>());
    let day: String = bench.js("T.one('#panel .errors .hit title').textContent");
    assert!(
        day.replace('\u{a0}', " ").ends_with(": 0.0 %, from −10.0 % to +10.0 %, 2 sends"),
        "{day}"
    );
    bench.fine();
}

#[test]
fn ui_14_nothing_one_without_a_report_and_one_with() {
    let Some(bench) = Workbench::open([Reply::openai_cut(&["half"]), answer("whole")]) else {
        return;
    };
    bench.view();
    bench.keys("L");
    bench.says("#panel p", "Nothing was sent yet.");
    assert_eq!(
        bench.js::<usize>("document.querySelectorAll('#panel svg.errors, #panel .bars').length"),
        0
    );
    bench.keys("Escape Enter");
    bench.mode("INPUT");
    bench.send("Begin.");
    open(&bench);
    bench.says("#panel p", "No provider has said yet what it read.");
    bench.says("#panel p", "no price is known");
    bench.keys("Escape Enter");
    bench.mode("INPUT");
    bench.send("Go on.");
    open(&bench);
    bench.wait("document.querySelectorAll('#panel .errors circle').length === 1");
    // One alone stands in the middle of its lines.
    assert!(bench.js::<bool>(
        "(() => { const [point, line] = ['circle', '.zero'].map((part) => T.one(`#panel .errors ${part}`).getBBox());
           return Math.abs(point.x + point.width / 2 - line.x - line.width / 2) < 0.6; })()"
    ));
    bench.says("#panel p", "over 1 send on 1 day");
    bench.fine();
}

#[test]
fn ui_14_ten_thousand_receipts_are_drawn_in_little_room_and_can_be_read() {
    // Off by −20 to +20 %, less from day to day; one wild.
    let mut books: Vec<ReceiptRecord> = (0..10_000u32)
        .map(|n| {
            let days_ago = i64::from(n % 60);
            let off = i64::from(n % 41) - 20;
            let estimate = 1000 + off * 10 * (days_ago + 5) / 65;
            let model = format!("model-{}", n % 40);
            receipt(n, days_ago, &model, [estimate.unsigned_abs(), 1000, 1000, 200], 0.002)
        })
        .collect();
    books.push(receipt(10_000, 4, "wild", [9000, 1000, 1000, 1], 0.0));
    let Some(bench) = Workbench::at_home([answer("fine")], 4096, |home| keep(home, books), |_| {})
    else {
        return;
    };
    open(&bench);
    let count = |what: &str| -> usize {
        bench.js(&format!("document.querySelectorAll('#panel {what}').length"))
    };
    assert_eq!(count(".errors circle"), 30);
    assert_eq!(
        [count("[data-of=days] tr"), count("[data-of=models] tr"), count(".receipts tr")],
        [14, 15, 51]
    );
    let models = bars(&bench, "models");
    assert_eq!(models[14].0, "27 others");
    bench.says("#panel p", "What is beyond ±20 % stands at the edge.");
    bench
        .wait("T.one('#panel .panel-body').scrollWidth <= T.one('#panel .panel-body').clientWidth");
    for scheme in [Scheme::Light, Scheme::Dark] {
        bench.page.color_scheme(scheme).unwrap();
        bench.page.settle().unwrap();
        bench.accessible(&format!("{scheme:?}"));
    }
    bench.fine();
}
