//! The JSON API from end to end.

use std::time::Duration;

use plimsoll_testkit::{
    http::Events,
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

fn answering(texts: &[&str]) -> ScriptedServer {
    ScriptedServer::chats([Reply::openai(texts, 14, 6)]).unwrap()
}

#[test]
fn a_message_is_sent_and_its_answer_comes_by_events() {
    let server = answering(&["A mark ", "on **the** hull."]);
    let served = Served::start(&server, 4096);
    let mut events = served.events();
    let mut page = Events::listen(&served.address, "/ui/events", &[]).unwrap();
    let begun = served.json("POST", "/api/send", Some(json!({"text": "What is a load line?"})));
    let seen = events.until("ended").unwrap();
    let deltas: String = seen
        .iter()
        .filter(|event| event.name == "delta")
        .map(|event| serde_json::from_str::<serde_json::Value>(&event.data).unwrap())
        .map(|data| data["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(deltas, "A mark on **the** hull.");
    // TEA-6: the number of the last change, the bytes of the answer, and the place in the log.
    let ids: Vec<[u64; 3]> = seen
        .iter()
        .map(|event| {
            let mut parts = event.id.split('.');
            let mut next = || parts.next().unwrap().rsplit('-').next().unwrap().parse().unwrap();
            [next(), next(), next()]
        })
        .collect();
    assert!(
        ids.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][2] < pair[1][2]),
        "{ids:?}"
    );
    let told = seen.iter().zip(&ids).filter(|(event, _)| event.name == "delta");
    let offsets: Vec<u64> = told.map(|(_, id)| id[1]).collect();
    assert_eq!(offsets.last(), Some(&(deltas.len() as u64)), "{offsets:?}");
    let ended = page.until("ended").unwrap().pop().unwrap();
    assert!(ended.data.contains("<strong>the</strong>"), "{}", ended.data);
    let pair = served.json("GET", &format!("/api/pairs/{}", begun["pair"].as_str().unwrap()), None);
    assert_eq!(pair["lifecycleState"], "complete");
    assert_eq!(pair["assistantText"], "A mark on **the** hull.");
    let state = served.json("GET", "/api/state", None);
    assert_eq!(state["counter"]["text"], "1 / 1");
    assert_eq!(state["window"]["ml"], 4096);
    let receipts = served.json("GET", "/api/receipts", None);
    assert_eq!(receipts["receipts"][0]["prompt"], 14);
}

/// Each call is told when it goes out and when it is over, and the receipt when it is there.
#[test]
fn api_2_attempts_and_the_receipt_are_events() {
    let server = ScriptedServer::chats([
        Reply::openai(&["fine"], 14, 6),
        Reply::overflow(4000, 4100),
        Reply::openai(&["short"], 14, 6),
    ])
    .unwrap();
    let served = Served::start(&server, 4096);
    let first = served.send("first")["id"].clone();
    let mut events = served.events();
    let begun = served.json("POST", "/api/send", Some(json!({"text": "second"})));
    let seen = events.until("ended").unwrap();
    let told: Vec<(String, serde_json::Value)> = seen
        .iter()
        .filter(|event| ["attempt", "receipt", "ended"].contains(&event.name.as_str()))
        .map(|event| (event.name.clone(), serde_json::from_str(&event.data).unwrap()))
        .collect();
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["attempt", "attempt", "attempt", "attempt", "receipt", "ended"]);
    assert!(told.iter().all(|(_, data)| data["pair"] == begun["pair"]), "{told:?}");
    let attempts: Vec<_> = told[..4].iter().map(|(_, data)| data).collect();
    let of = |name: &str| attempts.iter().map(|data| data[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("stage"), ["sent", "overflow_initial", "sent", "success"]);
    assert_eq!(of("call"), [1, 1, 2, 2]);
    assert_eq!(of("trimmedCount"), [0, 0, 1, 1]);
    assert_eq!(of("sentCount"), [1, 1, 0, 0]);
    assert_eq!(of("leftOut"), [json!([]), json!([]), json!([first]), json!([first])]);
    let words = attempts[1]["lastErrorMessage"].as_str().unwrap();
    assert!(words.starts_with("This model's maximum context length is 4000"), "{words}");
    // The receipt that was told can be read, and says the same of each attempt, whole.
    let id = told[4].1["id"].as_str().unwrap();
    assert_eq!(told[4].1["trimmed"], 1);
    let receipt = served.json("GET", &format!("/api/receipts/{id}"), None);
    let records = receipt["attempts"].as_array().unwrap();
    assert_eq!(records.len(), 2);
    for (record, told) in records.iter().zip([attempts[1], attempts[3]]) {
        for (name, value) in told.as_object().unwrap() {
            if !["pair", "call", "leftOut"].contains(&name.as_str()) {
                assert_eq!(&record[name], value, "{name}");
            }
        }
        assert!(record["selection"].is_array() && record["messages"].is_array());
    }
}

#[test]
fn snd_2_one_send_at_a_time_and_snd_4_it_can_be_stopped() {
    let server = ScriptedServer::chats([Reply::stalls_after(&["half "])]).unwrap();
    let served = Served::start(&server, 4096);
    let mut events = served.events();
    let begun = served.json("POST", "/api/send", Some(json!({"text": "first"})));
    let told = events.until("delta").unwrap();
    // Who is told late that it began is told as well whether it still goes on.
    let started = told.iter().find(|event| event.name == "started").unwrap();
    let started: Value = serde_json::from_str(&started.data).unwrap();
    assert_eq!(started["state"], "sending");
    served.refused("POST", "/api/send", Some(json!({"text": "second"})), 409, "send_in_flight");
    assert_eq!(served.json("GET", "/api/state", None)["sending"], begun["pair"]);
    served.json("POST", "/api/cancel", None);
    events.until("ended").unwrap();
    let pair = served.json("GET", &format!("/api/pairs/{}", begun["pair"].as_str().unwrap()), None);
    assert_eq!(pair["lifecycleState"], "cancelled");
    assert_eq!(pair["assistantText"], "half ");
    served.refused("POST", "/api/cancel", None, 409, "nothing_in_flight");
}

#[test]
fn snd_4_a_late_cancel_does_not_stop_the_next_send() {
    let server = ScriptedServer::chats([Reply::stalls_after(&["half "])]).unwrap();
    let served = Served::start(&server, 4096);
    let mut events = served.events();
    let send = |text| served.json("POST", "/api/send", Some(json!({ "text": text })));
    let cancel = |pair: &Value| format!("/api/cancel?pair={}", pair["pair"].as_str().unwrap());
    let first = send("first");
    events.until("delta").unwrap();
    served.json("POST", &cancel(&first), None);
    events.until("ended").unwrap();
    let second = send("second");
    events.until("delta").unwrap();
    served.refused("POST", &cancel(&first), None, 409, "nothing_in_flight");
    served.refused("POST", "/api/cancel?pair=one", None, 404, "not_found");
    assert_eq!(served.json("GET", "/api/state", None)["sending"], second["pair"]);
    served.json("POST", &cancel(&second), None);
    events.until("ended").unwrap();
}

#[test]
fn a_filter_decides_what_is_visible_and_a_wrong_one_changes_nothing() {
    let server = answering(&["fine"]);
    let served = Served::start(&server, 4096);
    for text in ["alpha", "beta", "gamma"] {
        served.send(text);
    }
    let state = served.json("PUT", "/api/view", Some(json!({"filter": "r2"})));
    assert_eq!(state["counter"]["text"], "2 / 2");
    let wrong =
        served.refused("PUT", "/api/view", Some(json!({"filter": "s9"})), 422, "bad_filter");
    assert!(wrong["caret"].as_str().unwrap().contains('^'), "{wrong}");
    let page = served.json("GET", "/api/pairs", None);
    let texts: Vec<&str> = page["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pair["userText"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["beta", "gamma"]);
    assert_eq!(served.json("GET", "/api/queries", None)["queries"], json!(["r2"]));
    let offers = served.json("GET", "/api/complete?text=m%27t", None);
    assert_eq!(offers["items"][0]["insert"], "test'", "{offers}");
    let hits = served.json("GET", "/api/search?q=alph", None);
    assert_eq!(hits["hits"][0]["snippetHtml"], "<mark>alpha</mark>");
    assert_eq!(hits["hits"][0]["at"], json!(null), "it is hidden");
}

#[test]
fn val_3_over_budget_is_refused_with_what_helps() {
    // It reports about what was estimated, so that nothing is learned from it.
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 145, 6)]).unwrap();
    let served = Served::start_with(&server, 400, |home| {
        let path = home.join("models.toml");
        let models = std::fs::read_to_string(&path).unwrap();
        let larger = models.replace("\"test\"", "\"larger\"").replace("= 400", "= 9000");
        std::fs::write(path, models + &larger).unwrap();
    });
    served.send(&"word ".repeat(120));
    let draft = "more ".repeat(250);
    let weighed = served.json("POST", "/api/weigh", Some(json!({"text": draft})));
    assert_eq!(weighed["window"]["verdict"], "over", "{weighed}");
    let problem =
        served.refused("POST", "/api/send", Some(json!({"text": draft})), 422, "over_budget");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("test holds 400"), "{detail}");
    assert!(problem["hint"].as_str().unwrap().contains("too many: history "), "{problem}");
    let kinds: Vec<&str> = problem["suggestions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["kind"].as_str().unwrap())
        .collect();
    let models = |s: &serde_json::Value| s["model"].as_str().map(str::to_owned);
    let offered: Vec<String> =
        problem["suggestions"].as_array().unwrap().iter().filter_map(models).collect();
    assert_eq!(offered, ["larger"], "only what can be asked is offered");
    for kind in ["trim", "fit", "switch_model", "clear_history"] {
        assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
    }
    let huge = "more ".repeat(2000);
    let huge = Some(json!({"text": huge}));
    served.refused("POST", "/api/send", huge, 422, "user_prompt_too_large");
    let mut events = served.events();
    let fit = Some(json!({"text": draft, "overBudget": "fit"}));
    served.json("POST", "/api/send", fit);
    events.until("ended").unwrap();
    assert_eq!(served.json("GET", "/api/pairs", None)["visible"], 2);
}

