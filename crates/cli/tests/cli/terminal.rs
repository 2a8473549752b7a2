//! A pseudo terminal with `plimsoll` in it: keys in, screen out.

use std::{
    io::{Read, Write},
    process::Child,
    sync::{Arc, Condvar, Mutex},
    time::{Duration, Instant},
};

use pty_process::{
    Size,
    blocking::{Command, Pty},
};

use crate::send::Home;

pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const CTRL_D: &str = "\x04";
pub(crate) const UP: &str = "\x1b[A";

/// Nothing takes as long, on any machine.
const FOREVER: Duration = Duration::from_secs(120);

#[derive(Default)]
struct Screen {
    bytes: Mutex<(Vec<u8>, bool)>,
    changed: Condvar,
}

pub(crate) struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    screen: Arc<Screen>,
    /// How much of the text was waited for already.
    seen: usize,
}

impl Terminal {
    pub(crate) fn start(home: &Home, args: &[&str]) -> Self {
        Self::start_sized(home, args, Size::new(40, 160), &[])
    }

    /// In a terminal of another size, with these variables.
    pub(crate) fn start_sized(
        home: &Home,
        args: &[&str],
        size: Size,
        variables: &[(&str, &str)],
    ) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(size).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(args);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PLIMSOLL_") {
                command = command.env_remove(name);
            }
        }
        let child = command
            .env("PLIMSOLL_CONFIG_DIR", home.path())
            .env("PLIMSOLL_DATA_DIR", home.path().join("data"))
            .envs(crate::store::variables(&home.path().join("data")))
            .env("PLIMSOLL_DEFAULT_MODEL", "test")
            .env("PLIMSOLL_TIME_ZONE", "UTC")
            .env("TERM", "xterm-256color")
            // The keyring of whoever runs the tests is not for them.
            .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied())
            .spawn(pts)
            .unwrap();
        let (pty, screen) = (Arc::new(pty), Arc::new(Screen::default()));
        let (reading, drawn) = (Arc::clone(&pty), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                let read = (&*reading).read(&mut buffer).unwrap_or(0);
                // A test that failed has nobody left who looks.
                let Ok(mut bytes) = drawn.bytes.lock() else { return };
                bytes.0.extend_from_slice(&buffer[..read]);
                bytes.1 = read == 0;
                drawn.changed.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        Self { pty, child, screen, seen: 0 }
    }

    /// Presses keys.
    pub(crate) fn keys(&mut self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// Types a line at the prompt.
    pub(crate) fn enter(&mut self, line: &str) {
        self.wait_for("› ");
        self.keys(&format!("{line}\r"));
    }

    /// Waits until a text is on the screen, after what was waited for before. Gives what
    /// was drawn up to there.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        let deadline = Instant::now() + FOREVER;
        let mut bytes = self.screen.bytes.lock().unwrap();
        loop {
            let drawn = plain(&bytes.0);
            if let Some(at) = drawn[self.seen..].find(text) {
                let end = self.seen + at + text.len();
                let shown = drawn[self.seen..end].to_owned();
                self.seen = end;
                return shown;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if bytes.1 || left.is_zero() {
                // A screen that is gone belongs to a program that is, or is about to be.
                let ended = if bytes.1 { self.child.wait().map(Some) } else { Ok(None) };
                panic!("{text:?} did not come ({ended:?}); on the screen:\n{drawn}");
            }
            bytes = self.screen.changed.wait_timeout(bytes, left).unwrap().0;
        }
    }

    /// Everything that was drawn, once the program has ended.
    pub(crate) fn rest(&mut self) -> String {
        let deadline = Instant::now() + FOREVER;
        let mut bytes = self.screen.bytes.lock().unwrap();
        while !bytes.1 {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it did not end:\n{}", plain(&bytes.0));
            bytes = self.screen.changed.wait_timeout(bytes, left).unwrap().0;
        }
        plain(&bytes.0)
    }

    /// Everything that was drawn, with its terminal codes.
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.screen.bytes.lock().unwrap().0).into_owned()
    }

    /// Waits for the program to end.
    pub(crate) fn end(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Only ours, and only if a test failed before its end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text without terminal codes. What is not complete yet is left out, so that what was
/// plain once stays as it is.
fn plain(bytes: &[u8]) -> String {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap(),
    };
    let mut text = String::new();
    let mut rest = valid.chars();
    while let Some(c) = rest.next() {
        match c {
            '\x1b' => {
                if rest.next() == Some('[') {
                    // A code ends with a letter or one of a few signs.
                    let _ = rest.find(|c| matches!(c, '@'..='~'));
                }
            }
            '\r' => {}
            c => text.push(c),
        }
    }
    text
}
