//! Random days before two tabs: after each step both mark what would be sent, and at each send
//! what was marked is what goes (promise 1, PAY-6), in whatever conversation or scope each tab
//! looks, with summaries and comparisons among the pairs. The seed is printed; PLIMSOLL_SEED
//! repeats a day, PLIMSOLL_STEPS says how long it is, and PLIMSOLL_LONG=1 makes it four long ones
//! side by side, of which PLIMSOLL_DAYS takes the first so many: others can follow later.

mod checks;
mod others;
mod places;
mod sends;
mod several;
mod summaries;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use plimsoll_browser::Viewport;
use plimsoll_testkit::{
    history::Random,
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::bench::{Screen, Workbench};

/// Steps of a normal run and of a long one, which is of several days side by side.
const STEPS: (u64, u64) = (500, 50_000);
const LONG_DAYS: u64 = 4;

/// Nothing that takes long to draw, in each page that is opened.
const PLAIN: &str = "addEventListener('DOMContentLoaded', () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { box-shadow: none !important; border-radius: 0 !important; background-image: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}, { once: true });";

struct Day {
    bench: Workbench,
    /// The second tab; the first is the workbench's own.
    other: Screen,
    dice: Random,
    seed: u64,
    /// What was sent to the provider and was not compared yet.
    calls: Arc<Mutex<Vec<Value>>>,
    /// What the provider answers next; else that all is well.
    replies: Arc<Mutex<VecDeque<Reply>>>,
    /// Where each tab looks, as the queries of the API say it.
    places: [String; 2],
    /// How many pages each tab can go back.
    behind: [usize; 2],
    /// Sends whose end the tabs have to hear of.
    open: Vec<String>,
    said: usize,
    sent: u64,
    /// Sends that the server refused because something else would have gone.
    refused: u64,
    /// Sends that the page itself held back because its marks changed under the key.
    held: u64,
    /// Steps that did something.
    step: u64,
    kinds: BTreeMap<&'static str, u64>,
    /// What was done, the newest last.
    log: VecDeque<String>,
}

/// A fine answer of its own, whose usage is what such a request weighs, so that nothing odd is
/// learned.
fn fine(request: &Value, number: usize) -> Reply {
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let chars = |message: &Value| message["content"].as_str().map_or(0, str::len) as u64;
    let tokens: u64 = messages.iter().map(|message| chars(message).div_ceil(3) + 4).sum();
    Reply::openai(&[&format!("a{number}")], tokens, 2)
}

impl Day {
    fn begin(seed: u64) -> Option<Self> {
        let calls: Arc<Mutex<Vec<Value>>> = Arc::default();
        let replies: Arc<Mutex<VecDeque<Reply>>> = Arc::default();
        let (heard, script) = (Arc::clone(&calls), Arc::clone(&replies));
        let answered = Mutex::new(0);
        let answer = move |request: &Recorded| {
            if request.method != "POST" {
                return Reply::model_missing("any");
            }
            let body: Value = serde_json::from_str(&request.body).unwrap();
            let mut number = answered.lock().unwrap();
            *number += 1;
            let reply = script.lock().unwrap().pop_front().unwrap_or_else(|| fine(&body, *number));
            heard.lock().unwrap().push(body);
            reply
        };
        let server = ScriptedServer::answering(answer).unwrap();
        let address = server.base_url();
        let more_models = |home: &std::path::Path| {
            let mut models = std::fs::read_to_string(home.join("models.toml")).unwrap();
            for (id, window) in [("small", 420), ("tiny", 260)] {
                models.push_str(&format!(
                    "[[model]]\nid = \"{id}\"\nprovider = \"openai\"\nbaseUrl = \"{address}\"\n\
                     keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = {window}\n"
                ));
            }
            std::fs::write(home.join("models.toml"), models).unwrap();
            let config = "defaultModel = \"test\"\noverBudget = \"trim\"\nretries = 0\n\
                          queueWhileSending = true\n";
            std::fs::write(home.join("config.toml"), config).unwrap();
        };
        let bench = Workbench::before(server, 900, more_models, |_| {})?;
        let other = bench.tab();
        // Nobody looks: what is drawn, and told about it, costs more than all the rest of a step.
        for screen in [&*bench, &other] {
            screen.page.reduced_motion(true).unwrap();
            // Wide enough for the list of conversations.
            screen.page.viewport(Viewport::new(1000, 560)).unwrap();
            for domain in ["Network", "Audits", "Log"] {
                screen.page.call(&format!("{domain}.disable"), json!({})).unwrap();
            }
            screen.page.before_load(PLAIN).unwrap();
            screen.reload();
        }
        let dice = Random::new(seed);
        let (log, kinds) = (VecDeque::new(), BTreeMap::new());
        let (said, sent, refused, held, step) = (0, 0, 0, 0, 0);
        let mut day = Self {
            bench,
            other,
            dice,
            seed,
            calls,
            replies,
            places: Default::default(),
            behind: [0, 0],
            open: Vec::new(),
            said,
            sent,
            refused,
            held,
            step,
            kinds,
            log,
        };
        day.look(0);
        day.look(1);
        Some(day)
    }

    fn tabs(&self) -> [&Screen; 2] {
        [&self.bench, &self.other]
    }

    fn tab(&self, tab: usize) -> &Screen {
        self.tabs()[tab]
    }

    /// A number below a bound.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.dice.below(bound as u64)).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn fail(&self, what: &str) -> ! {
        let log: Vec<&str> = self.log.iter().map(String::as_str).collect();
        panic!("seed {}, step {}: {what}\n{}", self.seed, self.step, log.join("\n"));
    }

    /// Waits for something in a tab.
    fn until(&self, tab: usize, condition: &str) {
        if let Err(error) = self.tab(tab).page.wait_for(condition) {
            let heard: Vec<String> = self.tab(tab).js("[...T.heard, ...T.asks]");
            self.fail(&format!("tab {tab}: {error}\n{}\n", heard.join("\n")));
        }
    }

    fn run(&self, tab: usize, script: &str) {
        self.tab(tab).js::<Value>(&format!("({script}, null)"));
    }

    fn note(&mut self, what: String) {
        self.log.push_back(format!("{}: {what}", self.step));
        if self.log.len() > 25 {
            self.log.pop_front();
        }
    }

    /// Counts something that was done.
    fn did(&mut self, kind: &'static str) -> bool {
        *self.kinds.entry(kind).or_default() += 1;
        true
    }

    /// Something that was not said before.
    fn words(&mut self, letter: char) -> String {
        self.said += 1;
        format!("{letter}{}", self.said)
    }

    /// One turn; it is a step only where there was something to do.
    fn turn(&mut self) {
        self.step += 1;
        let did = match self.below(37) {
            0..=4 => self.send(),
            5..=7 => self.send_late(),
            8..=19 => self.somebody("").is_some(),
            20..=21 => self.regenerate(),
            22..=23 => self.reask(),
            24 => self.queue(),
            25 => self.reconnect(),
            26..=30 => self.goes(),
            31..=32 => self.summarises(),
            33 => self.compares(),
            34 => self.sends_again(),
            35 => self.sends_in_both(),
            _ if self.step.is_multiple_of(5) => self.somebody_imports(),
            _ => false,
        };
        if !did {
            self.step -= 1;
            return;
        }
        self.check();
    }
}

