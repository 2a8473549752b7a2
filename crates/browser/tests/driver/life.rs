//! Starting, ending, several pages, scripts and waiting.

use std::{path::Path, time::Duration};

use plimsoll_browser::{Browser, Error, Options, or_skip};

use crate::{Stage, eventually};

/// A browser of its own, since this one is about its end.
fn alone() -> Option<Browser> {
    or_skip(Browser::launch(Options::default())).unwrap()
}

#[test]
fn dropping_a_browser_leaves_no_process_and_no_file() {
    let Some(browser) = alone() else { return };
    assert!(browser.version().unwrap().contains('/'));
    let page = browser.page().unwrap();
    page.open("data:text/html,hello").unwrap();
    let (home, id) = (browser.home(), browser.id());
    assert!(home.is_dir());
    drop(browser);
    assert!(!home.exists());
    // Members that the system has not buried yet are zombies and run no more.
    let status = format!("/proc/{id}/status");
    assert!(!Path::new(&status).exists());
    let late = page.eval::<u8>("1").unwrap_err();
    assert!(matches!(late, Error::Gone(_)), "{late}");
}

#[test]
fn a_browser_that_dies_is_told_at_once() {
    let Some(browser) = alone() else { return };
    let page = browser.page().unwrap();
    let crash = page.open("chrome://crash").unwrap_err();
    assert!(matches!(crash, Error::Gone(_) | Error::Open { .. }), "{crash}");
    let other = browser.page().unwrap();
    assert_eq!(other.eval::<u8>("1 + 1").unwrap(), 2);
}

#[test]
fn a_program_that_is_no_chromium_is_told_with_its_words() {
    let program = Some("/bin/ls".into());
    match Browser::launch(Options { program, ..Options::default() }) {
        Err(Error::Launch(why)) => assert!(why.contains("has ended"), "{why}"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("/bin/ls is a browser?"),
    }
}

#[test]
fn scripts_give_values_promises_and_errors() {
    let Some(stage) = Stage::with("<p>x") else { return };
    let page = &stage.page;
    assert_eq!(page.eval::<(u8, String)>("[1, 'a']").unwrap(), (1, "a".to_owned()));
    assert_eq!(page.eval::<u8>("new Promise(done => setTimeout(done, 5, 7))").unwrap(), 7);
    assert_eq!(page.eval::<Option<u8>>("undefined").unwrap(), None);
    assert_eq!(page.run::<u8>("const x = await Promise.resolve(4); return x + 1").unwrap(), 5);
    let text = "`${1}` \"'\\ \u{2028}";
    assert_eq!(page.apply::<String>("(a, b) => a + b", (text, "!")).unwrap(), format!("{text}!"));
    let threw = page.eval::<u8>("nothing.here").unwrap_err().to_string();
    assert!(threw.contains("ReferenceError: nothing is not defined"), "{threw}");
    assert!(threw.contains("in the script: nothing.here"), "{threw}");
    let wrong = page.eval::<u8>("'text'").unwrap_err().to_string();
    assert!(wrong.contains("invalid type: string"), "{wrong}");
}

#[test]
fn a_condition_that_stays_false_is_told_with_console_and_picture() {
    let Some(stage) = Stage::with("<p>x<script>console.log('was here')</script>") else { return };
    let error = stage.page.wait_at_most(Duration::from_millis(50), "window.never").unwrap_err();
    let Error::NotMet(report) = &error else { panic!("{error}") };
    assert_eq!(report.condition, "window.never");
    assert_eq!(report.last, "false");
    assert!(report.console[0].contains("was here"));
    let picture = report.picture.as_ref().unwrap();
    assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
    assert!(error.to_string().starts_with("not true within 50ms: window.never\n"), "{error}");
    std::fs::remove_file(picture).unwrap();
    // What throws at first may still come true.
    stage.page.eval::<u64>("setTimeout(() => { window.late = { x: 1 }; }, 60)").unwrap();
    stage.page.wait_for("late.x === 1").unwrap();
}

#[test]
fn two_tabs_share_their_storage_and_a_private_page_does_not() {
    let Some(stage) = Stage::with("<p>x") else { return };
    let url = stage.server.root_url();
    let (one, two) = (stage.browser.page().unwrap(), stage.browser.page().unwrap());
    one.open(&url).unwrap();
    two.open(&url).unwrap();
    let told = "new Promise(done => { onstorage = (event) => done(event.newValue); })";
    two.eval::<()>(&format!("void (window.told = {told})")).unwrap();
    one.eval::<()>("localStorage.setItem('said', 'hello')").unwrap();
    assert_eq!(two.eval::<String>("told").unwrap(), "hello");
    let apart = stage.page.eval::<Option<String>>("localStorage.getItem('said')").unwrap();
    assert_eq!(apart, None);
    for page in [&one, &two] {
        // Both are drawn and believe that they have the focus.
        let awake = "document.hasFocus() && document.visibilityState === 'visible'";
        assert!(page.eval::<bool>(awake).unwrap());
        page.settle().unwrap();
    }
    one.close().unwrap();
    assert_eq!(two.eval::<u8>("2").unwrap(), 2);
}

#[test]
fn reloading_gives_a_new_document_and_a_link_a_new_page() {
    let body = "<a id=out href='/b' target=_blank>out</a>";
    let Some(stage) = Stage::serving(&[("/", body), ("/b", "<p>b")], &[]) else { return };
    stage.page.eval::<u8>("window.old = 1").unwrap();
    stage.page.reload().unwrap();
    assert!(stage.page.eval::<bool>("window.old === undefined").unwrap());
    stage.page.open(&format!("{}/#place", stage.server.root_url())).unwrap();
    assert!(stage.page.url().unwrap().ends_with("/#place"));
    stage.page.click("#out").unwrap();
    let mut opened = None;
    eventually("the new page", || {
        opened = stage.browser.opened().unwrap().pop();
        opened.is_some()
    });
    let opened = opened.unwrap();
    opened.wait_for("location.pathname === '/b' && document.readyState === 'complete'").unwrap();
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let Some(stage) = Stage::with("<p>x") else { return };
    let error = stage.page.open("http://127.0.0.1:1/").unwrap_err().to_string();
    assert!(error.starts_with("cannot open http://127.0.0.1:1/: net::ERR_"), "{error}");
}
