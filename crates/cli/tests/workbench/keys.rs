//! Models and keys in the page (UI-19): who can be asked comes first, and what the others lack is
//! supplied where it is said.

use std::path::Path;

use plimsoll_browser::Viewport;
use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::json;

use crate::bench::{Workbench, answer, quoted};

const KEY: &str = "sk-canary-acme-0123456789abcdef";

/// A server that lists its models, and answers, for who has the key.
fn guarded() -> ScriptedServer {
    ScriptedServer::answering(|request| {
        let bearer = format!("Bearer {KEY}");
        if !request.headers.iter().any(|(name, value)| name == "authorization" && *value == bearer)
        {
            return Reply::json(401, json!({"error": {"message": "who are you?"}}).to_string());
        }
        let models =
            json!({"data": [{"id": "acme-large", "context_length": 16_384}, {"id": "acme-small"}]});
        match request.method.as_str() {
            "POST" => answer("I am acme."),
            _ => Reply::json(200, models.to_string()),
        }
    })
    .unwrap()
}

fn with_acme(home: &Path, acme: &ScriptedServer) {
    let path = home.join("models.toml");
    let models = std::fs::read_to_string(&path).unwrap();
    let more = format!(
        "\n[[model]]\nid = \"acme-large\"\nprovider = \"acme\"\nbaseUrl = \"{}\"\n",
        acme.base_url()
    );
    std::fs::write(&path, models + &more).unwrap();
}

/// The first words of the entries of the menu.
const MENU: &str =
    "[...document.querySelectorAll('.popup li > span')].map((one) => one.textContent)";

/// Where in the page a text is kept that should be nowhere.
const KEPT: &str = "(text) => [
  ...[...document.querySelectorAll('input, textarea')].filter(({ value }) => value.includes(text)).map(({ name }) => `field ${name}`),
  ...(document.documentElement.outerHTML.includes(text) ? ['document'] : []),
  ...Object.entries({ ...localStorage, ...sessionStorage }).filter((pair) => pair.join().includes(text)).map(([name]) => `storage ${name}`),
  ...(location.href.includes(text) ? ['address'] : []),
]";

#[track_caller]
fn kept_nowhere(bench: &Workbench) {
    let found: Vec<String> = bench.js(&format!("({KEPT})({})", quoted(KEY)));
    assert_eq!(found, [] as [String; 0]);
}

#[test]
fn ui_19_usable_models_come_first_and_a_key_is_supplied_from_the_menu() {
    let acme = guarded();
    let home = |home: &Path| with_acme(home, &acme);
    let Some(bench) = Workbench::at_home([answer("fine")], 4096, home, |_| {}) else { return };
    bench.click("#model");
    bench.wait("T.shown('.popup li')");
    let menu: Vec<String> = bench.js(MENU);
    assert_eq!(menu[0], "test", "{menu:?}");
    assert!(menu.len() < 20, "models that lack the same are one entry: {menu:?}");
    assert!(menu.contains(&"1 model of acme".to_owned()), "{menu:?}");
    bench.says(".popup li", "need a key");
    bench.says(".popup li em b", "Add key");
    // Who types finds each model, with what it lacks.
    bench.types("gpt-4o");
    bench.says(".popup li", "openai · needs a key of openai");
    bench.keys("Ctrl+A Delete");
    bench.types("acme");
    bench.says(".popup li", "acme · needs a key of acme");
    bench.accessible("menu of models");
    bench.keys("Enter");
    bench.says("dialog.supply", "acme-large needs it.");
    let at = acme.base_url().trim_end_matches("/v1").to_owned();
    bench.says("dialog.supply", &format!("goes to {at} and to no other"));
    bench.wait("document.activeElement.type === 'password'");
    bench.accessible("a key is asked for");
    bench.types("sk-wrong-0123456789");
    bench.keys("Enter");
    bench.says("dialog.supply .problem", "This key is refused by http://");
    bench.wait("T.one('dialog.supply [type=password]').value === ''");
    bench.types(KEY);
    bench.keys("Enter");
    bench.says("#toasts", "The key works: 2 models.");
    bench.wait("!T.one('dialog') && T.one('#model').dataset.id === 'acme-large'");
    kept_nowhere(&bench);
    let posted = bench.page.requests();
    let keys = posted.iter().filter(|request| request.url.contains("/api/providers/acme/key"));
    assert_eq!(keys.count(), 2, "each key that was typed left the page once");
    bench.send("Who are you?");
    bench.wait("T.reply() === 'I am acme.'");
    bench.fine();
}

