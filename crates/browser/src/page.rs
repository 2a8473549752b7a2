//! A page: opening addresses, running scripts, waiting, and what it did.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    CspViolation, Error, Level, Message, Options, Request, Result, emulate, error::NotMet,
    listen::orders, notes, notes::Notebook, wire::Wire,
};

/// How often a condition is asked for.
const POLL: Duration = Duration::from_millis(25);

/// Which page, and the profile that goes with it if it is private.
pub(crate) struct Tab {
    pub(crate) id: String,
    pub(crate) context: Option<String>,
}

/// A page. Dropping it closes it.
pub struct Page {
    pub(crate) wire: Arc<Wire>,
    pub(crate) options: Arc<Options>,
    pub(crate) tab: Tab,
    pub(crate) media: Mutex<emulate::Media>,
    session: String,
    notes: Arc<Notebook>,
}

impl Page {
    pub(crate) fn attach(wire: Arc<Wire>, options: Arc<Options>, tab: Tab) -> Result<Self> {
        let params = json!({ "targetId": tab.id, "flatten": true });
        let attached = wire.call(None, "Target.attachToTarget", params)?;
        let session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        let notes = Arc::new(Notebook::default());
        wire.listen(&session, &notes);
        let page = Self { wire, options, tab, media: Mutex::default(), session, notes };
        page.call("Page.enable", json!({}))?;
        page.call("Page.setLifecycleEventsEnabled", json!({ "enabled": true }))?;
        for order in orders() {
            page.call(order.method, order.params)?;
        }
        // Every page believes that it has the focus, however many there are.
        page.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }))?;
        page.viewport(page.options.viewport)?;
        Ok(page)
    }

    /// Sends a command of the DevTools protocol to this page, for what has no function
    /// here.
    pub fn call(&self, method: &str, params: Value) -> Result<Value> {
        if let Some(why) = self.notes.read().ended.clone() {
            return Err(Error::Gone(why));
        }
        let answer = self.wire.call(Some(&self.session), method, params);
        // A page that crashes under a command refuses it; what matters is the crash.
        match (&answer, self.notes.read().ended.clone()) {
            (Err(Error::Refused { .. }), Some(why)) => Err(Error::Gone(why)),
            _ => answer,
        }
    }

    /// Opens an address and waits until the page is loaded.
    pub fn open(&self, url: &str) -> Result<()> {
        let failed = |why: String| Error::Open { url: url.to_owned(), why };
        let answer = self.call("Page.navigate", json!({ "url": url }))?;
        if let Some(why) = answer["errorText"].as_str() {
            return Err(failed(why.to_owned()));
        }
        // Without a document of its own it is a place within the page that is open.
        let Some(document) = answer["loaderId"].as_str() else { return Ok(()) };
        self.until(&format!("loading {url}"), |notes| notes.loaded.contains(document))
    }

    /// Loads the page again and waits until it is there.
    pub fn reload(&self) -> Result<()> {
        let before = self.notes.read().document.clone();
        self.call("Page.reload", json!({}))?;
        self.until("reloading", |notes| {
            notes.document != before && notes.loaded.contains(&notes.document)
        })
    }

    /// Closes the page.
    pub fn close(self) -> Result<()> {
        self.wire.call(None, "Target.closeTarget", json!({ "targetId": self.tab.id })).map(|_| ())
    }

    /// The address that the page shows.
    pub fn url(&self) -> Result<String> {
        self.eval("location.href")
    }

    /// The value of an expression; a promise is awaited. The page's policy does not
    /// apply to it. `undefined` is read as `null`.
    pub fn eval<T: DeserializeOwned>(&self, expression: &str) -> Result<T> {
        let value = self.value(expression, None)?;
        parse(value, expression)
    }

    /// What a function gives for arguments: `page.apply("(a, b) => a + b", (1, 2))`.
    /// This is how texts get into a script without being taken for code.
    pub fn apply<T: DeserializeOwned>(&self, function: &str, args: impl Serialize) -> Result<T> {
        self.eval(&applied(function, args)?)
    }

    /// Runs statements, with `await` and `return` among them.
    pub fn run<T: DeserializeOwned>(&self, statements: &str) -> Result<T> {
        self.eval(&format!("(async () => {{ {statements}\n}})()"))
    }

    /// Runs a script in every document of this page before its own scripts.
    pub fn before_load(&self, script: &str) -> Result<()> {
        self.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).map(|_| ())
    }

    /// Waits until an expression is true. A script that throws counts as not yet.
    pub fn wait_for(&self, condition: &str) -> Result<()> {
        self.wait_at_most(self.options.patience, condition)
    }

    /// Waits until an expression is true, for so long at most.
    pub fn wait_at_most(&self, within: Duration, condition: &str) -> Result<()> {
        let asked = format!("Promise.resolve({condition}).then(value => !!value)");
        let met = self.poll(within, || match self.eval::<bool>(&asked) {
            Ok(true) => Ok(Ok(())),
            Ok(false) => Ok(Err("false".to_owned())),
            Err(gone @ Error::Gone(_)) => Err(gone),
            Err(not_yet) => Ok(Err(not_yet.to_string())),
        })?;
        met.map_err(|last| self.not_met(condition, within, last))
    }

    /// Asks again and again, until it gives something or time is up; then why it did not.
    pub(crate) fn poll<T>(
        &self,
        within: Duration,
        mut ask: impl FnMut() -> Result<Result<T, String>>,
    ) -> Result<Result<T, String>> {
        let until = Instant::now() + within;
        loop {
            match ask()? {
                Ok(value) => return Ok(Ok(value)),
                Err(last) if Instant::now() >= until => return Ok(Err(last)),
                Err(_) => thread::sleep(POLL),
            }
        }
    }

    /// The error for what did not become true, with all that helps.
    pub(crate) fn not_met(&self, condition: &str, after: Duration, last: String) -> Error {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            self.options.pictures.join(format!("failed-{}-{number}.png", std::process::id()));
        let picture = self.screenshot().and_then(|png| png.save(&path)).map(|()| path);
        Error::NotMet(Box::new(NotMet {
            condition: condition.to_owned(),
            after,
            last,
            url: self.url().unwrap_or_else(|error| error.to_string()),
            console: self.notes.read().messages.iter().map(ToString::to_string).collect(),
            picture: picture.map_err(|error| error.to_string()),
        }))
    }

    /// Waits for two frames, so that what was asked for is drawn and events have arrived.
    pub fn settle(&self) -> Result<()> {
        self.eval::<Value>(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
        )
        .map(|_| ())
    }

    /// Everything on the console so far, exceptions that nobody caught among it.
    pub fn console(&self) -> Vec<Message> {
        self.notes.read().messages.clone()
    }

    /// Everything that the page, its frames and its workers asked for so far.
    pub fn requests(&self) -> Vec<Request> {
        self.notes.read().requests.clone()
    }

    /// What the page's policy forbade so far.
    pub fn csp_violations(&self) -> Vec<CspViolation> {
        self.notes.read().violations.clone()
    }

    /// The words of all dialogs (`alert`, `confirm`, `beforeunload`) so far; each was
    /// answered with yes.
    pub fn dialogs(&self) -> Vec<String> {
        self.notes.read().dialogs.clone()
    }

    /// Forgets the console, requests, violations and dialogs so far.
    pub fn forget(&self) {
        let mut notes = self.notes.read();
        notes.messages.clear();
        notes.requests.clear();
        notes.violations.clear();
        notes.dialogs.clear();
    }

    /// That there was no warning, no error, no exception and nothing against the policy.
    pub fn assert_quiet(&self) -> Result<()> {
        self.settle()?;
        let notes = self.notes.read();
        let loud = notes.messages.iter().filter(|message| message.level >= Level::Warning);
        let mut loud: Vec<String> = loud.map(ToString::to_string).collect();
        loud.extend(notes.violations.iter().map(|violation| {
            let CspViolation { directive, blocked, place } = violation;
            format!("Policy: {directive} forbids {blocked} ({place})")
        }));
        if loud.is_empty() {
            return Ok(());
        }
        Err(Error::Untrue(format!("the page was not quiet:\n  {}", loud.join("\n  "))))
    }

    /// That nothing was asked of anyone but this origin (`http://127.0.0.1:8080`; its
    /// web sockets count as it). What the page's policy stopped has not left.
    pub fn assert_only(&self, origin: &str) -> Result<()> {
        self.settle()?;
        let notes = self.notes.read();
        let sent = notes.requests.iter().filter(|request| !request.stopped_by_policy);
        let strangers = sent.filter(|request| !belongs(&request.url, origin));
        let strangers: Vec<String> =
            strangers.map(|request| format!("{} {}", request.method, request.url)).collect();
        if strangers.is_empty() {
            return Ok(());
        }
        let strangers = strangers.join("\n  ");
        Err(Error::Untrue(format!("others than {origin} were asked:\n  {strangers}")))
    }

    /// The value of an expression in one of the page's worlds.
    pub(crate) fn value(&self, expression: &str, world: Option<u64>) -> Result<Value> {
        let mut params = json!({
            "expression": expression,
            "awaitPromise": true,
            "returnByValue": true,
            "userGesture": true,
        });
        if let Some(world) = world {
            params["contextId"] = world.into();
        }
        let mut answer = self.call("Runtime.evaluate", params)?;
        let details = &answer["exceptionDetails"];
        if !details.is_null() {
            let thrown = notes::thrown(details);
            return Err(Error::Threw { thrown, script: shortened(expression) });
        }
        Ok(answer["result"]["value"].take())
    }

    fn until(&self, what: &str, done: impl Fn(&notes::Notes) -> bool) -> Result<()> {
        let within = self.wire.patience();
        let in_time = self.notes.wait(within, |notes| notes.ended.is_some() || done(notes));
        if let Some(why) = self.notes.read().ended.clone() {
            return Err(Error::Gone(why));
        }
        if in_time {
            return Ok(());
        }
        Err(self.not_met(what, within, "still not done".to_owned()))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let close = |method, name: &str, id: &str| crate::wire::Order {
            method,
            params: json!({ name: id }),
        };
        // A browser that has ended has closed the page already.
        let _ = self.wire.order(None, &close("Target.closeTarget", "targetId", &self.tab.id));
        if let Some(context) = &self.tab.context {
            let name = "browserContextId";
            let _ = self.wire.order(None, &close("Target.disposeBrowserContext", name, context));
        }
    }
}

