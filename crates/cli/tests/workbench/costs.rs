//! What a send will cost stands on its button, what it did cost on the pair, and the sum in the
//! header of the conversation (UI-18).

use std::path::Path;

use plimsoll_browser::Viewport;
use plimsoll_testkit::scripted::Reply;

use crate::bench::Workbench;

fn priced(home: &Path) {
    let path = home.join("models.toml");
    let models = std::fs::read_to_string(&path).unwrap();
    let price = "price = { input = 250.0, cachedInput = 125.0, output = 1000.0 }\n";
    std::fs::write(&path, models + price).unwrap();
    std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
}

/// The price on the button, as a number.
const PRICE: &str = "Number(T.one('#send .price')?.textContent.split('$')[1] ?? NaN)";

#[test]
fn ui_18_the_button_says_what_a_send_costs_at_most_and_the_pair_what_it_did() {
    let replies = [Reply::openai(&["fine"], 1000, 200)];
    let Some(bench) = Workbench::at_home(replies, 200_000, priced, |_| {}) else { return };
    // Nothing is there to be sent, and nothing is asked for it.
    bench.wait("T.one('#spent').hidden && T.one('#send').textContent === 'Send'");
    bench.js::<()>("T.hold('/api/weigh')");
    bench.page.insert_text(&"ship ".repeat(2000)).unwrap();
    // The guess stands at once, while the server has not weighed it yet.
    bench.wait(&format!("{PRICE} > 0.3"));
    bench.js::<()>("T.letGo()");
    bench.wait(&format!("T.says('#send .weight', 'K') && {PRICE} > 0.3"));
    bench.wait("T.one('#send').title.includes('The answer is not counted')");
    bench.accessible("a price on the button");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    // 1,000 tokens at 250 and 200 at 1,000 dollars a million.
    bench.says("#rows .meta .cost", "$0.4500");
    bench.says("#spent", "$0.4500");
    bench.wait("T.one('#send').title.includes('still cached')");
    bench.send("And now?");
    bench.says("#spent", "$0.9000");
    bench.reload();
    bench.says("#spent", "$0.9000");
    // On a phone the price stays on the button, and nothing hangs out.
    bench.page.viewport(Viewport::new(360, 740)).unwrap();
    bench.wait("T.shown('#send .price') && !T.shown('#send .weight')");
    let fits: bool = bench.js(
        "T.one('#send').getBoundingClientRect().right <= innerWidth && T.one('#send').scrollWidth <= T.one('#send').clientWidth && document.documentElement.scrollWidth <= innerWidth",
    );
    assert!(fits);
    bench.fine();
}
