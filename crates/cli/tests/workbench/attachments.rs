//! Files in the message that is being written (INS, SHW-2, LIM-2, LIM-3, DLV-4): how they come
//! in, what is seen of them, how they go.

use std::{fs, path::PathBuf};

use plimsoll_testkit::scripted::Reply;
use serde_json::Value;

use crate::bench::{Screen, Workbench, answer, quoted};

/// A clipboard with these files, each drawn or written by the page, and maybe words.
const PASTE: &str = "(async (files, text) => {
  const data = new DataTransfer();
  for (const [name, type, content] of files) {
    let body = content;
    if (type === 'image/png') {
      const canvas = new OffscreenCanvas(320, 200);
      const brush = canvas.getContext('2d');
      brush.fillStyle = '#345b73'; brush.fillRect(0, 0, 320, 200);
      brush.fillStyle = '#d9a95b'; brush.fillRect(60, 40, 120, 90);
      body = await canvas.convertToBlob();
    }
    data.items.add(new File([body], name, { type }));
  }
  if (text) data.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
  return !document.querySelector('#draft').dispatchEvent(event);
})";

/// Chips as `name: state`, in their order.
const CHIPS: &str = "[...document.querySelectorAll('#chips > li')]
  .map((chip) => `${chip.querySelector('.chip-name').textContent}: ${chip.dataset.state}`).join(', ')";

/// A model that sees pictures and calls tools, with a window of 4K.
pub(crate) fn able(replies: impl IntoIterator<Item = Reply>) -> Option<Workbench> {
    let home = |home: &std::path::Path| {
        let file = home.join("models.toml");
        let models = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{models}tools = true\nvision = true\n")).unwrap();
    };
    Workbench::at_home(replies, 4096, home, |_| {})
}

/// Pastes, and says whether the page took it.
#[track_caller]
pub(crate) fn paste(screen: &Screen, files: &[(&str, &str, &str)], text: &str) {
    let files = serde_json::to_string(files).unwrap();
    let took: bool = screen.js(&format!("{PASTE}({files}, {})", quoted(text)));
    assert!(took, "the page left the clipboard to the browser");
}

/// Waits for these chips.
#[track_caller]
pub(crate) fn chips(screen: &Screen, all: &str) {
    screen.wait(&format!("{CHIPS} === {}", quoted(all)));
}

/// The new message of a request; what is said about files stands before it.
fn last(sent: &Value) -> &Value {
    sent["messages"].as_array().unwrap().last().unwrap()
}

/// Files on disk that end with the test.
fn on_disk(files: &[(&str, &str)]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let home = tempfile::tempdir().unwrap();
    let paths = (files.iter())
        .map(|(name, text)| {
            let path = home.path().join(name);
            fs::write(&path, text).unwrap();
            path
        })
        .collect();
    (home, paths)
}

/// That no token can be read anywhere on the page.
#[track_caller]
pub(crate) fn no_token(screen: &Screen) {
    let seen: bool = screen.js(
        "document.body.innerText.includes('<<context:') \
         || [...document.querySelectorAll('textarea, input')].some((box) => box.value.includes('<<context:'))",
    );
    assert!(!seen, "a raw token is shown");
}

#[test]
fn ins_1_a_pasted_picture_is_seen_weighed_and_sent() {
    let Some(bench) = able([answer("a hull")]) else { return };
    bench.types("What is this? ");
    paste(&bench, &[("image.png", "image/png", "")], "");
    chips(&bench, "pasted.png: ok");
    bench.wait("T.draft() === 'What is this? ⟦pasted.png⟧ '");
    bench.wait("T.one('#chips img')?.naturalWidth > 0");
    bench.wait("/^~.+ \\/ 4K tokens$/.test(T.one('#meter').textContent)");
    bench.wait("Number(T.one('#aut').textContent.replace(/\\D/g, '')) > 50");
    bench.wait("T.says('#legend', 'files')");
    // Promise 1: what is said about files besides stands where it is sent, also alone.
    bench.says("#files-section", "1 of 1 file");
    no_token(&bench);
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === '' && !T.shown('#strip')");
    bench.wait("T.last().querySelector('.u .thumb img')?.naturalWidth > 0");
    no_token(&bench);
    let sent = bench.sent();
    let parts = last(&sent)["content"].as_array().unwrap();
    assert!(parts.iter().any(|part| part["type"] == "image_url"), "{sent}");
    assert!(!sent.to_string().contains("<<context:"), "raw tokens go to no HTTP provider");
    bench.fine();
}

