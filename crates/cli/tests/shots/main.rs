//! The pictures of the documentation. Nothing happens unless `PLIMSOLL_SHOTS` names the
//! directory they go to: `cargo xtask shots`.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod demo;
mod first_day;
#[path = "../workbench/first_day_walk.rs"]
#[allow(dead_code, reason = "the pictures look, the test compares")]
mod first_day_walk;
#[path = "../web/served.rs"]
#[allow(dead_code, reason = "the pictures need less than the tests")]
mod served;

use std::path::PathBuf;

use plimsoll_browser::{
    Browser, Options, Page, Result,
    shots::{Scene, shoot},
};
use plimsoll_domain::Timestamp;
use plimsoll_store_sql::SqlStore;
use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::json;

use served::Served;

const DRAFT: &str = "Summarise what we found out about cancellation, in three sentences.";

fn write(page: &Page, text: &str) -> Result<()> {
    page.click("#draft")?;
    // The page remembers a draft, also that of an earlier scene.
    page.keys("Ctrl+A")?;
    page.insert_text(text)?;
    page.wait_for("Number(document.querySelector('#aut').textContent.replace(/\\D/g, '')) > 3")?;
    page.settle()
}

/// Over a history: what a day's work looks like.
const FILLED: &[Scene] = &[
    Scene::new("workbench-light").after(at_the_line),
    Scene::new("workbench-dark").dark().after(at_the_line),
    Scene::new("narrow").sized(360, 740, 2.0).after(|page| write(page, DRAFT)),
    Scene::new("over-budget").after(|page| {
        write(page, &"All of the log, line by line. ".repeat(60))?;
        page.keys("Enter")?;
        page.wait_for("document.querySelector('dialog[open]')")?;
        refused(page)
    }),
    Scene::new("filter-error").after(|page| {
        page.click("#filter")?;
        page.keys("Ctrl+a")?;
        page.insert_text("t'Rust'... & s9 | d<7d")?;
        page.keys("Enter")?;
        page.wait_for("!document.querySelector('#filter-error').hidden")?;
        refused(page)
    }),
    Scene::new("summarise").after(summarise),
    Scene::new("summarise-narrow").dark().sized(360, 740, 2.0).after(summarise),
    Scene::new("find").after(|page| {
        page.click("#filter")?;
        page.keys("Ctrl+a")?;
        page.insert_text("future")?;
        page.keys("Enter")?;
        page.wait_for("document.querySelector('#hits').childElementCount > 1")?;
        page.settle()
    }),
    Scene::new("receipts").after(|page| {
        open_panel(page, "receipts")?;
        page.eval::<()>(
            "void document.querySelector('#panel .errors').scrollIntoView({ block: 'center' })",
        )?;
        page.settle()
    }),
    Scene::new("topics").after(|page| open_panel(page, "topics")),
    Scene::new("settings-dark").dark().after(|page| {
        open_panel(page, "settings")?;
        page.eval::<()>("void document.querySelector('#panel form.setting').scrollIntoView()")?;
        page.settle()
    }),
    Scene::new("help").after(|page| open_panel(page, "help")),
];

/// The load line in the middle, the HUD beside it, a message begun.
fn at_the_line(page: &Page) -> Result<()> {
    write(page, DRAFT)?;
    open_panel(page, "hud")?;
    // Letters are keys where Esc entered VIEW (UI-16).
    page.click("#draft")?;
    page.keys("Escape o")?;
    page.wait_for(
        "(() => { const at = document.querySelector('#load')?.getBoundingClientRect().top; \
         return at > 60 && at < 600; })()",
    )?;
    page.settle()
}

/// The dialog that shows what would be summarised (HIS-11); nothing is sent.
fn summarise(page: &Page) -> Result<()> {
    page.click("#draft")?;
    page.keys("Escape z")?;
    page.wait_for("document.querySelector('dialog.summary li')")?;
    page.settle()
}

/// The console notes every refusal of the server; here it is what the picture is about.
fn refused(page: &Page) -> Result<()> {
    page.forget();
    page.settle()
}

fn open_panel(page: &Page, name: &str) -> Result<()> {
    page.click(&format!("[data-panel={name}]"))?;
    page.wait_for(&format!(
        "document.querySelector('#{}').childElementCount > 1",
        if name == "hud" { "hud" } else { "panel" }
    ))?;
    page.settle()
}

#[test]
fn shots() {
    let Some(into) = std::env::var_os("PLIMSOLL_SHOTS").map(PathBuf::from) else { return };
    let browser = Browser::launch(Options::default()).unwrap();
    let take = |served: &Served, scene: &Scene| {
        served.json("PUT", "/api/draft", Some(json!({"text": ""})));
        let base = format!("http://{}", served.address);
        shoot(&browser, &base, scene, &into)
            .unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    };
    let said = |text: &str, prompt| Reply::openai(&[text], prompt, 18);
    let answers = [
        said("Drop the future and it stops at its last await.", 828),
        said("The guard's `Drop` runs then, and undoes what was half done.", 841),
        said("Yes: hold the permit in the task, and it comes back when the task goes.", 822),
        said("A channel that is dropped tells the other side; no flag is needed.", 836),
        Reply::overflow(700, 852),
        Reply::overflow(700, 741),
        said("Race the job against the signal; the loser is dropped.", 655),
        Reply::auth(),
    ];
    let server = ScriptedServer::chats(answers).unwrap();

    let fresh = Served::start(&server, 4096);
    take(&fresh, &Scene::new("first-run"));
    drop(fresh);

    // As it is for a new user: one conversation is open, and the others stand beside it.
    let talking = Served::start_with(&server, 4096, |home| {
        std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
        fill(&home.join("data"));
    });
    let listed = talking.json("GET", "/api/conversations", None);
    let id = listed["conversations"][0]["id"].as_str().unwrap();
    talking.ask("GET", &format!("/c/{id}"), None);
    let place = json!({"model": "test"});
    talking.json("PUT", &format!("/api/view?conversation={id}"), Some(place));
    take(&talking, &Scene::new("conversations"));
    drop(talking);

    let served = Served::start_with(&server, 1100, |home| {
        let models = std::fs::read_to_string(home.join("models.toml")).unwrap();
        std::fs::write(home.join("models.toml"), models.replace("\"test\"", "\"qwen2.5-0.5b\""))
            .unwrap();
        let config = "defaultModel = \"qwen2.5-0.5b\"\nscope = \"everything\"\n";
        std::fs::write(home.join("config.toml"), config).unwrap();
        fill(&home.join("data"));
    });
    served.json("PUT", "/api/view", Some(json!({"topic": "/Rust/async", "model": "qwen2.5-0.5b"})));
    for question in [
        "How do I cancel a job that is half done?",
        "And what about a file that was written half?",
        "Does that work for a semaphore too?",
        "How does the sender learn of it?",
    ] {
        served.send(question);
    }
    served.json("PUT", "/api/view", Some(json!({"filter": "d<7d & !e"})));
    for scene in FILLED {
        take(&served, scene);
    }
    served.send("And in one sentence?");
    take(&served, &Scene::new("trimmed"));
    served.send("Translate that into Polish.");
    take(&served, &Scene::new("error"));
}

/// A data directory with the made-up history in it.
fn fill(data: &std::path::Path) {
    std::fs::create_dir_all(data).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let now = i64::try_from(
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis(),
        )
        .unwrap();
        let path = data.join("plimsoll.db");
        let at = Timestamp::from_millis(now);
        let store = SqlStore::open_sqlite(&path, Default::default(), at).await.unwrap();
        demo::fill(&store, now).await;
    });
}
