//! The command line: arguments in, text or JSON out.
//!
//! Commands translate and print; they hold no rule of their own. What is visible,
//! what it weighs and what fits is decided in `filter`, `tokens` and `budget`. It is
//! a library with a two-line binary so that fuzz targets can reach its readers.

mod args;
mod commands;
mod configuration;
mod context;
mod conversation;
mod embedded;
mod failure;
mod input;
mod keys;
mod logging;
mod machine;
mod markdown;
mod meaning;
mod objects;
mod openid;
mod output;
pub mod pairs;
mod plan_picture;
mod process;
mod providers;
mod signals;
mod stores;
mod supply;
mod survey;
mod table;
mod token;
mod whole_file;
mod words;

use std::{ffi::OsString, process::ExitCode};

use clap::Parser;

use crate::{
    args::{Cli, Command},
    failure::Failure,
    output::Output,
};

/// Runs one command and gives its exit code: 0 it did what was asked, 1 it failed,
/// 2 it was asked wrongly.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_with(arguments, |server, hosts| {
        let service = plimsoll_mcp::http_service(server, hosts, plimsoll_mcp::Server::connect);
        axum::Router::new().route_service("/mcp", service)
    })
}

/// What `serve` offers to agents: the address /mcp, for pages of these hosts.
pub type MountAgents = fn(&plimsoll_mcp::Server, &[String]) -> axum::Router;

/// The same, with something else at /mcp; for tests.
pub fn run_with(
    arguments: impl IntoIterator<Item = OsString>,
    mount_agents: MountAgents,
) -> ExitCode {
    plimsoll_heap::give_back_large_blocks();
    process::keep_memory_private();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors; clap knows where each goes.
            let code = if error.use_stderr() { 2 } else { 0 };
            return match error.print() {
                Ok(()) => ExitCode::from(code),
                Err(_) => ExitCode::from(1),
            };
        }
    };
    let mut output = Output::new();
    let done =
        dispatch(cli, &mut output, mount_agents).and_then(|worst| output.flush().map(|()| worst));
    match done {
        Ok(code) => ExitCode::from(code),
        // Whoever reads us has seen enough, as in `plimsoll tokens … | head`.
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            failure::report(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

fn dispatch(cli: Cli, output: &mut Output, mount_agents: MountAgents) -> Result<u8, Failure> {
    let mut serve = |args| commands::serve::run(args, &cli.location, output, mount_agents);
    match cli.command {
        None => serve(&args::ServeArgs::default()),
        Some(Command::Serve(args)) => serve(&args),
        Some(Command::Tokens(args)) => commands::tokens::run(&args, output),
        Some(Command::Plan(args)) => commands::plan::run(&args, &cli.location, output),
        Some(Command::Classify(args)) => commands::classify::run(&args, output),
        Some(Command::Segments(args)) => commands::segments::run(&args, output),
        Some(Command::Models(args)) => commands::models::run(&args, &cli.location, output),
        Some(Command::Send(args)) => commands::send::run(&args, &cli.location, output),
        Some(Command::Chat(args)) => commands::chat::run(&args, &cli.location, output),
        Some(Command::Files(args)) => commands::files::run(&args, &cli.location, output),
        Some(Command::Gc(args)) => commands::files::run_gc(&args, &cli.location, output),
        Some(Command::Mcp(args)) => commands::mcp::run(&args, &cli.location, output),
        Some(Command::Memory(args)) => commands::memory::run(&args, &cli.location, output),
        Some(Command::Topics(args)) => commands::topics::run(&args, &cli.location, output),
        Some(Command::Snippets(args)) => commands::snippets::run(&args, &cli.location, output),
        Some(Command::Gateway(args)) => commands::gateway::run(&args, &cli.location, output),
        Some(Command::Team(args)) => commands::team::run(&args, &cli.location, output),
        Some(Command::Undo(args)) => commands::undo::run(&args, &cli.location, output),
        Some(Command::Receipts(args)) => commands::receipts::run(&args, &cli.location, output),
        Some(Command::Settings(args)) => commands::settings::run(&args, output),
        Some(Command::Keys(args)) => commands::keys::run(&args, output),
        Some(Command::Import(args)) => commands::import::run(&args, &cli.location, output),
        Some(Command::Export(args)) => commands::export::run(&args, &cli.location),
        Some(Command::Backup(args)) => commands::backup::run(&args, &cli.location),
        Some(Command::Move(args)) => commands::moving::run(&args, &cli.location),
        Some(Command::Restore(args)) => commands::restore::run(&args, &cli.location),
        Some(Command::Verify(args)) => commands::verify::run(&args, &cli.location, output),
        Some(Command::Doctor(args)) => commands::doctor::run(&args, &cli.location, output),
        Some(Command::Completions(args)) => commands::generate::completions(&args, output),
        Some(Command::Man(args)) => commands::generate::man(&args, output),
    }
}
