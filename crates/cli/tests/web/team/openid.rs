//! TEA-9: signing in by OpenID Connect, before a provider that signs real tokens.

use std::{collections::BTreeMap, path::Path};

use plimsoll_testkit::{
    http::{self, Answer},
    openid_peer::OpenIdPeer,
    openid_provider::OpenIdProvider,
    real::skipped,
};
use serde_json::{Value, json};

use super::{Team, done};

/// The variable that holds the secret unless a setting names another.
pub(super) const SECRET: &str = "PLIMSOLL_OPENID_CLIENT_SECRET";

/// A team that signs in by a provider that does as it is told. `cy` may come as `cy@example.org`.
pub(super) struct Harbour {
    pub(super) team: Team,
    pub(super) provider: OpenIdProvider,
}

impl Harbour {
    pub(super) fn start() -> Self {
        Self::start_with("")
    }

    pub(super) fn start_with(settings: &str) -> Self {
        Self::before(OpenIdProvider::start().unwrap(), settings)
    }

    pub(super) fn before(provider: OpenIdProvider, settings: &str) -> Self {
        let settings = format!(
            "openidIssuer = \"{}\"\nopenidClientId = \"{}\"\nopenidName = \"Harbour\"\n{settings}",
            provider.issuer(),
            OpenIdProvider::CLIENT,
        );
        let mut team = Team::start_with(&settings);
        done(team.home(), &["team", "user", "add", "cy", "--openid", "Cy@Example.org"]);
        team.served.restart_with(&[(SECRET, OpenIdProvider::SECRET)]);
        provider.person(cy());
        Self { team, provider }
    }

    /// Signs in with this browser; gives the last page.
    pub(super) fn sign_in(&self, browser: &mut Browser, to: &str) -> Answer {
        let back = self.sent_back(browser, to);
        browser.get(&self.team.served.address, &back)
    }

    /// Goes to the provider and back; gives the path that the browser is sent to.
    pub(super) fn sent_back(&self, browser: &mut Browser, to: &str) -> String {
        let address = self.team.served.address.clone();
        let begun = browser.get(&address, &format!("/sign-in/openid?to={to}"));
        assert_eq!(begun.status, 303, "{}", begun.body);
        let back = self.provider.sends_back(begun.header("location").unwrap()).unwrap();
        let (_, path) = back.split_once("/sign-in/callback").unwrap();
        format!("/sign-in/callback{path}")
    }

    /// Who a browser is for the server.
    pub(super) fn who(&self, browser: &mut Browser) -> Option<String> {
        who(&self.team.served.address, browser)
    }

    /// Entries of the audit log of this kind, the newest first.
    pub(super) fn noted(&self, action: &str) -> Vec<Value> {
        let log = done(self.team.home(), &["team", "audit", "--json"]);
        let log: Value = serde_json::from_str(&log).unwrap();
        let entries = log["entries"].as_array().unwrap().iter();
        entries.filter(|entry| entry["action"] == action).cloned().collect()
    }
}

pub(super) fn cy() -> Value {
    json!({"sub": "7", "email": "cy@example.org", "email_verified": true})
}

fn who(address: &str, browser: &mut Browser) -> Option<String> {
    let me = browser.get(address, "/api/team/me");
    let me: Value = serde_json::from_str(&me.body).unwrap();
    me["name"].as_str().map(str::to_owned)
}

/// Cookies, as a browser keeps them for one server.
#[derive(Clone, Default)]
pub(super) struct Browser {
    pub(super) cookies: BTreeMap<String, String>,
    /// The name that was typed, where that is not the address.
    host: Option<&'static str>,
}

impl Browser {
    pub(super) fn get(&mut self, address: &str, path: &str) -> Answer {
        self.ask(address, "GET", path)
    }

