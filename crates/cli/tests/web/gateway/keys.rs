//! Keys and limits of clients (GWY-15).

use std::process::{Command, Output};

use plimsoll_testkit::scripted::{Gate, Reply};
use serde_json::{Value, json};

use super::{CHAT, Gateway, MESSAGES, always, chat, parsed, relay::Streamed};

const NEEDS_KEY: &str = "gatewayNeedsKey = true\n";

fn plimsoll(gateway: &Gateway, args: &[&str]) -> Output {
    let home = gateway.served.home();
    Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(args)
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .envs(crate::served::store::variables(&home.join("data")))
        .output()
        .unwrap()
}

/// A key with these limits, as it is printed.
fn key(gateway: &Gateway, name: &str, limits: &[&str]) -> String {
    let made = plimsoll(gateway, &[&["gateway", "key", "add", name], limits].concat());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

fn ask(gateway: &Gateway, key: &str) -> plimsoll_testkit::http::Answer {
    let bearer = format!("Bearer {key}");
    gateway.post(CHAT, &[("Authorization", &bearer)], chat(1, 5).to_string().as_bytes())
}

fn whole() -> Reply {
    Reply::openai_whole("Hello", 500, 100)
}

#[test]
fn gwy_15_a_key_opens_what_it_may_and_nothing_else() {
    let gateway = Gateway::with(always(whole()), 4000, "", NEEDS_KEY);
    let none = gateway.ask(CHAT, &chat(1, 5));
    assert_eq!((none.status, &parsed(&none)["error"]["code"]), (401, &json!("invalid_api_key")));
    let wrong = ask(&gateway, "plimsoll-0000");
    assert_eq!(wrong.status, 401);
    let messages = json!({"model": "test", "max_tokens": 5, "messages": []}).to_string();
    let none = gateway.post(MESSAGES, &[("x-api-key", "sk-ant-x")], messages.as_bytes());
    assert_eq!(
        (none.status, &parsed(&none)["error"]["type"]),
        (401, &json!("authentication_error"))
    );
    assert!(gateway.calls().is_empty());

    let ann = key(&gateway, "ann", &[]);
    assert_eq!(ask(&gateway, &ann).status, 200);
    let by_header = gateway.post(CHAT, &[("x-api-key", &ann)], chat(1, 5).to_string().as_bytes());
    assert_eq!(by_header.status, 200);
    assert_eq!(gateway.receipt(&by_header)["client"], "ann");
    let bob = key(&gateway, "bob", &["--models", "other,third"]);
    let refused = ask(&gateway, &bob);
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("other, third"), "{}", refused.body);
    // It is known by its hash, and is gone when it is taken back.
    let store = std::fs::read(gateway.served.home().join("data/plimsoll.db")).unwrap_or_default();
    let secret = ann.trim_start_matches("plimsoll-").as_bytes();
    assert!(!store.windows(secret.len()).any(|window| window == secret));
    assert!(plimsoll(&gateway, &["gateway", "key", "rm", "ann"]).status.success());
    assert_eq!(ask(&gateway, &ann).status, 401);
    let again = plimsoll(&gateway, &["gateway", "key", "rm", "ann"]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("there is no key 'ann'"));
}

