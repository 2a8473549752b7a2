//! `plimsoll` with the fixtures of the conformance suite at /mcp; `cargo xtask conformance` runs it.

use plimsoll_conformance::WithFixtures;
use plimsoll_mcp::http_service;

fn main() -> std::process::ExitCode {
    plimsoll_cli::run_with(std::env::args_os(), |server, hosts| {
        let service = http_service(server, hosts, WithFixtures::connect);
        axum::Router::new().route_service("/mcp", service)
    })
}
