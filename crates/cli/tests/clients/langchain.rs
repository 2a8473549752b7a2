//! LangChain's own tests for chat models, with its clients for OpenAI's and Anthropic's
//! protocols; what they are set to stands in `langchain_models.py`.

use std::path::PathBuf;

use plimsoll_testkit::python::python_with;

use crate::{
    asked::Protocol,
    gateway::{Behind, Gateway},
    model::obliging,
    program::{Place, cache, fetched, run},
    upstream::Upstream,
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/langchain_models.py");

const PACKAGES: [&str; 5] = [
    "langchain-tests==1.1.9",
    "langchain-openai==1.7.3",
    "langchain-anthropic==1.7.7",
    "pytest==9.2.0",
    "pytest-asyncio==1.5.0",
];

fn python() -> Option<PathBuf> {
    fetched("LangChain", python_with(cache(), "langchain", &PACKAGES))
}

/// Runs the tests of a class; gives how many passed.
#[track_caller]
fn passes(class: &str, client: Protocol, behind: Behind) -> Option<usize> {
    let python = python()?;
    let upstream = Upstream::saying(obliging);
    let gateway = Gateway::before(&upstream, &[("test", behind), ("other", behind)]);
    let place = Place::new();
    let mut pytest = place.command(&python);
    pytest.env("GATEWAY", gateway.root()).env("PYTHONDONTWRITEBYTECODE", "1");
    if behind.translated(client) {
        pytest.env("GATEWAY_LOSSY", "allow");
    }
    pytest.env("GATEWAY_BEHIND", format!("{behind:?}"));
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "-rs"]);
    for option in [
        "asyncio_mode=auto",
        "asyncio_default_test_loop_scope=session",
        "asyncio_default_fixture_loop_scope=session",
    ] {
        pytest.args(["-o", option]);
    }
    let ran = run(pytest.arg("--rootdir").arg(place.work()).arg(format!("{SCRIPT}::{class}")));
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    gateway.passed(&upstream, client, behind);
    let last = ran.stdout.lines().rfind(|line| line.contains(" passed"))?;
    last.split(" passed").next()?.parse().ok()
}

#[test]
fn gwy_18_langchains_tests_of_chats_pass() {
    let Some(passed) = passes("TestChat", Protocol::Chat, Behind::ChatOnly) else { return };
    assert_eq!(passed, 45);
}

#[test]
fn gwy_18_langchains_tests_of_chats_pass_on_anthropics_protocol() {
    let Some(passed) = passes("TestChat", Protocol::Chat, Behind::Anthropic) else { return };
    assert_eq!(passed, 44);
}

#[test]
fn gwy_18_langchains_tests_of_responses_pass() {
    let passed = passes("TestResponses", Protocol::Responses, Behind::OpenAi);
    let Some(passed) = passed else { return };
    assert_eq!(passed, 47);
}

#[test]
fn gwy_18_langchains_tests_of_responses_pass_on_a_provider_of_chats() {
    let passed = passes("TestResponses", Protocol::Responses, Behind::ChatOnly);
    let Some(passed) = passed else { return };
    assert_eq!(passed, 47);
}

#[test]
fn gwy_18_langchains_tests_of_messages_pass() {
    let passed = passes("TestMessages", Protocol::Messages, Behind::Anthropic);
    let Some(passed) = passed else { return };
    assert_eq!(passed, 47);
}

#[test]
fn gwy_18_langchains_tests_of_messages_pass_on_a_provider_of_chats() {
    let passed = passes("TestMessages", Protocol::Messages, Behind::ChatOnly);
    let Some(passed) = passed else { return };
    assert_eq!(passed, 47);
}
