//! Keys and servers over HTTP (UI-19): tried, kept, bound to their server, and never told.

use std::{os::unix::fs::PermissionsExt, path::Path};

use plimsoll_testkit::{
    http,
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

const KEY: &str = "sk-canary-acme-0123456789abcdef";

/// A server that lists its models, and answers, for who has the key.
fn guarded() -> ScriptedServer {
    ScriptedServer::answering(|request| {
        let bearer = format!("Bearer {KEY}");
        if !request.headers.iter().any(|(name, value)| name == "authorization" && *value == bearer) {
            // It says back what it was sent, as some do.
            let told = format!("{:?}", request.headers).replace(['"', '\\'], "");
            return Reply::json(401, json!({"error": {"message": told}}).to_string());
        }
        match request.method.as_str() {
            "POST" => Reply::openai(&["I am acme."], 14, 6),
            _ => Reply::json(
                200,
                json!({"data": [{"id": "acme-large", "context_length": 16_384}, {"id": "acme-small"}]})
                    .to_string(),
            ),
        }
    })
    .unwrap()
}

fn open() -> ScriptedServer {
    ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap()
}

/// A home with a model of the guarded server besides.
fn with_acme(home: &Path, acme: &ScriptedServer) {
    let path = home.join("models.toml");
    let models = std::fs::read_to_string(&path).unwrap();
    let more = format!(
        "\n[[model]]\nid = \"acme-large\"\nprovider = \"acme\"\nbaseUrl = \"{}\"\n",
        acme.base_url()
    );
    std::fs::write(&path, models + &more).unwrap();
}

fn model(served: &Served, id: &str) -> Value {
    let all = served.json("GET", "/api/models", None);
    let found = all["models"].as_array().unwrap().iter().find(|model| model["id"] == id);
    found.unwrap_or_else(|| panic!("no {id} in {all}")).clone()
}

fn with_key(requests: &[Recorded], key: &str) -> usize {
    requests.iter().filter(|request| format!("{:?}", request.headers).contains(key)).count()
}

#[test]
fn ui_19_a_key_is_tried_kept_used_and_removed() {
    let (server, acme) = (open(), guarded());
    let served = Served::start_with(&server, 4096, |home| with_acme(home, &acme));
    let before = model(&served, "acme-large");
    assert_eq!((&before["available"], &before["lacks"]["kind"]), (&json!(false), &json!("key")));
    assert_eq!(before["lacks"]["words"], "a key of acme");
    let at = acme.base_url().trim_end_matches("/v1").to_owned();
    assert_eq!(before["lacks"]["server"], at);

    let path = "/api/providers/acme/key";
    let wrong = json!({"key": "sk-wrong-0123456789", "server": at});
    let refused = served.refused("POST", path, Some(wrong), 422, "key_refused");
    assert_eq!(refused["detail"], format!("this key is refused by {at}"));
    assert!(!served.home().join("keys.toml").exists(), "nothing is kept of a wrong one");

    let done = served.json("POST", path, Some(json!({"key": KEY, "server": at})));
    assert_eq!(done["models"], 2);
    let words =
        format!("The key works: 2 models. It is kept in a file that only you can read, for {at}.");
    assert_eq!(done["done"], words);
    let file = served.home().join("keys.toml");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains(KEY) && kept.contains(&at), "{kept}");

    let now = model(&served, "acme-large");
    assert_eq!((&now["available"], now.get("lacks")), (&json!(true), None));
    served.json("PUT", "/api/view", Some(json!({"model": "acme-large"})));
    assert_eq!(served.send("hello")["assistantText"], "I am acme.");

    let providers = served.json("GET", "/api/providers", None);
    let all = providers["providers"].as_array().unwrap();
    let own = all.iter().find(|one| one["name"] == "acme").unwrap();
    assert_eq!((&own["key"], &own["servers"]), (&json!("file"), &json!([at])));
    assert!(served.json("DELETE", path, None)["done"].as_str().unwrap().contains("removed"));
    assert!(!std::fs::read_to_string(&file).unwrap().contains(KEY));
    assert_eq!(model(&served, "acme-large")["lacks"]["kind"], "key");
    served.refused("DELETE", path, None, 404, "not_found");
}

#[test]
fn ui_19_what_is_no_key_or_no_provider_is_refused() {
    let server = open();
    let served = Served::start(&server, 4096);
    let path = "/api/providers/acme/key";
    served.refused("POST", path, Some(json!({"key": KEY})), 422, "unknown_server");
    let nobody = json!({"key": KEY, "server": "http://127.0.0.1:1"});
    served.refused("POST", "/api/providers/openai/key", Some(nobody), 422, "unknown_server");
    for bad in ["", "  ", "two words", "a\nb", "schlüssel"] {
        let body = json!({"key": bad, "server": server.base_url()});
        served.refused("POST", "/api/providers/openai/key", Some(body), 422, "bad_key");
    }
    // It is written and never read.
    assert_eq!(served.ask("GET", "/api/providers/openai/key", None).status, 405);
    assert!(!served.home().join("keys.toml").exists());
}

