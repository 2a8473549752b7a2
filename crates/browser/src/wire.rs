//! The DevTools protocol: JSON messages that end with a zero byte, over two pipes.
//!
//! One thread reads. An answer goes to the call that waits for it; what a page reports
//! goes to that page's notes.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    process::{ChildStdin, ChildStdout},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{Error, Result, notes::Notebook};

/// What is said when the pipe is closed.
const ENDED: &str = "Chromium has ended";

type Answer = std::result::Result<Value, String>;

/// A command that is sent without waiting for its answer.
pub(crate) struct Order {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

/// One end of the conversation with Chromium.
pub(crate) struct Wire {
    input: Mutex<Option<ChildStdin>>,
    last_id: AtomicU64,
    /// Calls that wait; none any more once the pipe is closed.
    waiting: Mutex<Option<HashMap<u64, mpsc::Sender<Answer>>>>,
    pages: Mutex<HashMap<String, Weak<Notebook>>>,
    patience: Duration,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wire {
    /// Starts to listen.
    pub(crate) fn new(
        input: ChildStdin,
        output: ChildStdout,
        patience: Duration,
    ) -> Result<(Arc<Self>, thread::JoinHandle<()>)> {
        let wire = Arc::new(Self {
            input: Mutex::new(Some(input)),
            last_id: AtomicU64::new(0),
            waiting: Mutex::new(Some(HashMap::new())),
            pages: Mutex::default(),
            patience,
        });
        let reading = Arc::clone(&wire);
        let thread = thread::Builder::new()
            .name("chromium".to_owned())
            .spawn(move || reading.read(output))
            .map_err(|error| Error::Launch(format!("no thread: {error}")))?;
        Ok((wire, thread))
    }

    /// How long a call may take.
    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// Sends a command and waits for what it gives.
    pub(crate) fn call(&self, session: Option<&str>, method: &str, params: Value) -> Result<Value> {
        let id = self.next_id();
        let (sender, receiver) = mpsc::channel();
        match lock(&self.waiting).as_mut() {
            Some(waiting) => waiting.insert(id, sender),
            None => return Err(Error::Gone(ENDED.to_owned())),
        };
        self.write(id, session, method, &params)?;
        // Chromium's own waits end within the patience, so this one is a little longer.
        let longest = self.patience + Duration::from_secs(5);
        match receiver.recv_timeout(longest) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(message)) => Err(Error::Refused { method: method.to_owned(), message }),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(Error::Gone(ENDED.to_owned())),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                lock(&self.waiting).as_mut().and_then(|waiting| waiting.remove(&id));
                Err(Error::TimedOut { what: method.to_owned(), after: longest })
            }
        }
    }

    /// Sends a command without waiting.
    pub(crate) fn order(&self, session: Option<&str>, order: &Order) -> Result<()> {
        self.write(self.next_id(), session, order.method, &order.params)
    }

    /// What comes from a session goes to these notes from now on.
    pub(crate) fn listen(&self, session: &str, notes: &Arc<Notebook>) {
        let mut pages = lock(&self.pages);
        pages.retain(|_, notes| notes.strong_count() > 0);
        pages.insert(session.to_owned(), Arc::downgrade(notes));
    }

    /// Closes the pipe, upon which Chromium ends.
    pub(crate) fn hang_up(&self) {
        lock(&self.input).take();
    }

    fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn write(&self, id: u64, session: Option<&str>, method: &str, params: &Value) -> Result<()> {
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let gone = || Error::Gone(ENDED.to_owned());
        let mut input = lock(&self.input);
        input.as_mut().ok_or_else(gone)?.write_all(&bytes).map_err(|_| gone())
    }

    fn read(&self, output: ChildStdout) {
        let mut output = BufReader::new(output);
        let mut bytes = Vec::new();
        while output.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
            bytes.pop();
            if let Ok(message) = serde_json::from_slice::<Value>(&bytes) {
                self.take(message);
            }
            bytes.clear();
        }
        // Whoever still waits learns at once that nothing will come.
        lock(&self.waiting).take();
        for notes in lock(&self.pages).values().filter_map(Weak::upgrade) {
            notes.end(ENDED);
        }
    }

    fn take(&self, mut message: Value) {
        if let Some(id) = message["id"].as_u64() {
            let caller = lock(&self.waiting).as_mut().and_then(|waiting| waiting.remove(&id));
            let answer = match message.get_mut("error") {
                Some(error) => Err(error["message"].as_str().unwrap_or("refused").to_owned()),
                None => Ok(message["result"].take()),
            };
            // A caller that has given up is no reason to stop.
            let _ = caller.map(|caller| caller.send(answer));
            return;
        }
        let Some(session) = message["sessionId"].as_str().map(ToOwned::to_owned) else { return };
        let Some(notes) = lock(&self.pages).get(&session).and_then(Weak::upgrade) else { return };
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let params = message["params"].take();
        // A worker or a foreign frame of a page: what it does counts as the page's.
        if method == "Target.attachedToTarget"
            && let Some(child) = params["sessionId"].as_str()
        {
            self.listen(child, &notes);
            for order in crate::listen::orders() {
                let _ = self.order(Some(child), &order);
            }
            return;
        }
        for order in notes.hear(&method, &params) {
            let _ = self.order(Some(&session), &order);
        }
    }
}
