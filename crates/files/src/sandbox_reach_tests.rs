//! SEC-10: what a program in the sandbox can reach of the kernel, and what it can take in
//! sum, tried as an attacker would: with system calls by number, from Python.

use std::process::Command;

use plimsoll_testkit::real::skipped;

use super::{
    tests::{run, sandbox},
    *,
};

/// Calls the kernel and prints the name, the result and the error's number.
const CALL: &str = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n\
    libc.syscall.restype = ctypes.c_long\ndef call(name, *words):\n  ctypes.set_errno(0)\n  \
    words = [ctypes.c_long(w) if isinstance(w, int) else w for w in words]\n  \
    got = libc.syscall(*words)\n  print(name, got, ctypes.get_errno(), flush=True)\n  return got\n";

/// Joins a new session keyring, puts a key there, hands on a descriptor, and becomes the
/// program that is named.
const WITH_A_KEY: &str = "import ctypes, os, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n\
    join, add = map(int, sys.argv[1:3])\nok = libc.syscall(join, 1, None) > 0\n\
    ok = ok and libc.syscall(add, b'user', b'plimsoll-canary', b'seen', 4, -3) > 0\nos.dup2(2, 77)\n\
    os.execv(sys.argv[3], sys.argv[3:]) if ok else sys.exit(77)";

/// Set in a process whose session keyring has the key.
const MARK: &str = "PLIMSOLL_TEST_CANARY";

#[tokio::test]
async fn sec_10_the_session_keyring_is_not_the_user_s() {
    let Some(mut sandbox) = sandbox().await else { return };
    if std::env::var_os(MARK).is_none() {
        return in_a_session_with_a_key("sec_10_the_session_keyring_is_not_the_user_s");
    }
    let code = format!(
        "{CALL}key = call('request', {}, b'user', b'plimsoll-canary', None, 0)\n\
         room = ctypes.create_string_buffer(64)\ncall('read', {}, 11, key, room, 64)\n\
         print('value', room.value)",
        libc::SYS_request_key,
        libc::SYS_keyctl,
    );
    let said = run(&sandbox, &code, 30).await.stdout.text();
    let refused = format!("request -1 {}\nread -1 {0}\nvalue b''\n", libc::EPERM);
    assert_eq!(said, refused, "the filter refuses to ask");
    // The second wall by itself.
    sandbox.filters = false;
    let said = run(&sandbox, &code, 30).await.stdout.text();
    assert!(said.contains("value b''") && said.starts_with("request -1"), "{said}");
    assert!(!said.starts_with(&format!("request -1 {}\n", libc::EPERM)), "it was asked: {said}");
}

