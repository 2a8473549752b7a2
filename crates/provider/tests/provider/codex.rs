//! Codex as a process, against a stand-in that does as its script says: what it is called
//! with, what becomes of what it says, and that nothing of it stays behind.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use plimsoll_domain::Usage;
use plimsoll_fault::Label;
use plimsoll_provider::{Codex, Delta, Finish, Provider, Timeouts};
use plimsoll_send::{FilePart, Message, Part, Request, Role};
use tempfile::TempDir;

use super::{HASTY, Heard, PATIENT, hear};

const STARTED: &str = r#"echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"turn.started"}'
"#;
const COMPLETED: &str = r#"echo '{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2}}'
"#;

fn message(text: &str) -> String {
    format!(
        r#"echo '{{"type":"item.completed","item":{{"type":"agent_message","text":"{text}"}}}}'"#
    ) + "\n"
}

/// A stand-in: a script with a directory beside it, which is `$HERE` in it.
struct StandIn {
    home: TempDir,
}

impl StandIn {
    /// Writes its arguments, directory and input down, and does what the script says.
    fn new(script: &str) -> Self {
        let before = "printf '%s\\n' \"$@\" > \"$HERE/arguments\"; pwd > \"$HERE/place\"\n\
                      cat > \"$HERE/stdin\"\n";
        Self::raw(&format!("{before}{script}"))
    }

