//! Pairs in error: what they say, asking again, deleting (FAU-8, SND-7).

use plimsoll_testkit::scripted::Reply;
use serde_json::json;

use crate::bench::{Workbench, answer};

/// A pair whose key was refused.
fn refused() -> Option<Workbench> {
    let bench = Workbench::open([Reply::auth(), answer("fine")])?;
    bench.types("What now?");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    bench.says(".pair .err", "[error: auth]");
    bench.wait("T.last().classList.contains('ooc') && T.shown('.pair .badge.off')");
    Some(bench)
}

/// The question is back in the box; sending it takes the place of the old pair.
#[track_caller]
fn asked_again(bench: &Workbench) {
    let old: String = bench.js("T.last().dataset.id");
    bench.mode("INPUT");
    bench.wait("T.draft() === 'What now?'");
    bench.says("#notice", "Asking again");
    bench.types(" Please.");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.asked() === 'What now? Please.'");
    assert_ne!(bench.js::<String>("T.last().dataset.id"), old);
    bench.counter("1 / 1");
    bench.fine();
}

#[test]
fn snd_7_e_asks_an_error_again_and_replaces_it() {
    let Some(bench) = refused() else { return };
    bench.view();
    bench.keys("e");
    asked_again(&bench);
}

#[test]
fn snd_7_the_button_asks_again_and_escape_leaves_the_old_pair_alone() {
    let Some(bench) = refused() else { return };
    bench.types("mine");
    bench.click(".pair [data-act=reask]");
    bench.wait("T.draft() === 'What now?'");
    bench.keys("Escape");
    bench.mode("VIEW");
    bench.wait("T.draft() === 'mine'");
    assert_eq!(bench.js::<String>("T.state()"), "error");
    bench.click("#draft");
    bench.keys("Ctrl+A Delete");
    bench.click(".pair [data-act=reask]");
    asked_again(&bench);
}

/// HIS-9: titles need not be unique, so a conversation is told by its id.
#[test]
fn snd_7_a_question_again_goes_into_its_own_conversation_beside_one_of_the_same_title() {
    let replies = [Reply::auth(), answer("fine")];
    let mut conversations = Vec::new();
    let bench = Workbench::prepared(replies, 4096, |served| {
        for _ in 0..2 {
            let begun = served.json("POST", "/api/conversations", None);
            let id = begun["id"].as_str().unwrap().to_owned();
            let address = format!("/api/send?conversation={id}&scope=conversation");
            let sent = served.json("POST", &address, Some(json!({ "text": "What now?" })));
            let pair = format!("/api/pairs/{}", sent["pair"].as_str().unwrap());
            while served.json("GET", &pair, None)["lifecycleState"] == "sending" {
                std::thread::yield_now();
            }
            conversations.push(id);
        }
    });
    let Some(bench) = bench else { return };
    bench.wait("T.pairs().map((pair) => pair.dataset.state).join() === 'error,complete'");
    bench.click(".pair [data-act=reask]");
    bench.wait("T.draft() === 'What now?'");
    bench.wait(&format!(
        "fetch('/api/state').then((a) => a.json()).then(({{ view }}) => view.topicId === '{}')",
        conversations[0]
    ));
    bench.click("#draft");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.draft() === ''");
    let pair: serde_json::Value =
        bench.js("fetch(`/api/pairs/${T.last().dataset.id}`).then((answer) => answer.json())");
    assert_eq!(pair["topicId"], conversations[0].as_str(), "{pair}");
    // The picker of topics tells the two apart as well.
    bench.click("#topic");
    bench.wait("T.says('.popup [role=option]', 'What now?')");
    bench.js::<()>("[...document.querySelectorAll('.popup [role=option]')].filter((one) => one.textContent.includes('What now?'))[1].click()");
    let chosen = "fetch('/api/state').then((a) => a.json()).then(({ view }) => view.topicId)";
    bench.wait(&format!("{chosen}.then((id) => id === '{}')", conversations[1]));
    bench.fine();
}

/// The answer to a send arrives when it is told to, long after the events of that send.
const LATE_ANSWER: &str = "{ const before = globalThis.fetch;
    globalThis.fetch = async (...all) => {
        const answer = await before(...all);
        if (String(all[0]).includes('/api/send')) await new Promise((go) => { globalThis.goOn = go; });
        return answer;
    }; }";

