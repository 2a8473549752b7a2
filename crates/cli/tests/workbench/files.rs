//! Files in the history and in their panel (SHW-1, FIL-1, FIL-2, UI-2).

use plimsoll_browser::{Scheme, Viewport};
use plimsoll_testkit::scripted::{Gate, Reply, Step};

use crate::{
    attachments::{able, chips, no_token, paste},
    bench::{Workbench, after, answer},
};

/// A message with a text file and a picture, sent and answered.
fn with_files() -> Option<Workbench> {
    let bench = able([answer("fine")])?;
    bench.types("Compare ");
    paste(
        &bench,
        &[("worker.rs", "text/plain", "fn main() {}\n"), ("flame.png", "image/png", "")],
        "please",
    );
    chips(&bench, "flame.png: ok, worker.rs: ok");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    bench.wait("T.last().querySelector('.u .thumb img')?.naturalWidth > 0");
    Some(bench)
}

#[test]
fn shw_1_a_sent_message_shows_its_files_in_order() {
    let Some(bench) = with_files() else { return };
    bench.says(".pair .u .chip-name", "worker.rs");
    no_token(&bench);
    // The picture opens in full size, the chip with its first lines.
    bench.click(".pair .u .thumb");
    bench.wait("T.one('dialog.preview img')?.naturalWidth === 320");
    bench.keys("Escape");
    bench.wait("!T.one('dialog')");
    bench.click(".pair .u .chip-name");
    bench.says("dialog.preview pre", "fn main() {}");
    bench.keys("Escape");
    bench.wait("!T.one('dialog')");
    // How it goes along as history is one click away (DLV-4, BND-4).
    bench.says(".pair .chip-delivery", "inline");
    bench.click(".pair .chip-delivery");
    bench.says(".pair .chip-delivery", "on demand");
    bench.reload();
    bench.says(".pair .chip-delivery", "on demand");
    bench.fine();
}

/// What is shown at once is kept, also where the page is left in the same moment.
#[test]
fn ui_12_what_a_click_shows_at_once_outlives_the_page() {
    let Some(bench) = with_files() else { return };
    for (button, method, shown) in [
        (".pair .chip-delivery", "PUT", "T.says('.pair .chip-delivery', 'on demand')"),
        (".pair [data-act=star]", "PATCH", "T.last().dataset.star === '1'"),
    ] {
        bench.js::<()>(&format!("T.one('{button}').click()"));
        // A browser gives up a call that is not meant to outlive its page, where it is slow enough.
        bench.wait(&format!("T.kept.includes('{method}')"));
        bench.reload();
        bench.wait(shown);
    }
    bench.fine();
}

#[test]
fn the_files_panel_finds_attaches_and_deletes() {
    let Some(bench) = with_files() else { return };
    bench.view();
    bench.keys("f");
    bench.wait(
        "T.panel() === 'Files' && document.querySelectorAll('.files li[data-id]').length === 2",
    );
    bench.says(".files", "worker.rs");
    bench.click("#panel input[type=search]");
    bench.types("flame");
    bench.wait("document.querySelectorAll('.files li[data-id]').length === 1 && T.says('.files', 'flame.png')");
    bench.keys("Ctrl+A Delete");
    bench.wait("document.querySelectorAll('.files li[data-id]').length === 2");
    // Attached again: the same file, in a new message.
    bench.js::<()>("[...document.querySelectorAll('.files [data-do=attach]')].find((b) => b.ariaLabel.includes('worker.rs')).click()");
    chips(&bench, "worker.rs: ok");
    bench.wait("T.draft() === '⟦worker.rs⟧ '");
    bench.click(".chip-x");
    bench.wait("T.draft().trim() === ''");
    // Deleted after a question: the old message has a broken chip.
    bench.js::<()>("[...document.querySelectorAll('.files [data-do=delete]')].find((b) => b.ariaLabel.includes('worker.rs')).click()");
    bench.click("dialog [value=ok]");
    bench.wait("document.querySelectorAll('.files li[data-id]').length === 1");
    bench.says(".pair .chip.broken", "broken attachment");
    bench.fine();
}

#[test]
fn files_dropped_on_the_panel_go_into_the_list_only() {
    let Some(bench) = able([answer("fine")]) else { return };
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("ledger.csv");
    std::fs::write(&path, "a,b\n1,2\n").unwrap();
    bench.view();
    bench.keys("f");
    bench.wait("T.panel() === 'Files'");
    bench.says(".files", "No file yet");
    bench.page.drop_files("#panel", &[path]).unwrap();
    bench.says(".files li[data-id]", "ledger.csv");
    assert_eq!(bench.js::<String>("T.draft()"), "");
    bench.fine();
}