/// The call of a function with arguments. JSON is JavaScript.
pub(crate) fn applied(function: &str, args: impl Serialize) -> Result<String> {
    let args = serde_json::to_value(args).map_err(|error| Error::Value {
        value: "of an argument".to_owned(),
        why: error.to_string(),
        script: function.to_owned(),
    })?;
    Ok(match args {
        Value::Array(_) => format!("({function})(...{args})"),
        one => format!("({function})({one})"),
    })
}

pub(crate) fn parse<T: DeserializeOwned>(value: Value, script: &str) -> Result<T> {
    let shown = value.to_string();
    serde_json::from_value(value).map_err(|error| Error::Value {
        value: shortened(&shown),
        why: error.to_string(),
        script: shortened(script),
    })
}

/// A script for an error: long ones are not read anyway.
fn shortened(script: &str) -> String {
    match script.char_indices().nth(500) {
        Some((end, _)) => format!("{} …", &script[..end]),
        None => script.to_owned(),
    }
}

/// Whether an address is of an origin, or of nobody (`data:`, `blob:`, `about:`).
fn belongs(url: &str, origin: &str) -> bool {
    let origin = origin.trim_end_matches('/');
    let socket = origin.strip_prefix("http").map(|rest| format!("ws{rest}"));
    let of = |origin: &str| {
        url.strip_prefix(origin)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    };
    let nobody = ["data:", "blob:", "about:"].iter().any(|scheme| url.starts_with(scheme));
    nobody || of(origin) || socket.is_some_and(|socket| of(&socket))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_not_the_beginning_of_another() {
        let origin = "http://127.0.0.1:80";
        for own in ["http://127.0.0.1:80/", "http://127.0.0.1:80", "ws://127.0.0.1:80/x", "data:,x"]
        {
            assert!(belongs(own, origin), "{own}");
        }
        for other in
            ["http://127.0.0.1:8080/", "https://127.0.0.1:80/", "http://127.0.0.1:80.evil/"]
        {
            assert!(!belongs(other, origin), "{other}");
        }
    }

    #[test]
    fn arguments_cannot_become_code() {
        let script = applied("(a, b) => a", ("`${x}`\"", 2)).unwrap();
        assert_eq!(script, r#"((a, b) => a)(...["`${x}`\"",2])"#);
        assert_eq!(applied("f", "one").unwrap(), r#"(f)("one")"#);
    }
}
