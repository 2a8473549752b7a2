//! What a newcomer meets on the first day and no other test looks at: sizes, counts and words that
//! are the same wherever they stand, and topics that are made and chosen by the mouse.

use std::path::Path;

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::{
    attachments::{able, chips, paste},
    bench::{Workbench, answer},
    summaries::press,
};

/// The window of `gpt-4o` is 128,000 tokens, which people call 128K.
#[test]
fn est_8_gpt_4o_holds_128k_wherever_it_is_shown() {
    let server = ScriptedServer::chats([answer("fine")]).unwrap();
    let base_url = server.base_url();
    let home = move |home: &Path| {
        let own = format!(
            "[[model]]\nid = \"gpt-4o\"\nbaseUrl = \"{base_url}\"\nkeyEnv = \"PLIMSOLL_TEST_KEY\"\n"
        );
        std::fs::write(home.join("models.toml"), own).unwrap();
        let settings = "defaultModel = \"gpt-4o\"\nscope = \"everything\"\n";
        std::fs::write(home.join("config.toml"), settings).unwrap();
    };
    let Some(bench) = Workbench::before(server, 4096, home, |_| {}) else { return };
    bench.send("hello");
    assert_eq!(bench.sent()["model"], "gpt-4o");
    bench.wait("T.one('#legend .r').textContent.includes('/ 128K')");
    bench.click("#model");
    bench.wait("T.says('.popup [role=option][aria-selected=true]', '128,000 tokens')");
    bench.keys("Escape");
    bench.click("nav [data-panel=hud]");
    bench.says("#hud dd", "128,000");
    bench.click("nav [data-panel=models]");
    bench.wait("T.panel()?.startsWith('Models') && T.says('#panel', 'gpt-4o')");
    let everywhere = "document.body.textContent + [...document.querySelectorAll('[title]')].map((one) => one.title).join()";
    assert!(!bench.js::<bool>(&format!("({everywhere}).includes('125K')")));
    bench.fine();
}

/// An answer that was stopped because it went in circles is told as that, and not as a long one.
#[test]
fn snd_4c_an_answer_that_repeats_itself_is_told_as_that() {
    let circles = format!("It is about memory. {}", "The server-memory. ".repeat(24));
    let half = "It is about memory, and about";
    let replies = [Reply::openai_cut(&[&circles]), Reply::openai_cut(&[half])];
    let Some(bench) = Workbench::open(replies) else { return };
    bench.send("What is it about?");
    bench.wait("T.last().dataset.cut !== undefined");
    bench.says(".pair .acts", "The answer repeats itself and was stopped.");
    assert!(!bench.js::<bool>("T.says('.pair .acts', 'cut by its length')"));
    bench.send("And in short?");
    bench.wait("T.last().querySelector('.acts')?.textContent.includes('The answer was cut by its length.')");
    bench.reload();
    bench.wait("T.pairs()[0].textContent.includes('The answer repeats itself and was stopped.')");
    bench.fine();
}

/// Words that count one thing as several, in what is read and in what is heard.
const ONE_OF_SEVERAL: &str = "[document.body.innerText,
  ...[...document.querySelectorAll('[title], [aria-label]')].flatMap((one) => [one.title ?? '', one.getAttribute('aria-label') ?? ''])]
  .flatMap((text) => [...text.matchAll(/(?:^|[^\\d.,])1 (?:new |attached |visible )?(?:files|pairs|messages|models|topics|notes|receipts|requests|hits|stars|days|hours|tokens aboard|conversations|snippets|answers|bytes)\\b/g)].map((found) => `${found[0]} in: ${text.slice(Math.max(0, found.index - 20), found.index + 40)}`))
  .join('; ')";

/// UI-21: one pair, one file and one answer are told in the singular, wherever they are counted.
#[test]
fn ui_21_one_thing_is_told_as_one() {
    let Some(bench) = able([answer("fine")]) else { return };
    paste(&bench, &[("notes.txt", "text/plain", "hello")], "");
    chips(&bench, "notes.txt: ok");
    bench.says("#files-section", "1 of 1 file");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    bench.view();
    bench.keys("G 1");
    bench.wait("T.last().dataset.star === '1'");
    bench.click("nav [data-panel=hud]");
    for panel in ["files", "memory", "topics", "receipts", "models", "settings", "help"] {
        bench.click(&format!("nav [data-panel={panel}]"));
        bench.wait("T.panel() !== null && T.one('#panel .panel-body').childElementCount > 0");
        bench.page.settle().unwrap();
        assert_eq!(bench.js::<String>(ONE_OF_SEVERAL), "", "{panel}");
    }
    // Two panels leave little room for the pair; its buttons are all within it.
    bench.page.hover(".pair .a").unwrap();
    bench.wait(
        "(() => { const [tools, pane] = ['.pair .tools', '#history'].map((part) => T.one(part).getBoundingClientRect());
          return tools.left >= pane.left && tools.right <= pane.right; })()",
    );
    bench.click(".pair .tools [data-act=receipt]");
    bench.wait("T.panel()?.startsWith('Receipt')");
    assert_eq!(bench.js::<String>(ONE_OF_SEVERAL), "", "a receipt");
    bench.filter("hello");
    bench.wait("T.shown('#hits h2')");
    assert_eq!(bench.js::<String>(ONE_OF_SEVERAL), "", "hits");
    bench.fine();
}

