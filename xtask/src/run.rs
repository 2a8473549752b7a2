//! Running commands and telling about it.

use std::{path::PathBuf, process::Command};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(PathBuf::from).unwrap_or(manifest)
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a step, shows its name, and fails when it does.
pub fn step(name: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("\n── {name}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed ({status})")),
        Err(error) => Err(format!("{name} could not start: {error}")),
    }
}

/// Says that a step was left out, so that nobody takes silence for success.
pub fn skip(name: &str, why: &str) {
    eprintln!("\n── {name}: SKIPPED, {why}");
}

/// Whether a program answers.
pub fn has(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
