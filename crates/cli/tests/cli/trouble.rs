//! Trouble of every kind, through the binary: each has its own words, nothing is lost,
//! and only what may be asked again is asked again.

use std::{
    sync::{Mutex, mpsc},
    time::Duration,
};

use plimsoll_domain::Lifecycle;
use plimsoll_testkit::scripted::{Recorded, Reply, ScriptedServer};

use crate::{
    run::{Ran, kept},
    send::{Home, posted},
};

/// A server that answers the first call well and all others so.
fn then(reply: Reply) -> ScriptedServer {
    let good = Mutex::new(Some(Reply::openai(&["All is well."], 9, 4)));
    let script = move |request: &Recorded| match request.method.as_str() {
        "POST" => good.lock().unwrap().take().unwrap_or_else(|| reply.clone()),
        _ => Reply::model_missing("test"),
    };
    ScriptedServer::answering(script).unwrap()
}

/// A send into trouble: how it ended, how often the server was called for it, what was
/// kept of its answer and under which code. What was there before is still there.
fn into(reply: Reply) -> (Ran, usize, Option<String>, String) {
    let server = then(reply);
    let home = Home::new(&server, 4096);
    assert_eq!(home.send(&["How is it?"]).code, 0);
    let data = home.path().join("data");
    let before = kept(&data);
    let ran = home.command(&["send", "-c", "And now?"]).env("PLIMSOLL_RETRIES", "1").run();
    let after = kept(&data);
    assert_eq!(after[..1], before[..], "history is never changed by a fault");
    let failed = after[1].pair.clone();
    assert_eq!((failed.lifecycle, failed.user_text.as_str()), (Lifecycle::Error, "And now?"));
    let calls = posted(&server).len() - 1;
    for body in &posted(&server)[1..] {
        assert!(body.contains("All is well."), "a retry never drops history: {body}");
    }
    (ran, calls, failed.assistant_text, failed.error.unwrap().code)
}

#[test]
fn fau_6_a_cable_that_is_pulled_is_the_network() {
    // Text had arrived: it is kept, and nothing is asked again.
    let (ran, calls, text, code) = into(Reply::closes_after(&["Half an ", "answer"]));
    assert_eq!((ran.code, ran.stdout.trim_end()), (1, "Half an answer"), "{}", ran.stderr);
    assert!(ran.stderr.contains("[error: net] connection closed in mid-stream"), "{}", ran.stderr);
    assert_eq!((calls, text.as_deref(), code.as_str()), (1, Some("Half an answer"), "network"));
    // Nothing had: it is asked again.
    let (ran, calls, text, code) = into(Reply::closes_at_once());
    assert!(ran.stderr.contains("[error: net] "), "{}", ran.stderr);
    assert!(ran.stderr.contains("trying again in "), "{}", ran.stderr);
    assert_eq!((calls, text, code.as_str()), (2, None, "network"));
}

#[test]
fn fau_7_other_faults_are_told_in_their_own_words_and_asked_once() {
    for (reply, says, code) in [
        (Reply::auth(), "[error: auth] Incorrect API key provided", "auth"),
        (Reply::model_missing("test"), "[error: model] The model `test` does not exist", "model"),
        (Reply::quota(), "[error: quota] You exceeded your current quota", "quota"),
        (Reply::content_filter(), "[error: filter] The response was filtered", "content_filter"),
        (Reply::invalid(), "[error: request] 'messages' is required", "invalid"),
    ] {
        let (ran, calls, text, found) = into(reply);
        assert!(ran.stderr.contains(says), "{says}: {}", ran.stderr);
        assert_eq!((ran.code, calls, text, found.as_str()), (1, 1, None, code), "{says}");
    }
}

#[test]
fn fau_6_a_wait_beyond_a_minute_ends_with_the_time_shown() {
    let (ran, calls, _, code) = into(Reply::rate(Some(Duration::from_secs(3600))));
    assert!(ran.stderr.contains("[error: quota] "), "{}", ran.stderr);
    assert!(ran.stderr.contains("the provider asks to wait 60 min; "), "{}", ran.stderr);
    assert_eq!((calls, code.as_str()), (1, "rate"));
    // One that is short is waited out, as often as the settings allow.
    let (ran, calls, _, code) = into(Reply::rate(Some(Duration::from_secs(1))));
    assert!(ran.stderr.contains("trying again in 1."), "{}", ran.stderr);
    assert_eq!((calls, code.as_str()), (2, "rate"));
}

#[test]
fn snd_2_one_send_a_conversation_and_others_go_on() {
    let (arrived, waiting) = mpsc::channel();
    let (open, gate) = mpsc::channel::<()>();
    let (arrived, gate) = (Mutex::new(arrived), Mutex::new(gate));
    let script = move |request: &Recorded| {
        if request.body.contains("slow question") {
            arrived.lock().unwrap().send(()).unwrap();
            gate.lock().unwrap().recv().unwrap();
        }
        Reply::openai(&["Done."], 9, 2)
    };
    let server = ScriptedServer::answering(script).unwrap();
    let home = Home::new(&server, 4096);
    let first = home.command(&["send", "slow question"]).start();
    waiting.recv().unwrap();

    for same in [&["-c"][..], &["--scope", "everything"]] {
        let second = home.send(&[same, &["quick question"]].concat());
        second.refused(1, "another send is in flight here; wait for it or cancel it");
    }
    let elsewhere = home.send(&["--workspace", "Other/Place", "quick question"]);
    assert_eq!((elsewhere.code, elsewhere.stdout.as_str()), (0, "Done.\n"), "{}", elsewhere.stderr);

    open.send(()).unwrap();
    let first = first.wait_with_output().unwrap();
    assert_eq!((first.status.code(), &*first.stdout), (Some(0), &b"Done.\n"[..]));
    let kept = kept(&home.path().join("data"));
    assert_eq!(kept.len(), 1, "what was refused left nothing behind");
    assert_eq!(home.send(&["quick question"]).code, 0);
}