#[test]
fn ui_19_a_key_is_replaced_and_removed_in_the_panel_and_removing_is_asked_about() {
    let acme = guarded();
    let home = |home: &Path| with_acme(home, &acme);
    let Some(bench) = Workbench::at_home([answer("fine")], 4096, home, |_| {}) else { return };
    bench.click("[data-panel=models]");
    bench.says("#panel-title", "Models and keys");
    bench.says("#panel [data-model=acme-large]", "needs a key of acme");
    bench.says("#panel [data-model=gpt-4o]", "needs a key of openai");
    // Nothing that lacks something stands before what does not.
    let order: Vec<bool> = bench.js(
        "[...document.querySelectorAll('#panel .models li')].map((one) => one.dataset.available !== undefined)",
    );
    assert!(order.is_sorted_by(|a, b| a >= b) && order[0], "{order:?}");
    bench.click("#panel [data-model=acme-large] summary");
    bench.click("#panel [data-model=acme-large] [data-act=add-key]");
    bench.wait("document.activeElement.type === 'password'");
    bench.types(KEY);
    bench.keys("Enter");
    bench.says("#panel .key-row", "acme in a file that only you can read");
    bench.wait("T.one('#panel [data-model=acme-large]').dataset.available !== undefined");
    kept_nowhere(&bench);
    bench.accessible("models and keys");
    bench.click("#panel [data-provider=acme] [data-call^=DELETE]");
    bench.says("dialog.ask", "Remove the key of acme?");
    bench.wait("document.activeElement.textContent.startsWith('Cancel')");
    bench.keys("Enter");
    bench.wait("!T.one('dialog') && T.says('#panel .key-row', 'acme in a file')");
    bench.click("#panel [data-provider=acme] [data-call^=DELETE]");
    bench.says("dialog.ask", "Remove the key of acme?");
    bench.keys("Shift+Tab Enter");
    bench.says("#panel [data-model=acme-large]", "needs a key of acme");
    bench.says("#toasts", "The key of acme was removed.");
    assert!(!std::fs::read_to_string(bench.served.home().join("keys.toml")).unwrap().contains(KEY));
    bench.fine();
}

#[test]
fn ui_19_a_server_is_added_by_its_address_tried_and_its_models_listed() {
    let acme = guarded();
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.page.viewport(Viewport::new(360, 740)).unwrap();
    bench.click("#model");
    bench.wait("T.shown('.popup li')");
    bench.types("without a server");
    bench.keys("Ctrl+A Delete");
    bench.wait("T.says('.popup li em b', 'Add server')");
    bench.js::<()>("[...document.querySelectorAll('.popup li')].find((one) => one.textContent.includes('Add server')).click()");
    bench.says("dialog.supply", "Add a server");
    bench.types("127.0.0.1:1");
    bench.keys("Enter");
    bench.says("dialog.supply .problem", "onnect");
    bench.keys("Ctrl+A Delete");
    bench.types(acme.base_url().trim_start_matches("http://").trim_end_matches("/v1"));
    bench.keys("Enter");
    bench.says("dialog.supply .problem", "A key is needed for");
    bench.click("dialog.supply [type=password]");
    bench.types(KEY);
    bench.keys("Enter");
    bench.says("dialog.supply", "lists 2 models");
    bench.says("dialog.supply .served", "16,384 tokens");
    bench.accessible("models of a server");
    let wide: bool = bench.js("document.documentElement.scrollWidth <= innerWidth");
    assert!(wide, "nothing hangs out at 360 pixels");
    kept_nowhere(&bench);
    bench.click("dialog.supply .served label:nth-child(2) input");
    bench.click("dialog.supply [type=submit]");
    bench.says("#toasts", "1 model of");
    bench.wait("T.one('#model').dataset.id === 'acme-large'");
    bench.send("Who are you?");
    bench.wait("T.reply() === 'I am acme.'");
    let own = std::fs::read_to_string(bench.served.home().join("models.toml")).unwrap();
    assert!(
        own.contains("acme-large") && !own.contains("acme-small") && !own.contains(KEY),
        "{own}"
    );
    bench.fine();
}

#[test]
fn ui_19_over_plain_http_from_elsewhere_no_key_is_asked_for_and_that_is_said() {
    let acme = guarded();
    let home = |home: &Path| with_acme(home, &acme);
    let Some(bench) = Workbench::at_home([answer("fine")], 4096, home, |_| {}) else { return };
    let elsewhere = "Object.defineProperty(globalThis, 'isSecureContext', { value: false })";
    bench.page.before_load(elsewhere).unwrap();
    bench.reload();
    bench.click("#model");
    bench.wait("T.shown('.popup li')");
    bench.types("acme");
    bench.keys("Enter");
    bench.says("dialog.supply", "could be read on the way");
    bench.says("dialog.supply", "plimsoll keys set acme");
    bench.wait("!T.one('[type=password]')");
    bench.keys("Escape");
    bench.wait("!T.one('dialog')");
    bench.fine();
}

#[test]
fn ui_19_an_imported_chat_falls_back_to_a_model_that_can_be_asked_and_says_so() {
    let home = |home: &Path| {
        std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
        let chats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exchange/fixtures/chatgpt.json");
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["import", "--data-dir"])
            .arg(home.join("data"))
            .arg(chats)
            .env("PLIMSOLL_CONFIG_DIR", home)
            .envs(crate::served::store::variables(&home.join("data")))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    let Some(bench) = Workbench::at_home([answer("fine")], 4096, home, |_| {}) else { return };
    bench.click(".conv a");
    bench.wait("T.pairs().length > 0 && T.one('#counter b')");
    bench.says(
        "#notice",
        "gpt-4o answered here last and needs a key of openai. test answers instead.",
    );
    bench.wait("T.one('#model').dataset.id === 'test'");
    bench.says("#notice button", "Add key");
    bench.send("And a keel?");
    assert_eq!(bench.sent()["model"], "test");
    // Now that another one answered here, nothing is said any more.
    bench.wait("!T.says('#notice', 'answered here last')");
    bench.fine();
}
