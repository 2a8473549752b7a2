//! An app with a real store in a temporary directory, a clock that stands still unless
//! told, and a provider whose answers are written down beforehand.

use std::{
    collections::VecDeque,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

use futures_util::{StreamExt, stream};
use plimsoll_app::{
    App, AppError, AppParts, Cancel, Chance, Clock, Connection, Draft, HistoryChoice, NoProvider,
    Payer, Prepared, Progress, ProviderSource, SendChoices, Sent, View,
};
use plimsoll_blobs::S3Store;
use plimsoll_budget::{Catalog, Model, OverBudget, WindowSource};
use plimsoll_config::{Settings, Sources};
use plimsoll_domain::{File, Timestamp, Usage};
use plimsoll_filter::Date;
use plimsoll_provider::{
    AnswerStream, Delta, Encoded, Endpoint, Finish, Models, OpenAiStyle, Provider, ProviderFailure,
    RemoteFile, RemoteFiles, Unsayable, Upload,
};
use plimsoll_send::{Message, Request, WireRules};
use plimsoll_store::{Store, Workspace};
use plimsoll_store_sql::{Faults, OpenOptions, PostgresStore, SqlStore};
use plimsoll_testkit::{
    postgres::Postgres,
    switch::{blobs_of, test_objects, test_store},
};
use tokio::runtime::Runtime;

/// What one call brings.
pub(crate) type Script = Vec<Result<Delta, ProviderFailure>>;

#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) scripts: Mutex<VecDeque<Script>>,
    pub(crate) requests: Mutex<Vec<Request>>,
    /// So many requests were written.
    pub(crate) encoded: AtomicUsize,
    /// A call whose script is used up never ends.
    pub(crate) hang_at_end: bool,
    /// Whether something is added that nobody here sees.
    pub(crate) hidden_prompt_notice: AtomicBool,
    /// Where it keeps files, if it does.
    pub(crate) files: Mutex<Option<&'static Copies>>,
    /// The window that its server tells, if it does.
    pub(crate) server_window: Mutex<Option<u64>>,
}

/// A place for copies that counts them.
#[derive(Default)]
pub(crate) struct Copies {
    pub(crate) made: AtomicU64,
    pub(crate) refuses: bool,
}

impl RemoteFiles for Copies {
    fn takes(&self, mime: &str) -> bool {
        mime.starts_with("image/")
    }
    fn upload(&self, _: &str, _: &str, _: Arc<[u8]>) -> Upload {
        let n = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let refuses = self.refuses;
        Box::pin(async move {
            match refuses {
                true => Err(ProviderFailure::default()),
                false => Ok(RemoteFile { id: format!("copy-{n}"), lives: None }),
            }
        })
    }
}

impl Provider for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }
    fn base_url(&self) -> &str {
        "http://scripted"
    }
    fn wire_rules(&self) -> WireRules {
        WireRules::OPENAI
    }
    fn encode(&self, request: &Request) -> Encoded {
        self.encoded.fetch_add(1, Ordering::Relaxed);
        let endpoint = Endpoint::new("openai", "http://scripted").unwrap();
        OpenAiStyle::new(endpoint).unwrap().encode(request)
    }
    fn unsayable(&self, _: &Request) -> Vec<Unsayable> {
        Vec::new()
    }
    fn answer(&self, request: &Request, _: Encoded) -> AnswerStream {
        self.requests.lock().unwrap().push(request.clone());
        let script = self.scripts.lock().unwrap().pop_front().unwrap_or_default();
        let deltas = stream::iter(script);
        if self.hang_at_end { deltas.chain(stream::pending()).boxed() } else { deltas.boxed() }
    }
    fn files(&self) -> Option<&dyn RemoteFiles> {
        self.files.lock().unwrap().map(|files| files as &dyn RemoteFiles)
    }
    fn models(&self) -> Models {
        Box::pin(async { Ok(Vec::new()) })
    }
    fn hidden_prompt_notice(&self) -> Option<&'static str> {
        self.hidden_prompt_notice.load(Ordering::Relaxed).then_some("It adds something.")
    }
}

pub(crate) struct Fixed {
    millis: AtomicI64,
}

impl Fixed {
    /// Somebody sets the clock.
    pub(crate) fn set(&self, millis: i64) {
        self.millis.store(millis, Ordering::Relaxed);
    }
}

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.fetch_add(1, Ordering::Relaxed))
    }
    fn day(&self, _: Date) -> Range<Timestamp> {
        Timestamp::from_millis(0)..Timestamp::from_millis(1)
    }
}

pub(crate) struct Counted(AtomicU64);

impl Chance for Counted {
    fn bytes(&self) -> [u8; 10] {
        let n = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        [0, 0, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]]
    }
}

struct Book {
    provider: Arc<Scripted>,
}

