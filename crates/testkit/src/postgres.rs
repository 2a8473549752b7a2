//! A real PostgreSQL server on a free loopback port, from the programs that the machine has. It
//! lives in a directory of its own and ends with the process that started it, also with one that
//! is killed.

use std::{
    fs,
    io::{self, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{python::Unavailable, real};

/// It runs as long as somebody holds its standard input, and its data go with it.
const SCRIPT: &str = r#"
"$1/postgres" -D "$2/data" -p "$3" -k "$2" -c listen_addresses=127.0.0.1 -c fsync=off \
    -c full_page_writes=off -c max_connections=300 -c shared_buffers=64MB $4 >"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -QUIT $server 2>/dev/null
wait $server
[ -e "$2/keep" ] || rm -rf "$2" 2>/dev/null
"#;

/// The same with a disk of its own, which nobody else sees and which goes with it.
const ON_A_SMALL_DISK: &str = r#"
mount -t tmpfs -o "size=$1,uid=$2,gid=$3,mode=0700" none "$6/small" || exit 77
user=$2 group=$3 script=$4
shift 4
exec setpriv --reuid="$user" --regid="$group" --clear-groups sh -c "$script" sh "$@"
"#;

const PATIENCE: Duration = Duration::from_secs(60);

/// A server; dropping it stops it.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    directory: PathBuf,
    port: u16,
    options: String,
    /// How large the small disk is, if there is one.
    small_disk: Option<String>,
    child: Option<Child>,
    databases: AtomicU32,
    /// Databases that belong to a directory, until that is gone.
    of_directories: Mutex<Vec<(PathBuf, String)>>,
}

impl Postgres {
    /// The server that all tests of a process share; none where the machine has no PostgreSQL,
    /// which is said loudly.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Result<Postgres, String>> = OnceLock::new();
        match SHARED.get_or_init(|| Self::start("").map_err(|why| why.to_string())) {
            Ok(server) => Some(server),
            Err(why) => {
                real::skipped(&format!("this test needs PostgreSQL: {why}"));
                None
            }
        }
    }

    /// Starts a server of one's own, with more options for `postgres`.
    pub fn start(options: &str) -> Result<Self, Unavailable> {
        Self::start_on(options, None)
    }

    /// The same with a disk of this size (`40m`), on which databases are put by
    /// `TABLESPACE small`. Everything else of the server is elsewhere, so that it runs on when this
    /// one is full.
    pub fn start_with_a_small_disk(size: &str) -> Result<Self, Unavailable> {
        let server = Self::start_on("", Some(size.to_owned()))?;
        let location = server.directory.join("small");
        let place = format!("CREATE TABLESPACE small LOCATION '{}'", location.display());
        match server.run_sql(&server.address("postgres"), &place) {
            said if said.is_empty() => Ok(server),
            said => Err(Unavailable(said)),
        }
    }

    fn start_on(options: &str, small_disk: Option<String>) -> Result<Self, Unavailable> {
        let programs = programs()?;
        let directory = std::env::temp_dir().join(format!("plimsoll-postgres-{}", random()));
        fs::create_dir(&directory)?;
        let owner = owner();
        if let Some((user, group)) = owner {
            std::os::unix::fs::chown(&directory, Some(user), Some(group))?;
        }
        if small_disk.is_some() {
            fs::create_dir(directory.join("small"))?;
        }
        let mut init = as_owner(Command::new(programs.join("initdb")));
        init.arg("-D").arg(directory.join("data"));
        init.args(["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8"]);
        let made = init.arg("--no-sync").current_dir(&directory).output()?;
        if !made.status.success() {
            return Err(Unavailable(String::from_utf8_lossy(&made.stderr).into_owned()));
        }
        let mut server = Self {
            programs,
            directory,
            port: 0,
            options: options.to_owned(),
            small_disk,
            child: None,
            databases: AtomicU32::new(0),
            of_directories: Mutex::default(),
        };
        // A port that is free now may be taken in a moment.
        for _ in 0..5 {
            server.port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            if server.run().is_ok() {
                return Ok(server);
            }
        }
        Err(Unavailable("PostgreSQL did not start".to_owned()))
    }

    /// Starts what was stopped, on the same port with the same data.
    pub fn run(&mut self) -> Result<(), Unavailable> {
        let mut shell = match (&self.small_disk, owner()) {
            (None, _) => {
                let mut shell = as_owner(Command::new("sh"));
                shell.args(["-c", SCRIPT, "sh"]);
                shell
            }
            (Some(size), Some((user, group))) => {
                let mut shell = Command::new("unshare");
                shell.args(["--mount", "sh", "-c", ON_A_SMALL_DISK, "sh", size]);
                shell.arg(user.to_string()).arg(group.to_string()).arg(SCRIPT);
                shell
            }
            (Some(_), None) => {
                return Err(Unavailable("only root can mount a small disk".to_owned()));
            }
        };
        shell.arg(&self.programs).arg(&self.directory);
        shell.arg(self.port.to_string()).arg(&self.options).current_dir(&self.directory);
        let mut child = shell.stdin(Stdio::piped()).spawn()?;
        let started = Instant::now();
        while !self.answers() {
            if child.try_wait()?.is_some() || started.elapsed() > PATIENCE {
                let log = fs::read_to_string(self.directory.join("log")).unwrap_or_default();
                return Err(Unavailable(format!("PostgreSQL did not start: {log}")));
            }
            thread::sleep(Duration::from_millis(20));
        }
        self.child = Some(child);
        Ok(())
    }

    /// Stops it as a machine that fails does; the data stay.
    pub fn stop(&mut self) -> io::Result<()> {
        File::touch(&self.directory.join("keep"))?;
        let Some(mut child) = self.child.take() else { return Ok(()) };
        drop(child.stdin.take());
        child.wait()?;
        fs::remove_file(self.directory.join("keep"))
    }

    /// Stops it as an administrator does: transactions are undone, nothing is lost.
    pub fn stop_politely(&mut self) -> io::Result<()> {
        let mut end = as_owner(Command::new(self.programs.join("pg_ctl")));
        end.args(["-m", "fast", "-w", "stop", "-D"]).arg(self.directory.join("data"));
        end.current_dir(&self.directory).stdout(Stdio::null()).status()?;
        self.stop()
    }

    fn answers(&self) -> bool {
        if TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            return false;
        }
        let mut ready = Command::new(self.programs.join("pg_isready"));
        ready.args(["-q", "-h", "127.0.0.1", "-U", "postgres", "-d", "postgres", "-p"]);
        ready.arg(self.port.to_string()).status().is_ok_and(|status| status.success())
    }

    /// An empty database of its own, as an address.
    pub fn database(&self) -> String {
        self.database_like("template0")
    }

    /// A database that is a copy of another, which nobody may have open.
    pub fn database_like(&self, template: &str) -> String {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("t{number}");
        let mut create = Command::new(self.programs.join("createdb"));
        create.args(["-h", "127.0.0.1", "-U", "postgres", "-T", template, "-p"]);
        let made = create.arg(self.port.to_string()).arg(&name).output();
        let made = made.map_err(|error| error.to_string());
        let said = made.map(|made| String::from_utf8_lossy(&made.stderr).into_owned());
        assert_eq!(said.as_deref(), Ok(""), "createdb");
        self.address(&name)
    }

    /// The same as long as a directory is there: a database takes room, and a test has many.
    pub fn database_for(&self, directory: &Path, template: &str) -> String {
        let address = self.database_like(template);
        let mut all = self.of_directories.lock().unwrap_or_else(PoisonError::into_inner);
        let (kept, gone): (Vec<_>, Vec<_>) = all.drain(..).partition(|(of, _)| of.exists());
        *all = kept;
        all.push((directory.to_owned(), address.clone()));
        drop(all);
        for (_, address) in gone {
            let name = address.rsplit('/').next().unwrap_or_default();
            let mut drop = Command::new(self.programs.join("dropdb"));
            drop.args(["-h", "127.0.0.1", "-U", "postgres", "--force", "-p"]);
            // One that cannot be dropped goes with the server.
            let _ = drop.arg(self.port.to_string()).arg(name).output();
        }
        address
    }

    /// The address of a database.
    pub fn address(&self, name: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port)
    }

    /// Runs statements, as an administrator does.
    pub fn run_sql(&self, address: &str, sql: &str) -> String {
        let mut client = Command::new(self.programs.join("psql"));
        let asked = client.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]).arg(address);
        let told = asked.args(["-c", sql]).output();
        let told = told.map_err(|error| error.to_string());
        match told {
            Ok(told) if told.status.success() => {
                String::from_utf8_lossy(&told.stdout).trim().to_owned()
            }
            other => format!("{other:?}"),
        }
    }

    /// Lets the account that the server runs as be the only one that reads a file, such as a key.
    pub fn give_to_owner(file: &Path) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(file, fs::Permissions::from_mode(0o600))?;
        match owner() {
            Some((user, group)) => std::os::unix::fs::chown(file, Some(user), Some(group)),
            None => Ok(()),
        }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