#[test]
fn ins_1_a_long_paste_is_a_file_and_words_again_when_wanted() {
    let Some(bench) = able([answer("fine")]) else { return };
    bench.types("See ");
    let long = "one line of many\n".repeat(300);
    paste(&bench, &[], &long);
    chips(&bench, "pasted text: ok");
    bench.wait("T.draft() === 'See ⟦pasted.txt⟧ '");
    bench.click("[data-chip=as-text]");
    bench.wait("T.draft().startsWith('See one line of many\\none line') && !T.shown('#strip')");
    bench.keys("Ctrl+Z");
    bench.wait("T.draft() === 'See ⟦pasted.txt⟧ '");
    chips(&bench, "pasted text: ok");
    // A short one is the browser's, as ever.
    bench.keys("End");
    bench.page.paste_text("short words").unwrap();
    bench.wait("T.draft() === 'See ⟦pasted.txt⟧ short words'");
    bench.fine();
}

#[test]
fn ins_1_a_mixed_clipboard_keeps_all_its_parts_in_order() {
    let Some(bench) = able([answer("fine")]) else { return };
    let files = [
        ("notes.md", "text/markdown", "# Notes\n\nthe hull is sound\n"),
        ("flame.png", "image/png", ""),
        ("second.png", "image/png", ""),
    ];
    paste(&bench, &files, "and words");
    chips(&bench, "flame.png: ok, second.png: ok, notes.md: ok");
    bench.wait("T.draft() === '⟦flame.png⟧ ⟦second.png⟧ ⟦notes.md⟧ and words'");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete'");
    let sent = last(&bench.sent())["content"].to_string();
    let at = |part: &str| sent.find(part).unwrap_or_else(|| panic!("no {part} in {sent}"));
    assert!(at("image_url") < at("the hull is sound"));
    assert!(at("the hull is sound") < at("and words"));
    bench.fine();
}

/// FIL-5: whichever way they came.
#[test]
fn ins_2_files_are_dropped_chosen_and_taken_out_again() {
    let Some(bench) = able([answer("fine")]) else { return };
    let (_home, paths) = on_disk(&[("b.txt", "bbb"), ("a.txt", "aaa"), ("c.txt", "ccc")]);
    bench.types("x y");
    bench.keys("ArrowLeft ArrowLeft");
    bench.page.drop_files("#history", &paths[..2]).unwrap();
    chips(&bench, "b.txt: ok, a.txt: ok");
    bench.wait("T.draft() === 'x ⟦b.txt⟧ ⟦a.txt⟧ y' && !T.shown('#drop')");
    bench.page.choose_files("#picker", &paths[2..]).unwrap();
    chips(&bench, "b.txt: ok, a.txt: ok, c.txt: ok");
    // Weighed as they go out, each in its block; until then chips change their widths.
    bench.wait("[...document.querySelectorAll('#chips li')].every((chip) => /[2-9]\\d tok/.test(chip.textContent))");
    // By the mouse, by Backspace as one piece, and back by undo.
    bench.click("#chips li:nth-child(2) [data-chip=remove]");
    chips(&bench, "b.txt: ok, c.txt: ok");
    bench.click("#draft");
    bench.js::<()>("T.one('#draft').setSelectionRange(9, 9)");
    bench.keys("Backspace");
    chips(&bench, "c.txt: ok");
    bench.keys("Ctrl+Z");
    chips(&bench, "b.txt: ok, c.txt: ok");
    no_token(&bench);
    bench.fine();
}

