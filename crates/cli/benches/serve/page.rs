//! The page in a real Chromium: its first view, a key in the draft, scrolling.

use std::time::Duration;

use plimsoll_browser::{Browser, Options, Page, or_skip};
use plimsoll_testkit::report::Table;

use crate::{
    filled::{Effort, Outcome, compared},
    served::Served,
};

const KEYS: usize = 60;
/// Between two keys of somebody who types 200 words a minute.
const TYPING: Duration = Duration::from_millis(60);
const TURNS_OF_THE_WHEEL: usize = 40;

/// A frame comes sixty times a second.
const FRAME_MS: f64 = 1000.0 / 60.0;
const WORK_MS: f64 = 8.0;

/// Tells when the next frame was painted.
pub(crate) const PAINTED: &str = "
const painted = (then) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => then(performance.now());
  channel.port2.postMessage(0);
});";

/// Notes when pairs were first painted, and how long each key took until it was.
const WATCH: &str = "
globalThis.shownAfter = null;
globalThis.keyTimes = [];
const look = () => {
  const shown = document.querySelector('#history[data-ready] article');
  if (shown) painted((now) => { globalThis.shownAfter = now; });
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
addEventListener('keydown', (event) => {
  painted((now) => globalThis.keyTimes.push(now - event.timeStamp));
}, true);";

/// The values of the first size.
#[derive(Default)]
pub(crate) struct First {
    view: f64,
    work: f64,
}

pub(crate) fn run(
    effort: Effort,
    served: &Served,
    size: &str,
    first: &mut First,
    table: &mut Table,
) -> Outcome {
    let Some(browser) = or_skip(Browser::launch(Options::default()))? else { return Ok(()) };
    let url = format!("http://{}/", served.address);
    let mut best = f64::MAX;
    for _ in 0..effort.runs {
        // Private: nothing is cached, as on a first visit.
        let page = opened(&browser, &url)?;
        best = best.min(page.eval("globalThis.shownAfter")?);
        page.close()?;
    }
    table.row("page: first view, nothing cached", size, best, "ms");
    compared(table, &mut first.view, best);
    table.goal("≤ 500 ms", best <= 500.0);
    let page = opened(&browser, &url)?;
    keys(&page, size, first, table)?;
    scrolling(&page, size, table)
}

fn opened(browser: &Browser, url: &str) -> Outcome<Page> {
    let page = browser.private_page()?;
    page.before_load(&format!("{PAINTED}{WATCH}"))?;
    page.watch_long_tasks()?;
    page.open(url)?;
    page.wait_for("globalThis.shownAfter !== null")?;
    Ok(page)
}

/// Half a frame is waited for on the average, whatever the page does; what it does itself is told
/// beside it, and what becomes of keys that do not wait for the one before.
fn keys(page: &Page, size: &str, first: &mut First, table: &mut Table) -> Outcome {
    page.type_text("warm ")?;
    page.settle()?;
    let before = page.metrics()?;
    let typed = key_times(page, TYPING)?;
    let after = page.metrics()?;
    let work = (after["TaskDuration"] - before["TaskDuration"]) * 1e3 / KEYS as f64;
    table.row("page: a key in the draft until it is painted, median", size, typed.median, "ms");
    table.ratio(format!("p95 {:.1} ms", typed.p95));
    table.goal("≤ one frame + 8 ms", typed.median <= FRAME_MS + WORK_MS);
    let at_once = key_times(page, Duration::ZERO)?;
    table.row("page: the same, sixty keys at once", size, at_once.median, "ms");
    table.ratio(format!("p95 {:.1} ms", at_once.p95));
    table.row("page: all its work for a key", size, work, "ms");
    compared(table, &mut first.work, work);
    table.goal("≤ 8 ms", work <= WORK_MS);
    Ok(())
}

struct KeyTimes {
    median: f64,
    p95: f64,
}

/// How long keys took until they were painted that came one after another.
fn key_times(page: &Page, pause: Duration) -> Outcome<KeyTimes> {
    page.settle()?;
    page.run::<()>("globalThis.keyTimes.length = 0;")?;
    for _ in 0..KEYS {
        page.keys("a")?;
        std::thread::sleep(pause);
    }
    page.wait_for(&format!("globalThis.keyTimes.length >= {KEYS}"))?;
    let mut times: Vec<f64> = page.eval("globalThis.keyTimes")?;
    times.sort_by(f64::total_cmp);
    Ok(KeyTimes { median: times[times.len() / 2], p95: times[times.len() * 95 / 100] })
}

fn scrolling(page: &Page, size: &str, table: &mut Table) -> Outcome {
    let before = page.long_tasks()?.len();
    page.watch_frames()?;
    for _ in 0..TURNS_OF_THE_WHEEL {
        page.wheel("#history", 0.0, -600.0)?;
    }
    page.settle()?;
    let mut frames = page.frames()?;
    frames.sort_by(f64::total_cmp);
    let tasks = page.long_tasks()?;
    let longest = tasks[before..].iter().copied().fold(0.0, f64::max);
    let count = tasks.len() - before;
    table.row("page: tasks over 50 ms while scrolling", size, count as f64, "");
    let p95 = frames.get(frames.len() * 95 / 100).copied().unwrap_or_default();
    table.ratio(format!("longest {longest:.0} ms; frames p95 {p95:.1} ms"));
    table.goal("none", count == 0);
    Ok(())
}
