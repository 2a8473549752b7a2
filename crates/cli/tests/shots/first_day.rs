//! A picture of each step of the first day: light, dark, and on a narrow screen.

use std::path::PathBuf;

use plimsoll_browser::{Browser, Options, Scheme, Viewport};
use plimsoll_testkit::{
    chatgpt::{a_person, export},
    scripted::ScriptedServer,
};

use crate::{
    first_day_walk::{CONFIG, models, replies, walk},
    served::Served,
};

const WIDE: Viewport = Viewport { width: 1280, height: 800, scale: 1.0 };
const NARROW: Viewport = Viewport { width: 360, height: 740, scale: 1.0 };

/// What the names end with, and how the page is seen.
const LOOKS: [(&str, Viewport, Scheme); 3] =
    [("", WIDE, Scheme::Light), ("-dark", WIDE, Scheme::Dark), ("-narrow", NARROW, Scheme::Light)];

#[test]
fn first_day() {
    let Some(into) = std::env::var_os("PLIMSOLL_SHOTS").map(PathBuf::from) else { return };
    let browser = Browser::launch(Options::default()).unwrap();
    for (ending, viewport, scheme) in LOOKS {
        let server = ScriptedServer::chats(replies()).unwrap();
        let served = Served::start_with(&server, 4096, |home| {
            std::fs::write(home.join("models.toml"), models(&server.base_url())).unwrap();
            std::fs::write(home.join("config.toml"), CONFIG).unwrap();
        });
        let file = served.home().join("conversations.json");
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let now = i64::try_from(now.as_secs()).unwrap();
        std::fs::write(&file, export(&a_person(now))).unwrap();
        let page = browser.private_page().unwrap();
        page.viewport(viewport).unwrap();
        page.color_scheme(scheme).unwrap();
        page.reduced_motion(true).unwrap();
        page.open(&format!("http://{}/", served.address)).unwrap();
        let mut shoot = |step: &str| {
            page.settle().unwrap();
            let path = into.join(format!("first-day-{step}{ending}.png"));
            page.screenshot().unwrap().save(&path).unwrap();
        };
        walk(&page, &file, &mut shoot).unwrap_or_else(|error| panic!("{ending}: {error}"));
        page.assert_quiet().unwrap();
    }
}
