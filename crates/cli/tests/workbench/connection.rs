//! Reloads, restarts, and two tabs (UI-12).

use plimsoll_testkit::scripted::{Gate, Reply};

use crate::bench::{Workbench, answer};

#[test]
fn ui_12_a_reload_in_mid_stream_continues_the_text() {
    let gate = Gate::default();
    let reply = Reply::openai_open(&["A mark "]).gate(&gate).openai_more(&["on the hull."]);
    let Some(bench) = Workbench::open([reply.openai_end(14, 6)]) else { return };
    bench.types("ask");
    bench.keys("Enter");
    bench.wait("T.reply() === 'A mark'");
    bench.types("half a thought");
    bench.reload();
    bench.wait("T.reply() === 'A mark' && T.state() === 'sending'");
    bench.wait("T.draft() === 'half a thought' && T.one('#send').textContent === 'Cancel'");
    gate.open();
    bench.wait("T.state() === 'complete' && T.reply() === 'A mark on the hull.'");
    bench.fine();
}

#[test]
fn ui_12_a_lost_connection_is_said_and_comes_back_by_itself() {
    let Some(mut bench) = Workbench::open([answer("fine")]) else { return };
    bench.send("before");
    bench.types("kept");
    bench.served.stop();
    bench.says("#notice", "Connection lost");
    bench.types(" and more");
    bench.served.start_again();
    bench.wait("!T.says('#notice', 'Connection lost')");
    bench.wait("T.draft() === 'kept and more' && T.asked() === 'before'");
    // The draft reaches the server, and the next message its model.
    while bench.served.json("GET", "/api/draft", None)["text"] != "kept and more" {
        bench.page.settle().unwrap();
    }
    bench.keys("Enter");
    bench.wait("T.asked() === 'before|kept and more' && T.state() === 'complete'");
    bench.counter("2 / 2");
    // Chromium tells of every connection that was refused.
    bench.fine_but(&["status of 4", "ERR_"]);
}

#[test]
fn snd_6_a_send_that_died_with_its_server_says_so() {
    let Some(mut bench) = Workbench::open([Reply::stalls_after(&["half "]), answer("fine")]) else {
        return;
    };
    bench.types("ask");
    bench.keys("Enter");
    bench.wait("T.reply() === 'half'");
    bench.served.stop();
    bench.says("#notice", "Connection lost");
    bench.served.start_again();
    bench.wait("T.state() === 'error' && T.one('#send').textContent === 'Send'");
    bench.says(".pair .err", "[error:");
    bench.fine_but(&["status of 4", "ERR_"]);
}

#[test]
fn ui_12_two_tabs_agree() {
    let gate = Gate::default();
    let reply = Reply::openai_open(&["A mark "]).gate(&gate).openai_more(&["on the hull."]);
    let Some(bench) = Workbench::open([reply.openai_end(14, 6)]) else { return };
    let other = bench.tab();
    bench.types("one draft");
    other.wait("T.draft() === 'one draft'");
    bench.keys("Enter");
    other.wait("T.asked() === 'one draft' && T.reply() === 'A mark' && T.draft() === ''");
    other.wait("T.one('#send').textContent === 'Cancel'");
    gate.open();
    other.wait("T.state() === 'complete' && T.reply() === 'A mark on the hull.'");
    other.counter("1 / 1");
    // INPUT stays in the tab that did not ask.
    other.mode("INPUT");
    other.view();
    other.keys("2");
    bench.wait("T.last().dataset.star === '2' && T.last().querySelector('.star')");
    bench.filter("s3");
    other.wait("T.pairs().length === 0 && T.one('#filter').value === 's3'");
    other.counter("0 / 0");
    bench.filter("");
    other.wait("T.asked() === 'one draft'");
    bench.wait("T.asked() === 'one draft'");
    other.keys("G");
    other.wait("T.current() === 0");
    other.keys("d");
    other.says("dialog", "Delete this pair?");
    other.keys("Shift+Tab Enter");
    bench.wait("T.pairs().length === 0");
    bench.counter("0 / 0");
    bench.fine();
    other.fine();
}