    fn ask(&mut self, address: &str, method: &str, path: &str) -> Answer {
        let all = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        let all = all.collect::<Vec<_>>().join("; ");
        let accept = if path.starts_with("/api") { "application/json" } else { "text/html" };
        let mut headers = vec![("Accept", accept), ("Cookie", all.as_str())];
        headers.extend(self.host.map(|host| ("Host", host)));
        let answer = http::request(address, method, path, &headers, b"").unwrap();
        for (_, set) in answer.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let (name, value) = set.split(';').next().unwrap().split_once('=').unwrap();
            match set.contains("Max-Age=0") {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        answer
    }
}

fn set_cookies(answer: &Answer) -> Vec<&str> {
    let set = answer.headers.iter().filter(|(name, _)| name == "set-cookie");
    set.map(|(_, value)| value.as_str()).collect()
}

#[test]
fn tea_9_somebody_signs_in_by_openid_and_out_again() {
    let harbour = Harbour::start();
    let address = harbour.team.served.address.clone();
    let mut browser = Browser::default();
    let page = browser.get(&address, "/sign-in?to=%2Fc%2Fnew");
    assert!(page.body.contains("Sign in with Harbour"), "{}", page.body);
    assert!(page.body.contains("href=\"/sign-in/openid?to=%2Fc%2Fnew\""), "{}", page.body);
    assert!(page.body.contains("name=\"token\"") && !page.body.contains("<script"));

    let begun = browser.get(&address, "/sign-in/openid?to=%2Fc%2Fnew");
    let set = set_cookies(&begun).join("");
    for word in ["plimsoll_openid=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"] {
        assert!(set.contains(word), "{word} in {set}");
    }
    let location = begun.header("location").unwrap();
    assert!(location.starts_with(&harbour.provider.issuer()), "{location}");
    assert!(!location.contains(&browser.cookies["plimsoll_openid"]), "it stays in the browser");
    let back = harbour.provider.sends_back(location).unwrap();
    let back = back.strip_prefix(&format!("http://{address}")).unwrap();
    let signed = browser.get(&address, back);
    assert_eq!(signed.status, 200, "{}", signed.body);
    let refresh = "<meta http-equiv=\"refresh\" content=\"0; url=/c/new\">";
    assert!(signed.body.contains(refresh), "a page of ours leads on: {}", signed.body);
    assert_eq!(signed.header("referrer-policy"), Some("no-referrer"), "a code is in its address");
    let set = set_cookies(&signed);
    assert!(set[0].contains("HttpOnly; SameSite=Strict; Path=/; Max-Age=1209600"), "{set:?}");
    assert!(set[1].starts_with("plimsoll_openid=;") && set[1].contains("Max-Age=0"), "{set:?}");
    assert_eq!(harbour.who(&mut browser).as_deref(), Some("cy"));
    let page = browser.get(&address, "/");
    assert!(page.body.contains("data-workspace=\"~cy/main\""), "a workspace of their own");

    let left = browser.ask(&address, "POST", "/sign-out");
    assert_eq!(left.status, 303);
    assert_eq!(harbour.who(&mut browser), None);
    assert_eq!(harbour.sign_in(&mut browser, "").status, 200);
    assert_eq!(harbour.who(&mut browser).as_deref(), Some("cy"));

    let subject = format!("cy: {} 7", harbour.provider.issuer());
    let bound = harbour.noted("user.bind");
    assert_eq!(bound.len(), 2, "when they were added, and when they first came: {bound:?}");
    assert_eq!((&bound[0]["subject"], &bound[0]["user"]), (&json!(subject), &json!("cy")));
    let signed = harbour.noted("sign-in");
    assert_eq!(signed.len(), 2);
    assert_eq!((&signed[0]["subject"], &signed[0]["user"]), (&json!(subject), &json!("cy")));
    assert_eq!(harbour.provider.asked_for("/keys"), 1, "keys are remembered");
    let told = done(harbour.team.home(), &["team", "user", "list"]);
    assert!(told.contains("signs in by OpenID"), "{told}");
}

/// Addresses change and pass to others; an account belongs to who came first.
#[test]
fn tea_9_an_address_that_changed_takes_over_no_account() {
    let harbour = Harbour::before(OpenIdProvider::start_rsa().unwrap(), "");
    let mut browser = Browser::default();
    assert_eq!(harbour.sign_in(&mut browser, "").status, 200);
    // The same person with another address is the same person.
    let changed = json!({"sub": "7", "email": "cy@new.example", "email_verified": true});
    harbour.provider.person(changed);
    let mut second = Browser::default();
    assert_eq!(harbour.sign_in(&mut second, "").status, 200);
    assert_eq!(harbour.who(&mut second).as_deref(), Some("cy"));
    // Another person with the address is nobody.
    harbour.provider.person(json!({"sub": "8", "email": "cy@example.org", "email_verified": true}));
    let mut third = Browser::default();
    let refused = harbour.sign_in(&mut third, "");
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("Nobody here is known as cy@example.org."), "{}", refused.body);
    assert_eq!(harbour.who(&mut third), None);
    // Until whoever looks after the team says so: then the first one is out.
    done(harbour.team.home(), &["team", "user", "set", "cy", "--openid", "8"]);
    assert_eq!(harbour.who(&mut browser), None, "they were signed out");
    assert_eq!(harbour.sign_in(&mut third, "").status, 200);
    assert_eq!(harbour.who(&mut third).as_deref(), Some("cy"));
    harbour.provider.person(cy());
    assert_eq!(harbour.sign_in(&mut browser, "").status, 403);
    done(harbour.team.home(), &["team", "user", "set", "cy", "--no-openid"]);
    assert_eq!(harbour.who(&mut third), None);
}

