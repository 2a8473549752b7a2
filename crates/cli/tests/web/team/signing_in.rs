//! TEA-9: signing in by a token, and what the cookie is good for.

use plimsoll_testkit::http::{self, Answer};

use super::{Team, done, plimsoll};

fn post(team: &Team, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let headers: Vec<(&str, &str)> = headers.iter().copied().chain([form]).collect();
    http::request(&team.served.address, "POST", path, &headers, body.as_bytes()).unwrap()
}

fn sign_in(team: &Team, who: &str, headers: &[(&str, &str)]) -> Answer {
    post(team, "/sign-in", headers, &format!("token={}&to=%2F", team.tokens[who]))
}

/// What the browser would send back.
fn cookie(answer: &Answer) -> String {
    let set = answer.header("set-cookie").unwrap();
    set.split(';').next().unwrap().to_owned()
}

fn get(team: &Team, path: &str, headers: &[(&str, &str)]) -> Answer {
    http::request(&team.served.address, "GET", path, headers, b"").unwrap()
}

#[test]
fn tea_9_a_token_signs_in_and_signing_out_ends_it() {
    let team = Team::start();
    let page = get(&team, "/c/new?scope=everything", &[("Accept", "text/html")]);
    assert_eq!(page.status, 303);
    assert_eq!(page.header("location"), Some("/sign-in?to=%2Fc%2Fnew%3Fscope%3Deverything"));
    let page = get(&team, "/sign-in", &[("Accept", "text/html")]);
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<form") && !page.body.contains("<script"), "{}", page.body);

    let signed = sign_in(&team, "olga", &[]);
    assert_eq!((signed.status, signed.header("location")), (303, Some("/")));
    let set = signed.header("set-cookie").unwrap();
    for word in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=1209600"] {
        assert!(set.contains(word), "{word} in {set}");
    }
    assert!(!set.contains("Secure"), "nobody could send it back: {set}");
    let cookie = cookie(&signed);
    assert!(!signed.body.contains(&team.tokens["olga"]));
    let headers = [("Cookie", cookie.as_str())];
    let page = get(&team, "/", &headers);
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("data-workspace=\"~olga/main\""), "a workspace of her own");
    assert!(page.body.contains("Sign out") && page.body.contains(">olga<"));
    // With no-referrer a browser says of our own forms that they come from nowhere.
    for page in [&page, &get(&team, "/sign-in", &[])] {
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    }
    let nowhere = [("Cookie", cookie.as_str()), ("Origin", "null")];
    assert_eq!(post(&team, "/sign-out", &nowhere, "").status, 403);
    assert_eq!(get(&team, "/api/state?workspace=sea/main", &headers).status, 200);
    assert_eq!(get(&team, "/api/state?workspace=land/main", &headers).status, 404);

    // A page of another site cannot use it.
    let foreign = [("Cookie", cookie.as_str()), ("Origin", "http://evil.example")];
    assert_eq!(post(&team, "/sign-out", &foreign, "").status, 403);
    let left = post(&team, "/sign-out", &headers, "");
    assert_eq!((left.status, left.header("location")), (303, Some("/sign-in")));
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(get(&team, "/api/state", &headers).status, 401, "the cookie opens nothing more");
}

#[test]
fn tea_9_behind_tls_the_cookie_is_secure() {
    let team = Team::start();
    let signed = sign_in(&team, "mia", &[("X-Forwarded-Proto", "https")]);
    let set = signed.header("set-cookie").unwrap();
    assert!(set.starts_with("__Host-") && set.contains("; Secure"), "{set}");
    assert_eq!(get(&team, "/api/state", &[("Cookie", &cookie(&signed))]).status, 200);
}

#[test]
fn tea_9_wrong_tokens_are_slowed_and_noted() {
    let team = Team::start();
    let wrong = format!("plimsoll-team-mia-{}", "0".repeat(64));
    let mut last = post(&team, "/sign-in", &[], &format!("token={wrong}"));
    assert_eq!(last.status, 401);
    assert!(last.body.contains("not known") && last.header("set-cookie").is_none());
    for _ in 0..20 {
        last = post(&team, "/sign-in", &[], &format!("token={wrong}"));
    }
    assert_eq!(last.status, 429, "{}", last.body);
    let wait: u64 = last.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=61).contains(&wait));
    let api = team.ask("mia", "GET", "/api/state", None);
    assert_eq!(api.status, 429, "from there nobody is let in meanwhile");
    assert!(api.header("retry-after").is_some());
    let log = done(team.home(), &["team", "audit", "--json"]);
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let entries = log["entries"].as_array().unwrap();
    let failed = entries.iter().filter(|entry| entry["action"] == "sign-in.failed");
    let failed: Vec<_> = failed.collect();
    assert!((1..=12).contains(&failed.len()), "{}: as many as were looked at", failed.len());
    assert_eq!(failed[0]["subject"], "a token of mia");
    assert!(!failed[0]["origin"].as_str().unwrap().is_empty());
    let whole = log.to_string();
    assert!(!whole.contains(&"0".repeat(64)), "no token stands in the log");
}

#[test]
fn tea_9_tokens_end_and_are_taken_back_at_once() {
    let team = Team::start();
    let short =
        done(team.home(), &["team", "token", "add", "eve", "--label", "x", "--expires", "0h"]);
    let ask = |token: &str| {
        let bearer = format!("Bearer {}", token.trim());
        get(&team, "/api/team/me", &[("Authorization", &bearer)]).status
    };
    assert_eq!(ask(&short), 401);
    assert_eq!(ask(&team.tokens["eve"]), 200);
    let signed = sign_in(&team, "eve", &[]);
    done(team.home(), &["team", "token", "rm", "eve"]);
    assert_eq!(ask(&team.tokens["eve"]), 401);
    let cookie = cookie(&signed);
    assert_eq!(get(&team, "/api/team/me", &[("Cookie", &cookie)]).status, 401);
    let (code, _, said) = plimsoll(team.home(), &["team", "token", "add", "nobody"]);
    assert_eq!(code, 2);
    assert!(said.contains("there is no user 'nobody'"), "{said}");
    // Neither hash nor token is told by a list.
    let list = done(team.home(), &["team", "token", "list", "--json"]);
    assert!(list.contains("\"label\"") && !list.contains("hash"), "{list}");
}

/// Neither the account that the server runs as nor its own token lets anybody in.
#[test]
fn tea_9_a_team_has_no_other_door() {
    let team = Team::start();
    assert_eq!(get(&team, "/api/state", &[]).status, 401);
    let token = std::fs::read_to_string(team.home().join("data/token")).unwrap();
    let bearer = format!("Bearer {}", token.trim());
    assert_eq!(get(&team, "/api/state", &[("Authorization", &bearer)]).status, 401);
    let code = get(&team, &format!("/?token={}", token.trim()), &[("Accept", "text/html")]);
    assert_eq!(code.status, 303);
    assert!(code.header("set-cookie").is_none());
    for path in ["/", "/sign-in", "/api/state"] {
        let evil = get(&team, path, &[("Host", "evil.example")]);
        assert_eq!(evil.status, 403, "{path}");
    }
    for to in ["https://evil.example", "//evil.example"] {
        let body = format!("token={}&to={}", team.tokens["mia"], to.replace('/', "%2F"));
        assert_eq!(post(&team, "/sign-in", &[], &body).header("location"), Some("/"), "{to}");
    }
}