/// SND-7: what an old question pushed aside comes back when that is sent, whichever is told first:
/// that the old pair is gone, or that the new one is there.
#[test]
fn snd_7_the_draft_that_was_pushed_aside_comes_back_after_the_send() {
    for late in [false, true] {
        let Some(bench) = refused() else { return };
        if late {
            bench.page.before_load(LATE_ANSWER).unwrap();
            bench.reload();
        }
        bench.types("mine");
        bench.click(".pair [data-act=reask]");
        bench.wait("T.draft() === 'What now?'");
        bench.keys("Enter");
        bench.wait("T.state() === 'complete' && T.pairs().length === 1");
        if late {
            bench.wait("globalThis.goOn");
            bench.js::<serde_json::Value>("(globalThis.goOn(), null)");
        }
        bench.wait("T.draft() === 'mine'");
        bench.fine();
    }
}

/// SND-7: an old question that was changed is the writer's, and so is what stood there before.
#[test]
fn snd_7_leaving_a_changed_question_offers_what_stood_there_before() {
    let Some(bench) = refused() else { return };
    bench.types("mine");
    bench.click(".pair [data-act=reask]");
    bench.wait("T.draft() === 'What now?'");
    bench.types("!");
    bench.keys("Escape");
    bench.wait("T.draft() === 'What now?!'");
    bench.says("#notice", "put aside");
    bench.click("#notice button");
    bench.wait("T.draft() === 'mine'");
    // Or the question is sent first: what stood there before is in the box afterwards.
    bench.click(".pair [data-act=reask]");
    bench.wait("T.draft() === 'What now?'");
    bench.types("!");
    bench.keys("Escape");
    bench.says("#notice", "put aside");
    bench.click("#draft");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete' && T.draft() === 'mine'");
    bench.fine();
}

/// UI-3: what stands below the line and is not sent is not ashore.
#[test]
fn bnd_1_failed_pairs_below_the_line_are_told_as_not_sent() {
    let replies = [answer("fine"), Reply::auth(), Reply::auth(), answer("fine")];
    let Some(bench) = Workbench::prepared(replies, 4096, |served| {
        for text in ["q1", "q2", "q3"] {
            served.send(text);
        }
    }) else {
        return;
    };
    bench.says("#load", "0 ashore · 1 aboard · 2 not sent · ");
    // The page says it in the same words when it draws the line again.
    bench.send("q4");
    bench.says("#load", "0 ashore · 2 aboard · 2 not sent · ");
    bench.view();
    bench.keys("G R");
    bench.wait("T.shown('.popup [role=option]')");
    bench.keys("Enter");
    bench.says("#load", "0 ashore · 1 aboard · 3 not sent · ");
    bench.served.json("PUT", "/api/view", Some(serde_json::json!({"contextFrom": "end"})));
    bench.says("#load", "3 ashore · 0 aboard · 1 not sent · 0 tokens");
    bench.click("#draft");
    bench.says("#load", "4 ashore · 0 aboard · 0 tokens");
    bench.fine();
}

#[test]
fn snd_7_an_error_goes_without_a_question() {
    let Some(bench) = refused() else { return };
    bench.view();
    bench.keys("d");
    bench.wait("T.pairs().length === 0");
    assert!(!bench.js::<bool>("!!T.one('dialog')"));
    bench.counter("0 / 0");
    bench.fine();
}

/// FAU-7: the error, its status, the provider's own words, and its answer one click away.
#[test]
fn fau_7_details_show_the_providers_words_and_the_raw_answer() {
    // An odd spelling that any rewriting would change; the key that the server repeats is not
    // for anybody's eyes.
    let body = "\n{ \"error\" : {\"zz\":1, \"message\": \"Bad key sk-canary-0123456789abcdef.\", \
                \"code\":\"invalid_api_key\"} }\r\n";
    let refusal = Reply::whole(401, &[("content-type", "application/json")], body);
    let Some(bench) = Workbench::open([refusal]) else { return };
    bench.types("What now?");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    bench.click(".pair [data-act=details]");
    bench.wait("T.panel() === 'Details'");
    bench.says("#panel .err", "[error: auth] Bad key [key].");
    bench.says("#panel dl", "HTTP status401");
    assert!(!bench.js::<bool>("T.shown('#panel pre.exact')"), "the raw answer is a click away");
    bench.click("#panel details.raw summary");
    bench.wait("T.shown('#panel pre.exact')");
    let shown: String = bench.js("T.one('#panel pre.exact').textContent");
    assert_eq!(shown, body.replace("sk-canary-0123456789abcdef", "[key]"));
    bench.says("#panel .attempts", "error");
    // The HUD says the message, not only that there was one.
    bench.click("nav [data-panel=hud]");
    bench.says("#hud .err", "[error: auth] Bad key [key].");
    bench.says("#hud p", "HTTP status 401");
    // What is deleted is gone with all of it.
    let id: String = bench.js("T.last().dataset.id");
    let path = format!("/api/pairs/{id}/error");
    let error = bench.served.json("GET", &path, None);
    assert_eq!((&error["status"], &error["label"]), (&401.into(), &"auth".into()));
    assert_eq!(error["body"], shown);
    assert!(error["request"].as_str().unwrap().contains("What now?"));
    bench.served.json("DELETE", &format!("/api/pairs/{id}"), None);
    assert_eq!(bench.served.ask("GET", &path, None).status, 404);
    bench.fine();
}

