//! The machine under the program: its clock, its randomness, its directories.

use std::{
    fs::{File, TryLockError},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use jiff::{Timestamp as Instant, civil, tz::TimeZone};
use plimsoll_app::{App, AppParts, Chance, Clock, ProviderSource, Sent};
use plimsoll_blobs::S3Store;
use plimsoll_domain::Timestamp;
use plimsoll_filter::Date;
use plimsoll_send::{Plan, Suggestion};
use plimsoll_store::StoreError;

use crate::{
    args::Location,
    context::Context,
    failure::{Failure, note},
    keys::of_team::TeamKeys,
    providers::Providers,
    stores::{self, StorePlace},
    survey::Survey,
};

/// The time now, in milliseconds. A clock that is set wrong, before 1970 or behind every calendar, has a time too.
pub(crate) fn now() -> Timestamp {
    timestamp(SystemTime::now())
}

fn timestamp(time: SystemTime) -> Timestamp {
    let millis = since_1970(time).as_millis();
    Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
}

fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// A time of the calendar; its end for one behind it.
pub(crate) fn calendar(at: Timestamp) -> Instant {
    Instant::from_millisecond(at.millis()).unwrap_or(Instant::MAX)
}

/// The machine's time in a zone.
pub(crate) struct MachineClock {
    zone: TimeZone,
}

impl MachineClock {
    /// The clock in the zone of the settings.
    pub(crate) fn new(zone: Option<&str>) -> Result<Self, Failure> {
        let zone = match zone {
            None => TimeZone::system(),
            Some(name) => TimeZone::get(name).map_err(|_| {
                Failure::usage(format!("timeZone '{name}' is not known"))
                    .hint("use a name such as Europe/Lisbon or UTC")
            })?,
        };
        Ok(Self { zone })
    }

    fn start_of(&self, day: civil::Date) -> Option<Timestamp> {
        let start = day.to_zoned(self.zone.clone()).ok()?;
        Some(Timestamp::from_millis(start.timestamp().as_millisecond()))
    }
}

impl Clock for MachineClock {
    fn now(&self) -> Timestamp {
        now()
    }

    fn day(&self, date: Date) -> Range<Timestamp> {
        let bounds = || {
            let (year, month, day) =
                (i16::try_from(date.year).ok()?, date.month.cast_signed(), date.day.cast_signed());
            let day = civil::Date::new(year, month, day).ok()?;
            Some(self.start_of(day)?..self.start_of(day.tomorrow().ok()?)?)
        };
        // A day outside the calendar of the time zone library is a day without pairs.
        bounds().unwrap_or(Timestamp::from_millis(i64::MAX)..Timestamp::from_millis(i64::MAX))
    }
}

/// The system's source of randomness.
struct SystemChance;

impl Chance for SystemChance {
    fn bytes(&self) -> [u8; 10] {
        let mut bytes = [0; 10];
        if getrandom::fill(&mut bytes).is_err() {
            // Ids must differ even then; the time of day in nanoseconds does.
            let nanos = since_1970(SystemTime::now()).as_nanos().to_be_bytes();
            bytes.copy_from_slice(&nanos[6..]);
        }
        bytes
    }
}

/// Twenty random letters and digits.
pub(crate) fn random_name() -> String {
    SystemChance.bytes().map(|byte| format!("{byte:02x}")).concat()
}

/// Where everything would be kept, whether it is there yet or not.
pub(crate) fn data_path(given: Option<&Path>) -> Option<PathBuf> {
    let named = || std::env::var_os("PLIMSOLL_DATA_DIR").map(PathBuf::from);
    let usual = || {
        directories::ProjectDirs::from("", "", "plimsoll").map(|dirs| dirs.data_dir().to_owned())
    };
    given.map(Path::to_owned).or_else(named).or_else(usual)
}

/// Where everything is kept; made when it is not there yet.
fn data_dir(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let dir = data_path(given).ok_or_else(|| {
        Failure::usage("there is no home directory to keep data in").hint("use --data-dir DIR")
    })?;
    let new: Vec<&Path> = dir.ancestors().take_while(|above| !above.exists()).collect();
    std::fs::create_dir_all(&dir).map_err(|error| {
        Failure::failed(format!("cannot make the data directory {}: {error}", dir.display()))
            .hint("use --data-dir DIR or PLIMSOLL_DATA_DIR for another place")
    })?;
    // What is synced below would be lost with the name of a directory (REL-10). Where that
    // cannot be done, whoever writes there is told soon enough.
    for above in new {
        let _ = sync_name(above);
    }
    Ok(dir)
}

/// Syncs the directory that a file or directory has its name in, so that the name is on the disk
/// as well (REL-10). Not every system can.
pub(crate) fn sync_name(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(above) if cfg!(unix) => {
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            File::open(above)?.sync_all()
        }
        _ => Ok(()),
    }
}

