//! The agents on a real llama.cpp server (GWY-18): a small model says what it says, and each
//! client hears it.

use std::ops::ControlFlow;

use plimsoll_embedded::{FetchError, fetch};
use plimsoll_testkit::{
    llama_server::{LlamaOptions, LlamaServer},
    real,
};

use crate::{
    claude, codex,
    gateway::Gateway,
    opencode,
    program::{Place, Ran, cache, fetched},
};

/// Room for what the agents tell their models to be.
const WINDOW: u32 = 24_576;

const LONGEST_ANSWER: u32 = 96;

fn server() -> Option<LlamaServer> {
    let weights = real::weights(cache(), |cache| {
        let fetched = fetch(cache, None, &mut |_| ControlFlow::Continue(()))?;
        Ok::<_, FetchError>(fetched.path().to_owned())
    })?;
    let options =
        LlamaOptions { model: weights, window: WINDOW, longest_answer: LONGEST_ANSWER, threads: 2 };
    fetched("a llama.cpp server", LlamaServer::start(cache(), &options))
}

/// The gateway before the server, whose model goes by this name.
fn before(server: &LlamaServer, name: &str) -> Gateway {
    let (id, url) = (LlamaServer::MODEL, server.base_url());
    let models = format!(
        "[[model]]\nid = \"{id}\"\nprovider = \"llamacpp\"\nbaseUrl = \"{url}\"\ntools = true\n\
         contextWindow = {WINDOW}\n"
    );
    let config = format!("defaultModel = \"{id}\"\ngatewayAliases = [\"{name}={id}\"]\n");
    Gateway::of(&models, &config)
}

/// Words of the model arrived, and the gateway knows what went through it. How the program ends
/// says nothing about us: so small a model may call a tool that is not there, or talk without end.
#[track_caller]
fn heard(ran: &Ran, gateway: &Gateway, said: &str) {
    assert!(!said.trim().is_empty(), "{ran:?}");
    // A call is written down behind its answer.
    let calls = (0..100)
        .map(|_| gateway.calls())
        .find(|calls| calls.last().is_some_and(|call| call["stage"] == "success"))
        .unwrap_or_else(|| gateway.calls());
    let first = calls.last().unwrap_or_else(|| panic!("nothing went through: {ran:?}"));
    assert_eq!(first["stage"], "success", "{first}");
    assert!(first["prompt"].as_u64().is_some_and(|tokens| tokens > 100), "{first}");
}

#[test]
fn gwy_18_codex_gets_the_words_of_a_real_server() {
    let (Some(program), Some(server)) = (codex::codex(), server()) else { return };
    let gateway = before(&server, codex::MODEL);
    let ran = codex::works(&program, &Place::new(), &gateway);
    let said = codex::items(&ran, "agent_message");
    heard(&ran, &gateway, said[0]["text"].as_str().unwrap_or_default());
}

#[test]
fn gwy_18_claude_code_gets_the_words_of_a_real_server() {
    let (Some(program), Some(server)) = (claude::claude(), server()) else { return };
    let gateway = before(&server, claude::MODEL);
    let (ran, said) = claude::hears(&program, &Place::new(), &gateway, LONGEST_ANSWER);
    heard(&ran, &gateway, &said);
}

#[test]
fn gwy_18_opencode_gets_the_words_of_a_real_server() {
    let (Some(program), Some(server)) = (opencode::opencode(), server()) else { return };
    let gateway = before(&server, opencode::MODEL);
    let ran = opencode::answers_up_to(LONGEST_ANSWER, &program, &Place::new(), &gateway);
    let said = opencode::parts(&ran, "text");
    heard(&ran, &gateway, said[0]["text"].as_str().unwrap_or_default());
}