/// VAL-1, CAT-3, CAT-4, EST-9: what nobody is sure of is 422 with every way out, unless the
/// decision is in the request; a learned limit is told and forgotten over the API, too.
#[test]
fn val_1_a_limit_that_nobody_states_refuses_nothing() {
    let replies = [
        Reply::openai(&["fine"], 9020, 6),
        Reply::overflow(10, 50),
        Reply::openai(&["fine"], 30, 6),
    ];
    let server = ScriptedServer::chats(replies).unwrap();
    let served = Served::start_with(&server, 77, |home| {
        let path = home.join("models.toml");
        let models = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, models.replace("contextWindow = 77\n", "")).unwrap();
    });
    let post = |text: &str, more: serde_json::Value| {
        let mut body = json!({"text": text});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Some(body)
    };
    let kinds = |problem: &serde_json::Value| -> Vec<String> {
        let all = problem["suggestions"].as_array().unwrap().iter();
        all.map(|one| one["kind"].as_str().unwrap().to_owned()).collect()
    };
    let large = "word ".repeat(9000);
    let weighed = served.json("POST", "/api/weigh", post(&large, json!({})));
    assert_eq!(weighed["window"]["basis"], "approx", "EST-9");
    assert!(weighed["window"]["told"].as_str().unwrap().contains(" ± 15 %"), "{weighed}");
    let asked = served.refused("POST", "/api/send", post(&large, json!({})), 422, "over_budget");
    let detail = asked["detail"].as_str().unwrap();
    assert!(detail.contains("8,192 (assumed"), "{detail}");
    assert!(kinds(&asked).contains(&"send_anyway".to_owned()), "{asked}");
    let set = asked["suggestions"].as_array().unwrap().iter().find(|s| s["kind"] == "set_window");
    assert_eq!(set.unwrap()["model"], "test");
    let mut events = served.events();
    served.json("POST", "/api/send", post(&large, json!({"overBudget": "trim"})));
    events.until("ended").unwrap();
    assert_eq!(served.json("GET", "/api/pairs", None)["visible"], 1);
    // An error that states an absurd limit below what was taken teaches nothing.
    served.json("PUT", "/api/view", Some(json!({"filter": "r0"})));
    let mut events = served.events();
    served.json("POST", "/api/send", post("and now?", json!({})));
    events.until("ended").unwrap();
    let test = |served: &Served| {
        let listed = served.json("GET", "/api/models", None);
        let models = listed["models"].as_array().unwrap();
        models.iter().find(|one| one["id"] == "test").unwrap().clone()
    };
    assert_eq!(test(&served)["binds"], "assumed");
}

