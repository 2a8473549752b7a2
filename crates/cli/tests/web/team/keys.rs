//! TEA-10: keys of a person, a project and the team: kept sealed, used in this order, sent to the
//! server that they were given for alone, and never told.

use std::ffi::OsString;

use plimsoll_store::{KeyHolder, SealedKey};
use plimsoll_testkit::{
    http::{self, Answer},
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use super::{Team, plimsoll_in};

/// What the environment of the node has for the provider.
const NODES: &str = "sk-canary-0123456789abcdef";
const MASTER: &str = "0101010101010101010101010101010101010101010101010101010101010101";
const OTHER: &str = "0202020202020202020202020202020202020202020202020202020202020202";

fn provider() -> ScriptedServer {
    ScriptedServer::answering(|request| match request.method.as_str() {
        "POST" => Reply::openai(&["an answer"], 14, 6),
        _ => Reply::json(200, json!({"data": [{"id": "test"}]}).to_string()),
    })
    .unwrap()
}

fn masters(text: &str) -> Vec<(OsString, OsString)> {
    vec![("PLIMSOLL_SECRET_KEY".into(), text.into())]
}

fn start() -> Team {
    Team::start_at(provider(), "", masters(MASTER))
}

fn bearer(request: &Recorded) -> &str {
    let found = request.headers.iter().find(|(name, _)| name == "authorization");
    found.map_or("", |(_, value)| value.strip_prefix("Bearer ").unwrap_or(value))
}

/// The keys that came to the provider with calls, in their order.
fn came(team: &Team) -> Vec<String> {
    let all = team.provider.requests();
    let chats = all.iter().filter(|one| one.path.ends_with("/chat/completions"));
    chats.map(|one| bearer(one).to_owned()).collect()
}

fn last(team: &Team) -> String {
    came(team).pop().unwrap_or_default()
}

fn server(team: &Team) -> String {
    team.provider.base_url().trim_end_matches("/v1").to_owned()
}

fn put(team: &Team, who: &str, place: &str, key: &str) -> Answer {
    let body = json!({"key": key, "server": server(team)});
    team.ask(who, "PUT", &format!("/api/team/keys/{place}/openai"), Some(body))
}

fn call_at(team: &Team, node: &str, who: &str, project: &str) -> Answer {
    let body = json!({"model": "test", "messages": [{"role": "user", "content": "hello"}]});
    let headers = [
        ("x-api-key", team.tokens[who].as_str()),
        ("x-plimsoll-project", project),
        ("Content-Type", "application/json"),
    ];
    let body = body.to_string();
    http::request(node, "POST", "/v1/chat/completions", &headers, body.as_bytes()).unwrap()
}

fn key(team: &Team, env: &[(&str, &str)], input: &str, args: &[&str]) -> (i32, String, String) {
    plimsoll_in(team.home(), env, input, &[&["team", "key"], args].concat())
}

#[test]
fn tea_10_the_nearest_key_goes_along_with_sends_and_calls() {
    let team = start();
    let sent = |who: &str, project: &str| {
        team.send(who, &format!("{project}/main"), "hello");
        let by_send = last(&team);
        let called = call_at(&team, &team.served.address, who, project);
        assert_eq!(called.status, 200, "{}", called.body);
        assert_eq!(last(&team), by_send, "both ways go with the same key");
        by_send
    };
    assert_eq!(sent("mia", "sea"), NODES);
    for (who, place, kept) in [
        ("ada", "team/", "sk-team-0123456789abcdef"),
        ("olga", "projects/sea/", "sk-sea-0123456789abcdef"),
        ("mia", "mine/", "sk-mia-0123456789abcdef"),
    ] {
        let done = put(&team, who, place.trim_end_matches('/'), kept);
        assert_eq!(done.status, 200, "{place}: {}", done.body);
        assert!(done.body.contains("sealed") && !done.body.contains(kept), "{}", done.body);
        let expected = match place {
            "team/" => [kept, kept, kept],
            "projects/sea/" => [kept, "sk-team-0123456789abcdef", kept],
            _ => [kept, kept, "sk-sea-0123456789abcdef"],
        };
        assert_eq!([sent("mia", "sea"), sent("mia", "~mia"), sent("olga", "sea")], expected);
    }
    // Eve has nothing of it but what is for everybody.
    assert_eq!(sent("eve", "land"), "sk-team-0123456789abcdef");
    // And back again, each at once.
    let remove = |who: &str, place: &str| {
        team.ask(who, "DELETE", &format!("/api/team/keys/{place}/openai"), None).status
    };
    for (who, place, then) in [
        ("mia", "mine", "sk-sea-0123456789abcdef"),
        ("olga", "projects/sea", "sk-team-0123456789abcdef"),
        ("ada", "team", NODES),
    ] {
        assert_eq!((remove(who, place), remove(who, place)), (200, 404));
        assert_eq!(sent("mia", "sea"), then);
    }
    let (_, log, _) = plimsoll_in(team.home(), &[], "", &["team", "audit"]);
    for line in ["openai of the person mia", "openai of the project sea", "openai of the team"] {
        assert_eq!(log.matches(line).count(), 2, "{line}: {log}");
    }
    assert!(!log.contains("sk-"), "{log}");
}

#[test]
fn tea_10_who_may_keep_a_key_for_whom() {
    let team = start();
    let kept = "sk-kept-0123456789abcdef";
    let status = |who: &str, place: &str| put(&team, who, place, kept).status;
    assert_eq!(["ada", "olga", "mia"].map(|who| status(who, "team")), [200, 403, 403]);
    assert_eq!(
        ["ada", "olga", "mia", "vic", "eve"].map(|who| status(who, "projects/sea")),
        [200, 200, 403, 403, 404]
    );
    assert_eq!(["vic", "eve"].map(|who| status(who, "mine")), [200, 200]);
    // Each sees whose keys there are, as far as that is theirs to see.
    let seen = |who: &str| -> Vec<String> {
        let told = team.json(who, "GET", "/api/team/keys", None);
        assert!(!told.to_string().contains(kept), "{told}");
        let keys = told["keys"].as_array().unwrap().clone();
        let one = |key: &Value| {
            let name = key["name"].as_str().unwrap_or_default();
            format!("{} {name}", key["of"].as_str().unwrap())
        };
        keys.iter().map(one).collect()
    };
    assert_eq!(seen("vic"), ["person vic", "project sea", "team "]);
    assert_eq!(seen("eve"), ["person eve", "team "]);
    assert_eq!(seen("ada").len(), 4);
    // A wrong key is tried and not kept, and a server that nobody set up is never asked.
    let unknown = json!({"key": kept, "server": "https://evil.example"});
    let refused = team.ask("mia", "PUT", "/api/team/keys/mine/openai", Some(unknown));
    assert!(refused.status == 422 && refused.body.contains("unknown_server"), "{}", refused.body);
    // What a person's page says of its models and keys is about theirs.
    let panel = |who: &str| {
        team.ask(who, "GET", &format!("/ui/panel/models?workspace=~{who}/main"), None).body
    };
    assert!(panel("vic").contains("your own key") && !panel("vic").contains("/team/openai"));
    assert!(panel("mia").contains("the key of the team"));
    assert!(panel("ada").contains("/api/team/keys/team/openai"));
    let page = team.ask("ada", "GET", "/", None).body;
    assert!(page.contains("data-keys=\"mine team\""), "{page}");
}

#[test]
fn sec_8_a_kept_key_goes_to_no_other_server() {
    let team = start();
    let env = [("PLIMSOLL_SECRET_KEY", MASTER)];
    let args = ["set", "openai", "--user", "mia", "--for", "https://elsewhere.example"];
    let (code, _, said) = key(&team, &env, "sk-mia-0123456789abcdef\n", &args);
    assert_eq!(code, 0, "{said}");
    let body = Some(json!({ "text": "hello" }));
    let refused = team.ask("mia", "POST", "/api/send?workspace=sea/main", body);
    assert!(refused.status >= 400, "{}", refused.body);
    assert!(refused.body.contains("was not given for"), "{}", refused.body);
    let called = call_at(&team, &team.served.address, "mia", "sea");
    assert!(called.status >= 400 && called.body.contains("was not given for"), "{}", called.body);
    assert_eq!(came(&team), Vec::<String>::new(), "and the node's own does not go instead");
    let models = team.json("mia", "GET", "/api/models?workspace=sea/main", None);
    let test = models["models"].as_array().unwrap().iter().find(|one| one["id"] == "test").unwrap();
    assert_eq!((&test["available"], &test["lacks"]["kind"]), (&json!(false), &json!("key")));
    // Others are not touched by it.
    assert_eq!(call_at(&team, &team.served.address, "olga", "sea").status, 200);
}

#[test]
fn tea_10_every_node_knows_a_new_key_at_once() {
    let team = start();
    let node = team.served.another_node();
    let there = |who: &str| {
        let called = call_at(&team, &node.address, who, "sea");
        assert_eq!(called.status, 200, "{}", called.body);
        last(&team)
    };
    // The other node has found its way to the model already.
    assert_eq!(there("mia"), NODES);
    assert_eq!(put(&team, "mia", "mine", "sk-mia-0123456789abcdef").status, 200);
    assert_eq!(there("mia"), "sk-mia-0123456789abcdef");
    assert_eq!(put(&team, "mia", "mine", "sk-new-0123456789abcdef").status, 200);
    assert_eq!(there("mia"), "sk-new-0123456789abcdef");
    assert_eq!(there("olga"), NODES);
    assert_eq!(team.ask("mia", "DELETE", "/api/team/keys/mine/openai", None).status, 200);
    assert_eq!(there("mia"), NODES);
}

#[test]
fn tea_10_a_missing_or_wrong_master_key_is_one_clear_line() {
    let mut team = Team::start_at(provider(), "", Vec::new());
    let refused = put(&team, "mia", "mine", "sk-mia-0123456789abcdef");
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.body.contains("PLIMSOLL_SECRET_KEY is not set"), "{}", refused.body);
    assert!(refused.body.contains("plimsoll team secret new"), "{}", refused.body);
    let set = ["set", "openai", "--user", "mia", "--for", "https://api.openai.com"];
    for (text, says) in [("", "is not set"), ("hunter2", "holds no key")] {
        let (code, _, said) = key(&team, &[("PLIMSOLL_SECRET_KEY", text)], "sk-x", &set);
        assert!(code == 1 && said.contains(says) && !said.contains("hunter2"), "{said}");
    }
    team.served.restart_in(masters(MASTER));
    assert_eq!(put(&team, "mia", "mine", "sk-mia-0123456789abcdef").status, 200);
    let (_, listed, _) = key(&team, &[("PLIMSOLL_SECRET_KEY", OTHER)], "", &["list"]);
    assert!(listed.contains("not usable: it was sealed with another"), "{listed}");
    team.served.restart_in(masters(OTHER));
    let body = || Some(json!({ "text": "hello" }));
    let refused = team.ask("mia", "POST", "/api/send?workspace=sea/main", body());
    assert!(refused.body.contains("cannot be opened"), "{} {}", refused.status, refused.body);
    assert!(refused.body.contains("another PLIMSOLL_SECRET_KEY"), "{}", refused.body);
    assert_eq!(came(&team), Vec::<String>::new(), "nothing goes out with another key instead");
    team.served.restart_in(Vec::new());
    let refused = team.ask("mia", "POST", "/api/send?workspace=sea/main", body());
    assert!(refused.body.contains("PLIMSOLL_SECRET_KEY is not set"), "{}", refused.body);
    // Who needs none of it goes on.
    team.send("olga", "sea/main", "hello");
    team.served.restart_in(masters(MASTER));
    team.send("mia", "sea/main", "hello");
    assert_eq!(last(&team), "sk-mia-0123456789abcdef");
}

