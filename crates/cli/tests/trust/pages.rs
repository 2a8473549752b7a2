//! SEC-2: hostile words in messages, answers, file names, topics and results of tools, in
//! every page that is served. What comes out is scanned tag by tag.

use plimsoll_testkit::{
    http,
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::json;

use crate::served::Served;

/// What people have tried against pages, in forms that break out of different places.
const HOSTILE: [&str; 14] = [
    "<script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</title></style></script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\" autofocus onfocus=\"alert(1)",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "[a](javascript:alert(1)) ![b](javascript:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "<a href=\"jav&#x09;ascript:alert(1)\">x</a>",
    "<!--><script>alert(1)</script>-->",
    "<math><mtext><style><img src=x onerror=alert(1)></style>",
    "&lt;script&gt;alert(1)&lt;/script&gt;<base href=//evil.example>",
];

/// What is wrong in HTML that should hold nothing foreign. It reads tags as a browser does,
/// as long as quotes are in order, which maud and `prose` see to.
fn wrong(html: &str) -> Option<String> {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if rest.starts_with('/') || rest.to_ascii_lowercase().starts_with("!doctype html>") {
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let tag = rest[..end].to_ascii_lowercase();
        let bad = ["iframe", "object", "embed", "base", "style", "frame", "applet"];
        if tag.is_empty() || bad.contains(&tag.as_str()) {
            return Some(format!("<{}", &rest[..rest.floor_char_boundary(60)]));
        }
        rest = &rest[end..];
        let mut has_source = false;
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            if let Some(after) = rest.strip_prefix('/') {
                rest = after;
                continue;
            }
            // What never ends is broken, and broken is not clean.
            let Some(end) = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c)) else {
                return Some(format!("<{tag} does not end"));
            };
            let name = rest[..end].to_ascii_lowercase();
            rest = &rest[end..];
            let mut value = "";
            if let Some(after) = rest.strip_prefix("=\"") {
                let Some(end) = after.find('"') else {
                    return Some(format!("<{tag} {name} has a quote without an end"));
                };
                (value, rest) = (&after[..end], &after[end + 1..]);
            } else if rest.starts_with('=') {
                return Some(format!("<{tag} {name} without quotes"));
            }
            let address = value.trim().to_ascii_lowercase();
            let leads_out = ["javascript:", "data:", "vbscript:", "//", "http:", "https:"];
            let leads_out = leads_out.iter().any(|start| address.starts_with(start));
            // Nobody here writes a character by its number, so one who does hides something.
            let leads_out = leads_out || address.contains("&#");
            if name.starts_with("on") || name == "style" || name == "srcdoc" {
                return Some(format!("<{tag} {name}=\"{value}\""));
            }
            // A link that a person may follow leads where it says; nothing loads by itself.
            let loads = ["src", "href", "action", "formaction", "xlink:href", "data", "poster"];
            let followed = tag == "a" && name == "href" && address.starts_with("http");
            if loads.contains(&name.as_str()) && leads_out && !followed {
                return Some(format!("<{tag} {name}=\"{value}\""));
            }
            has_source |= name == "src";
        }
        if tag == "script" && !has_source {
            return Some("<script> with words of its own".to_owned());
        }
    }
    None
}

#[test]
fn the_scan_sees_what_it_should() {
    for hostile in HOSTILE {
        if hostile.contains('<') && !hostile.starts_with("\" ") {
            assert!(wrong(hostile).is_some(), "{hostile}");
        }
    }
    for bad in [
        "<p onclick=\"a\">",
        "<a href=\"javascript:a\">",
        "<img src=\"//evil.example\">",
        "<p class=\"a",
        "<p class=\"a>b</p>",
        "<p class",
        "<p ",
    ] {
        assert!(wrong(bad).is_some(), "{bad}");
    }
    let good = "<!DOCTYPE html><p class=\"a\">x &lt;script&gt;</p><script src=\"/a.js\"></script>\
                <input disabled><br/><a href=\"https://example.org\">x</a>";
    assert_eq!(wrong(good), None);
}