#[test]
fn pairs_are_labelled_edited_and_deleted_and_commands_are_taken_back() {
    let server = answering(&["fine"]);
    let served = Served::start(&server, 4096);
    let pair = served.send("alpha");
    let id = pair["id"].as_str().unwrap().to_owned();
    served.send("beta");
    let path = format!("/api/pairs/{id}");
    let edited = json!({"star": 2, "flag": "blue", "userText": "alpha, better"});
    let changed = served.json("PATCH", &path, Some(edited));
    assert_eq!((&changed["star"], &changed["colorFlag"]), (&json!(2), &json!("blue")));
    assert_eq!(changed["userText"], "alpha, better");
    assert!(changed["editedAt"].is_string());
    served.refused("PATCH", &path, Some(json!({"star": 4})), 400, "bad_request");
    served.refused("PATCH", &path, Some(json!({"nope": 4})), 422, "bad_fields");
    let done = served.json("POST", "/api/command", Some(json!({"text": "c'alpha' :star 3"})));
    assert_eq!(done["done"], "1 pair of all conversations starred");
    assert_eq!(served.json("GET", &path, None)["star"], 3);
    served.json("POST", "/api/undo", Some(json!({"token": done["undo"]})));
    assert_eq!(served.json("GET", &path, None)["star"], 2);
    served.refused(
        "POST",
        "/api/undo",
        Some(json!({"token": done["undo"]})),
        409,
        "nothing_to_undo",
    );
    let delete = |confirmed| Some(json!({"text": "b :delete", "confirmed": confirmed}));
    served.refused("POST", "/api/command", delete(false), 409, "confirm");
    served.json("POST", "/api/command", delete(true));
    served.refused("GET", &path, None, 404, "not_found");
    let moving = Some(json!({"text": "r1 :delete", "confirmed": true}));
    served.refused("POST", "/api/command", moving, 422, "moving_filter");
}