#[test]
fn tea_10_the_master_key_is_changed_without_typing_keys_again() {
    let mut team = start();
    assert_eq!(put(&team, "mia", "mine", "sk-mia-0123456789abcdef").status, 200);
    assert_eq!(put(&team, "ada", "team", "sk-team-0123456789abcdef").status, 200);
    let reseal = |team: &Team, masters: &str| {
        let env = [("PLIMSOLL_SECRET_KEY", masters)];
        plimsoll_in(team.home(), &env, "", &["team", "keys", "reseal"])
    };
    let (code, _, said) = reseal(&team, OTHER);
    assert!(code == 1 && said.contains("left as it was: the key of openai for mia"), "{said}");
    let both = format!("{OTHER},{MASTER}");
    team.served.restart_in(masters(&both));
    team.send("mia", "sea/main", "hello");
    let (code, _, said) = reseal(&team, &both);
    assert!(code == 0 && said.contains("2 keys sealed with the first key"), "{said}");
    let (code, _, said) = reseal(&team, &both);
    assert!(code == 0 && said.contains("0 keys sealed") && said.contains("2 were"), "{said}");
    team.served.restart_in(masters(OTHER));
    team.send("mia", "sea/main", "hello");
    team.send("olga", "sea/main", "hello");
    let (mia, team_key) = ("sk-mia-0123456789abcdef", "sk-team-0123456789abcdef");
    assert_eq!(came(&team), [mia, mia, team_key]);
    team.served.restart_in(masters(MASTER));
    let refused =
        team.ask("mia", "POST", "/api/send?workspace=sea/main", Some(json!({ "text": "x" })));
    assert!(refused.body.contains("cannot be opened"), "{}", refused.body);
}

