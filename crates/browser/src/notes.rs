//! What a page did: said on its console, asked for, tried against its policy.

use std::{
    collections::HashSet,
    fmt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};

use crate::wire::Order;

/// How loud a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `console.debug`.
    Debug,
    /// `console.log`, `console.info` and their like.
    Info,
    /// `console.warn`, and warnings of Chromium.
    Warning,
    /// `console.error`, a failed assertion, and errors of Chromium.
    Error,
    /// An exception that nobody caught, or a promise whose failure nobody handled.
    Exception,
}

/// A message on the page's console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How loud it is.
    pub level: Level,
    /// What it says.
    pub text: String,
    /// Where it comes from: `address:line`, or empty.
    pub place: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.level, self.text)?;
        if self.place.is_empty() { Ok(()) } else { write!(f, " ({})", self.place) }
    }
}

/// Something that the page asked for, over HTTP or as a web socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method; `GET` for a web socket.
    pub method: String,
    /// The address.
    pub url: String,
    /// The kind in Chromium's words: `Document`, `Script`, `Fetch`, `WebSocket` …
    pub kind: String,
    /// The status of its answer, once it has come.
    pub status: Option<u16>,
    /// Why it failed, if it did, in Chromium's words.
    pub failed: Option<String>,
    /// Whether the page's own policy stopped it before it left.
    pub stopped_by_policy: bool,
    id: String,
}

/// Something that the page's Content-Security-Policy forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CspViolation {
    /// The directive, such as `script-src-elem`.
    pub directive: String,
    /// What was stopped: an address, or a kind such as `kInlineViolation`.
    pub blocked: String,
    /// Where it stands: `address:line`, or empty.
    pub place: String,
}

/// All that is known of a page.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) messages: Vec<Message>,
    pub(crate) requests: Vec<Request>,
    pub(crate) violations: Vec<CspViolation>,
    pub(crate) dialogs: Vec<String>,
    /// The document that the page shows, and those that are completely loaded.
    pub(crate) document: String,
    pub(crate) loaded: HashSet<String>,
    /// Why nothing more can come.
    pub(crate) ended: Option<String>,
}

/// The notes of one page, and a bell that rings when they change.
#[derive(Default)]
pub(crate) struct Notebook {
    notes: Mutex<Notes>,
    changed: Condvar,
}