#[test]
fn ui_10_strip_preview_and_panel_are_accessible_in_both_schemes() {
    let Some(bench) = with_files() else { return };
    bench.page.reduced_motion(true).unwrap();
    let long = "one line of many\n".repeat(300);
    bench.click("#draft");
    paste(&bench, &[("notes.md", "text/markdown", "notes"), ("flame.png", "image/png", "")], &long);
    chips(&bench, "flame.png: ok, notes.md: ok, pasted text: ok");
    bench.keys("End");
    bench.page.insert_text("<<context:file:/nowhere>>>").unwrap();
    bench.says("#chips li", "broken attachment");
    let sound = |scene: &str| {
        bench.page.settle().unwrap();
        bench.accessible(scene);
    };
    for scheme in [Scheme::Light, Scheme::Dark] {
        bench.page.color_scheme(scheme).unwrap();
        sound("the strip");
        bench.click("#chips [data-chip=preview]");
        bench.wait("T.one('dialog.preview')");
        sound("the preview");
        bench.keys("Escape");
        bench.wait("!T.one('dialog')");
        bench.click("[data-panel=files]");
        bench.wait("T.panel() === 'Files' && T.shown('.files li[data-id]')");
        sound("the panel");
        bench.click("[data-panel=files]");
        bench.wait("T.panel() === null");
    }
    // On a small screen nothing runs out of the page (UI-11).
    bench.page.viewport(Viewport::new(360, 640)).unwrap();
    bench.wait("document.documentElement.scrollWidth <= 360");
    bench.wait("T.one('#strip').scrollWidth <= T.one('#strip').clientWidth");
    bench.fine();
}

#[test]
fn ins_2_a_file_of_this_machine_is_named_by_its_path() {
    let Some(bench) = able([answer("fine")]) else { return };
    // Without allowed folders the page says what to set.
    bench.types("see @/");
    bench.says("#path-menu", "allowedRoots");
    bench.keys("Escape Ctrl+A Delete");
    bench.mode("INPUT");
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("my docs")).unwrap();
    std::fs::write(root.join("my docs/plan b.md"), "the plan").unwrap();
    // Folders are opened by their owner's hand (SEC-8); the next change reads the file.
    let value = serde_json::json!({ "value": root.to_str().unwrap() });
    bench.served.refused("PUT", "/api/settings/allowedRoots", Some(value), 403, "terminal_only");
    let file = bench.served.home().join("config.toml");
    let settings = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{settings}allowedRoots = [{root:?}]\n")).unwrap();
    let value = serde_json::json!({ "value": "81" });
    bench.served.json("PUT", "/api/settings/warnAt", Some(value));
    // Folders open, with spaces in their names too; Enter takes a file and sends nothing.
    bench.types(&format!("see @{}/my", root.display()));
    bench.says("#path-menu", "my docs/");
    bench.keys("Tab");
    bench.says("#path-menu", "plan b.md");
    bench.keys("Enter");
    chips(&bench, "plan b.md: ok");
    bench.wait("T.draft() === 'see ⟦plan b.md⟧ ' && T.pairs().length === 0");
    bench.fine();
}

#[test]
fn prv_5_a_call_looks_the_same_while_it_is_made_and_when_it_is_read_later() {
    let held = Gate::default();
    let reply = after([Step::Gate(held.clone())], &answer("one file"));
    let Some(bench) = able([Reply::openai_calls("list_files", "{}", 14), reply]) else { return };
    paste(&bench, &[("worker.rs", "text/plain", "fn main() {}\n")], "What is there?");
    chips(&bench, "worker.rs: ok");
    bench.keys("Enter");
    bench.wait("T.state() === 'sending' && T.one('.toolcall:not(.running)')");
    bench.says(".toolnote", "not sent again");
    // What was opened stays open, too.
    bench.click(".toolcall summary");
    let calls = "T.last().querySelector('.toolcalls').outerHTML";
    let live: String = bench.js(calls);
    assert!(live.contains("worker.rs") && live.contains(" tokens"), "{live}");
    held.open();
    bench.wait("T.state() === 'complete' && T.reply() === 'one file'");
    assert_eq!(bench.js::<String>(calls), live);
    bench.reload();
    assert_eq!(bench.js::<String>(calls), live.replace(" open=\"\"", ""));
    bench.fine();
}