#[test]
fn dlv_4_one_click_changes_the_delivery_and_the_meter_follows() {
    let Some(bench) = able([answer("fine")]) else { return };
    let text = "the hull is sound and dry\n".repeat(150);
    paste(&bench, &[("notes.md", "text/markdown", &text)], "");
    chips(&bench, "notes.md: ok");
    bench.wait("T.says('#chips .how', 'inline')");
    bench.wait("Number(T.one('#aut').textContent.replace(/\\D/g, '')) > 600");
    bench.wait("T.one('#meter').textContent !== '' && T.one('#files-section')");
    bench.page.settle().unwrap();
    let before: String = bench.js("T.one('#meter').textContent");
    bench.click("[data-chip=delivery]");
    bench.wait("T.says('#chips .how', 'on demand')");
    bench.wait("Number(T.one('#aut').textContent.replace(/\\D/g, '')) < 200");
    bench.wait(&format!("T.one('#meter').textContent !== {}", quoted(&before)));
    bench.click("[data-chip=delivery]");
    bench.wait(&format!("T.one('#meter').textContent === {}", quoted(&before)));
    // The preview says the same, with the first lines.
    bench.click("[data-chip=preview]");
    bench.says("dialog.preview", "the hull is sound and dry");
    bench.says("dialog.preview dd", "inline");
    bench.keys("Escape");
    bench.wait("!T.one('dialog') && document.activeElement.dataset.chip === 'preview'");
    bench.fine();
}

#[test]
fn tok_4_a_token_typed_by_hand_is_a_broken_chip() {
    let Some(bench) = able([answer("fine")]) else { return };
    bench.page.insert_text("read <<context:text:/etc/passwd>>> please").unwrap();
    bench.wait("T.says('#chips li', 'broken attachment')");
    bench.wait("T.draft().startsWith('read ⟦') && T.draft().endsWith('⟧ please')");
    no_token(&bench);
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.says('.pair .chip.broken', 'broken attachment')");
    assert!(!bench.sent().to_string().contains("root:"), "nothing of it is read");
    no_token(&bench);
    bench.fine();
}

#[test]
fn ins_5_a_draft_with_files_outlives_the_page_and_is_shared() {
    let Some(bench) = able([answer("fine")]) else { return };
    bench.types("see ");
    paste(&bench, &[("plan.md", "text/markdown", "a plan"), ("flame.png", "image/png", "")], "");
    chips(&bench, "flame.png: ok, plan.md: ok");
    bench.click("#chips li:nth-child(2) [data-chip=delivery]");
    bench.wait("T.says('#chips li:nth-child(2) .how', 'on demand')");
    bench.wait("fetch('/api/draft').then((a) => a.json()).then((d) => d.attachments[1]?.delivery === 'on-demand')");
    bench.reload();
    chips(&bench, "flame.png: ok, plan.md: ok");
    bench.wait("T.draft() === 'see ⟦flame.png⟧ ⟦plan.md⟧ ' && T.says('#chips li:nth-child(2) .how', 'on demand')");
    // On another machine nothing is kept but what the server has.
    let other = bench.tab();
    chips(&other, "flame.png: ok, plan.md: ok");
    other.wait("T.draft() === 'see ⟦flame.png⟧ ⟦plan.md⟧ ' && T.says('#chips li:nth-child(2) .how', 'on demand')");
    no_token(&other);
    bench.fine();
}

#[test]
fn lim_3_a_file_over_the_limit_is_never_cut_in_silence() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    let long = "one line of the log\n".repeat(2600);
    // This model has no tools: on demand is off, and the first part is offered with its size.
    paste(&bench, &[("build.log", "text/plain", &long)], "");
    bench.says("dialog", "16 KB");
    bench.wait("T.one('dialog [value=\"on-demand\"]').disabled");
    bench.keys("Escape");
    bench.wait("!T.one('dialog') && T.draft().trim() === '' && !T.shown('#strip')");
    paste(&bench, &[("build.log", "text/plain", &long)], "");
    bench.click("dialog [value=head]");
    bench.wait(&format!("!T.one('dialog') && {CHIPS}.endsWith(': ok')"));
    // LIM-2: said where files are attached, since it is less than usual.
    bench.says("#strip-words", "Files up to 16 KB");
    no_token(&bench);
    bench.fine();
}

