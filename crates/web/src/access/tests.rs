//! The table of decisions, held against the router itself; what each role gets is walked by
//! `cli/tests/web/team`.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;

use super::routes::{RULES, Subject, find};

const METHODS: [&str; 9] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/// The addresses of a router with their methods, read from what it says about itself: there is no
/// other way to ask it. `*` is every method.
fn addresses(router: &str) -> BTreeMap<String, BTreeSet<String>> {
    let entries = |text: &str, start: &str| -> Vec<(String, String)> {
        let entry = |part: &str| {
            let (id, rest) = part.split_once("): ")?;
            id.parse::<u32>().ok().map(|_| (id.to_owned(), rest.to_owned()))
        };
        let text = text.split(start).nth(1).unwrap();
        text.split("RouteId(").filter_map(entry).collect()
    };
    let methods: BTreeMap<String, BTreeSet<String>> = entries(router, "routes: {")
        .into_iter()
        .filter(|(_, text)| text.starts_with("MethodRouter"))
        .map(|(id, text)| {
            let allowed = text.split("allow_header: ").nth(1).unwrap();
            let set = match allowed.split('"').nth(1).filter(|_| allowed.starts_with("Bytes")) {
                Some(list) => list.split(',').map(str::to_owned).collect(),
                None => BTreeSet::from(["*".to_owned()]),
            };
            (id, set)
        })
        .collect();
    entries(router, "node: Node { paths: {")
        .into_iter()
        .filter_map(|(id, text)| {
            let path = text.strip_prefix('"')?.split('"').next()?.to_owned();
            Some((path, methods.get(&id)?.clone()))
        })
        .collect()
}

fn all() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = addresses(&format!("{:?}", crate::routes(true)));
    all.extend(addresses(&format!("{:?}", crate::assets::router())));
    all
}

#[test]
fn tea_9_somebody_decided_about_every_route() {
    let all = all();
    assert!(all.len() > 100, "the router says something else about itself: {}", all.len());
    assert!(all["/api/pairs"].contains("PATCH") && all["/v1/{*what}"].contains("*"), "{all:?}");
    for (path, methods) in &all {
        for method in METHODS {
            if methods.contains(method) || methods.contains("*") {
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                assert!(find(&method, path).is_some(), "nobody decided about {method} {path}");
            }
        }
    }
    // Nothing is decided about what is not there, and nothing twice. Agents are mounted from
    // outside.
    for rule in RULES.iter().filter(|rule| rule.path() != "/mcp") {
        let methods = all.get(rule.path());
        let methods = methods.unwrap_or_else(|| panic!("there is no {}", rule.path()));
        assert!(rule.method().is_empty() || methods.contains(rule.method()), "{rule:?}");
        let same = |other: &&super::routes::Rule| {
            other.path() == rule.path() && other.method() == rule.method()
        };
        assert_eq!(RULES.iter().filter(same).count(), 1, "{rule:?}");
    }
}

#[test]
fn tea_9_only_a_few_addresses_are_for_anybody() {
    let open = RULES.iter().filter(|rule| rule.subject == Subject::Anybody);
    let open: Vec<&str> = open.map(|rule| rule.path()).collect();
    let expected = [
        "/healthz",
        "/readyz",
        "/assets/{hash}/{*name}",
        "/manifest.webmanifest",
        "/sign-in",
        "/sign-in",
        "/sign-in/openid",
        "/sign-in/callback",
    ];
    assert_eq!(open, expected);
}

/// TEA-11: one person on one machine is served nothing of a team.
#[test]
fn tea_11_without_a_team_there_is_no_address_of_one() {
    let alone = addresses(&format!("{:?}", crate::routes(false)));
    assert!(alone.contains_key("/api/pairs"));
    for path in alone.keys() {
        assert!(!path.contains("sign") && !path.contains("team"), "{path}");
    }
}
