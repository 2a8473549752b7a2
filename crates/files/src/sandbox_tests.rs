//! FTL-6, SEC-6: each way out of the sandbox that a program may try, by name.

use plimsoll_testkit::real::skipped;
use std::time::Instant;

use std::path::Path;

use super::*;

/// A sandbox, if this machine has one; else it is said loudly that nothing was tested.
pub(super) async fn sandbox() -> Option<Sandbox> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    match Sandbox::find(&Programs::in_path(&path)).await {
        Ok(sandbox) => Some(sandbox),
        Err(none) => {
            skipped(&format!("there is no sandbox: {none}. To have one: {}", none.how_to_fix));
            None
        }
    }
}

pub(super) async fn run(sandbox: &Sandbox, code: &str, seconds: u64) -> Outcome {
    let job = Job { code, inputs: &[], time: Duration::from_secs(seconds) };
    sandbox.run(job).await.unwrap()
}

/// How many processes there are whose command holds these words.
fn processes_with(words: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    commands.filter(|command| String::from_utf8_lossy(command).contains(words)).count()
}

#[tokio::test]
async fn ftl_6_a_program_runs_with_its_inputs_and_leaves_files() {
    let Some(sandbox) = sandbox().await else { return };
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("blob");
    std::fs::write(&path, "a,b\n1,2\n").unwrap();
    let inputs = [Input { name: "data.csv".to_owned(), path }];
    let code = "import csv, json\nrows = list(csv.DictReader(open('data.csv')))\n\
                json.dump(rows, open('rows.json', 'w'))\nprint('öl', len(rows))\n\
                open('data.csv', 'w')";
    let job = Job { code, inputs: &inputs, time: Duration::from_secs(20) };
    let outcome = sandbox.run(job).await.unwrap();
    assert_eq!(outcome.stdout.text(), "öl 1\n");
    assert_eq!(outcome.ending, Ending::Exited(1), "inputs are read-only");
    assert!(outcome.stderr.text().contains("Read-only file system"), "{}", outcome.stderr.text());
    let names: Vec<&str> = outcome.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!((names, outcome.refused), (vec!["rows.json"], 0), "inputs are no outputs");
    assert_eq!(
        std::fs::read_to_string(&outcome.outputs[0].path).unwrap(),
        r#"[{"a": "1", "b": "2"}]"#
    );
    let kept = outcome.outputs[0].path.clone();
    drop(outcome);
    assert!(!kept.exists(), "nothing is left of the run");
}

#[tokio::test]
async fn ftl_6_a_plot_is_drawn_with_the_system_s_matplotlib() {
    let Some(sandbox) = sandbox().await else { return };
    if !Path::new("/usr/lib/python3/dist-packages/matplotlib/__init__.py").is_file() {
        return skipped("no matplotlib of the system (apt-get install python3-matplotlib)");
    }
    let code = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.title('Größe')\n\
                plt.savefig('plot.png')\nprint('drawn')";
    let outcome = run(&sandbox, code, 100).await;
    let said = outcome.stderr.text();
    assert_eq!(
        (outcome.ending, outcome.stdout.text().as_str()),
        (Ending::Exited(0), "drawn\n"),
        "{said}"
    );
    let names: Vec<&str> = outcome.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["plot.png"], "and nothing of its own is left");
    let drawn = std::fs::read(&outcome.outputs[0].path).unwrap();
    assert!(drawn.starts_with(b"\x89PNG"));
}

#[tokio::test]
async fn ftl_6_it_forks_without_end() {
    let Some(sandbox) = sandbox().await else { return };
    let code = "import os, time\nn = 0\nwhile True:\n  try:\n    if os.fork() == 0:\n      \
                while True: time.sleep(1)\n    n += 1\n  except OSError:\n    print(n, flush=True)\n    \
                time.sleep(60)";
    let outcome = run(&sandbox, code, 6).await;
    assert_eq!(outcome.ending, Ending::TimedOut);
    let forks: u64 = outcome.stdout.text().trim().parse().unwrap();
    assert!(forks > 0 && forks < PYTHON.processes, "{forks} forks");
}