#[test]
fn gwy_15_limits_hold() {
    let gateway = Gateway::with(
        always(whole()),
        4000,
        "price = { input = 1000.0, output = 1000.0 }\n",
        NEEDS_KEY,
    );
    let tokens = key(&gateway, "tokens", &["--tokens-per-day", "1200"]);
    assert_eq!(ask(&gateway, &tokens).status, 200);
    assert_eq!(ask(&gateway, &tokens).status, 200, "600 are used, and it has less");
    let over = ask(&gateway, &tokens);
    assert_eq!((over.status, &parsed(&over)["error"]["code"]), (429, &json!("insufficient_quota")));
    let cost = key(&gateway, "cost", &["--cost-per-month", "0.5"]);
    assert_eq!(ask(&gateway, &cost).status, 200);
    assert_eq!(ask(&gateway, &cost).status, 429, "it has cost 0.60");
    let often = key(&gateway, "often", &["--requests-per-minute", "2"]);
    assert_eq!((ask(&gateway, &often).status, ask(&gateway, &often).status), (200, 200));
    let over = ask(&gateway, &often);
    assert_eq!(over.status, 429);
    assert!(over.header("retry-after").unwrap().parse::<u64>().unwrap() <= 60);
    let listed = plimsoll(&gateway, &["gateway", "key", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let of = |name: &str| {
        let keys = listed["keys"].as_array().unwrap();
        keys.iter().find(|key| key["name"] == name).unwrap().clone()
    };
    assert_eq!(
        (&of("tokens")["tokensToday"], &of("tokens")["callsToday"]),
        (&json!(1200), &json!(2))
    );
    assert_eq!(of("cost")["costOfMonth"], 0.6);
}

#[test]
fn gwy_15_calls_at_the_same_time_are_bounded() {
    let gate = Gate::default();
    let reply = Reply::openai_open(&["Hel"]).gate(&gate).openai_more(&["lo"]).openai_end(21, 2);
    let gateway = Gateway::with(always(reply), 4000, "", NEEDS_KEY);
    let one = key(&gateway, "one", &["--concurrent", "1"]);
    let body =
        json!({"model": "test", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let head = format!("{CHAT} HTTP/1.1\r\nAuthorization: Bearer {one}\r\nX-A:");
    let mut streamed = Streamed::post(&gateway.served.address, &head, &body.to_string());
    streamed.until("Hel");
    assert_eq!(ask(&gateway, &one).status, 429);
    gate.open();
    streamed.read_to_end();
    assert_eq!(ask(&gateway, &one).status, 200);
}

#[test]
fn gwy_15_other_pages_and_other_names_stay_outside() {
    let gateway = Gateway::new(always(whole()), 4000);
    let ann = key(&gateway, "ann", &[]);
    let bearer = format!("Bearer {ann}");
    let body = chat(1, 5).to_string();
    for headers in [
        [("Origin", "https://evil.example"), ("Authorization", bearer.as_str())],
        [("Host", "evil.example"), ("Authorization", bearer.as_str())],
    ] {
        let answer = gateway.post(CHAT, &headers, body.as_bytes());
        assert_eq!(
            (answer.status, &parsed(&answer)["error"]["type"]),
            (403, &json!("invalid_request_error"))
        );
    }
    assert!(gateway.calls().is_empty());
}

#[test]
fn gwy_15_the_providers_key_is_ours_unless_the_setting_says_so() {
    let gateway = Gateway::new(always(whole()), 4000);
    let body = chat(1, 5).to_string();
    let own = [("Authorization", "Bearer sk-of-the-client-0123456789")];
    assert_eq!(gateway.post(CHAT, &own, body.as_bytes()).status, 200);
    let sent = gateway.calls()[0].header("authorization").map(str::to_owned);
    assert!(sent.as_deref().is_some_and(|key| !key.contains("client")), "{sent:?}");
    let passes = "gatewayPassKeys = true\ngatewayAliases = [\"other=test\"]\n";
    let gateway = Gateway::with(always(whole()), 4000, "", passes);
    assert_eq!(gateway.post(CHAT, &own, body.as_bytes()).status, 200);
    assert_eq!(gateway.calls()[0].header("authorization"), Some(own[0].1));
    // Neither under another name, nor the token of this server.
    let aliased = body.replace("\"test\"", "\"other\"");
    assert_eq!(gateway.post(CHAT, &own, aliased.as_bytes()).status, 200);
    assert_ne!(gateway.calls()[1].header("authorization"), Some(own[0].1));
    let token = std::fs::read_to_string(gateway.served.home().join("data/token")).unwrap();
    let token = format!("Bearer {}", token.trim());
    assert_eq!(gateway.post(CHAT, &[("Authorization", &token)], body.as_bytes()).status, 200);
    assert_ne!(gateway.calls()[2].header("authorization"), Some(token.as_str()));
}

/// A provider that echoes our key does not get it to a client.
#[test]
fn sec_9_our_key_reaches_no_client() {
    let echo = |status: u16| {
        plimsoll_testkit::scripted::ScriptedServer::answering(move |request| {
            let key = request.header("authorization").unwrap_or_default().to_owned();
            Reply::json(
                status,
                json!({"error": {"message": format!("bad key {key}")}, "choices": []}).to_string(),
            )
        })
        .unwrap()
    };
    for status in [200, 401] {
        let gateway = Gateway::new(echo(status), 4000);
        let answer = gateway.ask(CHAT, &chat(1, 5));
        let sent = gateway.calls()[0].header("authorization").unwrap().to_owned();
        let key = sent.trim_start_matches("Bearer ");
        assert!(key.len() > 11 && !answer.body.contains(key), "{}", answer.body);
        assert!(answer.body.contains("[key]"), "{}", answer.body);
        assert!(!gateway.receipt(&answer).to_string().contains(key));
    }
}