#[test]
fn tea_10_a_row_that_was_moved_or_changed_opens_for_nobody() {
    let mut team = start();
    assert_eq!(put(&team, "olga", "mine", "sk-olga-0123456789abcdef").status, 200);
    team.served.stop();
    let change = |team: &Team, change: &dyn Fn(SealedKey) -> SealedKey| {
        let data = team.home().join("data");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let now = plimsoll_domain::Timestamp::from_millis(1);
            let store = crate::served::store::open(&data, now).await;
            let olga = KeyHolder::Person("olga".to_owned());
            let mut rows = store.sealed_keys().await.unwrap();
            rows.retain(|row| row.holder == olga);
            store.put_sealed_key(&change(rows.remove(0))).await.unwrap();
        });
    };
    let refused = |team: &Team, who: &str| {
        let body = Some(json!({ "text": "hello" }));
        let refused = team.ask(who, "POST", "/api/send?workspace=sea/main", body);
        assert!(refused.body.contains("was changed since it was sealed"), "{}", refused.body);
    };
    let mia = KeyHolder::Person("mia".to_owned());
    change(&team, &|row| SealedKey { id: "9".to_owned(), holder: mia.clone(), ..row });
    team.served.restart();
    refused(&team, "mia");
    team.send("olga", "sea/main", "hello");
    assert_eq!(came(&team), ["sk-olga-0123456789abcdef"]);
    team.served.stop();
    change(&team, &|row| SealedKey { servers: vec!["https://evil.example".to_owned()], ..row });
    team.served.restart();
    refused(&team, "olga");
    assert_eq!(came(&team).len(), 1, "nothing went out");
    let (_, listed, _) = key(&team, &[("PLIMSOLL_SECRET_KEY", MASTER)], "", &["list"]);
    assert!(listed.contains("was changed since it was sealed"), "{listed}");
}

