//! Limits that nobody is sure of, in the terminal: assumed ones and learned ones.

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::send::{Home, posted};

/// A home whose model states no window.
fn unknown(server: &ScriptedServer) -> Home {
    let home = Home::new(server, 77);
    let file = home.path().join("models.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, text.replace("contextWindow = 77\n", "")).unwrap();
    home
}

/// CAT-4, VAL-1: the assumed 8,192 asks, says what it is, and is no wall.
#[test]
fn cat_4_an_assumed_limit_is_told_and_can_be_passed() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 9020, 1)]).unwrap();
    let home = unknown(&server);
    let large = "word ".repeat(9000);
    let ran = home.command(&["send"]).input(&large).run();
    ran.refused(1, "over the limit of 8,192 (assumed, because its window is not known)");
    assert!(ran.stderr.contains("note: send it anyway"), "{}", ran.stderr);
    assert!(ran.stderr.contains("plimsoll models test --window TOKENS"), "{}", ran.stderr);
    assert_eq!(posted(&server).len(), 0);
    let sent = home.command(&["send", "--over-budget", "trim"]).input(&large).run();
    assert_eq!((sent.code, sent.stdout.as_str()), (0, "fine\n"), "{}", sent.stderr);
    // Who knows the window says it once.
    let set = home.command(&["models", "test", "--window", "32768"]).run();
    assert_eq!(set.code, 0, "{}", set.stderr);
    let sent = home.command(&["send"]).input(&large).run();
    assert_eq!((sent.code, sent.stdout.as_str()), (0, "fine\n"), "{}", sent.stderr);
}

/// CAT-3: a limit that an error taught asks, is told with how to forget it, and is forgotten.
#[test]
fn cat_3_a_learned_limit_is_told_and_forgotten() {
    let answers = [Reply::overflow(10, 50), Reply::openai(&["fine"], 20, 1)];
    let server = ScriptedServer::chats(answers).unwrap();
    let home = unknown(&server);
    assert_eq!(home.send(&["first"]).code, 1, "it does not fit");
    let words = "a message of more than ten tokens, whoever counts them, is this one";
    let ran = home.send(&[words]);
    ran.refused(1, "over the limit of 10 (learned from an error of the provider)");
    assert!(ran.stderr.contains("plimsoll models test --forget"), "{}", ran.stderr);
    let listed = home.command(&["models", "test"]).run();
    assert!(listed.stdout.contains("learned from the provider on"), "{}", listed.stdout);
    let forgot = home.command(&["models", "test", "--forget"]).run();
    assert!(forgot.stderr.contains("what was learned is forgotten"), "{}", forgot.stderr);
    let sent = home.send(&[words]);
    assert_eq!((sent.code, sent.stdout.as_str()), (0, "fine\n"), "{}", sent.stderr);
}

/// VAL-1: larger models are named only where a message could be sent to them.
#[test]
fn val_1_only_models_that_can_be_asked_are_suggested() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 20, 1)]).unwrap();
    let home = Home::new(&server, 100);
    let huge = "word ".repeat(400);
    let ran = home.send(&[&huge]);
    ran.refused(1, "the message alone is larger than the limit of 100 tokens");
    assert!(!ran.stderr.contains("switch to a larger model"), "{}", ran.stderr);
    let models = home.path().join("models.toml");
    let small = std::fs::read_to_string(&models).unwrap();
    let large = small.replace("\"test\"", "\"larger\"").replace("= 100\n", "= 4000\n");
    std::fs::write(&models, format!("{small}\n{large}")).unwrap();
    let ran = home.send(&[&huge]);
    assert!(ran.stderr.contains("note: switch to a larger model: larger\n"), "{}", ran.stderr);
}

/// LIM-3: what `--first` leaves of a file can be sent.
#[test]
fn lim_3_the_first_part_of_a_file_is_cut_to_what_fits() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 3500, 1)]).unwrap();
    let home = Home::new(&server, 4096);
    let file = home.path().join("data.csv");
    std::fs::write(&file, "17;2024-03-04;ü;0.125\n".repeat(1200)).unwrap();
    let path = file.to_str().unwrap();
    let ran = home.send(&["sum", "-f", path]);
    ran.refused(1, "the limit is 16 KB");
    let hint = ran.stderr.split("--first ").nth(1).unwrap();
    let hint: String = hint.chars().take_while(char::is_ascii_digit).collect();
    for kilobytes in [hint.as_str(), "15"] {
        let sent = home.send(&["sum", "-f", path, "--first", kilobytes]);
        assert_eq!((sent.code, sent.stdout.as_str()), (0, "fine\n"), "{}", sent.stderr);
    }
    assert!(posted(&server).iter().all(|body| body.contains("[cut: the first ")));
}
