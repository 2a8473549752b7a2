//! What a newcomer is told: what is there, what is missing, how to get it.

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::run::{Plimsoll, plimsoll};

/// A machine with nothing on it. No server is looked for where the tests of others are.
fn bare(home: &tempfile::TempDir, args: &[&str]) -> Plimsoll {
    let mut run = plimsoll(args)
        .env("PLIMSOLL_CONFIG_DIR", home.path())
        .env("PLIMSOLL_DATA_DIR", home.path().join("data"))
        .env("PATH", "");
    for provider in ["OPENAI", "ANTHROPIC", "GEMINI", "XAI", "MISTRAL", "DEEPSEEK", "GROQ"] {
        run = run.env(&format!("{provider}_API_KEY"), "");
    }
    run
}

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["check"] == name).unwrap()
}

#[test]
fn a_bare_machine_is_told_every_way() {
    let home = tempfile::tempdir().unwrap();
    let ran = bare(&home, &["doctor"]).run();
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stdout);
    let models = home.path().join("data/models");
    let put = format!("or put SmolLM2-135M-Instruct.Q4_1.gguf into {}", models.display());
    let codex = "npm install -g @openai/codex";
    for told in ["98 MB", "huggingface.co", "keys set openai", "OPENAI_API_KEY", codex, &put] {
        assert!(ran.stdout.contains(told), "{told}: {}", ran.stdout);
    }
    let report: Value =
        serde_json::from_str(&bare(&home, &["doctor", "--json"]).run().stdout).unwrap();
    assert_eq!(report["healthy"], false);
    for (name, state) in [
        ("store", "ok"),
        ("settings", "ok"),
        ("embedded", "missing"),
        ("keys", "none"),
        ("codex", "none"),
    ] {
        assert_eq!(check(&report, name)["state"], state, "{report}");
    }
}

/// SEC-10: programs of others run in the sandbox, and where they cannot it is said.
#[cfg(target_os = "linux")]
#[test]
fn sec_10_programs_of_others_without_a_sandbox_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let program = home.path().join("tesseract");
    std::fs::write(&program, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = |path: &str| {
        let ran = bare(&home, &["doctor", "--json"]).env("PATH", path).run();
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        (check(&report, "ocr").to_string(), check(&report, "python")["state"] == "ok")
    };
    let (alone, _) = told(home.path().to_str().unwrap());
    assert!(alone.contains("without a sandbox: bwrap is not installed"), "{alone}");
    assert!(alone.contains("apt-get install bubblewrap"), "{alone}");
    let (system, stands) = told("/usr/bin:/bin");
    if !stands || system.contains("no OCR") {
        return plimsoll_testkit::real::skipped("no sandbox or no tesseract below /usr/bin");
    }
    assert!(system.contains("/usr/bin/tesseract, in the sandbox"), "{system}");
    let (elsewhere, _) = told(&format!("{}:/usr/bin:/bin", home.path().display()));
    assert!(elsewhere.contains("without a sandbox: it is not below /usr"), "{elsewhere}");
}

/// FTL-5, the way it was seen: doctor and the tool look for the same recognisers.
#[cfg(unix)]
#[test]
fn ftl_5_doctor_knows_the_recognisers_that_the_tool_runs() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let program = |name: &str| {
        let path = home.path().join(name).join(name);
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.parent().unwrap().to_str().unwrap().to_owned()
    };
    let speech = |path: &str, model: &str| {
        let ran = bare(&home, &["doctor", "--json"]).env("PATH", path);
        let report: Value =
            serde_json::from_str(&ran.env("PLIMSOLL_WHISPER_MODEL", model).run().stdout).unwrap();
        check(&report, "speech").to_string()
    };
    let (whisper, cli) = (program("whisper"), program("whisper-cli"));
    assert!(speech(&whisper, "").contains("recogniser for audio: "), "{}", speech(&whisper, ""));
    let without = speech(&cli, "");
    assert!(without.contains("no recogniser") && without.contains("whisperModel"), "{without}");
    let with = speech(&cli, "/models/ggml-base.bin");
    assert!(with.contains("whisper-cli"), "{with}");
}

/// A server that lists these models and nothing else.
fn listing(ids: &[&str]) -> ScriptedServer {
    let models: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "max_model_len": 2048})).collect();
    let list = Reply::json(200, json!({"object": "list", "data": models}).to_string());
    ScriptedServer::routes([("/v1/models", list)]).unwrap()
}

#[test]
fn prv_2_what_servers_here_list_is_available() {
    if plimsoll_testkit::switch::is_of_files_alone("it looks whether a file was made") {
        return;
    }
    let found = listing(&["phi-3-mini-4k-instruct-generic-cpu:1", "unheard-of:1b"]);
    let named = listing(&["mine"]);
    let home = tempfile::tempdir().unwrap();
    let gone = "[[model]]\nid = \"gone\"\nprovider = \"local\"\nbaseUrl = \"http://127.0.0.1:9\"\n";
    let mine = format!(
        "[[model]]\nid = \"mine\"\nprovider = \"local\"\nbaseUrl = \"{}\"\n{gone}",
        named.base_url()
    );
    std::fs::write(home.path().join("models.toml"), mine).unwrap();
    let host = format!("127.0.0.1:{}", found.port());
    let report = bare(&home, &["models", "--json"]).env("OLLAMA_HOST", &host).run().json();
    let row = |id: &str| {
        let models = report["models"].as_array().unwrap();
        let model = models.iter().find(|model| model["id"] == id);
        model.map(|model| (model["available"].clone(), model["ml"].clone()))
    };
    let (yes, no) = (json!(true), json!(false));
    assert_eq!(row("phi-3-mini-4k"), Some((yes.clone(), json!(2048))), "as it is served");
    assert_eq!(row("unheard-of:1b"), Some((yes.clone(), json!(2048))), "not in the catalog");
    assert_eq!(row("mine"), Some((yes, json!(2048))));
    assert_eq!(row("gone").unwrap().0, no);
    assert_eq!(row("gpt-4o").unwrap().0, no);
    assert!(!home.path().join("data").exists(), "a question makes no store");

    let doctor = bare(&home, &["doctor"]).env("OLLAMA_HOST", &host);
    let ran = doctor.env("PLIMSOLL_DEFAULT_MODEL", "mine").run();
    assert_eq!(ran.code, 1, "one that is named does not answer: {}", ran.stdout);
    for told in ["unheard-of:1b", "local at http://127.0.0.1:9/v1 lists no models", "mine answers"]
    {
        assert!(ran.stdout.contains(told), "{told}: {}", ran.stdout);
    }
    let sent = bare(&home, &["send", "-m", "unheard-of:1b", "--dry-run", "hello"]);
    assert_eq!(sent.env("OLLAMA_HOST", &host).run().json()["model"], "unheard-of:1b");
}