#[test]
fn rec_5_what_is_deleted_is_out_of_everything_and_comes_back_after_a_restart() {
    let server = answering(&["fine"]);
    let mut served = Served::start(&server, 4096);
    let ids: Vec<String> = ["alpha", "beta", "gamma"]
        .iter()
        .map(|text| served.send(text)["id"].as_str().unwrap().to_owned())
        .collect();
    let listed = |served: &Served| -> Vec<String> {
        let page = served.json("GET", "/api/pairs", None);
        let id = |pair: &serde_json::Value| pair["id"].as_str().unwrap().to_owned();
        page["pairs"].as_array().unwrap().iter().map(id).collect()
    };
    let text = "!c'gamma' :delete";
    let done = Some(json!({"text": text, "confirmed": true}));
    let done = served.json("POST", "/api/command", done);
    assert_eq!(done["done"], "2 pairs of all conversations deleted");
    assert_eq!(listed(&served), ids[2..]);
    let hits = served.json("GET", "/api/search?q=alpha", None);
    assert!(hits["hits"].as_array().unwrap().is_empty(), "{hits}");
    let export = served.ask("GET", "/api/export?format=md", None).body;
    assert!(export.contains("gamma") && !export.contains("alpha"), "{export}");
    // The restored rows are told to who looks.
    served.restart();
    let told = served.json("GET", "/api/deletions", None);
    let deletion = &told["deletions"][0];
    assert_eq!((&deletion["kind"], &deletion["count"]), (&json!("pairs"), &json!(2)));
    assert_eq!((&deletion["words"], &deletion["id"]), (&json!("alpha"), &done["undo"]));
    let mut events = served.events();
    let back = served.json("POST", "/api/undo", Some(json!({})));
    assert_eq!(back["done"], "2 pairs are back");
    events.until("rows").unwrap();
    assert_eq!(listed(&served), ids, "the same ids in the same order");
    served.refused("POST", "/api/undo", Some(json!({})), 409, "nothing_to_undo");

    // What was done last is taken back first, be it a command or a deletion.
    served.json("POST", "/api/command", Some(json!({"text": "c'beta' :star 2"})));
    served.json("DELETE", &format!("/api/pairs/{}", ids[0]), None);
    served.json("POST", "/api/undo", Some(json!({})));
    assert_eq!(listed(&served), ids);
    served.json("POST", "/api/undo", Some(json!({})));
    assert_eq!(served.json("GET", &format!("/api/pairs/{}", ids[1]), None)["star"], 0);

    // For good, at once and later.
    let gone = served.json("DELETE", &format!("/api/pairs/{}?forGood=true", ids[0]), None);
    assert!(gone["undo"].is_null(), "{gone}");
    let gone = served.json("DELETE", &format!("/api/pairs/{}", ids[1]), None);
    let path = format!("/api/deletions/{}", gone["undo"].as_str().unwrap());
    served.json("DELETE", &path, None);
    served.refused("DELETE", &path, None, 404, "not_found");
    served.refused(
        "POST",
        "/api/undo",
        Some(json!({"token": gone["undo"]})),
        409,
        "nothing_to_undo",
    );
    served.json("PUT", "/api/settings/keepDeleted", Some(json!({"value": "0"})));
    let gone = served.json("DELETE", &format!("/api/pairs/{}", ids[2]), None);
    assert!(gone["undo"].is_null(), "{gone}");
    assert_eq!(served.json("GET", "/api/deletions", None)["deletions"], json!([]));
}