struct File;

impl File {
    fn touch(path: &Path) -> io::Result<()> {
        fs::File::create(path)?.write_all(b"")
    }
}

/// Debian has them apart from other programs; the newest is taken.
fn programs() -> Result<PathBuf, Unavailable> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten() {
        let programs = entry.path().join("bin");
        let version = entry.file_name().to_string_lossy().parse();
        if let (Ok(version), true) = (version, programs.join("postgres").exists()) {
            found.push((version, programs));
        }
    }
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let elsewhere = std::env::split_paths(&in_path).find(|path| path.join("initdb").exists());
    found.sort();
    let newest = found.pop().map(|(_, programs)| programs).or(elsewhere);
    newest.ok_or_else(|| Unavailable("it is not installed (apt-get install postgresql)".into()))
}

/// PostgreSQL refuses to run as root; then it runs as an account that has no rights.
fn owner() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    if fs::metadata("/proc/self").map_or(1, |own| own.uid()) != 0 {
        return None;
    }
    let accounts = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let of = |name: &str| {
        let line = accounts.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    of("postgres").or_else(|| of("nobody"))
}

fn as_owner(mut command: Command) -> Command {
    use std::os::unix::process::CommandExt;
    if let Some((user, group)) = owner() {
        command.uid(user).gid(group);
    }
    command
}

fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