/// One plain line with the address; what the libraries say stands in the details.
#[test]
fn fau_7_a_network_error_is_one_line_with_the_address() {
    let Some(bench) = Workbench::open([Reply::closes_at_once()]) else { return };
    bench.served.json("PUT", "/api/settings/retries", Some(serde_json::json!({"value": "0"})));
    bench.types("What now?");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    let at = bench.server.base_url().trim_end_matches("/v1").to_owned();
    bench.says(".pair .err", &format!("[error: net] connection closed before the answer: {at}"));
    assert!(!bench.js::<bool>("T.says('.pair .err', 'error sending request')"));
    bench.click(".pair [data-act=details]");
    bench.says("#panel details.raw summary", "What happened to the connection");
    bench.click("#panel details.raw summary");
    bench.says("#panel details.raw pre", "error sending request");
    bench.fine();
}

/// A window that the model does not have, with a file and without history; the other models
/// are larger, smaller, of unknown size, and out of reach.
fn too_long() -> Option<Workbench> {
    let home = |home: &std::path::Path| {
        let file = home.join("models.toml");
        let one = std::fs::read_to_string(&file).unwrap();
        let other = |id: &str, window: &str| {
            one.replace("\"test\"", &format!("\"{id}\"")).replace("contextWindow = 4096\n", window)
        };
        let all = [
            one.clone(),
            other("larger", "contextWindow = 8192\n"),
            other("smaller", "contextWindow = 2048\n"),
            other("unknown", ""),
            "[[model]]\nid = \"keyless\"\nprovider = \"anthropic\"\n\
             keyEnv = \"PLIMSOLL_NO_SUCH_KEY\"\ncontextWindow = 99999\n"
                .to_owned(),
        ];
        std::fs::write(file, all.join("\n")).unwrap();
    };
    let words = "input_ids size (4271) exceeds max_length (4096)";
    let replies = [Reply::error(500, words), answer("fine")];
    let bench = Workbench::at_home(replies, 4096, home, |_| {})?;
    bench.types("Sum it up: ");
    crate::attachments::paste(&bench, &[("notes.md", "text/markdown", "one two three")], "");
    crate::attachments::chips(&bench, "notes.md: ok");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    Some(bench)
}

/// FAU-7: with a conversation the button begins a new context, and the question goes alone.
#[test]
fn fau_7_clearing_the_history_on_an_error_asks_the_question_alone() {
    let words = "input_ids size (4271) exceeds max_length (4096)";
    let replies =
        [answer("one"), Reply::error(500, words), Reply::error(500, words), answer("fine")];
    let Some(bench) = Workbench::open(replies) else { return };
    bench.send("first");
    bench.types("second");
    bench.keys("Enter");
    bench.wait("T.state() === 'error'");
    bench.says(".pair .err", "is too long for this model");
    bench.click(".pair [data-act=clear]");
    bench.says("#notice", "Asking again");
    bench.wait(
        "T.draft() === 'second' && T.pairs().every((pair) => pair.classList.contains('ooc'))",
    );
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete'");
    assert_eq!(bench.sent()["messages"].as_array().unwrap().len(), 1);
    // A new context grows from there.
    bench.send("third");
    assert_eq!(bench.sent()["messages"].as_array().unwrap().len(), 3);
    bench.fine();
}

