//! Models that servers tell (CAT-2), and servers that are found (PRV-2).

use std::time::{Duration, Instant};

use plimsoll_fault::Label;
use plimsoll_provider::{Anthropic, Gemini, LocalKind, Place, Provider, ServedModel, discover_at};
use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use super::{HASTY, PATIENT, endpoint, provider};

fn model(id: &str, window: impl Into<Option<u64>>) -> ServedModel {
    ServedModel { id: id.into(), context_window: window.into() }
}

fn json(body: &str) -> Reply {
    Reply::json(200, body)
}

#[tokio::test]
async fn cat_2_local_servers_are_asked_for_their_windows() {
    let list = r#"{"data":[{"id":"b"},{"id":"a"}]}"#;
    let one = r#"{"data":[{"id":"a"}]}"#;
    let show = r#"{"parameters":"num_ctx 8192","model_info":{"llama.context_length":131072}}"#;
    let both = vec![model("a", 8192), model("b", 8192)];
    for (name, routes, expected) in [
        (
            "a list alone",
            vec![("/v1/models", json(list))],
            vec![model("a", None), model("b", None)],
        ),
        (
            "llama.cpp",
            vec![("/v1/models", json(r#"{"data":[{"id":"a","meta":{"n_ctx":512}}]}"#))],
            vec![model("a", 512)],
        ),
        (
            "llama.cpp, older",
            vec![
                ("/v1/models", json(one)),
                ("/props", json(r#"{"default_generation_settings":{"n_ctx":2048}}"#)),
            ],
            vec![model("a", 2048)],
        ),
        (
            "LM Studio",
            vec![
                ("/v1/models", json(one)),
                (
                    "/api/v0/models",
                    json(
                        r#"{"data":[{"id":"a","max_context_length":9,"loaded_context_length":5}]}"#,
                    ),
                ),
            ],
            vec![model("a", 5)],
        ),
        (
            "Ollama",
            vec![
                ("/v1/models", json(list)),
                ("/api/tags", json(r#"{"models":[{"name":"a"},{"name":"b"}]}"#)),
                ("/api/show", json(show)),
            ],
            both.clone(),
        ),
        (
            "Ollama, running",
            vec![
                ("/v1/models", json(one)),
                ("/api/tags", json(r#"{"models":[{"name":"a"}]}"#)),
                ("/api/ps", json(r#"{"models":[{"name":"a","context_length":4096}]}"#)),
                ("/api/show", json(show)),
            ],
            vec![model("a", 4096)],
        ),
        (
            "Ollama without the common list",
            vec![
                ("/api/tags", json(r#"{"models":[{"name":"a"},{"name":"b"}]}"#)),
                ("/api/show", json(show)),
            ],
            both,
        ),
    ] {
        let server = ScriptedServer::routes(routes).unwrap();
        let listed = provider(&server, PATIENT).models().await;
        assert_eq!(listed, Ok(expected), "{name}");
    }
}

#[tokio::test]
async fn lists_of_the_other_wires() {
    let body = r#"{"data":[{"type":"model","id":"claude","max_input_tokens":200000}]}"#;
    let server = ScriptedServer::always(json(body)).unwrap();
    let listed = Anthropic::new(endpoint(&server, PATIENT)).unwrap().models().await;
    assert_eq!(listed, Ok(vec![model("claude", 200_000)]));
    assert_eq!(server.requests()[0].path, "/v1/models?limit=1000");

    let body = r#"{"models":[{"name":"models/gemini","inputTokenLimit":1048576}]}"#;
    let server = ScriptedServer::always(json(body)).unwrap();
    let listed = Gemini::new(endpoint(&server, PATIENT)).unwrap().models().await;
    assert_eq!(listed, Ok(vec![model("gemini", 1_048_576)]));
    assert_eq!(server.requests()[0].path, "/v1/models?pageSize=1000");
}

#[tokio::test]
async fn a_list_that_fails_says_why() {
    for (reply, label) in [
        (Reply::auth(), Label::Auth),
        (Reply::never_answers(), Label::Network),
        (Reply::closes_at_once(), Label::Network),
        (Reply::head(200, &[("content-length", "99")]).bytes("{").close(), Label::Network),
        (Reply::whole(200, &[], "hello"), Label::Unknown),
    ] {
        let server = ScriptedServer::always(reply).unwrap();
        let failure = provider(&server, HASTY).models().await.unwrap_err();
        assert_eq!(failure.fault().label, label, "{failure:?}");
    }
}

#[tokio::test]
async fn prv_2_servers_are_found_at_once_and_the_silent_are_passed_over() {
    let good = ScriptedServer::always(json(r#"{"data":[{"id":"m","max_model_len":9}]}"#)).unwrap();
    let silent = ScriptedServer::always(Reply::never_answers()).unwrap();
    let other = ScriptedServer::always(json(r#"{"hello":"world"}"#)).unwrap();
    let gone = ScriptedServer::always(Reply::server()).unwrap().base_url();
    let place = |kind, base_url: String| Place { kind, base_url };
    let start = Instant::now();
    let found = discover_at(vec![
        place(LocalKind::Ollama, silent.base_url()),
        place(LocalKind::LmStudio, other.base_url()),
        place(LocalKind::LlamaCpp, gone),
        place(LocalKind::Foundry, "http://192.0.2.1:1/v1".into()),
        place(LocalKind::Vllm, good.base_url()),
        place(LocalKind::Ollama, silent.base_url()),
    ])
    .await;
    // One after another the two silent ones alone would take 600 ms; the bound is
    // wide because the machine may be busy.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let [found] = found.try_into().unwrap();
    assert_eq!((found.kind, found.base_url.as_str()), (LocalKind::Vllm, good.base_url().as_str()));
    assert_eq!(found.models, [model("m", 9)]);
}

#[tokio::test]
async fn prv_2_looking_around_on_this_machine_ends() {
    let start = Instant::now();
    plimsoll_provider::discover().await;
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
