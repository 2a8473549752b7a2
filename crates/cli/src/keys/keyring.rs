//! The keyring of the machine, asked through the tool that comes with it: `secret-tool` of
//! libsecret, or `security` on a Mac. No library is built for it, and a keyring that is
//! missing, locked or stuck costs at most a time-out.

use std::{
    io::{Read, Write},
    process::{Child, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use thiserror::Error;

/// Long enough for somebody to answer a dialog that unlocks the keyring.
const PATIENCE: Duration = Duration::from_secs(20);

/// Another time for tests, in milliseconds.
const PATIENCE_VARIABLE: &str = "PLIMSOLL_KEYRING_PATIENCE_MS";

/// Under which the keys are filed.
const SERVICE: &str = "plimsoll";

/// Why the keyring was of no use.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum KeyringError {
    /// There is no tool to ask it with.
    #[error("there is no {0} on this machine")]
    Missing(&'static str),
    /// It did not answer.
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    Silent(Duration),
    /// It said no.
    #[error("{0}")]
    Refused(String),
}

/// How the tool of a platform is asked. A secret is never an argument: others could read
/// it in the list of processes.
struct Tool {
    program: &'static str,
    get: fn(&str) -> Asked,
    put: fn(&str, &str) -> Asked,
    remove: fn(&str) -> Asked,
    /// Whether a failed command says that there is no such key.
    is_absent: fn(Option<i32>, &str) -> bool,
}

/// Arguments, and what is written to standard input.
struct Asked {
    arguments: Vec<String>,
    input: String,
}

impl Asked {
    fn of(arguments: &[&str], input: String) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { arguments, input }
    }
}

#[cfg(not(target_os = "macos"))]
const TOOL: Tool = Tool {
    program: "secret-tool",
    get: |name| Asked::of(&["lookup", "service", SERVICE, "provider", name], String::new()),
    put: |name, key| {
        let label = format!("--label=Plimsoll key of {name}");
        let arguments = ["store", label.as_str(), "service", SERVICE, "provider", name];
        Asked::of(&arguments, key.to_owned())
    },
    remove: |name| Asked::of(&["clear", "service", SERVICE, "provider", name], String::new()),
    // It fails without a word when nothing is found.
    is_absent: |code, said| code == Some(1) && said.is_empty(),
};

#[cfg(target_os = "macos")]
const TOOL: Tool = Tool {
    program: "security",
    get: |name| {
        Asked::of(&["find-generic-password", "-s", SERVICE, "-a", name, "-w"], String::new())
    },
    // Its commands can be read from standard input, and a password in hexadecimal digits
    // needs no quotes.
    put: |name, key| {
        let digits: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
        let command = format!("add-generic-password -U -s {SERVICE} -a {name} -X {digits}\n");
        Asked::of(&["-i"], command)
    },
    remove: |name| {
        Asked::of(&["delete-generic-password", "-s", SERVICE, "-a", name], String::new())
    },
    is_absent: |code, _| code == Some(44),
};

/// The key of a provider, if the keyring has one.
pub(super) fn get(provider: &str) -> Result<Option<String>, KeyringError> {
    let found = run((TOOL.get)(provider))?;
    Ok(found.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()))
}

/// Keeps a key, and makes sure that it is there.
pub(super) fn put(provider: &str, key: &str) -> Result<(), KeyringError> {
    check_name(provider)?;
    run((TOOL.put)(provider, key))?;
    match get(provider)? {
        Some(kept) if kept == key => Ok(()),
        _ => Err(KeyringError::Refused("it took the key and does not have it".to_owned())),
    }
}

/// Forgets a key, if there is one.
pub(super) fn remove(provider: &str) -> Result<(), KeyringError> {
    run((TOOL.remove)(provider)).map(|_| ())
}

/// Names go into commands.
fn check_name(provider: &str) -> Result<(), KeyringError> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let starts = provider.starts_with(|c: char| c.is_ascii_alphanumeric());
    if starts && provider.chars().all(good) {
        return Ok(());
    }
    Err(KeyringError::Refused(format!("'{provider}' is no name for a keyring")))
}

/// Runs the tool. None if it says that there is no such key.
fn run(asked: Asked) -> Result<Option<String>, KeyringError> {
    let own = std::env::var(PATIENCE_VARIABLE).ok().and_then(|text| text.parse().ok());
    let patience = own.map_or(PATIENCE, Duration::from_millis);
    let refused = |error: std::io::Error| KeyringError::Refused(error.to_string());
    let spawned = plimsoll_provider::program(TOOL.program)
        .args(&asked.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = spawned.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => KeyringError::Missing(TOOL.program),
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
    if (TOOL.is_absent)(status.code(), complaint) {
        return Ok(None);
    }
    let first = complaint.lines().next().unwrap_or_default();
    Err(KeyringError::Refused(match first.is_empty() {
        true => format!("{} failed ({status})", TOOL.program),
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
        for asked in [(TOOL.get)("openai"), (TOOL.put)("openai", "sk-1"), (TOOL.remove)("openai")] {
            assert!(asked.arguments.iter().all(|argument| !argument.contains("sk-1")));
            assert!(asked.arguments.iter().all(|argument| !argument.contains("736b2d31")));
        }
    }

    #[test]
    fn names_cannot_become_commands() {
        assert_eq!(check_name("my-server.2"), Ok(()));
        for bad in ["", "-w", "a b", "a\nb", "a;b", "ä"] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
