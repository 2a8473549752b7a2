//! What happened, as text that is the same each time: ids and times are numbered.

use std::{collections::HashMap, sync::LazyLock};

use regex::{Captures, Regex};
use serde_json::Value;

/// Ids, file ids, times, addresses and durations.
static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
    let ids =
        r"(?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\bF-[0-9a-z]{6,})";
    let times =
        r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\b\d{4}-\d\d-\d\d(?: \d\d:\d\d)?\b)";
    let rest = r"(?P<port>127\.0\.0\.1:\d+)|(?P<path>/tmp/\.tmp\w+)";
    let spans = r#"(?P<span>"(?:\w*Ms|\w*Us|at|event|millis)": ?[\d.]+)|(?P<seconds>\b\d+(?:\.\d+)? m?s\b)"#;
    Regex::new(&format!("{ids}|{times}|{rest}|{spans}")).unwrap()
});

#[derive(Default)]
pub(crate) struct Told {
    text: String,
    known: HashMap<String, usize>,
    /// A request names files by their ids, so hashes of messages change too.
    pub(crate) names_files: bool,
}

impl Told {
    pub(crate) fn text(&mut self, title: &str, text: &str) {
        self.text.push_str(&format!("=== {title}\n{text}\n"));
    }

    pub(crate) fn value(&mut self, title: &str, value: &Value) {
        self.text(title, &serde_json::to_string_pretty(value).unwrap());
    }

    /// The whole, ids numbered in the order in which they came.
    pub(crate) fn whole(mut self) -> String {
        let known = &mut self.known;
        let hash = Regex::new("[0-9a-f]{64}").unwrap();
        if self.names_files {
            self.text = hash.replace_all(&self.text, "HASH").into_owned();
        }
        let plain = CHANGING.replace_all(&self.text, |found: &Captures<'_>| {
            if let Some(id) = found.name("id") {
                let next = known.len() + 1;
                return format!("id-{}", known.entry(id.as_str().to_owned()).or_insert(next));
            }
            match found.name("span") {
                Some(span) => format!("{}: 0", span.as_str().split(':').next().unwrap_or_default()),
                None if found.name("time").is_some() => "TIME".to_owned(),
                None if found.name("port").is_some() => "HOST".to_owned(),
                None if found.name("seconds").is_some() => "SECONDS".to_owned(),
                None => "HOME".to_owned(),
            }
        });
        plain.into_owned()
    }
}

/// Compares with what was pinned.
#[macro_export]
macro_rules! pinned {
    ($name:expr, $scene:expr) => {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!($name, $scene.told.whole());
        })
    };
}
