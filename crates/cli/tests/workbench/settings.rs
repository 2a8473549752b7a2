//! The settings as people find and change them (UI-22).

use crate::bench::{Workbench, answer};

#[test]
fn ui_22_settings_are_grouped_searchable_and_say_key_source_and_default() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.click("nav [data-panel=settings]");
    bench.says("#panel h3", "Conversations");
    bench.says("#panel h3", "Context");
    // A stranger reads a title first, and the key beside where the value comes from.
    let of = |key: &str| format!("#panel .setting[data-call='PUT /api/settings/{key}']");
    bench.says(&format!("{} .key", of("warnAt")), "Warn above, percent");
    bench.says(&format!("{} .source", of("warnAt")), "warnAt · as by default · default: 80");
    bench.accessible("settings");
    bench.click("#panel [data-narrow]");
    bench.types("warn perc");
    bench.wait("document.querySelectorAll('#panel .setting:not([hidden])').length === 1");
    bench.wait("document.querySelectorAll('#panel .group:not([hidden])').length === 1");
    bench.keys("Ctrl+A Delete");
    bench.types("charsPerToken");
    bench.wait(&format!("T.shown(\"{}\") && !T.shown(\"{}\")", of("charsPerToken"), of("warnAt")));
    bench.keys("Ctrl+A Delete");
    bench.types("nothing of that name");
    bench.says("#panel", "No setting has these words.");
    bench.keys("Ctrl+A Delete");
    // What is changed says so, and the way back.
    bench.click(&format!("{} input", of("warnAt")));
    bench.keys("Ctrl+A");
    bench.types("70");
    bench.keys("Enter");
    bench.says(&format!("{} .source", of("warnAt")), "set in config.toml · default: 80");
    bench.click(&format!("{} .source button", of("warnAt")));
    bench.says(&format!("{} .source", of("warnAt")), "as by default");
    bench.fine();
}
