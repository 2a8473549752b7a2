//! TEA-9, TEA-10: working in a team: roles, views of one's own, what is counted, limits, the log.

use plimsoll_testkit::http;
use serde_json::{Value, json};

use super::{Team, done};

#[test]
fn tea_9_owners_say_who_may_do_what() {
    let team = Team::start();
    let roles = "/api/team/projects/sea/roles";
    let state = |who: &str| team.ask(who, "GET", "/api/state?workspace=sea/main", None).status;
    team.send("olga", "sea/main", "one");
    assert_eq!(state("eve"), 404);
    let set = |by: &str, who: &str, role: &str| {
        team.ask(by, "PUT", &format!("{roles}/{who}"), Some(json!({ "role": role }))).status
    };
    assert_eq!(set("mia", "eve", "viewer"), 403);
    assert_eq!(set("eve", "eve", "owner"), 404);
    assert_eq!(set("olga", "eve", "boss"), 400);
    assert_eq!(set("olga", "nobody", "viewer"), 404);
    assert_eq!(set("olga", "eve", "viewer"), 204);
    assert_eq!(state("eve"), 200, "at once");
    let listed = team.json("olga", "GET", roles, None);
    let eve = json!({"user": "eve", "role": "viewer"});
    assert!(listed["roles"].as_array().unwrap().contains(&eve), "{listed}");
    assert_eq!(team.ask("olga", "DELETE", &format!("{roles}/eve"), None).status, 204);
    assert_eq!(state("eve"), 404);
    // Who looks after the team gives roles and does not read, until they gave themselves one.
    assert_eq!(state("ada"), 404);
    assert_eq!(set("ada", "ada", "viewer"), 204);
    assert_eq!(state("ada"), 200);
    let log = done(team.home(), &["team", "audit"]);
    assert!(log.contains("sea: ada viewer") && log.contains("role.rm"), "{log}");
}

/// Each has a filter of their own, and a viewer's changes nothing for others.
#[test]
fn tea_9_what_somebody_looks_at_is_theirs() {
    let team = Team::start();
    team.send("olga", "sea/main", "one");
    let at = "workspace=sea/main&scope=everything";
    let filter = |who: &str, filter: &str| {
        let body = Some(json!({ "filter": filter }));
        team.ask(who, "PUT", &format!("/api/view?{at}"), body).status
    };
    assert_eq!(filter("vic", "s3"), 200);
    let visible = |who: &str| {
        team.json(who, "GET", &format!("/api/pairs?{at}"), None)["visible"].as_u64().unwrap()
    };
    assert_eq!((visible("vic"), visible("olga")), (0, 1));
    let queries = team.json("olga", "GET", &format!("/api/queries?{at}"), None);
    assert_eq!(queries["queries"], json!([]), "what a viewer looked for is not written down");
    let mark = Some(json!({ "contextFrom": "end" }));
    let marked = team.ask("vic", "PUT", &format!("/api/view?{at}"), mark);
    assert_eq!(marked.status, 403, "where the context begins is everybody's");
}

/// A viewer who looks makes no workspace.
#[test]
fn tea_9_looking_makes_nothing() {
    let team = Team::start();
    let new = |who: &str| team.ask(who, "GET", "/api/state?workspace=sea/new", None).status;
    assert_eq!(new("vic"), 404);
    assert_eq!(new("mia"), 200);
    assert_eq!(new("vic"), 200);
}

fn call(team: &Team, who: &str, headers: &[(&str, &str)]) -> http::Answer {
    let body = json!({"model": "test", "messages": [{"role": "user", "content": "hello"}]});
    let key = ("x-api-key", team.tokens[who].as_str());
    let headers: Vec<(&str, &str)> =
        headers.iter().copied().chain([key, ("Content-Type", "application/json")]).collect();
    let address = &team.served.address;
    http::request(address, "POST", "/v1/chat/completions", &headers, body.to_string().as_bytes())
        .unwrap()
}