#[tokio::test]
async fn ftl_6_it_bombs_with_forks_that_fork() {
    let Some(sandbox) = sandbox().await else { return };
    let outcome =
        run(&sandbox, "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", 3).await;
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert!(outcome.took < Duration::from_secs(30));
}

#[tokio::test]
async fn ftl_6_it_fills_memory() {
    let Some(sandbox) = sandbox().await else { return };
    let alone = run(&sandbox, "a = []\nwhile True: a.append(bytearray(1 << 24))", 20).await;
    assert!(alone.stderr.text().contains("MemoryError"), "{}", alone.stderr.text());
    let code = "import os, time\nfor _ in range(8):\n  if os.fork() == 0: break\n\
                a = bytearray(b'x') * (300 << 20)\ntime.sleep(60)";
    let together = run(&sandbox, code, 30).await;
    assert_eq!(together.ending, Ending::Overdrew(Over::Memory));
}

#[tokio::test]
async fn memory_that_processes_share_is_counted_once() {
    let Some(sandbox) = sandbox().await else { return };
    let code = "import os, time\na = bytearray(b'x') * (300 << 20)\nfor _ in range(6):\n  \
                if os.fork() == 0:\n    time.sleep(1)\n    os._exit(0)\ntime.sleep(1)\nprint('fine')";
    let outcome = run(&sandbox, code, 20).await;
    // Where the fair count may not be asked for, the run is ended; it is never let through.
    if outcome.ending != Ending::Overdrew(Over::Memory) || system::is_root() {
        assert_eq!((outcome.ending, outcome.stdout.text().as_str()), (Ending::Exited(0), "fine\n"));
    }
}

#[tokio::test]
async fn ftl_6_it_fills_disk() {
    let Some(sandbox) = sandbox().await else { return };
    let code = "n = 0\nwhile True:\n  open(f'f{n}', 'wb').write(bytes(1 << 20))\n  n += 1";
    let full = run(&sandbox, code, 30).await;
    assert!(full.stderr.text().contains("No space left"), "{}", full.stderr.text());
    let code = "n = 0\nwhile True:\n  open(f'f{n}', 'wb')\n  n += 1";
    assert_eq!(run(&sandbox, code, 30).await.ending, Ending::Overdrew(Over::Disk));
    let one = run(&sandbox, "f = open('f', 'wb')\nwhile True: f.write(bytes(1 << 20))", 30).await;
    assert_ne!(one.ending, Ending::Exited(0), "one file is bounded too");
    let tmp = run(&sandbox, "f = open('/tmp/f', 'wb')\nn = 0\nwhile True:\n  open(f'/tmp/{n}', 'wb').write(bytes(1 << 20))\n  n += 1", 30).await;
    assert!(tmp.stderr.text().contains("No space left"), "{}", tmp.stderr.text());
}

#[tokio::test]
async fn ftl_6_nothing_else_can_be_written() {
    let Some(sandbox) = sandbox().await else { return };
    let code = "import os\nfor place in ['/', '/dev', '/code', '/usr', '/etc', '/job/..']:\n  \
                try:\n    open(os.path.join(place, 'x'), 'w')\n    print('wrote', place)\n  \
                except OSError as error: print(error.strerror)";
    let said = run(&sandbox, code, 20).await.stdout.text();
    assert!(!said.contains("wrote"), "{said}");
    assert_eq!(said.lines().count(), 6);
}

#[tokio::test]
async fn ftl_6_it_opens_the_network() {
    let Some(sandbox) = sandbox().await else { return };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let code = format!(
        "import socket\nfor address in [('127.0.0.1', {port}), ('1.1.1.1', 53)]:\n  try:\n    \
         socket.create_connection(address, 3)\n    print('connected', address)\n  \
         except OSError as error: print('refused', error)"
    );
    let said = run(&sandbox, &code, 20).await.stdout.text();
    assert_eq!(said.lines().filter(|line| line.starts_with("refused")).count(), 2, "{said}");
}