#[test]
fn tea_9_people_are_added_at_their_first_sign_in_where_that_is_wanted() {
    let settings = "openidCreate = true\nopenidAllow = [\"@example.org\", \"group:crew\"]\n";
    let harbour = Harbour::start_with(settings);
    let signs_in = |claims: Value| {
        harbour.provider.person(claims);
        let mut browser = Browser::default();
        let page = harbour.sign_in(&mut browser, "");
        (page, harbour.who(&mut browser))
    };
    // Who was added by hand is not added again.
    assert_eq!(signs_in(cy()).1.as_deref(), Some("cy"));
    let dee = json!({"sub": "9", "email": "Dee@Example.org", "email_verified": true});
    assert_eq!(signs_in(dee.clone()).1.as_deref(), Some("dee"));
    assert_eq!(signs_in(dee).1.as_deref(), Some("dee"), "and once");
    // A name that is taken is nobody else's: mia has an account, with a token.
    let mia = json!({"sub": "10", "email": "mia@example.org", "email_verified": true});
    assert_eq!(signs_in(mia).1.as_deref(), Some("mia-2"));
    let mate = json!({"sub": "11", "preferred_username": "Mate One", "groups": ["crew"],
        "email": "mate@elsewhere.example", "email_verified": true});
    assert_eq!(signs_in(mate).1.as_deref(), Some("mate-one"));
    for (claims, words) in [
        (json!({"sub": "12", "email": "eve@evil.example", "email_verified": true}), "may not sign"),
        (json!({"sub": "13", "email": "eve@example.org", "email_verified": false}), "not verified"),
    ] {
        let (page, who) = signs_in(claims);
        assert_eq!((page.status, who), (403, None));
        assert!(page.body.contains(words), "{}", page.body);
    }
    let list = done(harbour.team.home(), &["team", "user", "list", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let dee = list["users"].as_array().unwrap().iter().find(|one| one["name"] == "dee").unwrap();
    assert_eq!((&dee["admin"], &dee["email"]), (&json!(false), &json!("Dee@Example.org")));
    assert_eq!(dee["roles"], json!([{"project": "~dee", "role": "owner"}]));
    assert_eq!(harbour.noted("user.add")[0]["user"], "mate-one");
}

/// TEA-6: any node finishes what another began, and knows who signed in there.
#[test]
fn tea_9_a_sign_in_begun_at_one_node_ends_at_another() {
    let harbour = Harbour::start_with("publicUrl = \"https://plimsoll.example.org\"\n");
    let (first, second) = (&harbour.team.served, harbour.team.served.another_node());
    let mut browser = Browser { host: Some("plimsoll.example.org"), ..Browser::default() };
    let begun = browser.get(&first.address, "/sign-in/openid?to=%2Fc%2Fnew");
    let set = set_cookies(&begun).join("");
    assert!(set.starts_with("__Host-plimsoll_openid=") && set.contains("; Secure"), "{set}");
    let back = harbour.provider.sends_back(begun.header("location").unwrap()).unwrap();
    let back = back.strip_prefix("https://plimsoll.example.org").unwrap().to_owned();
    let signed = browser.get(&second.address, &back);
    assert_eq!(signed.status, 200, "{}", signed.body);
    assert!(set_cookies(&signed)[0].starts_with("__Host-plimsoll_sign_in="));
    for node in [&first.address, &second.address] {
        assert_eq!(who(node, &mut browser).as_deref(), Some("cy"), "{node}");
    }
    // The first node does not take it a second time.
    let mut same = browser.clone();
    let again = same.get(&first.address, &back);
    assert_eq!(again.status, 400, "{}", again.body);
}

/// A provider that others wrote, with a page on which people sign in.
#[test]
fn tea_9_another_provider_signs_people_in() {
    let people = json!({"c-42": {"email": "cy@example.org", "email_verified": true}});
    let peer = match OpenIdPeer::start(Path::new(env!("CARGO_TARGET_TMPDIR")), &people) {
        Ok(peer) => peer,
        Err(why) => return skipped(&format!("this test needs oidc-provider-mock: {why}")),
    };
    let settings = format!("openidIssuer = \"{}\"\nopenidClientId = \"plimsoll\"\n", peer.issuer());
    let mut team = Team::start_with(&settings);
    done(team.home(), &["team", "user", "add", "cy", "--openid", "cy@example.org"]);
    team.served.restart_with(&[(SECRET, "any")]);
    let address = team.served.address.clone();
    let mut browser = Browser::default();
    let mut press = |form: &str| {
        let begun = browser.get(&address, "/sign-in/openid");
        let there = begun.header("location").unwrap_or_else(|| panic!("{}", begun.body)).to_owned();
        let (host, path) = there.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let kind = ("Content-Type", "application/x-www-form-urlencoded");
        let pressed = http::request(host, "POST", &format!("/{path}"), &[kind], form.as_bytes());
        let pressed = pressed.unwrap();
        let back = pressed.header("location").unwrap_or_else(|| panic!("{}", pressed.body));
        let page = browser.get(&address, back.strip_prefix(&format!("http://{address}")).unwrap());
        (page, who(&address, &mut browser))
    };
    let (denied, nobody) = press("action=deny");
    assert!(denied.body.contains("Signing in was refused at OpenID."), "{}", denied.body);
    assert_eq!(nobody, None);
    let (unknown, nobody) = press("sub=somebody");
    assert_eq!((unknown.status, nobody), (403, None), "{}", unknown.body);
    let (page, somebody) = press("sub=c-42");
    assert_eq!((page.status, somebody.as_deref()), (200, Some("cy")), "{}", page.body);
}