#[test]
fn rec_5_topics_filters_and_notes_come_back() {
    let server = answering(&["fine"]);
    let served = Served::start(&server, 4096);
    let undo = |token: &serde_json::Value| {
        assert!(token.is_string(), "{token}");
        served.json("POST", "/api/undo", Some(json!({ "token": token })))
    };
    let made = served.json(
        "POST",
        "/api/topics",
        Some(json!({"path": "/Sea", "systemMessage": "Be brief."})),
    );
    let path = format!("/api/topics/{}", made["id"].as_str().unwrap());
    let gone = served.json("DELETE", &path, None);
    assert_eq!(undo(&gone["undo"])["done"], "the topic /Sea is back");
    let topics = served.json("GET", "/api/topics", None);
    let back = topics["topics"].as_array().unwrap().iter().find(|one| one["id"] == made["id"]);
    assert_eq!(back.unwrap()["systemMessage"], "Be brief.");

    served.json("PUT", "/api/filters/good", Some(json!({"text": "s>=2"})));
    let gone = served.json("DELETE", "/api/filters/good", None);
    served.refused("DELETE", "/api/filters/good", None, 404, "not_found");
    served.json("PUT", "/api/filters/good", Some(json!({"text": "e"})));
    served.refused("POST", "/api/undo", Some(json!({"token": gone["undo"]})), 409, "conflict");
    served.json("DELETE", "/api/filters/good", None);
    undo(&gone["undo"]);
    assert_eq!(served.json("GET", "/api/filters", None)["filters"][0]["text"], "s>=2");

    let note = json!({"title": "Tide", "content": "High at noon", "project": "harbour"});
    let note = served.json("POST", "/api/memory", Some(note));
    let path = format!("/api/memory/{}", note["id"]);
    let gone = served.json("DELETE", &path, None);
    served.refused("GET", &path, None, 404, "not_found");
    assert_eq!(undo(&gone["undo"])["done"], "the note “Tide” is back");
    assert_eq!(served.json("GET", &path, None)["title"], "Tide");
}

