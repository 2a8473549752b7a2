//! The exact request (PAY-5), and numbers that belong to one send (REC-3).

use plimsoll_testkit::scripted::{Gate, Reply};

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

/// A request that is looked at before its send has ended is whole when it has.
#[test]
fn pay_5_the_request_of_a_send_that_fails_is_whole_though_it_was_opened_before() {
    let gate = Gate::default();
    let slow = Reply::openai_open(&["one "]).gate(&gate).close();
    let Some(bench) = Workbench::open([slow]) else { return };
    bench.types("ask");
    bench.keys("Enter");
    bench.wait("T.reply() === 'one'");
    bench.view();
    bench.keys("G p");
    bench.wait("T.panel() === 'Exact request'");
    bench.page.settle().unwrap();
    assert!(!bench.js::<bool>("T.says('#panel p', 'as it was sent')"));
    gate.open();
    bench.wait("T.state() === 'error' && T.says('#panel p', 'as it was sent')");
    assert_eq!(shown(&bench), got(&bench)[0]);
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

/// What a row of the HUD says.
fn hud(name: &str) -> String {
    format!(
        "[...document.querySelectorAll('#hud dt')].find((name) => name.textContent === '{name}')\
         ?.nextElementSibling.textContent"
    )
}

/// SND-8: what would be sent is the question that is answered anew, to the model that was chosen
/// for it, whatever the box holds.
#[test]
fn pay_5_what_would_be_sent_during_a_regenerate_is_what_then_goes() {
    let other = |home: &std::path::Path| {
        let file = home.join("models.toml");
        let one = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, format!("{one}\n{}", one.replace("\"test\"", "\"other\""))).unwrap();
    };
    let Some(bench) = Workbench::at_home([answer("fine")], 4096, other, |served| {
        served.send("first");
        served.send("second");
        // Else the model of the newest pair is selected, which will be the other one.
        served.json("PUT", "/api/view", Some(serde_json::json!({ "model": "test" })));
    }) else {
        return;
    };
    bench.types("a draft of mine");
    bench.view();
    bench.keys("h G R");
    bench.wait("T.shown('.popup [role=option]')");
    bench.types("other");
    bench.keys("Enter");
    bench.says("#notice", "Answer again with other");
    bench.click("[aria-label='What would be sent now']");
    bench.wait("T.says('#panel pre.exact', 'first') && !T.says('#panel pre.exact', 'a draft')");
    let before = shown(&bench);
    // The gauge and the HUD are those of the same request.
    bench.wait("T.says('#legend .r', 'of other')");
    bench.wait(&format!("{} === '1 / 2'", hud("sent / visible (X / Y)")));
    bench.click("#notice button");
    bench.wait("T.posts.length === 1 && !document.body.classList.contains('sending')");
    bench.wait("T.state() === 'complete' && T.says('#legend .r', 'of test')");
    assert_eq!(bench.calls(), 3);
    assert_eq!(before, got(&bench)[2]);
    bench.wait("T.says('#panel pre.exact', 'a draft of mine')");
    bench.wait(&format!("{} === '2 / 2'", hud("sent / visible (X / Y)")));
    bench.fine();
}

/// SND-7: a pair that is asked again is not its own history, though it has the beginning of an
/// answer.
#[test]
fn pay_5_what_would_be_sent_when_a_pair_is_asked_again_is_what_then_goes() {
    let held = Gate::default();
    let stopped = Reply::openai_open(&["only the beginning "]).gate(&held).openai_end(5, 5);
    let Some(bench) = Workbench::open([answer("fine"), stopped, answer("whole")]) else { return };
    bench.send("first");
    bench.types("second");
    bench.keys("Enter");
    bench.wait("T.reply().includes('beginning')");
    bench.view();
    bench.keys("x");
    bench.wait("T.state() === 'cancelled' && !document.body.classList.contains('sending')");
    bench.counter("2 / 2");
    bench.keys("h G e");
    bench.says("#notice", "Asking again");
    bench.click("[aria-label='What would be sent now']");
    bench.wait("T.says('#panel pre.exact', 'second') && !T.says('#panel pre.exact', 'beginning')");
    let before = shown(&bench);
    bench.wait(&format!("{} === '1 / 2'", hud("sent / visible (X / Y)")));
    bench.click("#draft");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.reply() === 'whole'");
    assert_eq!(before, got(&bench)[2]);
    held.open();
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
    let aut = hud("this message (AUT)");
    bench.wait(&format!("{aut} === '0'"));
    bench.click("#draft");
    bench.types("What is a load line, and who painted the first one?");
    bench.wait(&format!("Number({aut}) > 8"));
    bench.fine();
}
