//! Real clients before the real binary (MDC-3, MDC-4): the official Python SDK and the official
//! inspector, over standard input and output and over HTTP, in the older protocol and the
//! newest; Codex, Claude Code and Pydantic AI with a scripted model; the TypeScript SDK and
//! FastMCP. Where they cannot be set up it is said loudly.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod agent;
mod claude;
mod codex;
mod inspector;
mod pydantic;
mod sdks;
#[path = "../web/served.rs"]
#[allow(dead_code, reason = "only the address is needed")]
mod served;
mod words;

use std::{path::Path, process::Command};

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use served::Served;

/// The memory at `/mcp` of a served workbench.
fn serve() -> (ScriptedServer, Served) {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start(&server, 4096);
    (server, served)
}

/// A command that knows nothing of this machine's own Plimsoll, and keeps its data in `home`.
fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PLIMSOLL_") {
            command.env_remove(name);
        }
    }
    command
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .envs(crate::served::store::variables(&home.join("data")))
        .env("PLIMSOLL_TIME_ZONE", "UTC")
        .current_dir(home);
    command
}
