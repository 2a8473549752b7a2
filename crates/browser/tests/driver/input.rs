//! Keys, texts, the mouse, files and the clipboard arrive as from a person.

use std::fs;

use crate::Stage;

/// Notes the events of a text box.
const BOX: &str = "<textarea id=box autofocus></textarea><script>
  const log = [];
  const box = document.querySelector('#box');
  box.focus();
  for (const kind of ['keydown', 'keyup']) addEventListener(kind, (event) => {
    const held = ['ctrl', 'alt', 'shift', 'meta'].filter((name) => event[name + 'Key']);
    log.push([kind.slice(3), event.key, event.code, event.keyCode, held.join('+'),
      event.repeat ? 'repeat' : '', event.isTrusted ? '' : 'fake', event.isComposing ? 'composing' : '']
      .filter((part) => part !== '').join(' '));
  });
  for (const kind of ['compositionstart', 'compositionupdate', 'compositionend'])
    addEventListener(kind, (event) => log.push(kind.slice(11) + ' ' + event.data));
</script>";

fn check(act: impl Fn(&Stage), log: &[&str], text: &str) {
    let Some(stage) = Stage::with(BOX) else { return };
    act(&stage);
    let (seen, typed): (Vec<String>, String) = stage.page.eval("[log, box.value]").unwrap();
    assert_eq!(seen, log);
    assert_eq!(typed, text);
    stage.page.assert_quiet().unwrap();
}

#[test]
fn keys_arrive_with_key_code_and_modifiers() {
    check(
        |stage| stage.page.keys("j Escape Ctrl+c ? Shift+Enter Alt").unwrap(),
        &[
            "down j KeyJ 74",
            "up j KeyJ 74",
            "down Escape Escape 27",
            "up Escape Escape 27",
            "down Control ControlLeft 17 ctrl",
            "down c KeyC 67 ctrl",
            "up c KeyC 67 ctrl",
            "up Control ControlLeft 17",
            "down Shift ShiftLeft 16 shift",
            "down ? Slash 191 shift",
            "up ? Slash 191 shift",
            "up Shift ShiftLeft 16",
            "down Shift ShiftLeft 16 shift",
            "down Enter Enter 13 shift",
            "up Enter Enter 13 shift",
            "up Shift ShiftLeft 16",
            "down Alt AltLeft 18 alt",
            "up Alt AltLeft 18",
        ],
        "j?\n",
    );
}

#[test]
fn a_held_key_repeats() {
    check(
        |stage| stage.page.hold("k", 3).unwrap(),
        &["down k KeyK 75", "down k KeyK 75 repeat", "down k KeyK 75 repeat", "up k KeyK 75"],
        "kkk",
    );
}

#[test]
fn keys_edit_as_a_keyboard_does() {
    let Some(stage) = Stage::with(BOX) else { return };
    let text = || stage.page.eval::<String>("box.value").unwrap();
    stage.page.type_text("abc\ndéf — 世界 🙂").unwrap();
    assert_eq!(text(), "abc\ndéf — 世界 🙂");
    stage.page.keys("Backspace").unwrap();
    assert_eq!(text(), "abc\ndéf — 世界 ");
    stage.page.keys("Up Home Delete Right X").unwrap();
    assert_eq!(text(), "bXc\ndéf — 世界 ");
    stage.page.keys("Ctrl+a Backspace").unwrap();
    assert_eq!(text(), "");
}

#[test]
fn an_input_method_composes_and_its_enter_is_not_an_enter() {
    check(
        |stage| stage.page.compose(&["か", "かん"], "漢").unwrap(),
        &[
            "down Process 229",
            "start ",
            "update か",
            "down Process 229 composing",
            "update かん",
            "down Enter Enter 229 composing",
            "update 漢",
            "end 漢",
        ],
        "漢",
    );
}

#[test]
fn a_click_scrolls_and_waits_for_what_covers_the_element_to_go() {
    let body = "<div style='height:3000px'></div><button id=go>Go</button>
      <div style='height:3000px'></div>
      <div id=veil style='position:fixed;inset:0'></div><script>
      const log = [];
      for (const kind of ['click', 'dblclick', 'contextmenu', 'mouseenter'])
        go['on' + kind] = (event) => log.push(kind + event.isTrusted);
      setTimeout(() => veil.remove(), 200);</script>";
    let Some(stage) = Stage::with(body) else { return };
    stage.page.click("#go").unwrap();
    let log = || stage.page.eval::<Vec<String>>("log.splice(0)").unwrap();
    assert_eq!(log(), ["mouseentertrue", "clicktrue"]);
    stage.page.eval::<()>("void (go.onmouseenter = null)").unwrap();
    stage.page.double_click("#go").unwrap();
    assert_eq!(log(), ["clicktrue", "clicktrue", "dblclicktrue"]);
    stage.page.right_click("#go").unwrap();
    assert_eq!(log(), ["contextmenutrue"]);
}