#[async_trait::async_trait]
impl ProviderSource for Book {
    async fn reach(&self, model: &Model, _: Option<&Payer>) -> Result<Connection, NoProvider> {
        Ok(Connection {
            provider: Arc::clone(&self.provider) as Arc<dyn Provider>,
            model: model.id.clone(),
            server_window: *self.provider.server_window.lock().unwrap(),
        })
    }
    async fn cached(&self, model: &Model, payer: Option<&Payer>) -> Option<Connection> {
        self.reach(model, payer).await.ok()
    }
}

pub(crate) struct Rig {
    pub(crate) app: App,
    pub(crate) provider: Arc<Scripted>,
    pub(crate) clock: Arc<Fixed>,
    pub(crate) dir: tempfile::TempDir,
    pub(crate) faults: Faults,
}

/// Settings under which a character is a token and messages cost nothing more.
pub(crate) fn plain_settings(more: &[(&str, &str)]) -> Settings {
    let plain = [
        ("PLIMSOLL_ESTIMATOR", "heuristic"),
        ("PLIMSOLL_CHARS_PER_TOKEN", "1"),
        ("PLIMSOLL_REPLY_RESERVE", "0"),
        ("PLIMSOLL_USER_REQUEST_ALLOWANCE", "10"),
    ];
    // The first of a name counts.
    let environment = more.iter().chain(&plain).map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    Settings::resolve(&Sources { file: None, environment: environment.collect() }).unwrap()
}

pub(crate) async fn rig(window: u64, scripts: Vec<Script>) -> Rig {
    rig_with(window, scripts, plain_settings(&[]), false).await
}

pub(crate) async fn rig_with(
    window: u64,
    scripts: Vec<Script>,
    settings: Settings,
    hang_at_end: bool,
) -> Rig {
    let window = |model: &mut Model| model.context_window = Some(window);
    rig_made(scripts, settings, hang_at_end, window).await
}

/// A rig whose model `m` is as told.
pub(crate) async fn rig_of(
    scripts: Vec<Script>,
    settings: Settings,
    model: impl FnOnce(&mut Model),
) -> Rig {
    rig_made(scripts, settings, false, model).await
}

async fn rig_made(
    scripts: Vec<Script>,
    settings: Settings,
    hang_at_end: bool,
    change: impl FnOnce(&mut Model),
) -> Rig {
    let dir = tempfile::tempdir().unwrap();
    let faults = Faults::default();
    let options = OpenOptions { faults: Some(faults.clone()), ..OpenOptions::default() };
    let store = open(dir.path(), options).await;
    let provider = Arc::new(Scripted {
        scripts: Mutex::new(scripts.into()),
        hang_at_end,
        ..Default::default()
    });
    let mut model =
        Model { window_source: WindowSource::Catalog, message_overhead: 0, ..Model::unknown("m") };
    change(&mut model);
    let larger = Model { context_window: Some(1_000_000), ..Model::unknown("larger") };
    let clock = Arc::new(Fixed { millis: AtomicI64::new(1_800_000_000_000) });
    let app = App::new(AppParts {
        conversations: dir.path().join("conversations"),
        objects: objects(dir.path()),
        store,
        settings,
        catalog: Catalog::new([model, larger]),
        providers: Arc::new(Book { provider: Arc::clone(&provider) }),
        clock: Arc::clone(&clock) as Arc<dyn Clock>,
        chance: Arc::new(Counted(AtomicU64::new(1))),
        owner: "test".to_owned(),
        is_alive: Arc::new(|_| Some(false)),
    });
    Rig { app, provider, clock, dir, faults }
}

impl Rig {
    /// Another node on the same store, as on another machine: nobody can tell it whether an owner
    /// lives. It has a clock of its own.
    pub(crate) async fn another_node(&self, settings: Settings) -> (App, Arc<Fixed>) {
        let store = open(self.dir.path(), OpenOptions::default()).await;
        let clock = Arc::new(Fixed { millis: AtomicI64::new(1_800_000_000_000) });
        let app = App::new(AppParts {
            conversations: self.dir.path().join("conversations"),
            objects: objects(self.dir.path()),
            store,
            settings,
            catalog: Catalog::new([Model::unknown("m")]),
            providers: Arc::new(Book { provider: Arc::clone(&self.provider) }),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            chance: Arc::new(Counted(AtomicU64::new(1 << 40))),
            owner: "another".to_owned(),
            is_alive: Arc::new(|_| None),
        });
        (app, clock)
    }

    /// The file that holds the bytes of an attached file, whatever keeps them.
    pub(crate) fn kept_at(&self, file: &File) -> PathBuf {
        let name = file.blob_name();
        let all = blobs_of(self.dir.path(), Workspace::default().as_str());
        all.into_iter().find(|path| path.ends_with(&name)).unwrap()
    }

