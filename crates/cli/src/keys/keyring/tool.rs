//! The keyring of the desktop, asked through `secret-tool` of libsecret. No library is built for
//! it, and a keyring that is missing, locked or stuck costs at most a time-out.

use std::{
    io::{Read, Write},
    process::{Child, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use super::{KeyringError, SERVICE, patience};

const PROGRAM: &str = "secret-tool";

/// Arguments, and what is written to standard input. A secret is never an argument: others could
/// read it in the list of processes.
struct Asked {
    arguments: Vec<String>,
    input: String,
}

impl Asked {
    fn of(arguments: &[&str], input: String) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { arguments, input }
    }

    fn get(name: &str) -> Self {
        Self::of(&["lookup", "service", SERVICE, "provider", name], String::new())
    }

    fn put(name: &str, key: &str) -> Self {
        let label = format!("--label=Plimsoll key of {name}");
        let arguments = ["store", label.as_str(), "service", SERVICE, "provider", name];
        Self::of(&arguments, key.to_owned())
    }

    fn remove(name: &str) -> Self {
        Self::of(&["clear", "service", SERVICE, "provider", name], String::new())
    }
}

pub(super) fn get(name: &str) -> Result<Option<String>, KeyringError> {
    run(Asked::get(name))
}

pub(super) fn put(name: &str, key: &str) -> Result<(), KeyringError> {
    run(Asked::put(name, key)).map(drop)
}

pub(super) fn remove(name: &str) -> Result<(), KeyringError> {
    run(Asked::remove(name)).map(drop)
}

/// Runs the tool. None if it says that there is no such key.
fn run(asked: Asked) -> Result<Option<String>, KeyringError> {
    let patience = patience();
    let refused = |error: std::io::Error| KeyringError::Refused(error.to_string());
    let spawned = plimsoll_provider::program(PROGRAM)
        .args(&asked.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = spawned.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => KeyringError::Missing(PROGRAM),
        _ => refused(error),
    })?;
    let deadline = Instant::now() + patience;
    let said = read_aside(child.stdout.take());
    let complained = read_aside(child.stderr.take());
    if let Some(mut input) = child.stdin.take() {
        // A tool that does not read its input says why itself.
        let _ = input.write_all(asked.input.as_bytes());
    }
    let Some(status) = wait(&mut child, deadline) else {
        // Whatever it waits for, nobody waits for it any more.
        let _ = child.kill();
        let _ = child.wait();
        return Err(KeyringError::Silent(patience));
    };
    let left = || deadline.saturating_duration_since(Instant::now()) + Duration::from_millis(100);
    let complaint = complained.recv_timeout(left()).unwrap_or_default();
    let complaint = complaint.trim();
    if status.success() {
        return match said.recv_timeout(left()) {
            Ok(said) => Ok(Some(said)),
            Err(_) => Err(KeyringError::Silent(patience)),
        };
    }
    // It fails without a word when nothing is found.
    if status.code() == Some(1) && complaint.is_empty() {
        return Ok(None);
    }
    let first = complaint.lines().next().unwrap_or_default();
    Err(KeyringError::Refused(match first.is_empty() {
        true => format!("{} failed ({status})", PROGRAM),
        false => first.to_owned(),
    }))
}

/// Reads a pipe on a thread of its own, since a stuck tool may never close it.
fn read_aside(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // No key is longer than this.
            let _ = pipe.take(64 * 1024).read_to_end(&mut bytes);
        }
        // Whoever asked may have given up.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// Waits for the tool to end; none if it does not in time.
fn wait(child: &mut Child, deadline: Instant) -> Option<std::process::ExitStatus> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_an_argument() {
        for asked in [Asked::get("openai"), Asked::put("openai", "sk-1"), Asked::remove("openai")] {
            assert!(asked.arguments.iter().all(|argument| !argument.contains("sk-1")));
        }
    }
}