#[test]
fn tea_10_calls_and_sends_are_counted_by_person_and_project() {
    let team = Team::start();
    let answer = call(&team, "mia", &[]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(call(&team, "mia", &[("x-plimsoll-project", "sea")]).status, 200);
    assert_eq!(call(&team, "vic", &[("x-plimsoll-project", "sea")]).status, 403);
    team.send("olga", "sea/main", "one");
    // Each sees their own calls; who looks after the team sees all.
    let calls = |who: &str| {
        let calls = team.json(who, "GET", "/api/gateway/calls", None)["calls"].clone();
        calls.as_array().unwrap().len()
    };
    assert_eq!((calls("mia"), calls("olga"), calls("ada")), (2, 0, 2));
    let receipt = answer.header("x-plimsoll-receipt").unwrap();
    let read = |who: &str| team.ask(who, "GET", &format!("/api/receipts/{receipt}"), None).status;
    assert_eq!((read("mia"), read("olga"), read("ada"), read("eve")), (200, 404, 200, 404));
    let usage = |by: &str| -> Value {
        // What a send used is counted right behind its end.
        loop {
            let told = done(team.home(), &["team", "usage", "--by", by, "--json"]);
            let told: Value = serde_json::from_str(&told).unwrap();
            let calls = told["usage"].as_array().unwrap().iter().map(|row| &row["calls"]);
            if calls.map(|calls| calls.as_u64().unwrap()).sum::<u64>() == 3 {
                return told["usage"].clone();
            }
        }
    };
    let row = |rows: &Value, name: &str| {
        let rows = rows.as_array().unwrap().clone();
        let row = rows.into_iter().find(|row| row["name"] == name).unwrap();
        (row["calls"].as_u64().unwrap(), row["tokens"].as_u64().unwrap())
    };
    let (people, projects) = (usage("person"), usage("project"));
    assert_eq!((row(&people, "mia"), row(&people, "olga")), ((2, 40), (1, 20)));
    assert_eq!((row(&projects, "~mia"), row(&projects, "sea")), ((1, 20), (2, 40)));
    let me = team.json("mia", "GET", "/api/team/me", None);
    assert_eq!(me["tokensOfMonth"], 40, "{me}");
}

#[test]
fn tea_10_a_limit_that_is_reached_is_said() {
    let team = Team::start();
    let set = |args: &[&str]| drop(done(team.home(), &[&["team"], args].concat()));
    set(&["user", "set", "mia", "--tokens-per-month", "15"]);
    assert_eq!(call(&team, "mia", &[]).status, 200);
    let over = call(&team, "mia", &[]);
    assert_eq!(over.status, 429, "{}", over.body);
    assert!(over.body.contains("20 of 15 tokens"), "{}", over.body);
    let send = |who: &str| {
        team.ask(who, "POST", "/api/send?workspace=sea/main", Some(json!({ "text": "x" })))
    };
    let refused = send("mia");
    assert_eq!(refused.status, 429);
    assert!(refused.body.contains("limit_reached"), "{}", refused.body);
    set(&["user", "set", "mia", "--tokens-per-month", "0"]);
    assert_eq!(call(&team, "mia", &[("x-plimsoll-project", "sea")]).status, 200);
    set(&["project", "set", "sea", "--tokens-per-month", "20"]);
    assert!(send("olga").body.contains("the project sea used 20 of 20 tokens"));
    assert_eq!(team.ask("olga", "POST", "/api/send", Some(json!({ "text": "x" }))).status, 202);
}

#[test]
fn tea_10_what_matters_is_noted_with_who_and_from_where() {
    let team = Team::start();
    let pair = team.send("olga", "sea/main", "one");
    let id = pair["id"].as_str().unwrap();
    assert_eq!(team.ask("olga", "GET", "/api/export?workspace=sea/main", None).status, 200);
    assert_eq!(team.ask("vic", "DELETE", &format!("/api/pairs/{id}"), None).status, 403);
    assert_eq!(team.ask("olga", "DELETE", &format!("/api/pairs/{id}"), None).status, 200);
    let set = Some(json!({ "value": "70" }));
    assert_eq!(team.ask("ada", "PUT", "/api/settings/warnAt", set).status, 204);
    let log = done(team.home(), &["team", "audit", "--since", "1h", "--json"]);
    let log: Value = serde_json::from_str(&log).unwrap();
    let entries = log["entries"].as_array().unwrap();
    let find = |action: &str| {
        let all: Vec<&Value> = entries.iter().filter(|entry| entry["action"] == action).collect();
        assert_eq!(all.len(), 1, "{action}: {all:?}");
        all[0].clone()
    };
    for (action, who, what) in [
        ("export", "olga", "sea/main"),
        ("delete", "olga", id),
        ("setting.set", "ada", "/api/settings/warnAt"),
    ] {
        let entry = find(action);
        assert_eq!(entry["user"], who, "{entry}");
        assert!(entry["subject"].as_str().unwrap().contains(what), "{entry}");
        assert!(!entry["origin"].as_str().unwrap().is_empty(), "{entry}");
    }
    let added = entries.iter().filter(|entry| entry["action"] == "user.add").count();
    assert_eq!(added, super::PEOPLE.len());
}

/// What many are deleted by is noted as well.
#[test]
fn tea_10_a_deletion_by_command_is_noted() {
    let team = Team::start();
    team.send("olga", "sea/main", "one");
    let at = "/api/command?workspace=sea/main&scope=everything";
    let command = |confirmed: bool| {
        let body = json!({"text": ":delete", "confirmed": confirmed});
        team.ask("mia", "POST", at, Some(body)).status
    };
    let log = || done(team.home(), &["team", "audit"]);
    assert_eq!(command(false), 409);
    assert!(!log().contains(":delete"), "nothing was done yet");
    assert_eq!(command(true), 200);
    let log = log();
    assert!(log.contains("mia") && log.contains("1 pair of all conversations by :delete"), "{log}");
}

/// The memory of agents is that of the workspace that their person was let into.
#[test]
fn tea_9_agents_remember_in_their_own_workspace() {
    let team = Team::start();
    let ask = |who: &str, at: &str, body: Value| {
        let bearer = format!("Bearer {}", team.tokens[who]);
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let body = body.to_string();
        http::request(&team.served.address, "POST", &format!("/mcp{at}"), &headers, body.as_bytes())
            .unwrap()
    };
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    assert_eq!(ask("vic", "?workspace=sea/main", hello.clone()).status, 403);
    assert_eq!(ask("eve", "?workspace=sea/main", hello.clone()).status, 404);
    let begun = ask("mia", "?workspace=sea/main", hello);
    assert_eq!(begun.status, 200, "{}", begun.body);
    // No tool of the server's own files is offered to who works elsewhere.
    let note = json!({"title": "barnacle", "content": "a barnacle of the agent"});
    let saved = team.ask("mia", "POST", "/api/memory?workspace=sea/main", Some(note));
    assert_eq!(saved.status, 201, "{}", saved.body);
    let found = |who: &str, at: &str| {
        team.ask(who, "GET", &format!("/api/memory?workspace={at}"), None).body.contains("barnacle")
    };
    assert!(found("olga", "sea/main") && !found("eve", "~eve/main"));
}
