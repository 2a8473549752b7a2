//! The agents on a real llama.cpp server (GWY-18): a small model says what it says, and each
//! client takes it for an answer.

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

fn server() -> Option<LlamaServer> {
    let weights = real::weights(cache(), |cache| {
        let fetched = fetch(cache, None, &mut |_| ControlFlow::Continue(()))?;
        Ok::<_, FetchError>(fetched.path().to_owned())
    })?;
    let options = LlamaOptions { model: weights, window: WINDOW, longest_answer: 96, threads: 2 };
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

/// It ended well, and the gateway knows what went through it.
#[track_caller]
fn answered(ran: &Ran, gateway: &Gateway, said: &str) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!said.trim().is_empty(), "{ran:?}");
    let calls = gateway.calls();
    let last = calls.first().unwrap_or_else(|| panic!("nothing went through: {ran:?}"));
    assert_eq!(last["stage"], "success", "{last}");
    assert!(last["prompt"].as_u64().is_some_and(|tokens| tokens > 100), "{last}");
}

#[test]
fn gwy_18_codex_gets_the_words_of_a_real_server() {
    let (Some(program), Some(server)) = (codex::codex(), server()) else { return };
    let gateway = before(&server, codex::MODEL);
    let ran = codex::works(&program, &Place::new(), &gateway);
    let said = codex::items(&ran, "agent_message");
    answered(
        &ran,
        &gateway,
        said.last().and_then(|item| item["text"].as_str()).unwrap_or_default(),
    );
}

#[test]
fn gwy_18_claude_code_gets_the_words_of_a_real_server() {
    let (Some(program), Some(server)) = (claude::claude(), server()) else { return };
    let gateway = before(&server, claude::MODEL);
    let ran = claude::works(&program, &Place::new(), &gateway);
    let outcome = claude::outcome(&ran);
    answered(&ran, &gateway, outcome["result"].as_str().unwrap_or_default());
}

#[test]
fn gwy_18_opencode_gets_the_words_of_a_real_server() {
    let (Some(program), Some(server)) = (opencode::opencode(), server()) else { return };
    let gateway = before(&server, opencode::MODEL);
    let ran = opencode::works(&program, &Place::new(), &gateway);
    let said = opencode::parts(&ran, "text");
    answered(
        &ran,
        &gateway,
        said.last().and_then(|part| part["text"].as_str()).unwrap_or_default(),
    );
}
