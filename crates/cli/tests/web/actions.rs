//! API-6: whatever the page can do is a route of the OpenAPI document and a command of the terminal.

use std::process::Command;

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::served::Served;

/// What an action of the page is elsewhere.
enum Elsewhere {
    /// A route, and words that the help of the terminal has.
    Done(&'static str, &'static str),
    /// It moves eyes, focus or a box of the page; there is nothing to be done elsewhere.
    OnlyLooks,
}
use Elsewhere::{Done, OnlyLooks};

/// The actions of `ui/keys/table.js`, and what has a button alone.
const ACTIONS: &[(&[&str], Elsewhere)] = &[
    (&["scroll-down", "scroll-up", "next", "previous", "first", "last", "boundary"], OnlyLooks),
    (
        &["input", "view", "command", "leave", "copy", "copypair", "sidebar", "panel-help"],
        OnlyLooks,
    ),
    (&["star", "star-0", "star-1", "star-2", "star-3"], Done("patch /api/pairs", "/star")),
    (&["flag"], Done("patch /api/pairs", "/flag")),
    (&["move"], Done("patch /api/pairs/{id}", "/move")),
    (&["out"], Done("patch /api/pairs", "/out")),
    (&["pin"], Done("patch /api/pairs", "/pin")),
    (&["line-up", "line-down", "context-here"], Done("put /api/view", "/from")),
    (&["reask"], Done("post /api/send", "--reask")),
    (&["send"], Done("post /api/send", "Send one message")),
    (&["regenerate"], Done("post /api/send", "--regenerate")),
    (&["swap"], Done("post /api/pairs/{id}/swap", "/swap")),
    (&["send-again"], Done("post /api/send", "/again")),
    (&["compare"], Done("post /api/send", "/compare")),
    (&["prefer"], Done("post /api/pairs/{id}/prefer", "/prefer")),
    (&["summarise", "summarise-rest"], Done("post /api/summaries", "/summarise")),
    (&["cancel"], Done("post /api/cancel", "Talk in the terminal")),
    (&["delete"], Done("delete /api/pairs/{id}", "/delete")),
    (&["undo"], Done("post /api/undo", "Bring back what was deleted last")),
    (&["edit"], Done("patch /api/pairs/{id}", "/edit")),
    (&["receipt", "panel-receipts"], Done("get /api/receipts/{id}", "receipts")),
    (&["request", "preview", "hud"], Done("post /api/preview", "--dry-run")),
    (&["panel-files"], Done("get /api/files", "files")),
    (&["panel-memory"], Done("get /api/memory", "memory")),
    (&["panel-conversation"], Done("patch /api/conversations/{id}", "--system")),
    (&["panel-topics"], Done("get /api/topics", "topics")),
    (&["panel-snippets"], Done("get /api/snippets", "snippets")),
    (&["panel-models"], Done("get /api/models", "models")),
    (&["panel-deleted"], Done("get /api/deletions", "--list")),
    (&["panel-settings"], Done("put /api/settings/{key}", "settings")),
    (&["new-chat"], Done("post /api/conversations", "/new")),
    (&["import"], Done("post /api/import", "import")),
    (&["apply"], Done("put /api/view", "--filter")),
    (&["complete"], Done("get /api/complete", "/filter")),
    (&["older-prompt", "newer-prompt"], Done("get /api/prompts", "Talk in the terminal")),
    (&["older-query", "newer-query"], Done("get /api/queries", "/filter")),
    // What has a button and no key of its own.
    (&["scope"], Done("get /api/state", "--scope")),
    (&["files-scope"], Done("put /api/view", "--files-scope")),
    (&["delete conversation"], Done("delete /api/conversations/{id}", "--with-pairs")),
    (&["save filter"], Done("put /api/filters/{name}", "/save")),
    (&["attach"], Done("post /api/files", "--file")),
    (&["deliver"], Done("put /api/pairs/{id}/attachments/{place}", "--deliver")),
    (&["export"], Done("get /api/export", "export")),
    (&["key"], Done("post /api/providers/{name}/key", "keys")),
];

/// Everything that the terminal says of itself.
fn terminal() -> String {
    let commands = [
        "",
        "send",
        "chat",
        "files",
        "memory",
        "topics",
        "topics rm",
        "snippets",
        "undo",
        "receipts",
        "settings",
        "models",
        "export",
        "import",
        "keys",
    ];
    let help = |words: &str| {
        let mut told = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        let told = told.args(words.split_whitespace()).arg("--help").output().unwrap();
        String::from_utf8(told.stdout).unwrap()
    };
    let slash = include_str!("../../src/commands/chat/slash.rs");
    // A long entry stands on several lines.
    let slash = slash.split("entry(").filter_map(|rest| rest.trim_start().strip_prefix('"'));
    let slash = slash.map(|rest| format!("/{}", rest.split('"').next().unwrap()));
    commands.iter().map(|words| help(words)).chain(slash).collect::<Vec<_>>().join("\n")
}

#[test]
fn api_6_whatever_the_page_can_do_is_a_route_and_a_command() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 9, 1)]).unwrap();
    let served = Served::start(&server, 4096);
    let document = served.json("GET", "/api/openapi.json", None);
    let terminal = terminal();
    let table = include_str!("../../../web/ui/keys/table.js");
    let table = table.rsplit_once("export default").unwrap().1.trim().trim_end_matches(';');
    let keys: Vec<serde_json::Value> = serde_json::from_str(table).unwrap();
    for key in &keys {
        let Some(action) = key["action"].as_str() else { continue };
        let known = ACTIONS.iter().any(|(names, _)| names.contains(&action));
        assert!(known, "{action} has no entry: name its route and its command");
    }
    for (names, elsewhere) in ACTIONS {
        let Done(route, words) = elsewhere else { continue };
        let (method, path) = route.split_once(' ').unwrap();
        assert!(document["paths"][path][method].is_object(), "{names:?}: no route {route}");
        assert!(terminal.contains(words), "{names:?}: the terminal has no {words}");
    }
}