    /// Something changed the bytes of an attached file, or removed them; of those in an object
    /// store there is no copy here.
    pub(crate) fn damage(&self, file: &File, bytes: Option<&[u8]>) {
        let path = self.kept_at(file);
        let _ = std::fs::remove_dir_all(self.dir.path().join("copies"));
        std::fs::remove_file(&path).unwrap();
        if let Some(bytes) = bytes {
            std::fs::write(&path, bytes).unwrap();
        }
    }

    /// Every lease has run out for a node with this clock. A database goes by its own, which
    /// cannot be set: there the leases have ended long ago.
    pub(crate) fn end_leases(&self, clock: &Fixed) {
        match store_of(self.dir.path()) {
            Some(address) => {
                let server = Postgres::shared().unwrap();
                assert_eq!(server.run_sql(&address, "UPDATE sends SET expires_at = 0"), "");
            }
            None => clock.set(1_800_000_100_000),
        }
    }
}

const LONG_AGO: Timestamp = Timestamp::from_millis(1_700_000_000_000);

fn store_of(dir: &Path) -> Option<String> {
    test_store(dir, |address| {
        let made = || Runtime::new().unwrap().block_on(open_server(address, Default::default()));
        thread::scope(|scope| drop(scope.spawn(made).join().unwrap()));
    })
}

async fn open_server(address: &str, options: OpenOptions) -> PostgresStore {
    PostgresStore::open(address, options, LONG_AGO).await.unwrap()
}

async fn open(dir: &Path, options: OpenOptions) -> Arc<dyn Store> {
    match store_of(dir) {
        Some(address) => Arc::new(open_server(&address, options).await),
        None => {
            let path = dir.join("plimsoll.db");
            Arc::new(SqlStore::open_sqlite(&path, options, LONG_AGO).await.unwrap())
        }
    }
}

/// What attached files hold is in an object store, where rows are in a database.
fn objects(dir: &Path) -> Option<S3Store> {
    let (address, variables) = test_objects(&store_of(dir)?)?;
    Some(S3Store::connect(&address, variables, dir.join("copies")).unwrap())
}

pub(crate) fn view(filter: &str) -> View {
    let history = HistoryChoice::Filter(filter.to_owned());
    View { history, model: Some("m".to_owned()), ..View::default() }
}

/// A message, and what it is sent with.
pub(crate) struct Written {
    pub(crate) view: View,
    pub(crate) draft: Draft,
}

pub(crate) fn ask(text: &str) -> Written {
    let draft = Draft { text: text.to_owned(), ..Draft::default() };
    Written { view: view(""), draft }
}

pub(crate) fn choices(policy: OverBudget) -> SendChoices {
    SendChoices { over_budget: Some(policy), ..SendChoices::default() }
}

impl Rig {
    pub(crate) async fn prepare(&self, written: &Written) -> Result<Prepared, AppError> {
        let Written { view, draft } = written;
        self.app.prepare(&Workspace::default(), view.clone(), draft).await
    }

    pub(crate) async fn send(&self, text: &str) -> Sent {
        self.send_as(text, OverBudget::Trim, &Cancel::default(), &mut |_| {}).await
    }

    pub(crate) async fn send_as(
        &self,
        text: &str,
        policy: OverBudget,
        cancel: &Cancel,
        watch: &mut (dyn FnMut(&Progress) + Send),
    ) -> Sent {
        let prepared = self.prepare(&ask(text)).await.unwrap();
        self.app.send(prepared, choices(policy), cancel, watch).await.unwrap()
    }

    /// The same store, as another process has it.
    pub(crate) async fn another_handle(&self) -> Arc<dyn Store> {
        open(self.dir.path(), OpenOptions::default()).await
    }

    /// The contents of request number `n`, in order.
    pub(crate) fn sent(&self, n: usize) -> Vec<String> {
        let requests = self.provider.requests.lock().unwrap();
        requests[n].messages.iter().map(Message::text).collect()
    }

    pub(crate) fn calls(&self) -> usize {
        self.provider.requests.lock().unwrap().len()
    }
}

/// An answer with what it used.
pub(crate) fn answer(text: &str, prompt: u64) -> Script {
    let usage = Usage { prompt, completion: 1, ..Usage::default() };
    vec![
        Ok(Delta::Text(text.to_owned())),
        Ok(Delta::Finished(Finish::Stop)),
        Ok(Delta::Usage(usage)),
    ]
}

pub(crate) fn failure(status: u16, body: &str) -> Script {
    vec![Err(ProviderFailure {
        status: Some(status),
        body: body.to_owned(),
        ..ProviderFailure::default()
    })]
}

pub(crate) fn overflow(limit: u64) -> Script {
    failure(400, &format!("This model's maximum context length is {limit} tokens."))
}
