//! Bringing conversations in from a file, in the page (HIS-8, HIS-9).

use std::path::PathBuf;

use plimsoll_browser::{Scheme, Viewport};
use plimsoll_testkit::chatgpt::{Chat, LONG, a_person, export};
use serde_json::Value;

use crate::{
    bench::{Workbench, answer},
    conversations::open,
};

const DIALOG: &str = "dialog.importing";

/// Now, in seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

/// A file of the person before the page.
fn file(bench: &Workbench, name: &str, text: &str) -> PathBuf {
    let path = bench.served.home().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Presses a button of the dialog by its words.
#[track_caller]
pub(crate) fn press(bench: &Workbench, words: &str) {
    let at = format!(
        "(() => {{ const one = [...document.querySelectorAll('{DIALOG} button')].find((one) => one.textContent === '{words}');
           if (one) one.dataset.test = 'wanted'; return Boolean(one); }})()"
    );
    bench.wait(&at);
    bench.click(&format!("{DIALOG} [data-test=wanted]"));
}

/// Imports a file by the mouse, to its end.
#[track_caller]
pub(crate) fn import(bench: &Workbench, file: &PathBuf) {
    bench.click("#import");
    bench.wait(&format!("T.says('{DIALOG}', 'nothing of it is sent before you open')"));
    bench.page.choose_files(&format!("{DIALOG} input[type=file]"), &[file]).unwrap();
    bench.says(&format!("{DIALOG} h2"), "Imported");
}

fn stored(bench: &Workbench) -> u64 {
    let state = bench.served.json("GET", "/api/state?scope=everything", None);
    state["boundary"]["y"].as_u64().unwrap()
}

#[test]
fn his_9_an_export_comes_in_by_the_mouse_and_hello_goes_alone() {
    let Some(bench) = open([answer("fine")]) else { return };
    // A newcomer finds it in the list, in the first note, and beside New chat.
    bench.says("#side-list [data-import]", "Import those of ChatGPT or Claude");
    bench.says("#welcome [data-import]", "Import");
    let path = file(&bench, "conversations.json", &export(&a_person(now())));
    import(&bench, &path);
    bench.says(DIALOG, "ChatGPT: 21 new pairs, 7 new topics.");
    bench.says(DIALOG, "Nothing of it is sent before you open a conversation of it.");
    press(&bench, "Done");
    bench.wait(&format!("!T.one('{DIALOG}')"));
    bench.says("#side-list .conv b", LONG);
    bench.says("#side-list .conv b", "A weekend in Porto");
    bench.counter("0 / 0");
    bench.click("#draft");
    bench.types("Hello");
    bench.click("#send");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    let sent = bench.sent();
    let texts: Vec<&Value> =
        sent["messages"].as_array().unwrap().iter().map(|one| &one["content"]).collect();
    assert_eq!(texts, ["Hello"]);
    bench.fine();
}

#[test]
fn his_8_a_file_is_dropped_on_the_dialog_and_not_attached() {
    let Some(bench) = open([answer("fine")]) else { return };
    let path = file(&bench, "conversations.json", &export(&a_person(now())));
    bench.click("#welcome [data-import]");
    bench.wait(&format!("T.shown('{DIALOG} .dropzone')"));
    bench.page.drop_files(&format!("{DIALOG} .dropzone"), &[&path]).unwrap();
    bench.says(&format!("{DIALOG} h2"), "Imported");
    bench.wait("!T.shown('#strip') && !T.shown('#drop')");
    assert_eq!(stored(&bench), 21);
    // Again by keys alone: everything is known already.
    bench.keys("Enter");
    bench.wait(&format!("!T.one('{DIALOG}')"));
    bench.click("#draft");
    bench.view();
    bench.keys("B");
    bench.wait(&format!("document.activeElement.matches('{DIALOG} .btn.pri')"));
    bench.page.choose_files(&format!("{DIALOG} input[type=file]"), &[&path]).unwrap();
    bench.says(DIALOG, "ChatGPT: 0 new pairs, 21 already there");
    bench.keys("Escape");
    bench.wait(&format!("!T.one('{DIALOG}')"));
    bench.fine();
}