#[tokio::test]
async fn ftl_6_it_reads_the_home_directory_and_etc_shadow() {
    let Some(sandbox) = sandbox().await else { return };
    let secret = tempfile::NamedTempFile::new().unwrap();
    let home = std::env::var("HOME").unwrap_or("/root".to_owned());
    let code = format!(
        "import os\nplaces = ['/etc/shadow', '/etc/passwd', {:?}, {home:?}, '/home', '/root', \
         '/proc/1/environ', '/var']\nfor path in places:\n  \
         print(path, path != '/tmp' and os.path.exists(path))\n\
         print(sorted(os.environ), os.getuid(), os.listdir('/tmp'))",
        secret.path()
    );
    let said = run(&sandbox, &code, 20).await.stdout.text();
    assert!(!said.contains("True"), "{said}");
    assert!(said.contains("65534 []") && !said.contains("CARGO"), "{said}");
}

#[tokio::test]
async fn ftl_6_it_runs_for_ever() {
    let Some(sandbox) = sandbox().await else { return };
    let started = Instant::now();
    let outcome = run(&sandbox, "print('here')\nimport time\nwhile True: time.sleep(1)", 4).await;
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert_eq!(outcome.stdout.text(), "here\n", "what it said before is not lost");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn ftl_6_it_prints_for_ever() {
    let Some(sandbox) = sandbox().await else { return };
    let outcome = run(&sandbox, "while True: print('x' * 100_000)", 30).await;
    assert_eq!(outcome.ending, Ending::TalkedTooMuch);
    assert!(outcome.stdout.text().len() < 100_000);
}

#[tokio::test]
async fn ftl_6_it_writes_a_symlink_to_etc_passwd_as_output() {
    let Some(sandbox) = sandbox().await else { return };
    let code = "import os\nos.symlink('/etc/passwd', 'plot.png')\nos.mkfifo('pipe')\nos.mkdir('d')\n\
                open('d/x', 'w')\nos.chmod('d', 0)\nopen('real', 'w').write('ok')";
    let outcome = run(&sandbox, code, 20).await;
    let names: Vec<&str> = outcome.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!((names, outcome.refused), (vec!["real"], 3), "{}", outcome.stderr.text());
}

#[tokio::test]
async fn ftl_6_it_leaves_a_background_child() {
    let Some(sandbox) = sandbox().await else { return };
    let mark = format!("plimsoll-child-{}", std::process::id());
    let code = format!(
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', \
         {mark:?}], start_new_session=True)\nprint('left')"
    );
    let started = Instant::now();
    let outcome = run(&sandbox, &code, 20).await;
    assert_eq!((outcome.ending, outcome.stdout.text().as_str()), (Ending::Exited(0), "left\n"));
    assert!(started.elapsed() < Duration::from_secs(30));
    let gone = async {
        while processes_with(&format!("time.sleep(600)\0{mark}")) > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.expect("the child lives on");
}

#[tokio::test]
async fn ftl_6_a_call_that_is_given_up_ends_its_program() {
    let Some(sandbox) = sandbox().await else { return };
    let mark = format!("plimsoll-dropped-{}", std::process::id());
    let code = format!(
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(601)', {mark:?}])"
    );
    let run = run(&sandbox, &code, 60);
    assert!(tokio::time::timeout(Duration::from_secs(2), run).await.is_err());
    let gone = async {
        while processes_with(&format!("time.sleep(601)\0{mark}")) > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.expect("the program lives on");
}

#[tokio::test]
async fn ftl_6_without_bubblewrap_there_is_no_sandbox() {
    let none = Sandbox::find(&Programs::default()).await.unwrap_err();
    assert!(none.why.contains("bwrap") && none.how_to_fix.contains("bubblewrap"), "{none:?}");
}
