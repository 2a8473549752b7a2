//! A page in Firefox, and the hands before it.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Firefox;
use crate::{
    Error, Result, Viewport,
    error::NotMet,
    files::absolute,
    keyboard::{MODIFIERS, Stroke, strokes, typing},
    mouse::{CENTRE, Found},
    page::{applied, parse},
};

/// How often a condition is asked for.
const POLL: Duration = Duration::from_millis(25);

/// The private signs by which WebDriver names keys that type nothing.
const KEYS: [(&str, char); 18] = [
    ("Enter", '\u{e007}'),
    ("Tab", '\u{e004}'),
    ("Escape", '\u{e00c}'),
    ("Backspace", '\u{e003}'),
    ("Delete", '\u{e017}'),
    ("Insert", '\u{e016}'),
    ("Home", '\u{e011}'),
    ("End", '\u{e010}'),
    ("PageUp", '\u{e00e}'),
    ("PageDown", '\u{e00f}'),
    ("ArrowLeft", '\u{e012}'),
    ("ArrowUp", '\u{e013}'),
    ("ArrowRight", '\u{e014}'),
    ("ArrowDown", '\u{e015}'),
    ("Control", '\u{e009}'),
    ("Shift", '\u{e008}'),
    ("Alt", '\u{e00a}'),
    ("Meta", '\u{e03d}'),
];

/// A page. Dropping it closes it.
pub struct FirefoxPage {
    firefox: Arc<Firefox>,
    context: String,
    user: String,
}

impl FirefoxPage {
    pub(super) fn of(firefox: Arc<Firefox>, context: String, user: String) -> Result<Self> {
        let viewport = firefox.options.viewport;
        let page = Self { firefox, context, user };
        page.viewport(viewport)?;
        Ok(page)
    }

    fn call(&self, method: &str, mut params: Value) -> Result<Value> {
        params["context"] = self.context.as_str().into();
        self.firefox.socket.call(method, params)
    }

    /// Gives the page another size.
    pub fn viewport(&self, Viewport { width, height, .. }: Viewport) -> Result<()> {
        let size = json!({ "viewport": { "width": width, "height": height } });
        self.call("browsingContext.setViewport", size).map(drop)
    }

    /// Opens an address and waits until the page is loaded.
    pub fn open(&self, url: &str) -> Result<()> {
        self.call("browsingContext.navigate", json!({ "url": url, "wait": "complete" })).map(drop)
    }

    /// Loads the page again and waits until it is there.
    pub fn reload(&self) -> Result<()> {
        self.call("browsingContext.reload", json!({ "wait": "complete" })).map(drop)
    }

    /// Goes back by one, as its button does.
    pub fn back(&self) -> Result<()> {
        self.call("browsingContext.traverseHistory", json!({ "delta": -1 })).map(drop)
    }

    /// Runs a script in every document of this page before its own scripts.
    pub fn before_load(&self, script: &str) -> Result<()> {
        let function = format!("() => {{ {script}\n}}");
        let params = json!({ "functionDeclaration": function, "contexts": [self.context] });
        self.firefox.socket.call("script.addPreloadScript", params).map(drop)
    }

    /// The value of an expression; a promise is awaited. `undefined` is read as `null`.
    pub fn eval<T: DeserializeOwned>(&self, expression: &str) -> Result<T> {
        let asked =
            format!("Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))");
        let result = self.evaluate(&asked)?;
        let text = result["value"].as_str().unwrap_or("null");
        parse(serde_json::from_str(text).unwrap_or(Value::Null), expression)
    }

    fn evaluate(&self, expression: &str) -> Result<Value> {
        let params = json!({
            "expression": expression,
            "target": { "context": self.context },
            "awaitPromise": true,
            "userActivation": true,
        });
        let mut answer = self.firefox.socket.call("script.evaluate", params)?;
        if answer["type"] == "exception" {
            let thrown = answer["exceptionDetails"]["text"].as_str().unwrap_or_default();
            return Err(Error::Threw { thrown: thrown.to_owned(), script: expression.to_owned() });
        }
        Ok(answer["result"].take())
    }

    /// Waits until an expression is true. A script that throws counts as not yet.
    pub fn wait_for(&self, condition: &str) -> Result<()> {
        let asked = format!("Promise.resolve({condition}).then((value) => Boolean(value))");
        let met = self.poll(|| match self.eval::<bool>(&asked) {
            Ok(true) => Ok(Ok(())),
            Ok(false) => Ok(Err("false".to_owned())),
            Err(gone @ Error::Gone(_)) => Err(gone),
            Err(not_yet) => Ok(Err(not_yet.to_string())),
        })?;
        met.map_err(|last| self.not_met(condition, last))
    }

    fn poll<T>(
        &self,
        mut ask: impl FnMut() -> Result<Result<T, String>>,
    ) -> Result<Result<T, String>> {
        let until = Instant::now() + self.firefox.options.patience;
        loop {
            match ask()? {
                Ok(value) => return Ok(Ok(value)),
                Err(last) if Instant::now() >= until => return Ok(Err(last)),
                Err(_) => thread::sleep(POLL),
            }
        }
    }

