use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use pty_process::Size;
use serde_json::json;

use crate::{run::plimsoll, send::Home, terminal::Terminal};

#[test]
fn one_model_in_full() {
    let ran = plimsoll(["models", "--json", "phi-3-mini-4k-instruct-generic-cpu:1"]).run();
    let expected = json!({"models": [{
        "id": "phi-3-mini-4k", "provider": "local", "contextWindow": 4096, "tpm": null,
        "ml": 4096, "bind": "window", "vision": false, "tools": false, "enabled": true,
        "available": false,
        "needs": "a running server that has it, such as Ollama or LM Studio",
    }]});
    assert_eq!(ran.json(), expected);
}

#[test]
fn a_part_of_a_name_lists_what_holds_it_and_no_model_is_made_up() {
    let ids = |name: &str| -> Vec<String> {
        let report = plimsoll(["models", "--json", name]).run().json();
        let id = |model: &serde_json::Value| model["id"].as_str().unwrap().to_owned();
        report["models"].as_array().unwrap().iter().map(id).collect()
    };
    let claude = ids("claude");
    assert!(claude.len() > 2 && claude.iter().all(|id| id.contains("claude")), "{claude:?}");
    assert!(ids("phi").contains(&"phi-3-mini-4k".to_owned()));
    let nobody = plimsoll(["models", "gpt4o"]).run();
    nobody.refused(1, "no model is called 'gpt4o'");
    assert!(nobody.stderr.contains("did you mean gpt-4o"), "{}", nobody.stderr);
    plimsoll(["models", "zzz"]).run().refused(1, "no model is called 'zzz'");
}

#[test]
fn ui_19_usable_models_are_listed_first_and_the_others_say_what_they_need() {
    let ran = plimsoll(["models"]).env("OPENAI_API_KEY", "sk-x").env("MISTRAL_API_KEY", "").run();
    let ready: Vec<bool> = ran.stdout.lines().map(|line| !line.contains("needs ")).collect();
    assert!(ready[0] && ready.is_sorted_by(|a, b| a >= b), "{}", ran.stdout);
    let mistral = ran.stdout.lines().find(|line| line.starts_with("mistral-large")).unwrap();
    assert!(mistral.contains("needs a key of mistral"), "{mistral}");
}

/// Review item 29: tables wrapped badly at 40 columns.
#[test]
fn tables_fit_a_narrow_terminal() {
    if plimsoll_testkit::switch::is_of_files_alone(
        "the address of a database is longer than its lines",
    ) {
        return;
    }
    let server = ScriptedServer::chats([Reply::openai(&["ok"], 9, 1)]).unwrap();
    let home = Home::new(&server, 4096);
    assert_eq!(home.command(&["send", "hello"]).run().code, 0);
    for args in [&["models"][..], &["settings"], &["receipts"]] {
        let mut narrow = Terminal::start_sized(&home, args, Size::new(40, 40), &[]);
        let text = narrow.rest();
        assert!(text.lines().count() > 1, "{args:?}: {text}");
        for line in text.lines() {
            assert!(line.trim_end().chars().count() <= 40, "{args:?}: {line:?}");
        }
    }
}

#[test]
fn ui_19_the_models_of_a_server_are_added_by_its_address() {
    let list = r#"{"data": [{"id": "acme-large"}, {"id": "acme-small"}]}"#;
    let server = ScriptedServer::answering(move |request| match request.method.as_str() {
        "POST" => Reply::openai(&["I am acme."], 9, 1),
        _ if request.headers.iter().any(|(_, value)| value == "Bearer sk-acme-0123456789") => {
            Reply::json(200, list)
        }
        _ => Reply::json(401, "{}"),
    });
    let server = server.unwrap();
    let home = Home::new(&server, 4096);
    let at = server.base_url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let add = ["models", "--add", &at, "--provider", "acme"];
    let refused = home.command(&add).run();
    refused.refused(1, "a key is needed for");
    let own = format!("http://{at}");
    assert!(refused.stderr.contains(&format!("plimsoll keys set acme --for {own}")));
    let set = ["keys", "set", "acme", "--file", "--for", &own];
    assert_eq!(home.command(&set).input("sk-acme-0123456789\n").run().code, 0);
    let added = home.command(&add).run();
    assert_eq!(added.code, 0, "{}", added.stderr);
    assert!(added.stderr.contains("2 models of acme"), "{}", added.stderr);
    let tested = home.command(&["keys", "test", "acme"]).run();
    assert!(tested.stderr.contains("takes the key, and lists 2 models"), "{}", tested.stderr);
    let sent = home.command(&["send", "-m", "acme-small", "who?"]).run();
    assert!(sent.stdout.contains("I am acme."), "{} {}", sent.stdout, sent.stderr);
    home.command(&["models", "--add", "http://169.254.169.254"]).run().refused(1, "never asked");
}

#[test]
fn the_whole_catalog_is_listed() {
    let report = plimsoll(["models", "--json"]).run().json();
    assert!(report["models"].as_array().unwrap().len() > 100);
    let people = plimsoll(["models"]).run();
    assert!(people.stdout.lines().any(|line| line.starts_with("gpt-4o ")));
}

#[test]
fn cat_1_the_users_own_file_wins() {
    let dir = tempfile::tempdir().unwrap();
    let own = "[[model]]\nid = \"gpt-4o\"\ntpm = 30000\n";
    std::fs::write(dir.path().join("models.toml"), own).unwrap();
    let run =
        || plimsoll(["models", "gpt-4o", "--json"]).env("PLIMSOLL_CONFIG_DIR", dir.path()).run();
    let report = run().json();
    assert_eq!(report["models"][0]["ml"], 30_000);
    assert_eq!(report["models"][0]["bind"], "tpm");

    std::fs::write(dir.path().join("models.toml"), "[[model]]\nid = 7\n").unwrap();
    run().refused(2, "models.toml: ");
    std::fs::remove_file(dir.path().join("models.toml")).unwrap();
    std::fs::write(dir.path().join("config.toml"), "charsPerTokn = 4").unwrap();
    run().refused(2, "did you mean 'charsPerToken'?");
}

#[test]
fn a_model_with_its_key_is_available() {
    let available = |variable: &str| {
        let ran = plimsoll(["models", "--json", "gpt-4o"]).env(variable, "sk-x").run();
        ran.json()["models"][0]["available"].clone()
    };
    assert_eq!(available("OPENAI_API_KEY"), true);
    assert_eq!(available("NOBODYS_API_KEY"), std::env::var_os("OPENAI_API_KEY").is_some());
}