/// The percent-encoded form of a text, for an address.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn sec_2_hostile_words_stay_words_on_every_page() {
    let all = HOSTILE.join("\n\n");
    let answer = all.clone();
    // The first call of each send asks for a tool that does not take these words, so that
    // they come back in its result; the second answers with them.
    let server = ScriptedServer::answering(move |request: &Recorded| {
        if request.method != "POST" {
            return Reply::model_missing("test");
        }
        let body: serde_json::Value = serde_json::from_str(&request.body).unwrap_or_default();
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let last = messages.last().map(|message| message["role"].clone()).unwrap_or_default();
        if last == "tool" {
            return Reply::openai(&[&answer], 14, 6);
        }
        let arguments = json!({"query": HOSTILE[0], "page": HOSTILE[3]}).to_string();
        let calls = ["list_files", HOSTILE[6]].map(|name| {
            json!({"index": usize::from(name != "list_files"), "id": HOSTILE[5],
                   "function": {"name": name, "arguments": arguments}})
        });
        Reply::stream()
            .event(json!({"choices": [{"delta": {"tool_calls": calls}}]}).to_string())
            .event(json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}).to_string())
            .event("[DONE]")
            .end()
    })
    .unwrap();
    let served = Served::start_with(&server, 100_000, |home| {
        let path = home.join("models.toml");
        let models = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, models + "tools = true\n").unwrap();
    });
    let mut tokens = Vec::new();
    for hostile in HOSTILE {
        let path = format!("/api/files?name={}.txt&context={}", encoded(hostile), encoded(hostile));
        let answer =
            http::request(&served.address, "POST", &path, &[], hostile.as_bytes()).unwrap();
        assert_eq!(answer.status, 201, "{hostile}: {}", answer.body);
        let told: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        tokens.push(told["token"].as_str().unwrap().to_owned());
    }
    for hostile in HOSTILE {
        // Names that no topic may have are refused, which is as good.
        let ask =
            json!({"path": format!("/{}", hostile.replace('/', "-")), "systemMessage": hostile});
        served.ask("POST", "/api/topics", Some(ask));
        served.ask("PUT", "/api/view", Some(json!({"filter": hostile})));
    }
    let mut page = http::Events::listen(&served.address, "/ui/events", &[]).unwrap();
    let first = served.send(&format!("{all}\n\n{}", tokens.join(" ")));
    assert_eq!(first["lifecycleState"], "complete", "{first}");
    for event in page.until("ended").unwrap() {
        let data: serde_json::Value = serde_json::from_str(&event.data).unwrap_or_default();
        let html = data["html"].as_str().unwrap_or_default();
        assert_eq!(wrong(html), None, "the event {}", event.name);
    }
    served.ask("PUT", "/api/draft", Some(json!({"text": all})));
    let id = first["id"].as_str().unwrap();
    let panels = ["settings", "models", "receipts", "help", "files", "topics", "prompts", "saved"];
    let panels = panels.map(|panel| format!("/ui/panel/{panel}"));
    let mut pages = vec![
        "/".to_owned(),
        "/ui/rows?from=0&to=50".to_owned(),
        "/ui/hud".to_owned(),
        format!("/ui/pair/{id}"),
        format!("/ui/request/{id}"),
    ];
    pages.extend(panels);
    let receipts = served.json("GET", "/api/receipts", None);
    for receipt in receipts["receipts"].as_array().unwrap() {
        pages.push(format!("/ui/receipt/{}", receipt["id"].as_str().unwrap()));
        pages.push(format!("/ui/request/{}", receipt["id"].as_str().unwrap()));
    }
    let mut drawn = String::new();
    for path in &pages {
        let answer = served.ask("GET", path, None);
        let kind = answer.header("content-type").unwrap_or_default().to_owned();
        if kind.starts_with("text/html") {
            assert_eq!(wrong(&answer.body), None, "{path}");
            drawn.push_str(&answer.body);
        } else {
            // Whatever is no page says so, and is not sniffed.
            assert!(kind.contains("json") || kind.starts_with("text/plain"), "{path}: {kind}");
        }
    }
    // They were there to be drawn: as a message, as a file name and as a result of a tool.
    assert!(drawn.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "the message");
    assert!(drawn.contains("class=\"chip"), "the files");
    assert!(drawn.contains("class=\"toolcall\""), "the tools");
    let next = served.ask("POST", "/ui/request", Some(json!({"text": all})));
    assert_eq!(wrong(&next.body), None, "the request to come");
}
