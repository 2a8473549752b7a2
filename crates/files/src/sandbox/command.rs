//! The whole command of a run: who runs it, what is seen inside, what it may use.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    time::Duration,
};

use super::{INSIDE, Limits, NOBODY, SHARED_MEMORY, Sandbox, TMP, group::Group, place::Place};

/// Enters the control group if there is one, and turns the waiting pipe and the filter into
/// descriptors that bubblewrap is told of. Then the shell becomes what follows.
const BEGIN: &str = "f=$1 g=$2; shift 2; if [ -n \"$g\" ]; then \
    { echo 0 >\"$g/cgroup.procs\"; } 2>/dev/null; fi; exec 8<&0 9<\"$f\" </dev/null; exec \"$@\"";

/// Leaves behind what the user's session hands on: its keyring, for a new and empty one, and
/// descriptors that whoever started Plimsoll had open. Where the kernel has no keys or forbids
/// it there is no keyring to leave; the filter refuses all calls about keys anyway.
const LEAVE: &str = "import ctypes, os, sys
ctypes.CDLL(None).syscall(int(sys.argv[1]), 1, None)
for number in map(int, os.listdir('/proc/self/fd')):
  if number > 2 and number not in (8, 9):
    try: os.close(number)
    except OSError: pass
os.execv(sys.argv[2], sys.argv[2:])";

const OPEN_FILES: u64 = 256;

/// Room for the few entries of `/dev`.
const DEVICES_SIZE: u64 = 65_536;

/// No `/dev/zero`: mapped by two it is memory that is on nobody's count.
const DEVICES: [&str; 4] = ["null", "full", "random", "urandom"];

const ENVIRONMENT: [(&str, &str); 8] = [
    ("PATH", "/usr/bin:/bin"),
    ("HOME", "/tmp"),
    ("LANG", "C.UTF-8"),
    ("MPLBACKEND", "Agg"),
    ("MPLCONFIGDIR", "/tmp"),
    ("OMP_NUM_THREADS", "2"),
    ("OPENBLAS_NUM_THREADS", "2"),
    ("TMPDIR", "/tmp"),
];

/// What libraries below `/usr` read elsewhere; none of it tells of people. Without its own
/// file Debian's matplotlib refuses to be imported.
const SYSTEM_FILES: [&str; 6] = [
    // Libraries of the system that are chosen by links, and where they are.
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/matplotlibrc",
    "/etc/fonts",
    "/etc/mime.types",
    "/etc/magic",
];

/// What runs inside, and with what.
pub(super) struct Inside<'a> {
    /// The program and its arguments, as they are inside.
    pub(super) words: Vec<OsString>,
    /// What is seen read-only inside: from where, and as what.
    pub(super) seen: Vec<(std::path::PathBuf, String)>,
    pub(super) environment: Vec<(&'a str, OsString)>,
    pub(super) limits: &'a Limits,
    pub(super) time: Duration,
}

/// A command as it is put together.
#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    /// Words without a space in any of them.
    fn say(&mut self, text: &str) {
        self.0.extend(text.split(' ').map(OsString::from));
    }

    fn add(&mut self, words: &[&OsStr]) {
        self.0.extend(words.iter().map(|word| (*word).to_owned()));
    }
}

impl Sandbox {
    pub(super) fn command(
        &self,
        place: &Place,
        group: Option<&Group>,
        inside: &Inside<'_>,
    ) -> Vec<OsString> {
        let mut words = Words::default();
        words.add(&["/bin/sh", "-c", BEGIN, "sh"].map(OsStr::new));
        let group = group.map_or(OsStr::new(""), |group| group.path().as_os_str());
        words.add(&[place.filter().as_os_str(), group]);
        if let Some(setpriv) = &self.setpriv {
            words.add(&[setpriv.as_os_str()]);
            words.say(&format!("--reuid={NOBODY} --regid={NOBODY} --clear-groups --"));
        }
        if let (Some(python), Some(keyctl)) = (&self.python, super::system::KEYCTL) {
            words.add(&[python.as_os_str()]);
            words.add(&["-I", "-S", "-c", LEAVE, &keyctl.to_string()].map(OsStr::new));
        }
        words.add(&[self.bwrap.as_os_str()]);
        self.walls(&mut words);
        words.say(&format!("--size {} --tmpfs {INSIDE}", inside.limits.disk));
        for (from, to) in &inside.seen {
            words.add(&[OsStr::new("--ro-bind"), from.as_os_str(), OsStr::new(to)]);
        }
        for (name, value) in &inside.environment {
            words.add(&[OsStr::new("--setenv"), OsStr::new(name), value]);
        }
        // A sign that tells from outside that the sandbox stands. The root is memory too;
        // nothing may be put there.
        words.say(&format!("--dir /{} --remount-ro / --chdir {INSIDE}", place.name()));
        words.say("--block-fd 8");
        if self.filters {
            words.say("--seccomp 9");
        }
        words.say("--");
        words.add(&[self.prlimit.as_os_str()]);
        let Limits { memory, file, processes, cpu, .. } = inside.limits;
        words.say(&format!(
            "--cpu={} --as={memory} --fsize={file} --nproc={processes} --nofile={OPEN_FILES} \
             --core=0 --",
            inside.time.as_secs().max(1) * cpu
        ));
        words.0.extend(inside.words.iter().cloned());
        words.0
    }

    /// What is the same for every run.
    fn walls(&self, words: &mut Words) {
        words.say(
            "--unshare-all --unshare-user --die-with-parent --new-session --cap-drop ALL --clearenv",
        );
        words.say(&format!("--uid {NOBODY} --gid {NOBODY} --hostname sandbox"));
        if self.seals {
            words.say("--disable-userns");
        }
        for (name, value) in ENVIRONMENT {
            words.say(&format!("--setenv {name} {value}"));
        }
        words.say("--ro-bind /usr /usr");
        for link in ["bin", "sbin", "lib", "lib32", "lib64"] {
            let path = Path::new("/").join(link);
            match std::fs::read_link(&path) {
                Ok(_) => words.say(&format!("--symlink usr/{link} /{link}")),
                Err(_) if path.is_dir() => words.say(&format!("--ro-bind /{link} /{link}")),
                Err(_) => {}
            }
        }
        for path in SYSTEM_FILES {
            words.say(&format!("--ro-bind-try {path} {path}"));
        }
        words.say(&format!("--size {DEVICES_SIZE} --tmpfs /dev"));
        for device in DEVICES {
            words.say(&format!("--dev-bind /dev/{device} /dev/{device}"));
        }
        words.say(&format!("--size {SHARED_MEMORY} --tmpfs /dev/shm --remount-ro /dev"));
        words.say(&format!("--size {TMP} --tmpfs /tmp"));
    }
}