#[test]
fn lim_3_a_model_with_tools_reads_a_large_file_on_demand() {
    let Some(bench) = able([answer("fine")]) else { return };
    let long = "one line of the log\n".repeat(2600);
    paste(&bench, &[("build.log", "text/plain", &long)], "");
    // Over 8 KB such a model gets it on demand by itself; inline is what the limit is about.
    chips(&bench, "build.log: ok");
    bench.wait("T.says('#chips .how', 'on demand')");
    bench.wait("Number(T.one('#aut').textContent.replace(/\\D/g, '')) < 200");
    bench.fine();
}

#[test]
fn ins_4_what_looks_like_a_secret_is_asked_about() {
    let Some(bench) = able([answer("fine")]) else { return };
    paste(&bench, &[(".env", "text/plain", "API_KEY=abcdef0123456789")], "");
    bench.says("dialog", ".env");
    // Enter that was meant for something else attaches nothing.
    bench.wait("document.activeElement.textContent.includes('Leave it out')");
    bench.keys("Enter");
    bench.wait("!T.one('dialog') && T.draft().trim() === ''");
    paste(&bench, &[(".env", "text/plain", "API_KEY=abcdef0123456789")], "");
    bench.click("dialog [value=yes]");
    chips(&bench, ".env: ok");
    bench.fine();
}

#[test]
fn ins_1_typing_over_a_file_says_so_and_gives_it_back() {
    let Some(bench) = able([answer("fine")]) else { return };
    bench.types("see ");
    paste(&bench, &[("notes.txt", "text/plain", "hello")], "");
    chips(&bench, "notes.txt: ok");
    bench.keys("Ctrl+A");
    bench.types("new");
    bench.says(".toast", "No longer attached: notes.txt");
    bench.wait("T.draft() === 'new'");
    bench.click(".toast .btn");
    chips(&bench, "notes.txt: ok");
    bench.wait("T.draft().startsWith('new')");
    bench.fine();
}

#[test]
fn val_3_detach_takes_the_file_out_and_sends_nothing() {
    let replies = [Reply::openai(&["fine"], 145, 6)];
    let Some(bench) = Workbench::prepared(replies, 400, |served| {
        served.send(&"word ".repeat(120));
    }) else {
        return;
    };
    bench.types("sum ");
    paste(&bench, &[("data.txt", "text/plain", &"more ".repeat(250))], "");
    chips(&bench, "data.txt: ok");
    bench.says("#notice", "More than the window holds");
    bench.keys("Enter");
    bench.says("dialog .btn", "Detach data.txt");
    bench.js::<()>(
        "[...document.querySelectorAll('dialog .btn')].find((b) => b.textContent.includes('Detach')).click()",
    );
    bench.wait("!T.one('dialog') && !T.shown('#chips li') && T.draft().trim() === 'sum'");
    bench.mode("INPUT");
    bench.page.settle().unwrap();
    assert_eq!(bench.js::<usize>("T.pairs().length"), 1, "the writer sends it, or not");
    bench.fine();
}

#[test]
fn blb_5_a_message_waits_for_its_files_and_an_upload_can_be_stopped() {
    let Some(bench) = able([answer("fine")]) else { return };
    bench.js::<()>(
        "(() => {
          const send = XMLHttpRequest.prototype.send;
          T.held = [];
          XMLHttpRequest.prototype.send = function (body) { T.held.push(() => send.call(this, body)); };
        })()",
    );
    bench.types("see ");
    paste(&bench, &[("one.txt", "text/plain", "1"), ("two.txt", "text/plain", "2")], "");
    chips(&bench, "one.txt: uploading, two.txt: uploading");
    bench.keys("Enter");
    bench.says("#notice", "2 files are still uploading");
    assert_eq!(bench.js::<usize>("T.pairs().length"), 0);
    bench.click("#chips li:nth-child(1) [data-chip=remove]");
    chips(&bench, "two.txt: uploading");
    bench.js::<()>("T.held.at(-1)()");
    bench.wait("T.pairs().length === 1 && T.state() === 'complete' && T.draft() === ''");
    let sent = bench.sent().to_string();
    assert!(sent.contains("two.txt") && !sent.contains("one.txt"), "{sent}");
    bench.fine();
}

