//! Real clients before the gateway of the real binary, unchanged (GWY-18): the tests that the
//! Python SDKs of OpenAI and Anthropic ship, LangChain's, the JavaScript SDKs, and the agents
//! Codex, Claude Code and opencode with a task of several turns. Behind the gateway stands a
//! scripted provider of the same protocol or of another. Where a client cannot be fetched it
//! is said loudly.

#![cfg(unix)]
// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod asked;
mod claude;
mod codex;
mod gateway;
mod langchain;
mod llama;
mod model;
mod opencode;
mod program;
mod sdk_javascript;
mod sdk_python;
#[path = "../web/served.rs"]
#[allow(dead_code, reason = "only its start and its address are needed")]
mod served;
mod upstream;
mod wire;