#[test]
fn his_8_a_bad_file_says_why_and_the_rest_can_be_taken() {
    let Some(bench) = open([answer("fine")]) else { return };
    let good = "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":\"ho\"}]}\n";
    let words = file(&bench, "notes.txt", "plain words\n");
    let bad = file(&bench, "bad.jsonl", &format!("{good}{{\"messages\":3}}\n"));
    bench.click("#import");
    let picker = format!("{DIALOG} input[type=file]");
    bench.page.choose_files(&picker, &[&words]).unwrap();
    bench.says(&format!("{DIALOG} .problem"), "This is no export that Plimsoll knows. It takes ");
    bench.accessible("a file that is no export");
    press(&bench, "Choose another file");
    bench.page.choose_files(&picker, &[&bad]).unwrap();
    bench.says(&format!("{DIALOG} .problem"), "Line 2: ");
    bench.says(&format!("{DIALOG} .problem"), "Nothing was imported; mend the file, or leave");
    assert_eq!(stored(&bench), 0);
    press(&bench, "Import the rest");
    bench.says(DIALOG, "Messages: 1 new pair, ");
    bench.says(&format!("{DIALOG} li"), "Left out line 2: ");
    assert_eq!(stored(&bench), 1);
    bench.fine();
}

#[test]
fn his_8_a_long_import_shows_progress_is_cancelled_and_goes_on_later() {
    let Some(bench) = open([answer("fine")]) else { return };
    let long = "An answer that has some length, as answers have. ".repeat(20);
    let chat = |n: i64| {
        let pairs = [("first question", long.as_str()), ("second question", long.as_str())];
        Chat::new(&format!("chat {n}"), now() - 100_000 + n, &pairs)
    };
    let chats: Vec<Chat> = (0..5000).map(chat).collect();
    let path = file(&bench, "conversations.json", &export(&chats));
    bench.click("#import");
    bench.page.choose_files(&format!("{DIALOG} input[type=file]"), &[&path]).unwrap();
    bench.wait(&format!("T.one('{DIALOG} progress')?.value > 50"));
    bench.says(&format!("{DIALOG} .way"), "Taking in conversations.json · ");
    bench.accessible("an import on its way");
    // It goes on when the dialog is closed, and is found again.
    press(&bench, "Close");
    bench.wait(&format!("!T.one('{DIALOG}')"));
    bench.click("#import");
    bench.wait(&format!("T.one('{DIALOG} progress')?.value > 50"));
    press(&bench, "Cancel the import");
    bench.says(&format!("{DIALOG} h2"), "Import cancelled");
    bench.says(DIALOG, "What came in is whole and stays. Import the same file again to go on.");
    let kept = stored(&bench);
    assert!(kept > 0 && kept < 10_000 && kept.is_multiple_of(2), "{kept} pairs");
    press(&bench, "Import another file");
    bench.page.choose_files(&format!("{DIALOG} input[type=file]"), &[&path]).unwrap();
    bench
        .page
        .wait_at_most(
            std::time::Duration::from_secs(120),
            &format!("T.says('{DIALOG} h2', 'Imported')"),
        )
        .unwrap();
    assert_eq!(stored(&bench), 10_000);
    bench.fine();
}

#[test]
fn ui_10_the_dialog_of_an_import_can_be_read_and_heard() {
    let Some(bench) = open([answer("fine")]) else { return };
    let path = file(&bench, "conversations.json", &export(&a_person(now())));
    for (scheme, width) in [(Scheme::Light, 1280), (Scheme::Dark, 1280), (Scheme::Light, 360)] {
        bench.page.color_scheme(scheme).unwrap();
        bench.page.viewport(Viewport::new(width, 740)).unwrap();
        bench.click("#welcome [data-import]");
        bench.wait(&format!("T.shown('{DIALOG} .dropzone')"));
        bench.accessible(&format!("import {scheme:?} {width}"));
        bench.page.choose_files(&format!("{DIALOG} input[type=file]"), &[&path]).unwrap();
        bench.says(&format!("{DIALOG} h2"), "Imported");
        bench.accessible(&format!("imported {scheme:?} {width}"));
        let fits: bool = bench.js("document.documentElement.scrollWidth <= innerWidth");
        assert!(fits, "{width}");
        press(&bench, "Done");
    }
    bench.fine();
}