impl Notebook {
    pub(crate) fn read(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something is true of the notes; whether it was in time.
    pub(crate) fn wait(&self, within: Duration, done: impl Fn(&Notes) -> bool) -> bool {
        let waiting =
            self.changed.wait_timeout_while(self.read(), within, |notes: &mut Notes| !done(notes));
        !waiting.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Nothing more will come.
    pub(crate) fn end(&self, why: &str) {
        self.read().ended = Some(why.to_owned());
        self.changed.notify_all();
    }

    /// Writes an event down. Gives the commands that it calls for.
    pub(crate) fn hear(&self, method: &str, params: &Value) -> Vec<Order> {
        let orders = self.read().hear(method, params);
        self.changed.notify_all();
        orders
    }
}

/// A text, or an empty one.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// `address:line` of something that has them under these names; lines count from 1.
fn place(value: &Value, first_line: u64) -> String {
    let url = text(&value["url"]);
    match value["lineNumber"].as_u64() {
        Some(line) if !url.is_empty() => format!("{url}:{}", line + 1 - first_line),
        _ => url,
    }
}

/// A value as a console shows it.
fn shown(value: &Value) -> String {
    match &value["value"] {
        Value::String(text) => text.clone(),
        Value::Null if value["subtype"] != "null" => {
            let described = ["description", "unserializableValue", "type"];
            let mut described = described.iter().filter_map(|name| value[name].as_str());
            described.next().unwrap_or("?").to_owned()
        }
        other => other.to_string(),
    }
}

impl Notes {
    fn hear(&mut self, method: &str, params: &Value) -> Vec<Order> {
        match method {
            "Runtime.consoleAPICalled" => self.console(params),
            "Runtime.exceptionThrown" => self.exception(&params["exceptionDetails"]),
            "Log.entryAdded" => self.entry(&params["entry"]),
            "Audits.issueAdded" => self.issue(&params["issue"]),
            "Network.requestWillBeSent" => self.request(params),
            "Network.webSocketCreated" => self.push_request(params, &params["url"], "WebSocket"),
            "Network.responseReceived" => {
                let status = params["response"]["status"].as_u64();
                if let Some(request) = self.asked(params) {
                    request.status = status.and_then(|status| u16::try_from(status).ok());
                }
            }
            "Network.loadingFailed" => {
                if let Some(request) = self.asked(params) {
                    request.failed = Some(text(&params["errorText"]));
                    request.stopped_by_policy = params["blockedReason"] == "csp";
                }
            }
            "Page.frameNavigated" if params["frame"]["parentId"].is_null() => {
                self.document = text(&params["frame"]["loaderId"]);
            }
            "Page.lifecycleEvent" if params["name"] == "load" => {
                self.loaded.insert(text(&params["loaderId"]));
            }
            "Page.javascriptDialogOpening" => {
                // A dialog stops the page until someone answers.
                self.dialogs.push(text(&params["message"]));
                let params = json!({ "accept": true });
                return vec![Order { method: "Page.handleJavaScriptDialog", params }];
            }
            "Inspector.targetCrashed" => self.ended = Some("the page has crashed".to_owned()),
            _ => {}
        }
        Vec::new()
    }

    fn console(&mut self, params: &Value) {
        let level = match params["type"].as_str().unwrap_or_default() {
            "debug" => Level::Debug,
            "warning" => Level::Warning,
            "error" | "assert" => Level::Error,
            _ => Level::Info,
        };
        let args = params["args"].as_array().map(Vec::as_slice).unwrap_or_default();
        let args: Vec<String> = args.iter().map(shown).collect();
        let place = place(&params["stackTrace"]["callFrames"][0], 0);
        self.messages.push(Message { level, text: args.join(" "), place });
    }

    fn exception(&mut self, details: &Value) {
        let text = thrown(details);
        let place = place(details, 0);
        self.messages.push(Message { level: Level::Exception, text, place });
    }

    fn entry(&mut self, entry: &Value) {
        let level = match entry["level"].as_str().unwrap_or_default() {
            "verbose" => Level::Debug,
            "warning" => Level::Warning,
            "error" => Level::Error,
            _ => Level::Info,
        };
        let place = place(entry, 0);
        self.messages.push(Message { level, text: text(&entry["text"]), place });
    }

    fn issue(&mut self, issue: &Value) {
        let details = &issue["details"]["contentSecurityPolicyIssueDetails"];
        if details.is_object() {
            let blocked = details["blockedURL"].as_str().map(ToOwned::to_owned);
            self.violations.push(CspViolation {
                directive: text(&details["violatedDirective"]),
                blocked: blocked
                    .unwrap_or_else(|| text(&details["contentSecurityPolicyViolationType"])),
                place: place(&details["sourceCodeLocation"], 1),
            });
        }
    }

    fn request(&mut self, params: &Value) {
        // The next step of a redirection has the id of the one before it.
        let redirected = params["redirectResponse"]["status"].as_u64();
        if let Some(status) = redirected.and_then(|status| u16::try_from(status).ok())
            && let Some(before) = self.asked(params)
        {
            before.status = Some(status);
        }
        self.push_request(params, &params["request"]["url"], &text(&params["type"]));
    }

    fn push_request(&mut self, params: &Value, url: &Value, kind: &str) {
        self.requests.push(Request {
            method: params["request"]["method"].as_str().unwrap_or("GET").to_owned(),
            url: text(url),
            kind: kind.to_owned(),
            status: None,
            failed: None,
            stopped_by_policy: false,
            id: text(&params["requestId"]),
        });
    }

    fn asked(&mut self, params: &Value) -> Option<&mut Request> {
        let id = params["requestId"].as_str()?;
        self.requests.iter_mut().rev().find(|request| request.id == id)
    }
}

/// The words of an exception, with its stack where it has one.
pub(crate) fn thrown(details: &Value) -> String {
    let exception = &details["exception"];
    if exception.is_null() { text(&details["text"]) } else { shown(exception) }
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