/// A topic that is not there is made where it was looked for, and the form for one stands above a
/// long list, with a button that is no wider than its words.
#[test]
fn ui_1_a_topic_is_made_where_it_is_looked_for() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        for n in 1..=30 {
            served.json("POST", "/api/topics", Some(json!({"path": format!("/Topic {n}")})));
        }
    }) else {
        return;
    };
    bench.click("#topic");
    bench.wait("T.shown('.popup input')");
    bench.types("Sea › Ships");
    bench.says(".popup [role=option]", "Create topic “Sea › Ships”");
    bench.keys("Enter");
    bench.wait("T.one('#topic').title === 'Sea › Ships'");
    // What is there is chosen, not made again.
    bench.click("#topic");
    bench.wait("T.shown('.popup input')");
    bench.types("topic 7");
    bench.wait("T.says('.popup [role=option]', 'Topic 7') && !T.says('.popup', 'Create topic')");
    bench.keys("Enter");
    bench.wait("T.one('#topic').title === 'Topic 7'");
    bench.click("nav [data-panel=topics]");
    bench.wait("T.panel() === 'Topics'");
    bench.click("#panel details.new summary");
    bench.wait(
        "(() => { const [button, panel] = ['#panel details.new .btn.pri', '#panel']
          .map((part) => T.one(part).getBoundingClientRect());
          return button.width > 0 && button.width < panel.width / 2 && button.bottom < innerHeight; })()",
    );
    bench.accessible("the form for a new topic");
    bench.click("#panel [name=path]");
    bench.types("/Made");
    bench.click("#panel details.new .btn.pri");
    bench.says("#panel .tree summary", "Made");
    bench.fine();
}

/// HIS-3: a pair is moved to another conversation by the mouse and by a key, and back by an undo.
#[test]
fn his_3_a_pair_is_moved_to_another_conversation() {
    let Some(bench) = Workbench::prepared([answer("fine")], 4096, |served| {
        for path in ["/Ships", "/Meals"] {
            served.json("POST", "/api/topics", Some(json!({"path": path})));
        }
        served.json("PUT", "/api/view", Some(json!({"topic": "/Ships"})));
        served.send("q1");
        served.send("q2");
    }) else {
        return;
    };
    let topic = |bench: &Workbench, at: usize| -> Value {
        let pair: Value = bench.js(&format!(
            "fetch(`/api/pairs/${{T.pairs()[{at}].dataset.id}}`).then((answer) => answer.json())"
        ));
        pair["topic"].clone()
    };
    press(&bench, ".pair[data-at='0'] [data-act='move']");
    bench.wait("T.says('.popup [role=option]', 'Meals')");
    bench.js::<()>("[...document.querySelectorAll('.popup [role=option]')].find((one) => one.textContent.includes('Meals')).click()");
    bench.says(".toast", "Moved to “Meals”.");
    assert_eq!(topic(&bench, 0), "/Meals");
    assert_eq!(topic(&bench, 1), "/Ships");
    bench.click(".toast .btn");
    bench.wait("fetch(`/api/pairs/${T.pairs()[0].dataset.id}`).then((a) => a.json()).then((pair) => pair.topic === '/Ships')");
    // By keys, into a conversation that is made for it.
    bench.click("#draft");
    bench.view();
    bench.keys("G T");
    bench.wait("T.shown('.popup input')");
    bench.types("Later");
    bench.says(".popup [role=option]", "Create topic “Later”");
    bench.keys("Enter");
    bench.says(".toast", "Moved to “Later”.");
    assert_eq!(topic(&bench, 1), "/Later");
    bench.fine();
}

/// HIS-8: what the page exports for people has the names of files, and no path of this machine.
#[test]
fn his_8_what_the_page_exports_for_people_names_files_and_no_paths() {
    let Some(bench) = able([answer("fine")]) else { return };
    bench.types("See ");
    paste(&bench, &[("notes.txt", "text/plain", "hello")], "");
    chips(&bench, "notes.txt: ok");
    bench.keys("Enter");
    bench.wait("T.state() === 'complete' && T.draft() === ''");
    let home = bench.served.home().display().to_string();
    for format in ["md", "txt"] {
        let text: String = bench.js(&format!(
            "fetch('/api/export?scope=everything&format={format}').then((answer) => answer.text())"
        ));
        assert!(text.contains("See") && text.contains("notes.txt"), "{text}");
        assert!(!text.contains("<<context") && !text.contains(&home), "{text}");
    }
    bench.fine();
}
