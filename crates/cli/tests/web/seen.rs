//! PAY-6 through the API alone: no send that carries `seen` sends what was not shown.

use plimsoll_domain::PairId;
use plimsoll_send::{Seen, SeenPair};
use plimsoll_testkit::{
    history::Random,
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

/// Sends of a run.
const SENDS: u32 = 120;

/// What a client that looks sees: the texts that would be sent, and what it says it saw.
fn look(served: &Served) -> (Vec<String>, Value) {
    let state = served.json("GET", "/api/state", None);
    let page = served.json("GET", "/api/pairs?from=0&limit=200", None);
    let pairs = page["pairs"].as_array().unwrap();
    let included = pairs.iter().enumerate().filter(|(_, pair)| pair["included"] == true);
    let (mut texts, mut seen) = (Vec::new(), Seen::default());
    seen.model = state["view"]["model"].as_str().unwrap().to_owned();
    for (at, pair) in included {
        texts.push(pair["userText"].as_str().unwrap().to_owned());
        let id = PairId::parse(pair["id"].as_str().unwrap()).unwrap();
        seen.pairs.push(SeenPair { at, id, revision: pair["revision"].as_u64().unwrap() });
    }
    let digest = seen.digest().to_string();
    (texts, json!({ "view": state["shown"]["view"], "digest": digest }))
}

/// Somebody else changes something; what it was, or nothing.
fn interfere(served: &Served, dice: &mut Random, number: u32) -> &'static str {
    let page = served.json("GET", "/api/pairs?from=0&limit=200", None);
    let pairs = page["pairs"].as_array().unwrap();
    let any = |dice: &mut Random| {
        let pair = pairs.get(dice.below(pairs.len() as u64) as usize);
        pair.map(|pair| pair["id"].as_str().unwrap().to_owned())
    };
    match dice.below(12) {
        0 | 1 => {
            let Some(id) = any(dice) else { return "" };
            let change = json!({ "userText": format!("edited {number}") });
            served.json("PATCH", &format!("/api/pairs/{id}"), Some(change));
            "edit"
        }
        2 => {
            let Some(id) = any(dice) else { return "" };
            served.json("DELETE", &format!("/api/pairs/{id}"), None);
            "delete"
        }
        3 => {
            let filters = ["", "r2", "o", "!o", "d<1h", "r5"];
            let filter = filters[dice.below(filters.len() as u64) as usize];
            served.json("PUT", "/api/view", Some(json!({ "filter": filter })));
            "filter"
        }
        4 => {
            let from = if dice.below(2) == 0 { "end" } else { "" };
            served.json("PUT", "/api/view", Some(json!({ "contextFrom": from })));
            "mark"
        }
        5 => {
            let allowance = format!("{}", 50 + dice.below(200));
            let value = Some(json!({ "value": allowance }));
            served.json("PUT", "/api/settings/userRequestAllowance", value);
            "allowance"
        }
        _ => "",
    }
}

fn asked(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap();
    let users = messages.iter().filter(|message| message["role"] == "user");
    users.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn pay_6_no_send_that_carries_seen_sends_what_was_not_shown() {
    let seed = std::env::var("PLIMSOLL_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(4711);
    eprintln!("seen through the API: seed {seed}");
    let mut dice = Random::new(seed);
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 60, 2)]).unwrap();
    let served = Served::start(&server, 500);
    let posts = || server.requests().into_iter().filter(|request| request.method == "POST");
    let (mut sent, mut refused) = (0, 0);
    for number in 0..SENDS {
        let (shown, seen) = look(&served);
        let change = interfere(&served, &mut dice, number);
        let before = posts().count();
        let mut events = served.events();
        let text = format!("message {number}");
        let body = json!({ "text": text, "seen": seen, "overBudget": "trim" });
        let answer = served.ask("POST", "/api/send", Some(body));
        match answer.status {
            202 => {
                events.until("ended").unwrap();
                let call = posts().nth(before).unwrap();
                let mut texts = asked(&serde_json::from_str(&call.body).unwrap());
                assert_eq!(texts.pop().as_deref(), Some(text.as_str()));
                assert_eq!(texts, shown, "after {change:?}, message {number}");
                sent += 1;
            }
            409 => {
                assert!(answer.body.contains("view_changed"), "{}", answer.body);
                assert_eq!(posts().count(), before, "refused, and still sent");
                assert!(!change.is_empty(), "message {number} was refused for nothing");
                refused += 1;
            }
            other => panic!("{other}: {}", answer.body),
        }
    }
    assert!(sent > SENDS / 3 && refused > 0, "{sent} sent, {refused} refused");
}
