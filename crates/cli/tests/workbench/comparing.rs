//! One message to several models (HIS-12), and a message that is sent again (HIS-13).

use std::path::Path;

use plimsoll_browser::Viewport;
use plimsoll_testkit::scripted::{Gate, Reply, ScriptedServer, Step};

use crate::{
    bench::{Workbench, after, answer},
    honest::{asked, equal_pairs, marked, sends_what_it_marks},
    summaries::press,
};

/// A workbench with a second model, that holds much more.
fn two_models(replies: Vec<Reply>, window: u64, pairs: usize) -> Option<Workbench> {
    let server = ScriptedServer::chats(replies).unwrap();
    let base_url = server.base_url();
    let home = move |home: &Path| {
        let path = home.join("models.toml");
        let mut models = std::fs::read_to_string(&path).unwrap();
        models.push_str(&format!(
            "[[model]]\nid = \"larger\"\nprovider = \"openai\"\nbaseUrl = \"{base_url}\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = 100000\n"
        ));
        std::fs::write(&path, models).unwrap();
    };
    Workbench::before(server, window, home, |served| {
        for n in 0..pairs {
            served.send(&format!("question number {n:03}"));
        }
    })
}

/// Chooses the larger model beside the selected one, by the mouse.
fn compare(bench: &Workbench) {
    bench.click("#compare");
    bench.wait("T.says('.popup', 'larger')");
    bench.js::<()>("[...document.querySelectorAll('.popup [role=option]')].find((one) => one.textContent.includes('larger')).click()");
    bench.says("#compared", "larger");
}

#[test]
fn his_12_two_models_answer_with_what_fits_the_smaller() {
    let Some(bench) = two_models(vec![answer("fine and equal")], 200, 10) else { return };
    let before = marked(&bench);
    assert!(!before.is_empty() && before.len() < 10, "{before:?}");
    // The larger one alone would take them all.
    compare(&bench);
    bench.agrees();
    assert_eq!(marked(&bench), before, "the line is that of the smaller one");
    let (calls, posts) = (bench.calls(), bench.js("T.posts.length"));
    bench.click("#draft");
    bench.types("question number 010");
    bench.keys("Enter");
    let post = bench.post(posts);
    assert_eq!(post.status, 202, "{}", post.body);
    bench.wait("T.pairs().length === 12 && T.pairs().slice(-2).every((pair) => pair.dataset.state === 'complete')");
    bench.wait("!document.body.classList.contains('sending') && T.draft() === ''");
    assert_eq!(bench.calls(), calls + 2);
    let mut models = Vec::new();
    let posted = bench.server.requests().into_iter().filter(|one| one.method == "POST");
    for recorded in posted.skip(calls) {
        let body: serde_json::Value = serde_json::from_str(&recorded.body).unwrap();
        assert_eq!(asked(&body), post.marked, "each side is sent what was marked");
        models.push(body["model"].as_str().unwrap().to_owned());
    }
    models.sort();
    assert_eq!(models, ["larger", "test"]);
    // The first answer goes on; the other is there, and one click prefers it.
    let used = "T.pairs().slice(-2).map((pair) => pair.dataset.use).join()";
    assert_eq!(bench.js::<String>(used), "auto,out");
    bench.says(".pair .badge.compared", "compared");
    bench.wait("T.last().querySelector('.badge.off').textContent === 'off: left out'");
    // Side by side where there is room, one below the other where there is none.
    let boxes = "const [a, b] = T.pairs().slice(-2).map((pair) => pair.getBoundingClientRect());";
    for (width, placed) in [
        (700, "a.bottom <= b.top + 1"),
        (1280, "Math.abs(a.top - b.top) < 2 && a.right <= b.left + 1"),
    ] {
        bench.page.viewport(Viewport::new(width, 800)).unwrap();
        bench.wait(&format!("(() => {{ {boxes} return {placed}; }})()"));
    }
    // So do rows that are fetched anew.
    bench.filter("r2");
    bench.wait(&format!(
        "T.pairs().length === 2 && (() => {{ {boxes} return Math.abs(a.top - b.top) < 2; }})()"
    ));
    bench.filter("");
    bench.wait("T.pairs().length === 12");
    bench.click(".pair[data-at='11'] [data-act='prefer']");
    bench.wait(&format!("{used} === 'out,auto'"));
    bench.click("#draft");
    bench.view();
    bench.keys("u");
    bench.wait(&format!("{used} === 'auto,out'"));
    // Without the other model the message goes to one again.
    bench.click("#compared .chip");
    bench.wait("!T.shown('#compared')");
    bench.click("#draft");
    sends_what_it_marks(&bench, "question number 011");
    bench.fine();
}

