//! TEA-9: signing in by OpenID Connect when something is not right.

use plimsoll_testkit::{
    http,
    openid_provider::{Lie, OpenIdProvider},
};
use serde_json::json;

use super::{
    openid::{Browser, Harbour, SECRET, cy},
    plimsoll,
};

#[test]
fn tea_9_what_is_not_right_is_told_in_one_line() {
    let harbour = Harbour::start();
    let address = harbour.team.served.address.clone();
    let mut browser = Browser::default();
    // Nobody is asked before somebody signs in.
    harbour.provider.lies(Some(Lie::Down));
    let away = browser.get(&address, "/sign-in/openid");
    assert_eq!(away.status, 503);
    assert!(away.body.contains("Harbour does not answer. Try again in a minute"), "{}", away.body);
    assert!(away.body.contains("name=\"token\""), "a token is the other way in");
    for (lie, status, words) in [
        (Lie::Denied, 403, "Signing in was refused at Harbour. Begin again"),
        (Lie::StrangeError, 502, "Harbour reports an error (unknown)."),
        (Lie::AlgNone, 403, "What Harbour said cannot be trusted."),
    ] {
        harbour.provider.lies(None);
        let address = harbour.sent_back(&mut browser, "");
        let back = match lie {
            Lie::AlgNone => address,
            _ => {
                harbour.provider.lies(Some(lie));
                harbour.sent_back(&mut browser, "")
            }
        };
        harbour.provider.lies(Some(lie));
        let page = browser.get(&harbour.team.served.address, &back);
        assert_eq!(page.status, status, "{lie:?}: {}", page.body);
        assert!(page.body.contains(words), "{lie:?}: {}", page.body);
        assert!(page.body.contains("Sign in with Harbour") && !page.body.contains("0900"));
        assert_eq!(harbour.who(&mut browser), None, "{lie:?}");
    }
    harbour.provider.lies(None);
    harbour.provider.person(json!({"sub": "7", "email": "cy@example.org"}));
    let page = harbour.sign_in(&mut browser, "");
    assert!(page.body.contains("Harbour has not verified cy@example.org."), "{}", page.body);
    harbour.provider.person(json!({"sub": "7"}));
    let page = harbour.sign_in(&mut browser, "");
    assert!(page.body.contains("does not say what you are called"), "{}", page.body);
    harbour.provider.person(json!({"sub": "8", "email": "<b>@evil", "email_verified": true}));
    let page = harbour.sign_in(&mut browser, "");
    assert!(page.body.contains("known as &lt;b&gt;@evil."), "{}", page.body);
    harbour.provider.person(cy());
    assert_eq!(harbour.sign_in(&mut browser, "").status, 200);
    let noted = harbour.noted("sign-in.failed");
    let noted: Vec<&str> = noted.iter().map(|entry| entry["subject"].as_str().unwrap()).collect();
    assert_eq!(noted.len(), 7, "{noted:?}");
    assert!(noted.iter().all(|words| words.starts_with("OpenID: ")), "{noted:?}");
    assert!(noted.iter().all(|words| !words.contains(OpenIdProvider::SECRET)), "{noted:?}");
}

/// What comes back counts once, in the browser that went, with the state that it went with.
#[test]
fn tea_9_what_comes_back_is_for_one_browser_once() {
    let harbour = Harbour::start();
    let address = harbour.team.served.address.clone();
    let mut browser = Browser::default();
    let back = harbour.sent_back(&mut browser, "%2Fc%2Fnew");
    let mut stranger = Browser::default();
    for path in [&back, "/sign-in/callback", "/sign-in/callback?code=code-1&state=made-up"] {
        let refused = stranger.get(&address, path);
        assert_eq!(refused.status, 400, "{path}");
        assert!(refused.body.contains("has ended, or began in another browser. Begin again"));
    }
    // Somebody else's attempt in a browser of their own does not help, and takes nothing away.
    let theirs = harbour.sent_back(&mut stranger, "");
    assert_eq!(stranger.get(&address, &back).status, 400);
    assert_eq!(browser.get(&address, &theirs).status, 400);
    assert_eq!(harbour.who(&mut stranger), None);
    assert_eq!(browser.get(&address, &back).status, 200);
    assert_eq!(harbour.who(&mut browser).as_deref(), Some("cy"));
    // Replayed, with the state or with the code alone.
    let mut again = Browser::default();
    again.cookies.extend(browser.cookies.clone());
    again.cookies.retain(|name, _| name != "plimsoll_sign_in");
    assert_eq!(again.get(&address, &back).status, 400);
    let code = back.split("code=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    let fresh = harbour.sent_back(&mut again, "");
    let own = fresh.split("code=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    let replayed = again.get(&address, &fresh.replace(&own, &code));
    assert_eq!(replayed.status, 400);
    assert!(replayed.body.contains("does not know this sign-in any more"), "{}", replayed.body);
    assert_eq!(harbour.who(&mut again), None);
}

#[test]
fn tea_9_nobody_is_led_elsewhere_after_openid() {
    let harbour = Harbour::start();
    for (to, leads) in [
        ("https%3A%2F%2Fevil.example", "/"),
        ("%2F%2Fevil.example", "/"),
        ("%2F%5Cevil.example", "/"),
        ("%2Fsign-in%2Fopenid", "/"),
        ("%2Fc%2Fnew%3Fscope%3Deverything", "/c/new?scope=everything"),
    ] {
        let page = harbour.sign_in(&mut Browser::default(), to);
        assert_eq!(page.status, 200, "{to}: {}", page.body);
        assert!(page.body.contains(&format!("content=\"0; url={leads}\"")), "{to}: {}", page.body);
        assert!(!page.body.contains("evil"), "{}", page.body);
    }
    // A page of another site may lead to the provider, and no form of it may.
    let address = &harbour.team.served.address;
    let evil = [("Origin", "http://evil.example")];
    for path in ["/sign-in/openid", "/sign-in/callback"] {
        assert_eq!(http::request(address, "GET", path, &evil, b"").unwrap().status, 403, "{path}");
        let host = [("Host", "evil.example")];
        assert_eq!(http::request(address, "GET", path, &host, b"").unwrap().status, 403, "{path}");
    }
}

#[test]
fn tea_9_guesses_at_what_comes_back_are_slowed() {
    let harbour = Harbour::start();
    let address = harbour.team.served.address.clone();
    let mut browser = Browser::default();
    let mut last = browser.get(&address, "/sign-in/callback?code=x&state=y");
    for _ in 0..15 {
        last = browser.get(&address, "/sign-in/callback?code=x&state=y");
    }
    assert_eq!(last.status, 429);
    let wait: u64 = last.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=61).contains(&wait));
    assert!(harbour.noted("sign-in.failed").len() <= 10, "as many as were looked at");
    assert_eq!(harbour.provider.asked_for("/token"), 0);
    // Many who are sent away take no room without end either.
    let mut statuses = (0..110).map(|_| browser.get(&address, "/sign-in/openid").status);
    assert!(statuses.any(|status| status == 429));
}