#[test]
fn fau_7_a_smaller_file_is_offered_first_and_the_conversation_is_not_blamed() {
    let Some(bench) = too_long() else { return };
    bench.says(
        ".pair .err",
        "The message with notes.md is too long for this model: 4,271 tokens, and the limit is 4,096.",
    );
    let offered: Vec<String> = bench
        .js("[...T.last().querySelectorAll('.acts button')].map((button) => button.dataset.act)");
    assert_eq!(offered, ["reask", "delete", "smaller-file", "larger-model", "details"]);
    bench.says(".pair [data-act=smaller-file]", "Try a smaller file: notes.md");
    bench.click(".pair [data-act=smaller-file]");
    // The question is back with its file, at what makes that smaller.
    bench.says("#notice", "Asking again");
    crate::attachments::chips(&bench, "notes.md: ok");
    bench.wait("['delivery', 'remove'].includes(document.activeElement?.dataset.chip)");
    bench.click("[data-chip=remove]");
    bench.wait("!T.shown('#strip') && T.draft().startsWith('Sum it up:')");
    bench.click("#draft");
    bench.keys("End Enter");
    bench.wait("T.pairs().length === 1 && T.state() === 'complete'");
    bench.fine();
}

/// The chip is found by its name before the server has said anything of the file.
#[test]
fn fau_7_a_smaller_file_is_led_to_although_it_is_not_weighed_yet() {
    let Some(bench) = too_long() else { return };
    bench.says(".pair [data-act=smaller-file]", "notes.md");
    bench.js::<()>("T.hold('/api/weigh')");
    bench.click(".pair [data-act=smaller-file]");
    bench.wait("['delivery', 'remove'].includes(document.activeElement?.dataset.chip)");
    bench.js::<()>("T.letGo()");
    crate::attachments::chips(&bench, "notes.md: ok");
    bench.wait("['delivery', 'remove'].includes(document.activeElement?.dataset.chip)");
    bench.fine();
}

#[test]
fn fau_7_only_larger_models_that_can_be_asked_are_offered() {
    let Some(bench) = too_long() else { return };
    bench.click(".pair [data-act=larger-model]");
    bench.wait("T.shown('.popup')");
    let offered: Vec<String> = bench
        .js("[...document.querySelectorAll('.popup [role=option]')].map((o) => o.textContent)");
    assert_eq!(offered.len(), 1, "{offered:?}");
    assert!(offered[0].starts_with("larger"), "{offered:?}");
    bench.keys("Enter");
    bench.wait("T.one('#model').dataset.id === 'larger'");
    bench.says("#notice", "Asking again");
    bench.fine();
}

/// B20: what one model refused says nothing about another.
#[test]
fn a_refusal_goes_away_with_the_model_that_refused() {
    let home = |home: &std::path::Path| {
        let file = home.join("models.toml");
        let one = std::fs::read_to_string(&file).unwrap();
        let two = one.replace("\"test\"", "\"larger\"").replace("= 4096", "= 131072");
        std::fs::write(file, format!("{one}\n{two}")).unwrap();
    };
    let Some(bench) = Workbench::at_home([answer("fine")], 4096, home, |_| {}) else { return };
    // A file that fits into the large model's limit, and not into the small one's.
    let view = |model: &str| {
        let change = Some(serde_json::json!({ "model": model }));
        bench.served.json("PUT", "/api/view", change);
        bench.wait(&format!("T.one('#model').dataset.id === '{model}'"));
    };
    view("larger");
    let text = "many words\n".repeat(2000);
    crate::attachments::paste(&bench, &[("notes.md", "text/markdown", &text)], "");
    crate::attachments::chips(&bench, "notes.md: ok");
    view("test");
    bench.keys("Enter");
    bench.says("#notice", "Not sent: ");
    view("larger");
    bench.wait("!T.says('#notice', 'Not sent')");
    bench.fine();
}

/// BND-1 with `sendErrorPairs`: what is sent of a failed pair is its question.
#[test]
fn bnd_1_the_half_answer_of_a_failed_pair_is_shown_as_not_sent() {
    let Some(bench) = Workbench::open([Reply::closes_after(&["half an answer"]), answer("fine")])
    else {
        return;
    };
    let on = Some(serde_json::json!({ "value": "on" }));
    bench.served.json("PUT", "/api/settings/sendErrorPairs", on);
    bench.types("first");
    bench.keys("Enter");
    bench.wait("T.state() === 'error' && T.reply() === 'half an answer'");
    bench.says(".pair .unsent-note", "Only the question is sent");
    bench.send("second");
    let sent = bench.sent().to_string();
    assert!(sent.contains("first") && !sent.contains("half an answer"), "{sent}");
    bench.fine();
}
