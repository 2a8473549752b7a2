//! TEA-11: one person on one machine sees nothing of a team.

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::served::Served;

#[test]
fn tea_11_without_a_team_nothing_of_one_is_seen() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start(&server, 4096);
    // The words of a team, in what a person sees and in what a program is told.
    let words =
        ["sign in", "sign-in", "sign out", "sign-out", "/api/team", "audit", "oidc", "openid"];
    for path in [
        "/",
        "/c/new",
        "/ui/panel/settings",
        "/ui/panel/models",
        "/ui/panel/help",
        "/ui/hud",
        "/api/settings",
        "/api/openapi.json",
        "/api/state",
    ] {
        let answer = served.ask("GET", path, None);
        assert!(answer.status < 400, "{path}: {}", answer.status);
        let body = answer.body.to_lowercase();
        for word in words {
            assert!(!body.contains(word), "{path} has '{word}'");
        }
        assert!(answer.header("set-cookie").is_none(), "{path} sets a cookie");
    }
    for path in ["/sign-in", "/sign-out", "/sign-in/openid", "/sign-in/callback", "/api/team/me"] {
        assert_eq!(served.ask("GET", path, None).status, 404, "{path}");
    }
    let settings = served.json("GET", "/api/settings", None);
    let keys: Vec<&str> = settings["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["key"].as_str().unwrap())
        .collect();
    assert!(keys.contains(&"warnAt") && !keys.contains(&"team"), "{keys:?}");
}