#[test]
fn topics_settings_and_models_are_changed() {
    let server = answering(&["fine"]);
    let served = Served::start(&server, 4096);
    let ask = json!({"path": "/Sea/Ships", "systemMessage": "Be brief."});
    let made = served.json("POST", "/api/topics", Some(ask));
    assert_eq!(made["path"], "/Sea/Ships");
    let state = served.json("PUT", "/api/view", Some(json!({"topic": "/Sea/Ships"})));
    assert!(state["window"]["prelude"].as_u64().unwrap() > 0, "the system message is weighed");
    let id = made["id"].as_str().unwrap();
    let renamed = served.json(
        "PATCH",
        &format!("/api/topics/{id}"),
        Some(json!({"name": "Boats", "systemMessage": null})),
    );
    assert_eq!((&renamed["path"], &renamed["systemMessage"]), (&json!("/Sea/Boats"), &json!(null)));
    served.json("DELETE", &format!("/api/topics/{id}"), None);
    served.json("PUT", "/api/settings/userRequestAllowance", Some(json!({"value": "200"})));
    let config = std::fs::read_to_string(served.home().join("config.toml")).unwrap();
    assert!(config.contains("userRequestAllowance = 200") && config.contains("defaultModel"));
    let bad = Some(json!({"value": "many"}));
    served.refused("PUT", "/api/settings/userRequestAllowance", bad, 422, "bad_value");
    served.json("DELETE", "/api/settings/userRequestAllowance", None);
    served.json("PUT", "/api/models/test", Some(json!({"contextWindow": 2048})));
    assert_eq!(served.json("GET", "/api/state", None)["window"]["ml"], 2048);
    let models = served.json("GET", "/api/models", None);
    let test = models["models"].as_array().unwrap().iter().find(|model| model["id"] == "test");
    assert_eq!(test.unwrap()["current"], true);
}

#[test]
fn what_stood_there_survives_a_crash() {
    let server = ScriptedServer::chats([Reply::stalls_after(&["half "])]).unwrap();
    let mut served = Served::start(&server, 4096);
    let mut events = served.events();
    served.json("PUT", "/api/view", Some(json!({"filter": "s<3"})));
    let begun = served.json("POST", "/api/send", Some(json!({"text": "first"})));
    events.until("delta").unwrap();
    served.json("PUT", "/api/draft", Some(json!({"text": "half a thought"})));
    // The first piece is saved at once; wait until it is.
    std::thread::sleep(Duration::from_millis(200));
    served.restart();
    assert_eq!(served.json("GET", "/api/draft", None)["text"], "half a thought");
    assert_eq!(served.json("GET", "/api/state", None)["view"]["filter"], "s<3");
    // On a server nobody knows whether the node that died lives: its lease runs out first.
    let path = format!("/api/pairs/{}", begun["pair"].as_str().unwrap());
    while served.json("GET", &path, None)["lifecycleState"] == "sending" {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pair = served.json("GET", &path, None);
    assert_eq!((&pair["errorCode"], &pair["userText"]), (&json!("interrupted"), &json!("first")));
}

#[test]
fn another_process_is_noticed() {
    let server = answering(&["fine"]);
    let served = Served::start(&server, 4096);
    let mut events = served.events();
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["send", "from the terminal"])
        .env("PLIMSOLL_CONFIG_DIR", served.home())
        .env("PLIMSOLL_DATA_DIR", served.home().join("data"))
        .envs(crate::served::store::variables(&served.home().join("data")))
        .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    events.until("rows").unwrap();
    assert_eq!(served.json("GET", "/api/pairs", None)["visible"], 1);
}

/// Half of a character cannot be kept; the words say so, and what to do.
#[test]
fn a_text_with_half_a_character_is_refused_in_plain_words() {
    let server = answering(&["fine"]);
    let served = Served::start(&server, 4096);
    for text in [r#"{"text":"a\ud83d"}"#, r#"{"text":"a\ud83d b"}"#, r#"{"text":"\ude42"}"#] {
        let json = [("Content-Type", "application/json")];
        let answer = plimsoll_testkit::http::request(
            &served.address,
            "POST",
            "/api/send",
            &json,
            text.as_bytes(),
        )
        .unwrap();
        assert_eq!(answer.status, 400, "{text}: {}", answer.body);
        let problem: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(problem["code"], "bad_json");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with("a text holds half of a character"), "{text}: {detail}");
        assert!(!detail.contains("hex escape"), "{detail}");
    }
}
