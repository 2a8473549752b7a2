//! The JavaScript SDKs of OpenAI and Anthropic, and Vercel's AI SDK with its three providers;
//! what they do and expect stands in `sdk_javascript.mjs`.

use plimsoll_testkit::npm::node_modules;

use crate::{
    asked::Protocol,
    gateway::{Behind, Gateway},
    model::{LAST, obliging},
    program::{Place, cache, fetched, run},
    upstream::Upstream,
};

const SCRIPT: &str = include_str!("sdk_javascript.mjs");

const PACKAGES: [&str; 7] = [
    "openai@6.49.0",
    "@anthropic-ai/sdk@1.9.0",
    "ai@6.0.326",
    "@ai-sdk/openai@3.0.139",
    "@ai-sdk/openai-compatible@2.0.87",
    "@ai-sdk/anthropic@3.0.138",
    "zod@4.6.7",
];

/// Runs all that the script has for a protocol.
#[track_caller]
fn works(protocol: Protocol, behind: Behind) {
    let modules = node_modules(cache(), "sdks", &PACKAGES);
    let Some(modules) = fetched("the JavaScript SDKs", modules) else { return };
    let upstream = Upstream::saying(obliging);
    let gateway = Gateway::before(&upstream, &[("test", behind)]);
    let place = Place::new();
    // A module finds its imports beside itself.
    std::fs::write(place.work().join("sdks.mjs"), SCRIPT).unwrap();
    let link = place.work().join("node_modules");
    std::os::unix::fs::symlink(modules.join("node_modules"), link).unwrap();
    let mut node = place.command("node");
    node.env("GATEWAY", gateway.root()).env("EXPECTED", LAST).arg("sdks.mjs");
    if behind.translated(protocol) {
        node.env("GATEWAY_LOSSY", "allow");
    }
    let ran = run(node.arg(match protocol {
        Protocol::Chat => "chat",
        Protocol::Responses => "responses",
        Protocol::Messages => "messages",
    }));
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    gateway.passed(&upstream, protocol, behind);
}

#[test]
fn gwy_18_the_javascript_sdks_chat() {
    works(Protocol::Chat, Behind::ChatOnly);
}

#[test]
fn gwy_18_the_javascript_sdks_chat_on_anthropics_protocol() {
    works(Protocol::Chat, Behind::Anthropic);
}

#[test]
fn gwy_18_the_javascript_sdks_use_responses() {
    works(Protocol::Responses, Behind::OpenAi);
}

#[test]
fn gwy_18_the_javascript_sdks_use_responses_on_a_provider_of_chats() {
    works(Protocol::Responses, Behind::ChatOnly);
}

#[test]
fn gwy_18_the_javascript_sdks_use_messages() {
    works(Protocol::Messages, Behind::Anthropic);
}

#[test]
fn gwy_18_the_javascript_sdks_use_messages_on_a_provider_of_chats() {
    works(Protocol::Messages, Behind::ChatOnly);
}
