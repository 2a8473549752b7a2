//! A screen that is touched, and one that is short (UI-24).

use plimsoll_browser::Viewport;

use crate::bench::{Workbench, answer};

/// What overflows its own box or the screen, of these.
const TOO_WIDE: &str = "(selector) => [...document.querySelectorAll(selector)]
  .filter((node) => node.checkVisibility())
  .filter((node) => node.scrollWidth > node.clientWidth + 1
    || node.getBoundingClientRect().right > innerWidth + 0.5 || node.getBoundingClientRect().left < 0)
  .map((node) => node.outerHTML.slice(0, 100)).join('; ')";

fn with_pairs() -> Option<Workbench> {
    Workbench::prepared([answer("fine")], 4096, |served| {
        for n in 1..=8 {
            served.send(&format!("q{n}"));
        }
    })
}

#[test]
fn ui_24_on_a_touch_screen_enter_is_a_new_line_and_the_button_sends() {
    let Some(bench) = with_pairs() else { return };
    bench.page.phone(Viewport::new(360, 740)).unwrap();
    bench.reload();
    bench.wait("T.one('#draft').placeholder === 'Write a message'");
    bench.click("#draft");
    bench.types("one");
    bench.keys("Enter");
    bench.types("two");
    bench.wait("T.draft() === 'one\\ntwo'");
    assert_eq!(bench.js::<usize>("T.pairs().length"), 8, "nothing was sent");
    let size: [f64; 2] = bench.js(
        "(() => { const box = T.one('#send').getBoundingClientRect(); return [box.width, box.height]; })()",
    );
    assert!(size[0] >= 44.0 && size[1] >= 44.0, "{size:?}");
    bench.click("#send");
    bench.wait("T.pairs().length === 9 && T.state() === 'complete' && T.draft() === ''");
    bench.fine();
}

#[test]
fn ui_24_at_360_pixels_nothing_overflows_and_panels_are_one_tap_away() {
    let Some(bench) = with_pairs() else { return };
    bench.page.phone(Viewport::new(360, 740)).unwrap();
    bench.reload();
    let parts =
        "#send, #model, #topic, #attach, #counter, #scope, nav [data-panel], #theme, #title";
    let wide: String = bench.page.apply(TOO_WIDE, [parts]).unwrap();
    assert_eq!(wide, "");
    bench.wait("document.documentElement.scrollWidth <= innerWidth");
    for name in ["files", "memory", "topics", "receipts", "models", "settings", "hud", "help"] {
        let body = if name == "hud" { "#hud" } else { "#panel" };
        // In sight without any scrolling, and there by one press.
        bench.wait(&format!(
            "(() => {{ const box = T.one('nav [data-panel={name}]').getBoundingClientRect();
               return box.left >= 0 && box.right <= innerWidth && box.height >= 30; }})()"
        ));
        bench.click(&format!("nav [data-panel={name}]"));
        bench.wait(&format!("T.shown('{body}')"));
        bench.click(&format!("{body} .panel-head [aria-label=Close]"));
        bench.wait(&format!("!T.shown('{body}')"));
    }
    bench.accessible("a phone");
    bench.fine();
}

#[test]
fn ui_24_at_200_per_cent_half_of_the_screen_is_history() {
    let Some(bench) = with_pairs() else { return };
    for (width, height) in [(640, 400), (683, 384), (960, 540), (360, 640)] {
        bench.page.viewport(Viewport { width, height, scale: 2.0 }).unwrap();
        bench.wait(&format!("innerWidth === {width} && innerHeight === {height}"));
        bench.page.settle().unwrap();
        let share: f64 = bench.js("T.pane().clientHeight / innerHeight");
        assert!(share >= 0.5, "{width} × {height}: {share}");
        for part in
            ["#filter", "#counter", "#draft", "#model", "#send", "nav [data-panel=settings]"]
        {
            if let Err(error) = bench.page.centre(part) {
                panic!("{width} × {height}: {error}");
            }
        }
    }
    bench.fine();
}

#[test]
fn ui_26_it_can_be_installed_and_its_icons_are_there() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    let said: serde_json::Value = bench.js(
        "fetch(T.one('link[rel=manifest]').href).then(async (told) => {
           const manifest = await told.json();
           const sizes = await Promise.all(manifest.icons.filter((icon) => icon.type === 'image/png').map((icon) =>
             new Promise((done) => {
               const image = new Image();
               image.onload = () => done(`${image.naturalWidth}x${image.naturalHeight}` === icon.sizes);
               image.onerror = () => done(false);
               image.src = icon.src;
             })));
           return { type: told.headers.get('content-type'), display: manifest.display, name: manifest.name, sizes };
         })",
    );
    assert_eq!(said["type"], "application/manifest+json");
    assert_eq!((&said["display"], &said["name"]), (&"standalone".into(), &"Plimsoll".into()));
    assert_eq!(said["sizes"], serde_json::json!([true, true, true]));
    bench.fine();
}

#[test]
fn ui_26_title_and_badge_tell_that_an_answer_has_come() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    bench.send("seen");
    assert!(!bench.js::<String>("document.title").starts_with('●'));
    let look = |hidden: bool| {
        bench.js::<serde_json::Value>(&format!(
            "(() => {{
               Object.defineProperty(document, 'hidden', {{ get: () => {hidden}, configurable: true }});
               navigator.setAppBadge = async (count) => {{ T.badge = count; }};
               navigator.clearAppBadge = async () => {{ T.badge = 0; }};
               document.dispatchEvent(new Event('visibilitychange'));
               return null;
             }})()"
        ))
    };
    look(true);
    bench.send("unseen");
    bench.wait("document.title.startsWith('● ') && T.badge >= 1");
    look(false);
    bench.wait("!document.title.startsWith('●') && T.badge === 0");
    bench.fine();
}