/// `EMFILE` and `ENFILE`, which have no kind of their own.
fn too_many_files(error: &std::io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// A lock that lives as long as this run of the program. Its name is the owner of our
/// sends: while it is held, nobody else recovers them (SND-6).
pub(crate) struct Owner {
    name: String,
    path: PathBuf,
    _lock: File,
}

impl Owner {
    fn new(dir: &Path) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            let failure = Failure::failed(format!("cannot lock the data directory: {error}"));
            match error.kind() {
                std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                    failure.hint("check its permissions, or use --data-dir DIR")
                }
                _ if too_many_files(&error) => {
                    failure.hint("close some programs, or raise the limit (ulimit -n)")
                }
                _ => failure.hint("check the disk, or use --data-dir DIR"),
            }
        };
        let locks = dir.join("owners");
        std::fs::create_dir_all(&locks).map_err(failed)?;
        forget_dead(&locks);
        loop {
            let name = format!("{}-{}", std::process::id(), random_name());
            let path = locks.join(&name);
            let lock = File::create(&path).map_err(failed)?;
            lock.lock().map_err(failed)?;
            // Another process may have taken it for a dead one's before it was locked.
            if path.exists() {
                return Ok(Self { name, path, _lock: lock });
            }
        }
    }
}

/// Takes away what processes left that were killed.
fn forget_dead(locks: &Path) {
    for entry in std::fs::read_dir(locks).into_iter().flatten().flatten() {
        let dead = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if dead {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // The file is only a name; the lock goes with the process in any case.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether the run of the program that an owner names is still alive: its lock is held.
fn is_alive(dir: &Path, owner: &str) -> bool {
    let is_name = owner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_name {
        return false;
    }
    match File::open(dir.join("owners").join(owner)) {
        Ok(file) => file.try_lock().is_err(),
        // Where it cannot be looked at, such as without a file descriptor, it may be alive.
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// An app on this machine, with its lock.
pub(crate) struct Opened {
    pub(crate) app: App,
    pub(crate) providers: Arc<Providers>,
    /// Where the contents of files are, if not there.
    pub(crate) objects: Option<S3Store>,
    pub(crate) data_dir: PathBuf,
    /// Where the store is.
    pub(crate) place: StorePlace,
    /// Whether there was no store before.
    pub(crate) made: bool,
    owner: Owner,
    // The last to go: while it is held, nobody replaces the store.
    _store_lock: File,
}

/// Who uses the store holds this file together with others; who replaces it, alone.
fn store_lock(dir: &Path) -> Result<File, Failure> {
    let path = dir.join("store.lock");
    let made = File::options().create(true).truncate(false).write(true).open(&path);
    // Where nothing can be written the lock that is there serves; what that means for the
    // store is for the store to say.
    made.or_else(|error| File::open(&path).map_err(|_| error)).map_err(|error| {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match error.kind() {
            PermissionDenied | ReadOnlyFilesystem => {
                let store = dir.join("plimsoll.db");
                Failure::failed(format!("{}: {}", store.display(), StoreError::ReadOnly))
            }
            _ if too_many_files(&error) => {
                Failure::failed(format!("cannot lock {}: {error}", path.display()))
                    .hint("close some programs, or raise the limit (ulimit -n)")
            }
            _ => Failure::failed(format!("cannot lock {}: {error}", path.display()))
                .hint("check the disk, or use --data-dir DIR"),
        }
    })
}

/// Some network file systems know no locks, and then nobody can tell who uses the store.
fn unlockable(dir: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("files in {} cannot be locked: {error}", dir.display()))
        .hint("use --data-dir DIR with a directory of a local disk")
}

/// Where the store is, and the right to replace it: no other run of the program has it
/// open or can open it while the lock is held.
pub(crate) fn lock_alone(dir: Option<&Path>) -> Result<(PathBuf, File), Failure> {
    let dir = data_dir(dir)?;
    let lock = store_lock(&dir)?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => Failure::failed("another plimsoll has the store open")
            .hint("end it, then run this again; nothing was changed"),
        TryLockError::Error(error) => unlockable(&dir, &error),
    })?;
    Ok((dir.join("plimsoll.db"), lock))
}

/// Opens the store and puts the app together. Sends that a dead process left behind are
/// recovered first, and told.
pub(crate) async fn open(mut context: Context, location: &Location) -> Result<Opened, Failure> {
    if let Some(address) = &location.blobs {
        let set = context.settings.set_flag("blobs", address.clone());
        set.map_err(|error| Failure::usage(error.to_string()))?;
    }
    let dir = data_dir(location.data_dir())?;
    let objects = crate::objects::connect(&context.settings, &dir)?;
    let place = match location.store(&context.settings) {
        Some(address) => StorePlace::Server(address.to_owned()),
        None => StorePlace::File(dir.join("plimsoll.db")),
    };
    open_at(context, dir, place, objects).await
}

/// The same in a directory that is thrown away.
pub(crate) async fn open_scratch(context: Context, dir: &Path) -> Result<Opened, Failure> {
    let dir = data_dir(Some(dir))?;
    let place = StorePlace::File(dir.join("plimsoll.db"));
    open_at(context, dir, place, None).await
}

async fn open_at(
    context: Context,
    dir: PathBuf,
    place: StorePlace,
    objects: Option<S3Store>,
) -> Result<Opened, Failure> {
    crate::logging::start(&context.settings, &dir)?;
    let clock = Arc::new(MachineClock::new(context.settings.time_zone())?);
    let lock = store_lock(&dir)?;
    lock.try_lock_shared().map_err(|error| match error {
        TryLockError::WouldBlock => {
            Failure::failed("the store is being restored").hint("try again in a moment")
        }
        TryLockError::Error(error) => unlockable(&dir, &error),
    })?;
    let (store, made) = stores::open(&place, clock.now()).await?;
    let owner = Owner::new(&dir)?;
    let Context { settings, catalog } = context;
    let providers = Providers::new(&dir, &settings);
    let providers = Arc::new(providers.with_team_keys(TeamKeys::new(Arc::clone(&store))));
    let locks = dir.clone();
    let elsewhere = matches!(place, StorePlace::Server(_));
    let app = App::new(AppParts {
        store,
        settings,
        catalog,
        providers: Arc::clone(&providers) as Arc<dyn ProviderSource>,
        clock,
        chance: Arc::new(SystemChance),
        owner: owner.name.clone(),
        // Whether a process of another machine is alive cannot be seen from here.
        is_alive: Arc::new(move |owner| (!elsewhere).then(|| is_alive(&locks, owner))),
        conversations: dir.join("conversations"),
        objects: objects.clone(),
    });
    let interrupted = app.recover().await?;
    for stored in &interrupted {
        let start: String = stored.pair.user_text.chars().take(40).collect();
        note(&format!("an earlier send was interrupted and can be asked again: \"{start}\""));
    }
    // What was deleted long enough ago goes for good (REC-5), whoever opens the store first.
    // Where that cannot be done now, the next one does it.
    let _ = app.purge_expired().await;
    let _ = app.forget_many_changes().await;
    Ok(Opened { app, providers, objects, data_dir: dir, place, made, owner, _store_lock: lock })
}

/// Where the project begins that a directory belongs to; none for one that is no project's.
pub(crate) fn root_of(directory: &Path) -> std::io::Result<Option<PathBuf>> {
    plimsoll_mcp::root_of(directory, std::env::home_dir().as_deref())
}

/// What the project of a directory is called in the memory.
pub(crate) fn project_of(directory: &Path) -> std::io::Result<String> {
    let project = plimsoll_mcp::project_of(directory, std::env::home_dir().as_deref())?;
    Ok(project.unwrap_or_else(|| plimsoll_memory::UNKNOWN_PROJECT.to_owned()))
}

impl Opened {
    /// Takes away the name of our lock, for who ends the process without coming back here.
    pub(crate) fn leaving(&self) -> impl Fn() + Send + 'static {
        let path = self.owner.path.clone();
        move || {
            let _ = std::fs::remove_file(&path);
        }
    }

    /// What would help a request, with models that can be asked now (VAL-1).
    pub(crate) async fn reachable(&self, plan: &Plan) -> Vec<Suggestion> {
        let needed = plan.weights.total();
        self.offered(&plan.suggestions, needed, &plan.model().id).await
    }

    /// The same after an overflow that trimming could not mend (OVF-3).
    pub(crate) async fn reachable_after(&self, sent: &Sent) -> Vec<Suggestion> {
        let receipt = &sent.receipt;
        let total = receipt.last().map_or(0, |attempt| attempt.attempt_total_tokens);
        let needed =
            receipt.stated_limit.map_or(total, |stated| total.max(stated.saturating_add(1)));
        self.offered(&sent.suggestions, needed, &receipt.model).await
    }

    async fn offered(
        &self,
        suggestions: &[Suggestion],
        needed: u64,
        current: &str,
    ) -> Vec<Suggestion> {
        if suggestions.is_empty() {
            return Vec::new();
        }
        let mut models = self.app.catalog().models().to_vec();
        let learned = self.app.store().learned_limits().await.unwrap_or_default();
        let survey = Survey::with(&self.providers, &models, &self.data_dir, learned).await;
        models.extend(survey.others(&models));
        survey.reachable(suggestions, &models, needed, current)
    }
}

/// Runs a future to its end on a runtime of its own.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("cannot start: {error}")))?;
    let done = runtime.block_on(future);
    // What nobody waits for any more, such as the download of a model, holds nobody up.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock in the year 302,026 ended the program.
    #[test]
    fn rel_2_a_clock_behind_every_calendar_or_before_1970_has_a_time() {
        let far = SystemTime::UNIX_EPOCH + Duration::from_secs(300_056 * 365 * 24 * 3600);
        let then = timestamp(far);
        assert!(then.millis() > calendar(then).as_millisecond());
        let clock = MachineClock { zone: TimeZone::UTC };
        assert!(clock.now() < then);
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(timestamp(before), Timestamp::from_millis(0));
        assert_eq!(calendar(Timestamp::from_millis(0)), Instant::UNIX_EPOCH);
    }
}