#[test]
fn tea_10_keys_are_kept_and_removed_from_the_terminal() {
    let team = start();
    let env = [("PLIMSOLL_SECRET_KEY", MASTER)];
    let kept = "sk-cli-0123456789abcdef";
    let at = server(&team);
    let set = |more: &[&str]| {
        let args = [&["set", "openai", "--for", at.as_str()][..], more].concat();
        let (code, out, said) = key(&team, &env, kept, &args);
        assert!(!out.contains(kept) && !said.contains(kept), "{said}");
        (code, said)
    };
    assert_eq!(set(&["--user", "nobody"]).0, 2);
    assert_eq!(set(&["--project", "nothing"]).0, 2);
    for more in [&["--user", "mia"][..], &["--project", "sea"], &[]] {
        let (code, said) = set(more);
        assert_eq!(code, 0, "{said}");
    }
    let (_, listed, _) = key(&team, &env, "", &["list", "--json"]);
    let keys: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 3, "{listed}");
    assert!(!listed.contains(kept) && keys["keys"][0]["problem"].is_null(), "{listed}");
    team.send("vic", "~vic/main", "hello");
    assert_eq!(last(&team), kept);
    assert_eq!(key(&team, &[], "", &["rm", "openai", "--project", "sea"]).0, 0);
    let (code, _, said) = key(&team, &[], "", &["rm", "openai", "--project", "sea"]);
    assert!(code == 1 && said.contains("there is no key of openai for the project sea"), "{said}");
    let (code, secret, said) = plimsoll_in(team.home(), &[], "", &["team", "secret", "new"]);
    assert_eq!(code, 0, "{said}");
    let (code, ..) = key(&team, &[("PLIMSOLL_SECRET_KEY", secret.trim())], "", &["list"]);
    assert_eq!(code, 0);
}
