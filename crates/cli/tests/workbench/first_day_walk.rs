//! The first day of somebody who comes from ChatGPT, by mouse alone. The test of it looks at what
//! is sent, the pictures of the documentation at what is seen; both walk this way.

use std::path::Path;

use plimsoll_browser::{Page, Result};
use plimsoll_testkit::{
    chatgpt::{LAST_YEAR, LONG},
    scripted::Reply,
};

/// The pairs of the long conversation that are pinned and left out.
pub(crate) const EARLY: usize = 0;
pub(crate) const LONG_ANSWER: usize = 6;

/// What is written on the way.
pub(crate) const QUESTION: &str = "What is left to do before Tuesday?";
pub(crate) const NEW_QUESTION: &str = "A short name for our new loaf?";

/// The models, both with prices: the first is chosen, and holds little.
pub(crate) fn models(base_url: &str) -> String {
    let model = |id: &str, window: u64, price: &str| {
        format!(
            "[[model]]\nid = \"{id}\"\nprovider = \"openai\"\nbaseUrl = \"{base_url}\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = {window}\nprice = {price}\n"
        )
    };
    model("tern-1", 1000, "{ input = 2.5, cachedInput = 1.25, output = 10.0 }")
        + &model("gull-2", 100_000, "{ input = 5.0, cachedInput = 2.5, output = 20.0 }")
}

pub(crate) const CONFIG: &str = "defaultModel = \"tern-1\"\n";

/// What the models answer, in the order of the walk.
pub(crate) fn replies() -> Vec<Reply> {
    vec![
        Reply::openai(
            &["Lower the time to live on Sunday, add the second web hook, and change the printer."],
            600,
            18,
        ),
        Reply::openai(
            &[
                "They copy database, pictures, configuration, jobs and mail templates, and chose a small managed server in the EU.",
            ],
            446,
            24,
        ),
        Reply::openai(&["**Tiller**: short, and it steers the day."], 16, 12),
        Reply::openai(&["**Keel**. It keeps the table upright."], 16, 12),
    ]
}

/// Walks. `seen` hears the name of each step when it can be seen.
pub(crate) fn walk(page: &Page, export: &Path, seen: &mut dyn FnMut(&str)) -> Result<()> {
    page.wait_for("document.querySelector('#history').dataset.ready")?;
    page.click("#welcome [data-import]")?;
    page.wait_for(&shows("dialog.importing", "or drop it here"))?;
    seen("1-import");
    page.choose_files("dialog.importing input[type=file]", &[export])?;
    page.wait_for(&shows("dialog.importing", "Nothing of it is sent before you open"))?;
    // Where the list is in sight, it shows what came.
    page.wait_for(
        "!document.querySelector('#side').checkVisibility() || document.querySelector('.conv')",
    )?;
    seen("2-imported");
    page.click("dialog.importing .btn.pri")?;
    page.wait_for("!document.querySelector('dialog')")?;

    open_list(page)?;
    page.wait_for(&shows("#side-list", LONG))?;
    page.click(&format!("#side-list a[title=\"{LONG}\"]"))?;
    page.wait_for(&format!(
        "{} && document.querySelector('#load .words b')",
        shows("#title", LONG)
    ))?;
    seen("3-conversation");

    page.click(&format!(".pair[data-at='{LONG_ANSWER}'] [data-act='out']"))?;
    page.wait_for(&format!("{}?.dataset.use === 'out'", pair(LONG_ANSWER)))?;
    seen("4-left-out");
    page.wheel("#history", 0.0, -20_000.0)?;
    page.wait_for("document.querySelector('#history').scrollTop === 0")?;
    page.click(&format!(".pair[data-at='{EARLY}'] [data-act='pin']"))?;
    page.wait_for(&format!("{}?.querySelector('.badge.pinned')", pair(EARLY)))?;
    seen("5-pinned");

    page.click("#draft")?;
    page.settle()?;
    let weight = "document.querySelector('#send .weight')?.textContent ?? ''";
    let before: String = page.eval(weight)?;
    page.type_text(QUESTION)?;
    page.wait_for(&format!("({weight}) !== '{before}'"))?;
    seen("6-price");
    page.click("#send")?;
    page.wait_for(&answered(QUESTION, 1))?;
    seen("7-answer");

    page.wheel("#history", 0.0, -20_000.0)?;
    let line = "document.querySelector('#load .words').textContent";
    let before: String = page.eval(line)?;
    page.click("#load [data-act='summarise-rest']")?;
    page.wait_for("document.querySelector('dialog.summary li')")?;
    seen("8-summarise");
    page.click("dialog.summary .btn.pri")?;
    page.wait_for("document.querySelector('.pair[data-kind=summary][data-state=complete] .a')")?;
    page.wait_for(&shows("#toasts", "Undo"))?;
    seen("9-summary");
    page.click("#toasts .toast .btn")?;
    page.wait_for(&format!(
        "!document.querySelector('.pair[data-kind=summary]') && {line} === '{before}'"
    ))?;
    seen("10-undone");

    open_list(page)?;
    page.click("#new-chat")?;
    page.wait_for(&shows("#welcome", "Nothing of your other conversations is sent from here"))?;
    seen("11-new-chat");
    page.click("#compare")?;
    page.wait_for(&shows(".popup", "gull-2"))?;
    page.click(".popup [role=option]")?;
    page.wait_for(&shows("#compared", "gull-2"))?;
    page.click("#draft")?;
    page.type_text(NEW_QUESTION)?;
    page.wait_for(&shows("#send .price", "$"))?;
    page.click("#send")?;
    page.wait_for(&answered(NEW_QUESTION, 2))?;
    seen("12-compared");

    page.click("#filter")?;
    page.type_text("eleven years")?;
    page.wait_for(&shows("#filter-menu [role=option] .snippet", "eleven years"))?;
    seen("13-find");
    page.click("#filter-menu [role=option]:has(.snippet)")?;
    page.wait_for(&shows("#rows .pair .a", LAST_YEAR))?;
    seen("14-found");
    Ok(())
}

/// Whether an element that can be seen has these words.
fn shows(selector: &str, words: &str) -> String {
    let words = words.replace('\'', "\\'");
    format!(
        "[...document.querySelectorAll('{selector}')].some((one) => one.checkVisibility() \
         && one.textContent.replace(/\\s+/g, ' ').includes('{words}'))"
    )
}

fn pair(at: usize) -> String {
    format!("document.querySelector('.pair[data-at=\"{at}\"]')")
}

/// Whether so many models answered a question.
fn answered(question: &str, models: usize) -> String {
    format!(
        "[...document.querySelectorAll('#rows .pair[data-state=complete]')]\
         .filter((one) => one.querySelector('.u').textContent.includes('{question}')).length === {models} \
         && !document.body.classList.contains('sending') && document.querySelector('#draft').value === ''"
    )
}

/// On a narrow screen the list lies behind a button.
fn open_list(page: &Page) -> Result<()> {
    if !page.eval::<bool>("document.querySelector('#side').checkVisibility()")? {
        page.click("#side-open")?;
    }
    Ok(())
}