#[test]
fn ui_19_a_key_that_cannot_be_tried_is_kept_only_if_that_was_asked_for() {
    let (server, acme) = (open(), guarded());
    let served = Served::start_with(&server, 4096, |home| with_acme(home, &acme));
    drop(acme);
    let (path, key) = ("/api/providers/acme/key", json!({"key": KEY}));
    served.refused("POST", path, Some(key), 422, "key_not_tried");
    assert!(!served.home().join("keys.toml").exists());
    let done = served.json("POST", path, Some(json!({"key": KEY, "untested": true})));
    assert!(done["done"].as_str().unwrap().starts_with("The key was not tried."), "{done}");
    assert_eq!(done.get("models"), None);
    assert!(std::fs::read_to_string(served.home().join("keys.toml")).unwrap().contains(KEY));
    assert_eq!(model(&served, "acme-large")["lacks"]["kind"], "answer");
}

#[test]
fn ui_19_a_key_is_bound_to_its_host_and_a_changed_address_asks_again() {
    let (server, acme, other) = (open(), guarded(), guarded());
    let served = Served::start_with(&server, 4096, |home| with_acme(home, &acme));
    served.json("POST", "/api/providers/acme/key", Some(json!({"key": KEY})));
    assert_eq!(model(&served, "acme-large")["available"], true);
    let moved = json!({"baseUrl": other.base_url()});
    served.json("PUT", "/api/models/acme-large", Some(moved));
    let asked = model(&served, "acme-large");
    let at = other.base_url().trim_end_matches("/v1").to_owned();
    assert_eq!((&asked["lacks"]["kind"], &asked["lacks"]["server"]), (&json!("key"), &json!(at)));
    served.json("PUT", "/api/view", Some(json!({"model": "acme-large"})));
    assert_eq!(served.send("hello")["lifecycleState"], "error");
    assert_eq!(with_key(&other.requests(), KEY), 0, "the key of another server went there");
    assert!(!other.requests().is_empty());
    // Given for it, it goes there.
    served.json("POST", "/api/providers/acme/key", Some(json!({"key": KEY, "server": at})));
    assert_eq!(served.send("hello")["assistantText"], "I am acme.");
}

#[test]
fn ui_19_a_server_is_added_by_its_address_with_its_models() {
    let (server, acme) = (open(), guarded());
    let served = Served::start(&server, 4096);
    let address = acme.base_url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let needed = json!({"address": address});
    served.refused("POST", "/api/servers", Some(needed), 422, "key_needed");
    let wrong = json!({"address": address, "name": "acme", "key": "sk-wrong-0123456789"});
    served.refused("POST", "/api/servers", Some(wrong), 422, "key_refused");
    let right = json!({"address": address, "name": "acme", "key": KEY});
    let tried = served.json("POST", "/api/servers", Some(right));
    assert_eq!(tried["address"], acme.base_url());
    assert_eq!(tried["models"][0], json!({"id": "acme-large", "contextWindow": 16_384}));
    assert_eq!(tried["models"][1], json!({"id": "acme-small"}));
    let keep = json!({"provider": "acme", "address": tried["address"], "models": ["acme-large"]});
    assert_eq!(served.json("POST", "/api/servers/models", Some(keep))["models"], 1);
    let own = std::fs::read_to_string(served.home().join("models.toml")).unwrap();
    assert!(own.contains("id = \"acme-large\"") && own.contains("provider = \"acme\""), "{own}");
    assert!(!own.contains(KEY));
    let kept = model(&served, "acme-large");
    assert_eq!((&kept["available"], &kept["ml"]), (&json!(true), &json!(16_384)));
    served.json("PUT", "/api/view", Some(json!({"model": "acme-large"})));
    assert_eq!(served.send("hello")["assistantText"], "I am acme.");
    // Names that mean somebody else are not taken.
    let openai = json!({"address": address, "name": "openai"});
    served.refused("POST", "/api/servers", Some(openai), 422, "bad_name");
    let theirs = json!({"provider": "acme", "address": tried["address"], "models": ["gpt-4o"]});
    served.refused("POST", "/api/servers/models", Some(theirs), 422, "name_taken");
}

#[test]
fn ui_19_redirects_are_not_followed_and_some_addresses_never_reached() {
    let (server, thief) = (open(), guarded());
    let elsewhere = format!("{}/models", thief.base_url());
    let leads = ScriptedServer::always(Reply::redirect(&elsewhere)).unwrap();
    let served = Served::start(&server, 4096);
    let body = json!({"address": leads.base_url(), "key": KEY});
    let problem = served.refused("POST", "/api/servers", Some(body), 422, "key_not_tried");
    assert!(problem["detail"].as_str().unwrap().contains("was not followed"), "{problem}");
    assert!(thief.requests().is_empty());
    for never in ["http://169.254.169.254", "http://[fe80::1]:80", "http://0xa9fea9fe/v1"] {
        let body = json!({"address": never});
        let problem = served.refused("POST", "/api/servers", Some(body), 422, "bad_address");
        assert!(problem["detail"].as_str().unwrap().contains("never asked"), "{problem}");
    }
    // Nor by a model whose address was set.
    let set = json!({"provider": "acme", "baseUrl": "http://169.254.169.254/v1"});
    served.json("PUT", "/api/models/cloud", Some(set));
    served.json("PUT", "/api/view", Some(json!({"model": "cloud"})));
    let problem = served.ask("POST", "/api/send", Some(json!({"text": "who am I?"})));
    assert!(problem.body.contains("never asked"), "{}", problem.body);
}

