//! The exact request (PAY-5), and numbers that belong to one send (REC-3).

use plimsoll_testkit::scripted::Reply;

use crate::bench::{Workbench, answer};

/// What the panel shows as the request.
fn shown(bench: &Workbench) -> String {
    bench.wait("T.panel() === 'Exact request' && T.one('#panel pre.exact')");
    bench.js("T.one('#panel pre.exact').textContent")
}

/// The bodies that the provider got, oldest first.
fn got(bench: &Workbench) -> Vec<String> {
    let requests = bench.server.requests();
    requests.into_iter().filter(|one| one.method == "POST").map(|one| one.body).collect()
}

#[test]
fn pay_5_what_would_be_sent_is_what_is_sent_byte_for_byte() {
    let Some(bench) = Workbench::open([answer("a \"reply\" \\ ≈ 🙂\nof two lines"), Reply::auth()])
    else {
        return;
    };
    bench.send("What is a load line?");
    bench.types("And \"this\"? ünïcode 漢字 </pre> & \\");
    bench.click("[aria-label='What would be sent now']");
    let before = shown(&bench);
    bench.says("#panel p", &format!("key aside: {} bytes", before.len()));
    bench.click("#draft");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'error'");
    assert_eq!(before, got(&bench)[1]);
    // Afterwards it is the same, and its size is that of those bytes.
    bench.view();
    bench.keys("G p");
    bench.wait("T.says('#panel p', 'as it was sent')");
    assert_eq!(shown(&bench), got(&bench)[1]);
    bench.says("#panel p", &format!("key aside: {} bytes.", before.len()));
    // The other view is labelled, and says the same in the same order.
    bench.click("#panel details.raw summary");
    let indented: String = bench.js("T.one('#panel details.raw pre').textContent");
    let packed: String =
        bench.js("JSON.stringify(JSON.parse(T.one('#panel details.raw pre').textContent))");
    assert!(indented.contains("\n  \"messages\""), "{indented}");
    assert_eq!(packed, before);
    bench.fine();
}

#[test]
fn pay_5_the_open_panel_follows_the_draft_the_filter_and_a_send() {
    let Some(bench) = Workbench::open([answer("fine"), answer("well")]) else { return };
    bench.send("first");
    bench.click("[aria-label='What would be sent now']");
    bench.says("#panel p", "Nothing would be sent: the message is empty.");
    bench.click("#draft");
    bench.types("second");
    bench.wait("T.says('#panel pre.exact', 'second') && T.says('#panel pre.exact', 'first')");
    bench.filter("r0");
    bench.wait("T.says('#panel pre.exact', 'second') && !T.says('#panel pre.exact', 'first')");
    bench.filter("");
    bench.wait("T.says('#panel pre.exact', 'first')");
    bench.click("#draft");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete'");
    bench.says("#panel p", "Nothing would be sent: the message is empty.");
    bench.types("third");
    bench.wait("T.says('#panel pre.exact', 'third') && T.says('#panel pre.exact', 'second')");
    bench.fine();
}

#[test]
fn rec_3_the_tip_after_a_trim_has_the_numbers_of_that_send() {
    let replies = [answer("fine"), Reply::overflow(4000, 4100), answer("short")];
    let Some(bench) = Workbench::open(replies) else { return };
    bench.send("first");
    bench.send("second");
    bench.counter("[1-1]/1");
    let listed = bench.served.json("GET", "/api/receipts?limit=1", None);
    let id = listed["receipts"][0]["id"].as_str().unwrap();
    let receipt = bench.served.json("GET", &format!("/api/receipts/{id}"), None);
    let last = receipt["attempts"].as_array().unwrap().last().unwrap().clone();
    bench.types("a message that weighs something quite different from the one before");
    bench.wait("Number(T.one('#aut').textContent.replace(/\\D/g, '')) > 9");
    bench.page.apply::<()>("() => document.querySelector('#counter').focus()", [0]).unwrap();
    bench.wait("T.shown('#counter-tip')");
    let row = |name: &str| -> String {
        bench.js(&format!(
            "[...document.querySelectorAll('#counter-tip dt')]
               .find((name) => name.textContent === '{name}').nextElementSibling.textContent"
        ))
    };
    assert_eq!(row("message (AUT)"), format!("~{} tokens", last["AUT"]));
    assert_eq!(row("history"), format!("{} tokens", last["attemptHistoryTokens"]));
    assert!(row("all together").starts_with(&format!("{} of ", last["attemptTotalTokens"])));
    // What would be sent now is no part of it.
    let tip: String = bench.js("T.one('#counter-tip').textContent");
    assert!(!tip.contains(" ± "), "{tip}");
    bench.fine();
}

#[test]
fn the_hud_follows_what_is_typed() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.view();
    bench.keys("h");
    let aut = "[...document.querySelectorAll('#hud dt')]
       .find((name) => name.textContent === 'AUT')?.nextElementSibling.textContent";
    bench.wait(&format!("{aut} === '0'"));
    bench.click("#draft");
    bench.types("What is a load line, and who painted the first one?");
    bench.wait(&format!("Number({aut}) > 8"));
    bench.fine();
}