/// Runs a test of this file anew, in a process whose session keyring has a key.
fn in_a_session_with_a_key(test: &str) {
    let status = Command::new("python3")
        .args(["-c", WITH_A_KEY])
        .args([libc::SYS_keyctl.to_string(), libc::SYS_add_key.to_string()])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("sandbox::reach_tests::{test}")])
        .env(MARK, "1")
        .output()
        .unwrap();
    if status.status.code() == Some(77) {
        return skipped("this machine lets nobody make a session keyring");
    }
    let said = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn sec_10_calls_that_reach_round_the_walls_are_refused() {
    let Some(sandbox) = sandbox().await else { return };
    let mut code = CALL.to_owned();
    let calls = [
        ("memfd_create", libc::SYS_memfd_create, "b'x', 0"),
        ("memfd_secret", 447, "0"),
        ("shmget", libc::SYS_shmget, "0, 4096, 0o1600"),
        ("msgget", libc::SYS_msgget, "0, 0o1600"),
        ("semget", libc::SYS_semget, "0, 1, 0o1600"),
        ("unshare", libc::SYS_unshare, "0x10000000"),
        ("setns", libc::SYS_setns, "0, 0"),
        ("clone", libc::SYS_clone, "0x10000011, 0, 0, 0, 0"),
        ("ptrace", libc::SYS_ptrace, "0, 0, 0, 0"),
        ("bpf", libc::SYS_bpf, "0, 0, 0"),
        ("perf", libc::SYS_perf_event_open, "0, 0, 0, 0, 0"),
        ("userfaultfd", libc::SYS_userfaultfd, "1"),
        ("io_uring", 425, "1, 0"),
        ("mount", libc::SYS_mount, "0, 0, 0, 0, 0"),
        ("add_key", libc::SYS_add_key, "b'user', b'x', b'y', 1, -3"),
        // A shared page without a file outlives its mapping and is on nobody's count.
        ("shared", libc::SYS_mmap, "0, 4096, 3, 0x21, -1, 0"),
    ];
    for (name, number, words) in calls {
        code.push_str(&format!("call('{name}', {number}, {words})\n"));
    }
    code.push_str(
        "import socket\nfor family in [socket.AF_VSOCK, socket.AF_NETLINK, socket.AF_ALG, \
         socket.AF_INET, socket.AF_PACKET]:\n  try:\n    socket.socket(family, \
         socket.SOCK_STREAM if family == socket.AF_VSOCK else socket.SOCK_RAW)\n    \
         print(family.name, 'opened')\n  except OSError as error:\n    print(family.name, -1, \
         error.errno)\nsocket.socketpair()\nos.fork() or os._exit(0)\nimport threading\n\
         thread = threading.Thread(target=print, args=('thread',))\nthread.start()\nthread.join()\n\
         call('clone3', 435, 0, 0)\n",
    );
    let outcome = run(&sandbox, &code, 30).await;
    let said = outcome.stdout.text();
    for (name, ..) in calls {
        let refused = format!("{name} -1 {}", libc::EPERM);
        assert!(said.lines().any(|line| line == refused), "{name}: {said}");
    }
    for family in ["VSOCK", "NETLINK", "ALG", "INET", "PACKET"] {
        let refused = format!("AF_{family} -1 {}", libc::EAFNOSUPPORT);
        assert!(said.lines().any(|line| line == refused), "{family}: {said}");
    }
    // What every program needs still works: pairs of sockets, children, threads.
    assert!(said.contains("\nthread\n"), "{said}{}", outcome.stderr.text());
    assert!(said.ends_with(&format!("clone3 -1 {}\n", libc::ENOSYS)), "{said}");
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn sec_10_calls_of_another_kind_of_processor_end_the_program() {
    let Some(sandbox) = sandbox().await else { return };
    // The number of getpid with the bit of the x32 calls.
    let code = format!("{CALL}call('x32', 0x40000000 + {})", libc::SYS_getpid);
    let outcome = run(&sandbox, &code, 30).await;
    assert_eq!(outcome.stdout.text(), "");
    assert_eq!(outcome.ending, Ending::Exited(128 + libc::SIGSYS), "{}", outcome.stderr.text());
}

/// H5: files without a name are on no list, and took disk without end.
#[tokio::test]
async fn sec_10_files_without_a_name_take_no_more_than_the_limit() {
    let Some(sandbox) = sandbox().await else { return };
    let code = "import os\nheld, mb = [], 0\ntry:\n  for n in range(40):\n    \
                file = open(f'f{n}', 'wb', buffering=0)\n    os.unlink(f'f{n}')\n    \
                held.append(file)\n    for _ in range(60):\n      \
                file.write(bytes(1 << 20))\n      mb += 1\nexcept OSError as error: \
                print(error.strerror, flush=True)\nprint(mb, flush=True)";
    let outcome = run(&sandbox, code, 60).await;
    let said = outcome.stdout.text();
    let written = said.lines().last().and_then(|line| line.parse::<u64>().ok());
    match outcome.ending {
        Ending::Overdrew(Over::Disk) => {}
        ending => {
            assert_eq!(ending, Ending::Exited(0), "{said}{}", outcome.stderr.text());
            assert!(written.is_some_and(|mb| mb << 20 <= PYTHON.disk), "{said}");
            assert!(said.contains("No space left"), "{said}");
        }
    }
}

/// The working directory is on no disk of the host: whatever is put there, and however.
#[tokio::test]
async fn sec_10_the_working_directory_has_a_size_of_its_own() {
    let Some(sandbox) = sandbox().await else { return };
    let code = "import os\nfor path in ['.', '/tmp', '/dev/shm']:\n  found = os.statvfs(path)\n  \
                print(found.f_blocks * found.f_frsize)";
    let said = run(&sandbox, code, 30).await.stdout.text();
    let sizes: Vec<u64> = said.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(sizes, [PYTHON.disk, TMP, SHARED_MEMORY]);
}

/// Empty files cost the kernel memory, wherever they are.
#[tokio::test]
async fn sec_10_empty_files_without_end_are_ended() {
    let Some(sandbox) = sandbox().await else { return };
    for place in ["/tmp", "/dev/shm", "/job"] {
        let code = format!("n = 0\nwhile True:\n  open(f'{place}/{{n}}', 'wb')\n  n += 1");
        assert_eq!(run(&sandbox, &code, 60).await.ending, Ending::Overdrew(Over::Disk), "{place}");
    }
}

/// A page of memory that two share without a file could be let go of and still be held.
#[tokio::test]
async fn sec_10_no_device_gives_shared_memory() {
    let Some(sandbox) = sandbox().await else { return };
    let code = "import os\nprint(sorted(os.listdir('/dev')))\nprint(len(os.urandom(4)), \
                len(open('/dev/urandom', 'rb').read(4)))\nopen('/dev/null', 'w').write('x')";
    let outcome = run(&sandbox, code, 30).await;
    let said = outcome.stdout.text();
    assert_eq!(said, "['full', 'null', 'random', 'shm', 'urandom']\n4 4\n");
    assert_eq!(outcome.ending, Ending::Exited(0), "{}", outcome.stderr.text());
}

/// Programs of others, here Python in the place of tesseract, are behind the same walls.
#[tokio::test]
async fn sec_10_a_program_of_others_sees_its_input_and_nothing_else() {
    use crate::programs::{Ended, Programs, Word, run_bounded};
    let Some(sandbox) = sandbox().await else { return };
    let Some(python) = sandbox.python.clone() else { return };
    let place = tempfile::tempdir().unwrap();
    let (secret, input) = (place.path().join("secret"), place.path().join("input"));
    std::fs::write(&secret, "key").unwrap();
    std::fs::write(&input, "picture").unwrap();
    let code = format!(
        "{CALL}import sys\nprint(open(sys.argv[1]).read())\nopen(sys.argv[2] + '.png', 'w')\
         .write('page')\ncall('keys', {}, 0, -3, 0)\nfor path in [{secret:?}, '/etc/passwd']:\n  \
         print(os.path.exists(path))\nopen(sys.argv[1], 'w')",
        libc::SYS_keyctl
    );
    let out = tempfile::tempdir().unwrap();
    let words = [
        Word::Text("-c"),
        Word::Text(&code),
        Word::Input(&input),
        Word::Output(out.path(), "page"),
    ];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = Programs::in_path(&path).inside(sandbox);
    assert!(programs.is_inside(&python), "{python:?}");
    let ended = run_bounded(&programs, &python, &words, Duration::from_secs(30), 9_000).await;
    let Ok(Ended::Done { success, stdout, stderr }) = ended else { panic!("{ended:?}") };
    let said = String::from_utf8_lossy(&stdout).into_owned();
    assert_eq!(said, format!("picture\nkeys -1 {}\nFalse\nFalse\n", libc::EPERM));
    let said = String::from_utf8_lossy(&stderr).into_owned();
    assert!(!success && said.contains("Read-only file system"), "{said}");
    assert_eq!(std::fs::read_to_string(out.path().join("page.png")).unwrap(), "page");
}

/// Neither what bubblewrap was handed, the pipe and the filter, nor what the user's shell had
/// open is handed on.
#[tokio::test]
async fn sec_10_no_descriptor_of_ours_is_open_inside() {
    let Some(sandbox) = sandbox().await else { return };
    if std::env::var_os(MARK).is_none() {
        return in_a_session_with_a_key("sec_10_no_descriptor_of_ours_is_open_inside");
    }
    let code = "import os\nopen_ = []\nfor number in range(256):\n  try: os.fstat(number)\n  \
                except OSError: continue\n  open_.append(number)\nprint(open_)";
    let outcome = run(&sandbox, code, 30).await;
    assert_eq!(outcome.stdout.text(), "[0, 1, 2]\n", "{}", outcome.stderr.text());
}

/// Review, low: a run that was killed with Plimsoll left its directory behind for good.
#[test]
fn sec_10_what_a_killed_run_left_is_cleared_at_the_next_start() {
    let temporary = tempfile::tempdir().unwrap();
    let theirs = temporary.path().join("plimsoll-run-file");
    std::fs::write(&theirs, "").unwrap();
    let one = place::Place::make_below(temporary.path(), None, &[], false).unwrap();
    std::fs::create_dir_all(one.path().join("in/locked")).unwrap();
    // Forgotten as by a process that was killed: its lock is gone, the directory is not.
    let gone = one.forget();
    let two = place::Place::make_below(temporary.path(), None, &[], false).unwrap();
    place::clear_left(temporary.path());
    assert!(!gone.exists(), "nobody holds it");
    assert!(two.path().exists(), "a run that goes on keeps its directory");
    assert!(theirs.exists(), "what is not ours is left alone");
}