fn ask_shared(served: &Served, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let headers =
        [("Content-Type", "application/json"), ("Authorization", "Bearer open-sesame-and-more")];
    let text = body.to_string();
    let body = if method == "GET" { "" } else { &text };
    let answer = http::request(&served.address, method, path, &headers, body.as_bytes()).unwrap();
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

#[test]
fn ui_19_on_a_shared_server_private_ranges_need_a_setting() {
    let (server, acme) = (open(), guarded());
    let served = Served::start_shared(&server, 4096, |_| {});
    let body = json!({"address": acme.base_url(), "key": KEY});
    let (status, problem) = ask_shared(&served, "POST", "/api/servers", &body);
    assert_eq!((status, &problem["code"]), (422, &json!("bad_address")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("allowedServers"), "{problem}");
    let (_, problem) =
        ask_shared(&served, "POST", "/api/servers", &json!({"address": "http://localhost:9"}));
    assert!(problem["detail"].as_str().unwrap().contains("allowedServers"), "{problem}");
    assert!(acme.requests().is_empty());
    // The setting cannot be set from the page.
    let allow = json!({"value": acme.base_url()});
    let (status, problem) = ask_shared(&served, "PUT", "/api/settings/allowedServers", &allow);
    assert_eq!((status, &problem["code"]), (403, &json!("terminal_only")));

    let allowed = Served::start_shared(&server, 4096, |home| {
        let config = std::fs::read_to_string(home.join("config.toml")).unwrap();
        let more = format!("allowedServers = [\"{}\"]\n", acme.base_url());
        std::fs::write(home.join("config.toml"), config + &more).unwrap();
    });
    let (status, tried) = ask_shared(&allowed, "POST", "/api/servers", &body);
    assert_eq!(status, 200, "{tried}");
    // What the owner of the machine wrote into models.toml is asked as ever.
    let (_, models) = ask_shared(&served, "GET", "/api/models", &json!(null));
    let all = models["models"].as_array().unwrap();
    assert_eq!(all.iter().find(|model| model["id"] == "test").unwrap()["available"], true);
}

/// SEC-4 for a key that came over HTTP: looked for in every answer, event, log, draft and undo.
#[test]
fn ui_19_the_key_is_in_no_answer_event_log_undo_or_draft() {
    let (server, acme) = (open(), guarded());
    let served = Served::start_with(&server, 100_000, |home| {
        with_acme(home, &acme);
        let config =
            "defaultModel = \"test\"\nscope = \"everything\"\nlog = \"debug\"\nlogToFile = true\n";
        std::fs::write(home.join("config.toml"), config).unwrap();
    });
    let mut events = served.events();
    let mut answers = Vec::new();
    let mut ask = |method: &str, path: &str, body: Option<Value>| {
        let answer = served.ask(method, path, body);
        answers.push(format!("{:?} {}", answer.headers, answer.body));
        answer.status
    };
    let path = "/api/providers/acme/key";
    assert_eq!(ask("POST", path, Some(json!({"key": format!("{KEY}x")}))), 422);
    assert_eq!(ask("POST", path, Some(json!({"key": KEY}))), 200);
    assert_eq!(
        ask("POST", "/api/servers", Some(json!({"address": acme.base_url(), "key": KEY}))),
        200
    );
    assert_eq!(ask("POST", path, Some(json!({"key": KEY, "nonsense": 1}))), 422);
    assert_eq!(ask("PUT", "/api/view", Some(json!({"model": "acme-large"}))), 200);
    served.send("what is your key?");
    for path in ["/", "/api/providers", "/api/models", "/api/state", "/api/settings", "/api/draft"]
    {
        assert_eq!(ask("GET", path, None), 200, "{path}");
    }
    for path in ["/ui/panel/models", "/ui/panel/settings", "/api/deletions", "/api/openapi.json"] {
        assert_eq!(ask("GET", path, None), 200, "{path}");
    }
    ask("POST", "/api/undo", Some(json!({})));
    assert!(answers.iter().all(|text| !text.contains(KEY)), "in an answer");
    let heard = events.until("ended").unwrap();
    assert!(heard.iter().all(|event| !event.data.contains(KEY)), "in an event");
    assert!(with_key(&acme.requests(), KEY) >= 3, "the canary never flew");
    let data = served.home().join("data");
    assert!(
        std::fs::read_to_string(data.join("plimsoll.log")).unwrap().contains("provider answered")
    );
    let mut places = vec![data];
    while let Some(place) = places.pop() {
        for entry in std::fs::read_dir(place).unwrap().flatten() {
            if entry.path().is_dir() {
                places.push(entry.path());
            } else if let Ok(bytes) = std::fs::read(entry.path()) {
                assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{:?}", entry.path());
            }
        }
    }
}
