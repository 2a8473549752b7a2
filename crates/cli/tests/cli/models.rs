use serde_json::json;

use crate::run::plimsoll;

#[test]
fn one_model_in_full() {
    let ran = plimsoll(["models", "--json", "phi-3-mini-4k-instruct-generic-cpu:1"]).run();
    let expected = json!({"models": [{
        "id": "phi-3-mini-4k", "provider": "local", "contextWindow": 4096, "tpm": null,
        "ml": 4096, "bind": "window", "vision": false, "tools": false, "enabled": true,
        "available": false,
    }]});
    assert_eq!(ran.json(), expected);
}

#[test]
fn cat_4_an_unknown_model_is_assumed() {
    let report = plimsoll(["models", "--json", "phi"]).run().json();
    let model = &report["models"][0];
    assert_eq!(model["ml"], 8192);
    assert_eq!(model["bind"], "assumed");
    assert!(model["contextWindow"].is_null());
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
