//! Conversations over the API (HIS-9c): a field of every call that looks at pairs.

use plimsoll_testkit::{
    http::Events,
    scripted::{Gate, Reply, ScriptedServer, Step},
};
use serde_json::{Value, json};

use crate::served::Served;

fn served(server: &ScriptedServer) -> Served {
    Served::start_with(server, 4096, |home| {
        std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
    })
}

fn begin(served: &Served) -> String {
    served.json("POST", "/api/conversations", None)["id"].as_str().unwrap().to_owned()
}

/// Sends in a conversation and waits for the end; gives the texts that the provider got.
fn send(served: &Served, server: &ScriptedServer, place: &str, text: &str) -> Vec<String> {
    let events = format!("/api/events?{place}");
    let mut events = Events::listen(&served.address, &events, &[]).unwrap();
    served.json("POST", &format!("/api/send?{place}"), Some(json!({ "text": text })));
    while events.next_event().unwrap().name != "ended" {}
    let requests = server.requests();
    let last = requests.iter().rfind(|request| request.method == "POST").unwrap();
    let body: Value = serde_json::from_str(&last.body).unwrap();
    let text = |message: &Value| message["content"].as_str().unwrap().to_owned();
    body["messages"].as_array().unwrap().iter().map(text).collect()
}

fn titles(served: &Served) -> Vec<String> {
    let listed = served.json("GET", "/api/conversations", None);
    let title = |one: &Value| one["title"].as_str().unwrap().to_owned();
    listed["conversations"].as_array().unwrap().iter().map(title).collect()
}

#[test]
fn his_9c_each_conversation_sends_its_own_pairs_and_a_scope_can_be_named() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 2)]).unwrap();
    let served = served(&server);
    let (one, two) = (begin(&served), begin(&served));
    let (one, two) = (format!("conversation={one}"), format!("conversation={two}"));
    assert_eq!(send(&served, &server, &one, "ship"), ["ship"]);
    assert_eq!(send(&served, &server, &two, "train"), ["train"]);
    assert_eq!(send(&served, &server, &one, "boat"), ["ship", "fine", "boat"]);
    let all = format!("{two}&scope=everything");
    let sent = send(&served, &server, &all, "all");
    assert_eq!(sent, ["ship", "fine", "train", "fine", "boat", "fine", "all"]);
    assert_eq!(titles(&served), ["train", "ship"], "the newest first");
    // It was filed in the conversation that was open.
    let pairs = served.json("GET", &format!("/api/pairs?from=0&{two}"), None);
    assert_eq!(pairs["visible"], 2);
    // A scope without a conversation begins one.
    served.json("POST", "/api/send?scope=conversation", Some(json!({ "text": "alone" })));
    assert_eq!(titles(&served)[0], "alone");
    for wrong in ["conversation=nobody", "scope=half"] {
        served.refused("GET", &format!("/api/state?{wrong}"), None, 400, "bad_request");
    }
}

#[test]
fn his_9b_a_conversation_is_named_deleted_and_brought_back() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 2)]).unwrap();
    let served = served(&server);
    let (id, other) = (begin(&served), begin(&served));
    let place = format!("conversation={id}");
    send(&served, &server, &place, "Hello there");
    send(&served, &server, &format!("conversation={other}"), "Hello there");
    assert_eq!(titles(&served), ["Hello there", "Hello there"], "titles need not be unique");
    let path = format!("/api/conversations/{id}");
    served.json("PATCH", &path, Some(json!({ "title": "Ships" })));
    let state = served.json("GET", &format!("/api/state?{place}"), None);
    assert_eq!((&state["view"]["title"], &state["view"]["named"]), (&json!("Ships"), &json!(true)));
    let taken = Some(json!({ "title": "ships" }));
    let other = format!("/api/conversations/{other}");
    let refused = served.ask("PATCH", &other, taken);
    assert_eq!(refused.status, 409, "names that people give are unique: {}", refused.body);
    let gone = served.json("DELETE", &path, None);
    assert_eq!(titles(&served), ["Hello there"]);
    assert_eq!(served.json("GET", &format!("/api/pairs?from=0&{place}"), None)["visible"], 0);
    served.json("POST", "/api/undo", Some(json!({ "token": gone["undo"] })));
    assert_eq!(titles(&served).len(), 2);
    assert_eq!(send(&served, &server, &place, "on"), ["Hello there", "fine", "on"]);
    served.refused(
        "DELETE",
        &format!("/api/conversations/{}", begin(&served)),
        None,
        404,
        "not_found",
    );
}

