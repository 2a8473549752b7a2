//! The web socket to Firefox: one command at a time, with what it tells in between written down.

use std::{
    net::TcpStream,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::{Error, Result};

/// Something that a page said on its console.
#[derive(Clone, Debug)]
pub(super) struct Said {
    /// The page.
    pub(super) context: String,
    /// `error`, `warn` or less.
    pub(super) level: String,
    pub(super) text: String,
}

pub(super) struct Socket {
    line: Mutex<Line>,
    patience: Duration,
}

struct Line {
    socket: WebSocket<TcpStream>,
    last: u64,
    said: Vec<Said>,
}

impl Socket {
    pub(super) fn connect(port: u16, patience: Duration) -> Result<Self> {
        let failed = |error: &dyn std::fmt::Display| Error::Launch(format!("no socket: {error}"));
        let stream = TcpStream::connect(("127.0.0.1", port)).map_err(|error| failed(&error))?;
        stream.set_read_timeout(Some(patience)).map_err(|error| failed(&error))?;
        let address = format!("ws://127.0.0.1:{port}/session");
        let (socket, _) = tungstenite::client(address, stream).map_err(|error| failed(&error))?;
        let line = Line { socket, last: 0, said: Vec::new() };
        Ok(Self { line: Mutex::new(line), patience })
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a command gives.
    pub(super) fn call(&self, method: &str, params: Value) -> Result<Value> {
        let mut line = self.lock();
        line.last += 1;
        let id = line.last;
        let command = json!({ "id": id, "method": method, "params": params });
        let gone = |error: tungstenite::Error| Error::Gone(format!("Firefox has ended: {error}"));
        line.socket.send(Message::text(command.to_string())).map_err(gone)?;
        loop {
            let message = line.socket.read().map_err(|error| match error {
                tungstenite::Error::Io(error) if is_timeout(&error) => {
                    Error::TimedOut { what: method.to_owned(), after: self.patience }
                }
                error => gone(error),
            })?;
            let Ok(mut told) = serde_json::from_str::<Value>(message.to_text().unwrap_or_default())
            else {
                continue;
            };
            if told["id"] == id {
                return match told["type"] == "success" {
                    true => Ok(told["result"].take()),
                    false => Err(Error::Refused {
                        method: method.to_owned(),
                        message: format!("{} {}", told["error"], told["message"]),
                    }),
                };
            }
            if told["method"] == "log.entryAdded" {
                let entry = &told["params"];
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                line.said.push(Said {
                    context: text(&entry["source"]["context"]),
                    level: text(&entry["level"]),
                    text: text(&entry["text"]),
                });
            }
        }
    }

    /// What a page said so far.
    pub(super) fn said(&self, context: &str) -> Vec<Said> {
        self.lock().said.iter().filter(|said| said.context == context).cloned().collect()
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}