#[cfg(unix)]
mod disks {
    use std::{fs, os::unix::fs::PermissionsExt, process::Command};

    use plimsoll_testkit::real;

    use super::*;
    use crate::run::plimsoll;

    /// Sets the permissions of a directory and all in it.
    fn permit(path: &std::path::Path, directories: u32, files: u32) {
        let mode = if path.is_dir() { directories } else { files };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for entry in fs::read_dir(path).into_iter().flatten() {
            permit(&entry.unwrap().path(), directories, files);
        }
    }

    #[test]
    fn rel_2_a_read_only_directory_is_said_in_a_line() {
        if plimsoll_testkit::switch::is_of_files_alone("the directory holds the store") {
            return;
        }
        let server = then(Reply::openai(&["Well."], 9, 4));
        let home = Home::new(&server, 4096);
        assert_eq!(home.send(&["How is it?"]).code, 0);
        let data = home.path().join("data");
        let before = kept(&data);
        // Root may write anywhere, so nobody is asked to.
        let root = fs::metadata("/proc/self").is_ok_and(|me| {
            use std::os::unix::fs::MetadataExt;
            me.uid() == 0
        });
        if root && !plimsoll(["--version"]).for_nobody().starts() {
            return real::skipped("nobody but root may start the binary in this place");
        }
        permit(home.path(), 0o555, 0o444);
        let send = |data: &std::path::Path| {
            let command = home.command(&["send", "And now?"]).env("PLIMSOLL_DATA_DIR", data);
            if root { command.for_nobody().run() } else { command.run() }
        };
        send(&data).refused(1, "the store cannot be written to; check the permissions");
        let fresh = send(&home.path().join("fresh"));
        fresh.refused(1, "cannot make the data directory");
        assert!(fresh.stderr.contains("hint: use --data-dir DIR"), "{}", fresh.stderr);
        permit(home.path(), 0o755, 0o644);
        assert_eq!(kept(&data), before);
        assert_eq!(home.send(&["And now?"]).code, 0);
    }

    /// A disk of its own in a mount namespace, which ends with the script. It is filled
    /// after a good send and freed again before the last one.
    const SCRIPT: &str = r#"
        mount -t tmpfs -o size=4m none "$PLIMSOLL_DATA_DIR" || exit 77
        "$1" send 'How is it?' || exit 78
        dd if=/dev/zero of="$PLIMSOLL_DATA_DIR/ballast" bs=4k 2>/dev/null
        "$1" send 'And now?' >&2; echo "full $?"
        "$1" receipts >/dev/null 2>&1; echo "reading $?"
        rm "$PLIMSOLL_DATA_DIR/ballast"
        "$1" send 'And then?'; echo "free $?"
        "$1" send --scope everything --dry-run 'What was said?'
    "#;

    #[test]
    fn rel_2_a_full_disk_is_said_in_a_line_and_costs_nothing() {
        let server = then(Reply::openai(&["All is well again."], 9, 4));
        let home = Home::new(&server, 4096);
        let data = home.path().join("data");
        fs::create_dir_all(&data).unwrap();
        let ran = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"])
            .arg(env!("CARGO_BIN_EXE_plimsoll"))
            .env("PLIMSOLL_CONFIG_DIR", home.path())
            .env("PLIMSOLL_DATA_DIR", &data)
            .env("PLIMSOLL_DEFAULT_MODEL", "test")
            .stdin(std::process::Stdio::null())
            .output();
        let ran = match ran {
            Ok(ran) if ran.status.code() != Some(77) && !ran.stdout.is_empty() => ran,
            _ => return real::skipped("a full disk needs a small one, and none can be mounted"),
        };
        let said = String::from_utf8_lossy(&ran.stderr);
        let printed = String::from_utf8_lossy(&ran.stdout);
        assert!(printed.contains("full 1\n") && printed.contains("free 0\n"), "{printed} {said}");
        let full = "the disk is full; free some space and try again, what was saved is intact";
        assert!(said.contains(full), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        // What was said before and after the trouble goes along as ever.
        let request = printed.lines().last().unwrap();
        assert!(request.contains("All is well.") && request.contains("All is well again."));
    }
}

/// Whatever file is the one too many, that is what is said; it was told as a matter of
/// permissions. What needs more than there is is said, and the rest works.
#[cfg(unix)]
#[test]
fn rel_2_too_many_open_files_are_told_as_that() {
    let home = tempfile::tempdir().unwrap();
    let topics = |limit: u32| {
        let program = env!("CARGO_BIN_EXE_plimsoll");
        std::process::Command::new("sh")
            .args(["-c", &format!("ulimit -n {limit}; exec '{program}' topics")])
            .env("PLIMSOLL_CONFIG_DIR", home.path())
            .env("PLIMSOLL_DATA_DIR", home.path().join("data"))
            .output()
            .unwrap()
    };
    assert!(topics(256).status.success());
    let mut told = 0;
    for limit in 9..=24 {
        let ran = topics(limit);
        let said = String::from_utf8_lossy(&ran.stderr);
        if !ran.status.success() && !said.contains("cannot start") {
            assert!(said.contains("ulimit -n"), "{limit}: {said}");
            assert!(!said.contains("permissions"), "{limit}: {said}");
            told += 1;
        }
    }
    assert!(told > 2, "{told} of the limits were too small");
    assert!(topics(256).status.success(), "and nothing is lost");
}