#[test]
fn tea_9_a_wrong_secret_is_told_and_a_right_one_is_shown_nowhere() {
    let mut harbour = Harbour::start();
    let keys = |harbour: &Harbour| {
        let settings = harbour.team.json("ada", "GET", "/api/settings", None);
        let panel = harbour.team.ask("ada", "GET", "/ui/panel/settings", None).body;
        let shown = format!("{settings}{panel}");
        assert!(!shown.contains(OpenIdProvider::SECRET) && !shown.contains("openid"), "{shown}");
        let path = "/api/settings/openidIssuer";
        let body = Some(json!({"value": "http://127.0.0.1:1"}));
        assert_eq!(harbour.team.ask("ada", "PUT", path, body).status, 404, "not from a page");
    };
    keys(&harbour);
    let listed = plimsoll(harbour.team.home(), &["settings", "--json"]).1;
    assert!(listed.contains("openidSecretVariable") && !listed.contains(OpenIdProvider::SECRET));
    harbour.team.served.restart_with(&[(SECRET, "wrong"), ("PLIMSOLL_LOG_TO_FILE", "on")]);
    let page = harbour.sign_in(&mut Browser::default(), "");
    assert_eq!(page.status, 502);
    assert!(page.body.contains("Harbour does not accept this server."), "{}", page.body);
    let log = std::fs::read_to_string(harbour.team.home().join("data/plimsoll.log")).unwrap();
    assert!(log.contains("nobody was signed in") && log.contains("invalid_client"), "{log}");
    assert!(!log.contains("wrong"), "{log}");
    // The variable may have any name.
    harbour.team.served.restart_with(&[
        ("PLIMSOLL_OPENID_SECRET_VARIABLE", "HARBOUR"),
        ("HARBOUR", OpenIdProvider::SECRET),
    ]);
    assert_eq!(harbour.sign_in(&mut Browser::default(), "").status, 200);
}

#[test]
fn tea_9_settings_that_do_not_fit_are_told_before_anybody_comes() {
    let home = tempfile::tempdir().unwrap();
    for (settings, words) in [
        ("openidIssuer = \"https://id.example.org\"", "openidClientId"),
        ("openidIssuer = \"http://id.example.org\"\nopenidClientId = \"x\"", "https"),
        (
            "openidIssuer = \"https://id.example.org\"\nopenidClientId = \"x\"\nopenidCreate = true",
            "openidAllow",
        ),
        (
            "openidIssuer = \"https://id.example.org\"\nopenidClientId = \"x\"\nopenidAllow = \"crew\"",
            "group:crew",
        ),
    ] {
        std::fs::write(home.path().join("config.toml"), format!("team = true\n{settings}\n"))
            .unwrap();
        let (code, _, said) = plimsoll(home.path(), &["serve", "--addr", "127.0.0.1:0"]);
        assert_eq!(code, 2, "{settings}: {said}");
        assert!(said.contains(words), "{settings}: {said}");
    }
    std::fs::write(home.path().join("config.toml"), "team = true\n").unwrap();
    let user = |args: &[&str]| plimsoll(home.path(), &[&["team", "user"], args].concat());
    assert_eq!(user(&["add", "ann", "--openid", "ann@example.org"]).0, 0);
    for args in [
        &["add", "bob", "--openid", " "][..],
        &["add", "bob", "--openid", "Ann@example.org"],
        &["set", "bob", "--openid", "bob@example.org"],
    ] {
        let (code, _, said) = user(args);
        assert_eq!(code, 2, "{args:?}: {said}");
    }
    let list = user(&["list"]).1;
    assert!(list.contains("may come as ann@example.org") && !list.contains("bob"), "{list}");
}