#[test]
fn the_wheel_scrolls_and_a_drag_moves() {
    let body = "<div id=pane style='height:300px;overflow:auto'><div style='height:9000px'></div></div>
      <div id=grip style='width:40px;height:40px;background:#888'></div><script>
      const log = [];
      grip.onpointerdown = (event) => { log.push('down'); grip.setPointerCapture(event.pointerId); };
      grip.onpointermove = (event) => { if (event.buttons) log.push(Math.round(event.clientX)); };
      grip.onpointerup = () => log.push('up');</script>";
    let Some(stage) = Stage::with(body) else { return };
    stage.page.wheel("#pane", 0.0, 500.0).unwrap();
    stage.page.wait_for("pane.scrollTop === 500").unwrap();
    let from = stage.page.centre("#grip").unwrap();
    let to = plimsoll_browser::Point { x: from.x + 100.0, ..from };
    stage.page.drag(from, to).unwrap();
    // Chromium may add or merge moves on the way; the ends are certain.
    let log: Vec<serde_json::Value> = stage.page.eval("log").unwrap();
    let end = serde_json::json!(to.x.round() as i64);
    assert_eq!(log.first().unwrap(), "down");
    assert!(log.len() >= 4, "{log:?}");
    assert_eq!(log[log.len() - 2..], [end, "up".into()]);
}

#[test]
fn files_are_dropped_and_chosen() {
    let body =
        "<div id=zone style='height:200px'>here</div><input type=file id=pick multiple><script>
      const log = [], over = new Set();
      const note = async (how, files) => {
        for (const file of files) log.push(`${how} ${file.name} ${await file.text()}`);
      };
      for (const kind of ['dragenter', 'dragover'])
        zone.addEventListener(kind, (event) => {
          event.preventDefault();
          over.add(kind + ' ' + [...event.dataTransfer.types]);
        });
      zone.addEventListener('drop', (event) => {
        event.preventDefault();
        note('drop', event.dataTransfer.files);
      });
      pick.addEventListener('change', () => note('pick', pick.files));</script>";
    let Some(stage) = Stage::with(body) else { return };
    let dir = stage.browser.home();
    let (one, two) = (dir.join("one.txt"), dir.join("two ü.txt"));
    fs::write(&one, "1").unwrap();
    fs::write(&two, "2").unwrap();
    stage.page.drop_files("#zone", &[&one]).unwrap();
    stage.page.wait_for("log.length === 1").unwrap();
    stage.page.choose_files("#pick", &[&one, &two]).unwrap();
    stage.page.wait_for("log.length === 3").unwrap();
    let log: Vec<String> = stage.page.eval("log").unwrap();
    assert_eq!(log, ["drop one.txt 1", "pick one.txt 1", "pick two ü.txt 2"]);
    let over: Vec<String> = stage.page.eval("[...over]").unwrap();
    assert_eq!(over, ["dragenter Files", "dragover Files"]);
    let missing = stage.page.drop_files("#zone", &["/nowhere/file"]).unwrap_err();
    assert!(missing.to_string().starts_with("/nowhere/file: "), "{missing}");
}

#[test]
fn texts_and_pictures_are_pasted() {
    let body = format!(
        "{BOX}<script>
        addEventListener('paste', (event) => {{
          const [file] = event.clipboardData.files;
          if (!file) return;
          event.preventDefault();
          file.arrayBuffer().then((bytes) =>
            log.push([file.name, file.type, ...new Uint8Array(bytes)].join(' ')));
        }});</script>"
    );
    let Some(stage) = Stage::with(&body) else { return };
    stage.page.paste_text("a\nb \"世界\"").unwrap();
    assert_eq!(stage.page.eval::<String>("box.value").unwrap(), "a\nb \"世界\"");
    assert!(stage.page.paste_file("shot.png", "image/png", &[1, 2, 255]).unwrap());
    stage.page.wait_for("log.length === 1").unwrap();
    assert_eq!(stage.page.eval::<Vec<String>>("log").unwrap(), ["shot.png image/png 1 2 255"]);
}

#[test]
fn what_a_page_copies_is_on_the_clipboard() {
    let body = "<button id=copy onclick=\"navigator.clipboard.writeText('copied ✓').then(() => done = 1)\">c</button>";
    let Some(stage) = Stage::with(body) else { return };
    stage.page.click("#copy").unwrap();
    stage.page.wait_for("done").unwrap();
    assert_eq!(stage.page.clipboard().unwrap(), "copied ✓");
}
