//! Asking again from the terminal, and a plan over what is kept.

use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::send::{Home, posted};

#[test]
fn a_plan_over_the_store_is_what_a_send_does() {
    let server = ScriptedServer::always(Reply::openai(&["one two three"], 9, 3)).unwrap();
    let home = Home::new(&server, 4096);
    let empty = home.command(&["plan", "--json"]).run().json();
    assert_eq!((&empty["y"], &empty["counter"]), (&0.into(), &"0 / 0".into()));
    for text in ["alpha", "beta", "gamma"] {
        assert_eq!(home.command(&["send", text]).run().code, 0);
    }
    let plan = home.command(&["plan", "--json", "--filter", "r2", "--draft", "next"]).run().json();
    assert_eq!((&plan["x"], &plan["y"]), (&2.into(), &2.into()));
    assert_eq!(home.command(&["send", "--filter", "r2", "next"]).run().code, 0);
    let receipts = home.command(&["receipts", "--json"]).run();
    let newest: serde_json::Value =
        serde_json::from_str(receipts.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(newest["estimate"], plan["total"], "{newest}");
    let body = posted(&server).pop().unwrap();
    assert!(!body.contains("alpha") && body.contains("beta") && body.contains("gamma"), "{body}");
    // The flags of a plan win over settings and models.
    let small = home.command(&["plan", "--json", "--limit", "50", "--ura", "0"]).run().json();
    assert_eq!(small["ml"], 50);
    assert!(small["x"].as_u64() < Some(4), "{small}");
    home.command(&["plan", "--prelude", "5"]).run().refused(2, "the store knows its prelude");
    home.command(&["plan", "--filter", "s9"]).run().refused(2, "stars go from 0 to 3");
}

#[test]
fn snd_7_a_failed_pair_is_asked_again_and_replaced() {
    let replies = [Reply::auth(), Reply::openai(&["fine"], 9, 1)];
    let server = ScriptedServer::chats(replies).unwrap();
    let home = Home::new(&server, 4096);
    home.command(&["send", "--reask"]).run().refused(1, "no pair that failed");
    assert_eq!(home.command(&["send", "my words"]).run().code, 1);
    let again = home.command(&["send", "--reask"]).run();
    assert_eq!((again.code, again.stdout.as_str()), (0, "fine\n"), "{}", again.stderr);
    assert!(posted(&server)[1].contains("my words"));
    let plan = home.command(&["plan", "--json"]).run().json();
    assert_eq!((&plan["x"], &plan["y"]), (&1.into(), &1.into()), "the failed one is gone");
}

#[test]
fn snd_8_the_newest_pair_is_answered_anew() {
    let replies = [Reply::openai(&["first"], 9, 1), Reply::openai(&["second"], 9, 1)];
    let server = ScriptedServer::chats(replies).unwrap();
    let home = Home::new(&server, 4096);
    home.command(&["send", "--regenerate"]).run().refused(1, "no pair that was answered");
    assert_eq!(home.command(&["send", "my words"]).run().code, 0);
    let again = home.command(&["send", "-c", "--regenerate"]).run();
    assert_eq!((again.code, again.stdout.as_str()), (0, "second\n"), "{}", again.stderr);
    assert!(!posted(&server)[1].contains("first"), "its own answer is not its history");
    assert_eq!(home.command(&["plan", "--json"]).run().json()["y"], 1);
}