#[test]
fn snd_2_two_conversations_are_answered_at_once_and_events_go_where_they_belong() {
    let (gate, slow) = (Gate::default(), Reply::openai(&["tortoise"], 14, 2));
    let held = std::iter::once(Step::Gate(gate.clone())).chain(slow.steps().iter().cloned());
    let fast = Reply::openai(&["hare"], 14, 2);
    let server = ScriptedServer::chats([Reply::of(held), fast]).unwrap();
    let served = served(&server);
    let (one, two) = (begin(&served), begin(&served));
    let (one, two) = (format!("conversation={one}"), format!("conversation={two}"));
    let listen = |place: &str| {
        Events::listen(&served.address, &format!("/api/events?{place}"), &[]).unwrap()
    };
    let (mut first, mut second) = (listen(&one), listen(&two));
    served.json("POST", &format!("/api/send?{one}"), Some(json!({ "text": "tortoise" })));
    let again = Some(json!({ "text": "again" }));
    served.refused("POST", &format!("/api/send?{one}"), again.clone(), 409, "send_in_flight");
    let everything = format!("/api/send?{two}&scope=everything");
    served.refused("POST", &everything, again, 409, "send_in_flight");
    assert_eq!(send(&served, &server, &two, "hare"), ["hare"]);
    let names = |events: &mut Events| {
        let mut told = Vec::new();
        loop {
            let event = events.next_event().unwrap();
            told.push(event.data);
            if event.name == "ended" {
                return told.concat();
            }
        }
    };
    assert!(!names(&mut second).contains("tortoise"), "nothing of the other conversation is told");
    gate.open();
    let told = names(&mut first);
    assert!(told.contains("tortoise") && !told.contains("hare"), "{told}");
}

/// What acts on a conversation acts on nothing else: exports, drafts, cancels.
#[test]
fn his_9b_exports_drafts_and_cancels_stay_in_their_conversation() {
    let gate = Gate::default();
    let slow = Reply::openai(&["late"], 14, 2);
    let held = std::iter::once(Step::Gate(gate.clone())).chain(slow.steps().iter().cloned());
    let fine = Reply::openai(&["fine"], 14, 2);
    let server = ScriptedServer::chats([fine.clone(), fine, Reply::of(held)]).unwrap();
    let served = served(&server);
    let (one, two) = (begin(&served), begin(&served));
    let (one, two) = (format!("conversation={one}"), format!("conversation={two}"));
    send(&served, &server, &one, "ship");
    send(&served, &server, &two, "train");
    let ask = Some(json!({ "text": ":export txt" }));
    let done = served.json("POST", &format!("/api/command?{one}"), ask);
    let text = served.ask("GET", done["download"].as_str().unwrap(), None).body;
    assert!(text.contains("ship") && !text.contains("train"), "{text}");
    // Both scopes of a conversation have one draft.
    let everything = format!("{one}&scope=everything");
    served.json("GET", &format!("/api/draft?{everything}"), None);
    let draft = Some(json!({ "text": "half a thought" }));
    served.json("PUT", &format!("/api/draft?{one}"), draft);
    let other = served.json("GET", &format!("/api/draft?{everything}"), None);
    assert_eq!(other["text"], "half a thought");
    assert_eq!(served.json("GET", &format!("/api/draft?{two}"), None)["text"], "");
    // A cancel here stops nothing there.
    let begun = served.json("POST", &format!("/api/send?{two}"), Some(json!({ "text": "late" })));
    served.refused("POST", &format!("/api/cancel?{one}"), None, 409, "nothing_in_flight");
    gate.open();
    let path = format!("/api/pairs/{}", begun["pair"].as_str().unwrap());
    let end = loop {
        let pair = served.json("GET", &path, None);
        if pair["lifecycleState"] != "sending" {
            break pair["lifecycleState"].clone();
        }
        std::thread::yield_now();
    };
    assert_eq!(end, "complete");
}

/// HIS-9: with none open a message begins a conversation; it is not filed in some other one.
#[test]
fn his_9_a_message_with_none_open_is_filed_in_no_other_conversation() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 2)]).unwrap();
    let served = served(&server);
    let one = format!("conversation={}", begin(&served));
    send(&served, &server, &one, "ship");
    served.send("alone");
    served.send("and again");
    assert_eq!(titles(&served), ["alone", "ship"]);
    // One that nobody wrote in yet can be named.
    let empty = begin(&served);
    let title = Some(json!({ "title": "Plans" }));
    served.json("PATCH", &format!("/api/conversations/{empty}"), title);
    assert!(titles(&served).contains(&"Plans".to_owned()));
}

#[test]
fn his_9b_commands_act_on_the_scope_and_say_it() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 2)]).unwrap();
    let served = served(&server);
    let (one, two) = (begin(&served), begin(&served));
    let (one, two) = (format!("conversation={one}"), format!("conversation={two}"));
    send(&served, &server, &one, "ship");
    send(&served, &server, &two, "train");
    send(&served, &server, &two, "wagon");
    let run = |place: &str, text: &str| {
        served.json("POST", &format!("/api/command?{place}"), Some(json!({ "text": text })))
    };
    assert_eq!(run(&one, ":star 2")["done"], "1 pair of this conversation starred");
    let all = format!("{one}&scope=everything");
    assert_eq!(run(&all, "s2 :flag b")["done"], "1 pair of all conversations flagged");
    assert_eq!(run(&all, ":export md")["done"], "3 pairs of all conversations to export");
    let ask = Some(json!({ "text": ":delete" }));
    let path = format!("/api/command?{two}");
    let question = served.refused("POST", &path, ask, 409, "confirm");
    let asked = question["detail"].as_str().unwrap();
    assert!(asked.starts_with("Delete 2 pairs of this conversation?"), "{asked}");
    let yes = Some(json!({ "text": ":delete", "confirmed": true }));
    let done = served.json("POST", &path, yes);
    assert_eq!(done["done"], "2 pairs of this conversation deleted");
    let left = served.json("GET", &format!("/api/pairs?from=0&{all}"), None);
    assert_eq!(left["pairs"].as_array().unwrap().len(), 1, "the other one is as it was");
}