/// PAY-5: the request of each model can be looked at before it goes, and is what goes then.
#[test]
fn his_12_the_exact_request_of_each_compared_model_is_shown() {
    let Some(bench) = two_models(vec![answer("fine and equal")], 200, 10) else { return };
    compare(&bench);
    bench.click("#draft");
    bench.types("question number 010");
    bench.click("[aria-label='What would be sent now']");
    let shown = |model: &str| {
        bench.wait(&format!(
            "T.one('#panel [data-side][aria-pressed=true]')?.textContent === '{model}' \
             && T.says('#panel pre.exact', 'question number 010')"
        ));
        bench.js::<String>("T.one('#panel pre.exact').textContent")
    };
    let first = shown("test");
    bench.click("#panel [data-side='larger']");
    let other = shown("larger");
    bench.wait("document.activeElement.dataset.side === 'larger'");
    bench.accessible("the requests of a comparison");
    // It follows the message, and stays with the model that was chosen.
    bench.click("#draft");
    bench.types("!");
    bench.wait("T.says('#panel pre.exact', 'question number 010!')");
    shown("larger");
    bench.keys("Backspace");
    bench.wait("!T.says('#panel pre.exact', 'question number 010!')");
    let calls = bench.calls();
    bench.keys("Enter");
    bench.wait("T.pairs().length === 12 && T.pairs().slice(-2).every((pair) => pair.dataset.state === 'complete')");
    let posted = bench.server.requests().into_iter().filter(|one| one.method == "POST");
    let mut sent: Vec<String> = posted.skip(calls).map(|one| one.body).collect();
    sent.sort();
    let mut looked_at = vec![first, other];
    looked_at.sort();
    assert_eq!(sent, looked_at);
    bench.fine();
}

#[test]
fn his_12_one_of_two_answers_can_be_stopped() {
    let gate = Gate::default();
    let waits = after([Step::Gate(gate.clone())], &answer("at last"));
    let Some(bench) = two_models(vec![waits], 4096, 0) else { return };
    compare(&bench);
    bench.types("who is faster?");
    bench.keys("Enter");
    bench.wait(
        "T.pairs().length === 2 && T.pairs().every((pair) => pair.dataset.state === 'sending')",
    );
    bench.click(".pair[data-at='1'] [data-act='stop']");
    bench.wait("T.pairs()[1].dataset.state === 'cancelled'");
    assert_eq!(bench.js::<String>("T.pairs()[0].dataset.state"), "sending");
    assert!(bench.js::<bool>("document.body.classList.contains('sending')"), "the other goes on");
    gate.open();
    bench.wait(
        "T.pairs()[0].dataset.state === 'complete' && !document.body.classList.contains('sending')",
    );
    bench.fine();
}

#[test]
fn his_13_a_message_goes_back_into_the_box_and_is_sent_again() {
    let Some(bench) = equal_pairs(4, 4096) else { return };
    press(&bench, ".pair[data-at='1'] [data-act='send-again']");
    bench.wait("T.draft() === 'question number 001'");
    bench
        .says("#notice", "The old one is left out. 2 pairs after it stay, and are sent as marked.");
    bench.wait("T.one(\".pair[data-at='1']\").classList.contains('ooc')");
    // It can stay, and then it is marked as sent again.
    bench.js::<()>("[...document.querySelectorAll('#notice button')].find((one) => one.textContent === 'Keep the old one').click()");
    bench.wait("!T.one(\".pair[data-at='1']\").classList.contains('ooc')");
    bench.js::<()>("[...document.querySelectorAll('#notice button')].find((one) => one.textContent === 'Leave the old one out').click()");
    bench.wait("T.one(\".pair[data-at='1']\").classList.contains('ooc')");
    let posts = bench.js("T.posts.length");
    bench.click("#draft");
    bench.types(", in other words");
    bench.keys("Enter");
    let post = bench.post(posts);
    assert_eq!(post.status, 202, "{}", post.body);
    bench.wait("T.pairs().length === 5 && T.state() === 'complete' && T.draft() === ''");
    bench.agrees();
    assert_eq!(asked(&bench.sent()), post.marked);
    assert_eq!(post.marked, ["question number 000", "question number 002", "question number 003"]);
    assert_eq!(bench.js::<String>("T.pairs()[1].dataset.use"), "out");
    bench.view();
    bench.keys("u");
    bench.counter("5 / 5");
    bench.fine();
}