#[test]
fn shw_1_hostile_names_are_only_names() {
    let Some(bench) = able([answer("fine")]) else { return };
    let names = ["<img src=x onerror=alert(1)>.txt", "cod\u{202e}txt.exe.md", "a⟦b⟧\"'>.txt"];
    let files: Vec<(&str, &str, &str)> =
        names.iter().map(|name| (*name, "text/plain", "harmless")).collect();
    paste(&bench, &files, "");
    bench.wait("document.querySelectorAll('#chips > li[data-state=ok]').length === 3");
    bench.wait("!/\\u202e/.test(T.draft() + T.one('#chips').textContent)");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.last().querySelectorAll('.u .chip').length === 3");
    bench.wait("!document.querySelector('img[src=x]')");
    bench.wait("!/\\u202e/.test(T.last().outerHTML)");
    no_token(&bench);
    bench.fine();
}

/// PAY-6: the files of a pair that is answered anew are told already, so page and server agree.
#[test]
fn snd_8_a_pair_with_a_file_is_answered_anew() {
    let Some(bench) = able([answer("first"), answer("second")]) else { return };
    bench.types("Sum it up: ");
    paste(&bench, &[("notes.md", "text/markdown", "one two three")], "");
    chips(&bench, "notes.md: ok");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete'");
    crate::late::previews(&bench);
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.last().textContent.includes('second')");
    assert_eq!(bench.post(1).status, 202);
    let sent = bench.sent().to_string();
    assert!(sent.contains("Sum it up: ") && sent.contains("one two three"), "{sent}");
    bench.fine();
}

/// DLV-4: a chip says what the model really gets.
#[test]
fn dlv_4_a_chip_says_what_a_model_gets_that_cannot_take_the_file() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    let zip = "PK\u{3}\u{4}";
    paste(&bench, &[("data.zip", "application/zip", zip), ("notes.md", "text/markdown", "a")], "");
    chips(&bench, "data.zip: ok, notes.md: ok");
    let how = "[...document.querySelectorAll('#chips .how')].map((how) => how.textContent)";
    bench.wait(&format!("{how}.join() === 'name only,inline'"));
    bench.says("#strip", "it gets the name of data.zip and nothing else");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete'");
    bench.says(".pair .u .chip-delivery", "name only");
    bench.fine();
}

/// A chip that goes between press and release takes the press with it: what moved to its
/// place is not meant.
#[test]
fn shw_2_a_press_is_for_the_chip_that_was_pressed() {
    let Some(bench) = able([answer("fine")]) else { return };
    paste(&bench, &[("a.txt", "text/plain", "one"), ("b.txt", "text/plain", "two")], "");
    chips(&bench, "a.txt: ok, b.txt: ok");
    let at = bench.page.centre("#chips > li:first-child .chip-x").unwrap();
    let mouse = |kind: &str| {
        let event = serde_json::json!({"type": kind, "x": at.x, "y": at.y, "button": "left", "clickCount": 1});
        bench.page.call("Input.dispatchMouseEvent", event).unwrap();
    };
    let write = |text: &str| {
        bench.js::<()>(&format!(
            "(() => {{ const box = T.one('#draft'); box.value = {}; box.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()",
            quoted(text)
        ));
    };
    mouse("mousePressed");
    write("⟦b.txt⟧ ");
    chips(&bench, "b.txt: ok");
    mouse("mouseReleased");
    bench.page.settle().unwrap();
    chips(&bench, "b.txt: ok");
    assert_eq!(bench.js::<String>("T.draft()"), "⟦b.txt⟧ ");
    // Drawn anew where it was, it is still what was pressed.
    mouse("mousePressed");
    bench.js::<()>(
        "(() => { const list = T.one('#chips'); \
         list.replaceChildren(...[...list.children].map((chip) => chip.cloneNode(true))); })()",
    );
    mouse("mouseReleased");
    chips(&bench, "");
    bench.wait("T.draft().trim() === ''");
    bench.fine();
}