    fn raw(script: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("codex");
        let here = home.path().display();
        fs::write(&path, format!("#!/bin/sh\nHERE='{here}'\n{script}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self { home }
    }

    fn codex(&self, timeouts: Timeouts) -> Codex {
        Codex::new(self.home.path().join("codex"), timeouts)
    }

    fn wrote(&self, name: &str) -> String {
        fs::read_to_string(self.home.path().join(name)).unwrap()
    }

    /// Waits for a file of numbers that the script writes.
    fn pids(&self, name: &str) -> Vec<u32> {
        let path = self.home.path().join(name);
        let told = || fs::read_to_string(&path).ok().filter(|text| text.ends_with('\n'));
        assert!(soon(|| told().is_some()), "the stand-in did not start");
        told().unwrap().split_whitespace().map(|pid| pid.parse().unwrap()).collect()
    }
}

fn soon(mut is_so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while Instant::now() < end {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Whether a process runs; one that is dead and not yet buried does not.
fn runs(pid: u32) -> bool {
    let pid = pid.to_string();
    let told = std::process::Command::new("ps").args(["-o", "stat=", "-p", &pid]).output();
    let told = told.unwrap();
    let state = String::from_utf8_lossy(&told.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

fn picture(path: &str) -> Part {
    Part::File(FilePart {
        file: None,
        mime: "image/png".to_owned(),
        bytes: b"bytes".as_slice().into(),
        path: PathBuf::from(path),
        remote: None,
    })
}

fn asked(text: &str) -> Request {
    Request::new("codex", vec![Message::new(Role::User, text)])
}

async fn heard(script: &str, timeouts: Timeouts) -> Heard {
    hear(StandIn::new(script).codex(timeouts).ask(&asked("Hello"))).await
}

#[tokio::test]
async fn dlv_5_codex_gets_the_prompt_on_stdin_and_its_answer_arrives() {
    let stand_in = StandIn::new(&[STARTED, &message("Aye."), COMPLETED].concat());
    let mut last = Message::new(Role::User, "<<context:image:/x/a b.png>>> it’s\n");
    last.push(picture("/x/a b.png"));
    last.push(picture("/x/a,b.png"));
    let first = Message::new(Role::User, "Ahoy");
    let answer = Message::new(Role::Assistant, "Ahoy!");
    let request = Request::new("gpt-6", vec![first, answer, last]);
    let codex = stand_in.codex(PATIENT);
    let shown: serde_json::Value = serde_json::from_str(codex.encode(&request).shown()).unwrap();
    let heard = hear(codex.ask(&request)).await;
    assert_eq!(heard.failure, None);
    assert_eq!((heard.text.as_str(), heard.finish), ("Aye.", Some(Finish::Stop)));
    let usage = Usage { prompt: 9, cached: 4, completion: 2, reasoning: 0 };
    assert_eq!(heard.usage, Some(usage));
    let stdin = "User:\nAhoy\n\nAssistant:\nAhoy!\n\nUser:\n<<context:image:/x/a b.png>>> it’s\n";
    assert_eq!(stand_in.wrote("stdin"), stdin);
    let arguments = "exec\n--json\n--sandbox\nread-only\n--skip-git-repo-check\n-m\ngpt-6\n\
                     --image\n/x/a b.png\n--image\nimage-2.png\n--\n-\n";
    assert_eq!(stand_in.wrote("arguments"), arguments);
    // PAY-5: what was shown is what was done.
    assert_eq!(shown["stdin"], stdin);
    let told = shown["arguments"].as_array().unwrap().iter().map(|one| one.as_str().unwrap());
    assert_eq!(told.map(|one| format!("{one}\n")).collect::<String>(), arguments);
    // The directory was its own, and is gone.
    let place = stand_in.wrote("place");
    assert!(place.contains("plimsoll-codex-") && !Path::new(place.trim()).exists(), "{place}");
}

#[tokio::test]
async fn a_picture_that_cannot_be_named_stands_in_its_directory() {
    let stand_in = StandIn::new(&format!("cp image-1.png \"$HERE/seen\"\n{COMPLETED}"));
    let mut request = asked("Look");
    request.messages[0].push(picture("/x/a,b.png"));
    assert_eq!(hear(stand_in.codex(PATIENT).ask(&request)).await.failure, None);
    assert_eq!(stand_in.wrote("seen"), "bytes");
}

#[tokio::test]
async fn a_prompt_larger_than_a_pipe_goes_through_while_codex_already_speaks() {
    let loud = "head -c 300000 /dev/zero | tr '\\0' 'x' >&2; echo\n";
    let stand_in = StandIn::raw(&format!(
        "{loud}{STARTED}cat > \"$HERE/stdin\"\n{}{COMPLETED}",
        message("Read.")
    ));
    let text = "words ".repeat(200_000);
    let heard = hear(stand_in.codex(PATIENT).ask(&asked(&text))).await;
    assert_eq!((heard.failure, heard.text.as_str()), (None, "Read."));
    assert_eq!(stand_in.wrote("stdin").len(), text.len());
}

#[tokio::test]
async fn garbage_and_reconnecting_do_not_end_an_answer() {
    let noise = r#"printf '\377\376 garbage\n\n{"type":\n'
echo '{"type":"error","message":"Reconnecting... 2/5 (stream disconnected)"}'
echo '{"type":"item.completed","item":{"type":"error","message":"Falling back"}}'
head -c 9000000 /dev/zero | tr '\0' 'x'; echo
"#;
    let script = [STARTED, noise, &message("Still here."), COMPLETED].concat();
    let heard = heard(&script, PATIENT).await;
    assert_eq!((heard.failure, heard.text.as_str()), (None, "Still here."));
}

#[tokio::test]
async fn an_answer_that_is_too_long_for_a_line_is_a_failure_and_not_dropped() {
    let script = r#"printf '{"type":"item.completed","item":{"type":"agent_message","text":"'
head -c 9000000 /dev/zero | tr '\0' 'x'; echo '"}}'
"#;
    let heard = heard(&[STARTED, script, COMPLETED].concat(), PATIENT).await;
    let failure = heard.failure.unwrap();
    assert!(failure.body.contains("above 8 MB"), "{failure:?}");
}

#[tokio::test]
async fn fau_3_a_run_that_fails_says_why() {
    let overflow = r#"echo '{"type":"turn.failed","error":{"message":"{\"error\":{\"message\":\"Your input exceeds the context window of this model.\",\"code\":\"context_length_exceeded\"}}"}}'; exit 1"#;
    for (script, label, words) in [
        (overflow, Label::Overflow, "exceeds the context window"),
        ("echo 'Not logged in: 401 Unauthorized' >&2; exit 1", Label::Auth, "Not logged in"),
        (
            r#"echo '{"type":"turn.failed","error":{"message":"it broke"}}'; echo 'maximum context length is 8192 tokens' >&2; exit 1"#,
            Label::Overflow,
            "maximum context length",
        ),
        (
            r#"echo '{"type":"error","message":"quota exceeded: insufficient_quota"}'; exit 1"#,
            Label::Quota,
            "insufficient_quota",
        ),
        ("echo 'some words'; exit 3", Label::Unknown, "some words"),
        ("exit 3", Label::Unknown, "exit status: 3"),
        (
            r#"echo '{"type":"error","message":"Reconnecting... 5/5 (no route)"}'; exit 1"#,
            Label::Network,
            "no route",
        ),
    ] {
        let heard = heard(&format!("{STARTED}{script}\n"), PATIENT).await;
        let failure = heard.failure.unwrap_or_else(|| panic!("{script}"));
        let fault = failure.fault();
        let said = format!("{}{}", failure.body, failure.transport.unwrap_or_default());
        assert_eq!(fault.label, label, "{script}: {said}");
        assert!(said.contains(words), "{script}: {said}");
        assert_eq!(heard.finish, None);
    }
}

#[tokio::test]
async fn dlv_5_a_missing_program_is_told_with_how_to_install_it() {
    for program in ["/nowhere/codex", "no-such-program-of-plimsoll"] {
        let codex = Codex::new(program, PATIENT);
        assert_eq!(codex.found(), None);
        let failure = hear(codex.ask(&asked("Hello"))).await.failure.unwrap();
        let fault = failure.fault();
        assert!(fault.message.contains("was not found"), "{fault:?}");
        assert!(fault.message.contains("npm install -g @openai/codex"), "{fault:?}");
        assert!(!fault.retryable() && !fault.shrink_helps(), "{fault:?}");
    }
}

#[tokio::test]
async fn snd_5_a_silent_or_babbling_codex_is_not_waited_for_for_ever() {
    let babble = r#"while :; do echo '{"type":"error","message":"Reconnecting... waiting for network"}'; echo x; echo y >&2; sleep 0.05; done"#;
    for (script, phase, words) in [
        ("sleep 60", "first byte timeout", ""),
        (babble, "first byte timeout", "waiting for network"),
        (&format!("{}sleep 60", message("Half.")), "idle timeout", ""),
    ] {
        let began = Instant::now();
        let heard = heard(&format!("{STARTED}{script}\n"), HASTY).await;
        let failure = heard.failure.unwrap_or_else(|| panic!("{script}"));
        assert!(began.elapsed() < Duration::from_secs(8), "{script}");
        assert_eq!(failure.fault().label, Label::Network);
        let told = failure.transport.unwrap();
        assert!(told.starts_with(phase) && told.contains(words), "{told}");
    }
}

#[tokio::test]
async fn a_codex_that_does_not_end_after_its_turn_holds_nothing_up() {
    let babble = format!("while :; do {}sleep 0.1; done\n", message("Late."));
    let stand_in =
        StandIn::new(&format!("echo $$ > \"$HERE/pids\"\n{}{COMPLETED}{babble}", message("Done.")));
    let began = Instant::now();
    let heard = hear(stand_in.codex(PATIENT).ask(&asked("Hello"))).await;
    assert_eq!((heard.failure, heard.finish), (None, Some(Finish::Stop)));
    assert_eq!(heard.text, "Done.");
    assert!(began.elapsed() < Duration::from_secs(8));
    assert!(soon(|| !stand_in.pids("pids").into_iter().any(runs)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snd_4_dropping_an_answer_ends_codex_and_its_children() {
    // As npm's program does, the stand-in leaves the work to a child, which has one too.
    let script = "sh -c 'sleep 300 & echo $$ $! $PPID > \"'\"$HERE\"'/pids\"; wait' & wait\n";
    let stand_in = StandIn::new(&format!("{STARTED}{}{script}", message("Half.")));
    let mut answer = stand_in.codex(PATIENT).ask(&asked("Hello"));
    assert_eq!(answer.next().await, Some(Ok(Delta::Text("Half.".into()))));
    let pids = stand_in.pids("pids");
    assert!(pids.len() == 3 && pids.iter().all(|pid| runs(*pid)), "{pids:?}");
    drop(answer);
    assert!(soon(|| !pids.iter().any(|pid| runs(*pid))), "{pids:?}");
    assert!(!Path::new(stand_in.wrote("place").trim()).exists());
}

#[tokio::test]
async fn children_that_outlive_codex_do_not_hold_the_answer_up() {
    let script = format!("sleep 300 & echo $! > \"$HERE/pids\"\n{}{COMPLETED}", message("Done."));
    let stand_in = StandIn::new(&script);
    let began = Instant::now();
    let heard = hear(stand_in.codex(PATIENT).ask(&asked("Hello"))).await;
    assert_eq!((heard.failure, heard.text.as_str()), (None, "Done."));
    assert!(began.elapsed() < Duration::from_secs(8));
    assert!(soon(|| !stand_in.pids("pids").into_iter().any(runs)));
}

#[tokio::test]
async fn an_answer_that_nobody_reads_starts_nothing() {
    let stand_in = StandIn::new(COMPLETED);
    drop(stand_in.codex(PATIENT).ask(&asked("Hello")));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!stand_in.home.path().join("arguments").exists());
}