/// Lives through a day of so many steps; none where there is no browser.
#[allow(clippy::print_stderr, reason = "whoever runs it wants to see the seed and how far it is")]
fn live(seed: u64, steps: u64) -> Option<()> {
    eprintln!("a random day at the page: seed {seed}, {steps} steps");
    let begun = Instant::now();
    let mut day = Day::begin(seed)?;
    let mut told = 0;
    loop {
        day.turn();
        let (step, sent, refused, held) = (day.step, day.sent, day.refused, day.held);
        if step < told + 500 && step < steps {
            continue;
        }
        told = step;
        let seconds = begun.elapsed().as_secs();
        eprintln!(
            "seed {seed}, step {step}: {sent} sends, {refused} refused, {held} held back, {seconds} s"
        );
        if step >= steps {
            break;
        }
    }
    eprintln!("seed {seed}: {:?}", day.kinds);
    assert!(day.sent * 5 > steps, "only {} of {steps} steps sent something", day.sent);
    assert!(day.refused * 50 > steps && day.held > 0, "hardly any page was ever behind");
    assert!(day.kinds.len() >= KINDS, "only {:?} were done", day.kinds);
    Some(())
}

/// So many kinds of steps are counted.
const KINDS: usize = 40;

#[test]
fn promise_1_whatever_happens_what_is_marked_is_what_is_sent() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let given = number("PLIMSOLL_SEED");
    if !plimsoll_testkit::real::long() {
        // A normal run repeats one day, so that a failure is that of the change.
        live(given.unwrap_or(4711), number("PLIMSOLL_STEPS").unwrap_or(STEPS.0));
        return;
    }
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let seed: u64 = given.unwrap_or_else(now);
    std::thread::scope(|scope| {
        for day in 0..number("PLIMSOLL_DAYS").unwrap_or(LONG_DAYS) {
            let steps = number("PLIMSOLL_STEPS").unwrap_or(STEPS.1 / LONG_DAYS);
            scope.spawn(move || live(seed + day, steps));
        }
    });
}
