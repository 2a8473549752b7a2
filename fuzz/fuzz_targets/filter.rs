//! Any text in the command box: parse, explain, complete, print and parse again.
#![no_main]

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use plimsoll_domain::Timestamp;
use plimsoll_filter::{Date, Scope, TopicNode, compile, complete, parse};

struct World;

impl Scope for World {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000)
    }
    fn day(&self, _date: Date) -> Range<Timestamp> {
        Timestamp::from_millis(0)..Timestamp::from_millis(1)
    }
    fn topics(&self) -> &[TopicNode] {
        &[]
    }
    fn models(&self) -> &[String] {
        &[]
    }
    fn selected_topic(&self) -> Option<usize> {
        None
    }
    fn selected_model(&self) -> Option<&str> {
        Some("m")
    }
    fn saved(&self, name: &str) -> Option<&str> {
        (name == "a").then_some("b | @a")
    }
}

fuzz_target!(|text: &str| {
    let _ = complete(text, text.len() / 2, &World, &["a".to_owned()]);
    match parse(text) {
        Err(error) => {
            assert!(text.is_char_boundary(error.position), "{error:?}");
            let _ = error.caret(text);
        }
        Ok(query) => {
            if let Err(error) = compile(query.expr.as_ref(), &World) {
                let _ = error.caret(text);
            }
            if let Some(expr) = query.expr {
                let printed = expr.to_string();
                let again = parse(&printed).map(|query| query.expr);
                assert_eq!(again, Ok(Some(expr)), "{printed}");
            }
        }
    }
});