    fn not_met(&self, condition: &str, last: String) -> Error {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let options = &self.firefox.options;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = options.pictures.join(format!("firefox-{}-{number}.png", std::process::id()));
        Error::NotMet(Box::new(NotMet {
            condition: condition.to_owned(),
            after: options.patience,
            last,
            url: self.eval("location.href").unwrap_or_else(|error| error.to_string()),
            console: self.console(),
            picture: self.screenshot(&path).map(|()| path).map_err(|error| error.to_string()),
        }))
    }

    /// Takes a picture of what is in sight.
    pub fn screenshot(&self, path: &Path) -> Result<()> {
        let taken = self.call("browsingContext.captureScreenshot", json!({}))?;
        let bytes = STANDARD.decode(taken["data"].as_str().unwrap_or_default());
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(Error::file(directory))?;
        }
        std::fs::write(path, bytes.unwrap_or_default()).map_err(Error::file(path))
    }

    /// Warnings and errors on the console so far, exceptions that nobody caught among them.
    pub fn console(&self) -> Vec<String> {
        let said = self.firefox.socket.said(&self.context).into_iter();
        let loud = said.filter(|said| matches!(said.level.as_str(), "warn" | "error"));
        loud.map(|said| format!("{}: {}", said.level, said.text)).collect()
    }

    /// Clicks an element, once it is there, stands still, and nothing covers it.
    pub fn click(&self, selector: &str) -> Result<()> {
        let at = self.poll(|| match self.eval::<Found>(&applied(CENTRE, selector)?) {
            Ok(Found::At(point)) => Ok(Ok(point)),
            Ok(Found::Not { why }) => Ok(Err(why)),
            Err(gone @ Error::Gone(_)) => Err(gone),
            Err(not_yet) => Ok(Err(not_yet.to_string())),
        })?;
        let at = at.map_err(|why| self.not_met(&format!("{selector} can be clicked"), why))?;
        let (x, y) = (at.x.round(), at.y.round());
        self.actions(json!({
            "type": "pointer", "id": "mouse", "actions": [
                { "type": "pointerMove", "x": x, "y": y },
                { "type": "pointerDown", "button": 0 },
                { "type": "pointerUp", "button": 0 },
            ],
        }))
    }

    /// Presses keys: chords that stand apart by spaces, as in Chromium.
    pub fn keys(&self, chords: &str) -> Result<()> {
        self.press(&strokes(chords)?)
    }

    /// Types a text, sign by sign; a line break is Enter.
    pub fn type_text(&self, text: &str) -> Result<()> {
        let other = |sign: char| Stroke {
            key: sign.to_string(),
            code: String::new(),
            number: 0,
            text: None,
            modifiers: 0,
        };
        let strokes = text.chars().map(|sign| typing(sign).unwrap_or_else(|| other(sign)));
        self.press(&strokes.collect::<Vec<_>>())
    }

    fn press(&self, strokes: &[Stroke]) -> Result<()> {
        let mut actions = Vec::new();
        let mut act = |kind: &str, key: &str| {
            let named = KEYS.iter().find(|(name, _)| *name == key);
            let value = named.map_or_else(|| key.to_owned(), |(_, sign)| sign.to_string());
            actions.push(json!({ "type": kind, "value": value }));
        };
        for stroke in strokes {
            let held: Vec<&str> = MODIFIERS
                .iter()
                .filter(|(bit, key, ..)| stroke.modifiers & bit != 0 && stroke.key != *key)
                .map(|(_, key, ..)| *key)
                .collect();
            held.iter().for_each(|key| act("keyDown", key));
            act("keyDown", &stroke.key);
            act("keyUp", &stroke.key);
            held.iter().rev().for_each(|key| act("keyUp", key));
        }
        self.actions(json!({ "type": "key", "id": "keyboard", "actions": actions }))
    }

    fn actions(&self, source: Value) -> Result<()> {
        self.call("input.performActions", json!({ "actions": [source] })).map(drop)
    }

    /// Chooses files in an `<input type=file>`, as its dialog does.
    pub fn choose_files<P: AsRef<Path>>(&self, selector: &str, files: &[P]) -> Result<()> {
        let files = absolute(files)?;
        let expression = applied("(s) => document.querySelector(s)", selector)?;
        self.wait_for(&expression)?;
        let node = self.evaluate(&expression)?;
        let element = json!({ "sharedId": node["sharedId"] });
        self.call("input.setFiles", json!({ "element": element, "files": files })).map(drop)
    }
}

impl Drop for FirefoxPage {
    fn drop(&mut self) {
        // A browser that has ended has closed the page already.
        let _ = self.call("browsingContext.close", json!({}));
        let user = json!({ "userContext": self.user });
        let _ = self.firefox.socket.call("browser.removeUserContext", user);
    }
}
