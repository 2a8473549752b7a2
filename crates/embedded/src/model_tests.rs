//! The provider with a tiny model; the real one is in `tests/real.rs`.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use futures_core::Stream;
use plimsoll_domain::Usage;
use plimsoll_fault::{Label, Subkind};
use plimsoll_provider::{Delta, Finish};
use plimsoll_send::{Message, Request, Role};

use super::*;
use crate::tiny;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn next(stream: &mut AnswerStream) -> Option<Result<Delta, ProviderFailure>> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match Pin::new(&mut *stream).poll_next(&mut Context::from_waker(&waker)) {
            Poll::Ready(item) => return item,
            Poll::Pending => thread::park(),
        }
    }
}

/// All of an answer.
#[derive(Debug, Default, PartialEq)]
struct Answer {
    loading: bool,
    text: String,
    finish: Option<Finish>,
    usage: Option<Usage>,
}

fn collect(mut stream: AnswerStream) -> Result<Answer, ProviderFailure> {
    let mut answer = Answer::default();
    while let Some(item) = next(&mut stream) {
        match item? {
            Delta::Loading => answer.loading = true,
            Delta::Text(text) => answer.text += &text,
            Delta::Finished(finish) => answer.finish = Some(finish),
            Delta::Usage(usage) => answer.usage = Some(usage),
            Delta::Reasoning(_) | Delta::ToolCall(_) => panic!("this model only talks"),
        }
    }
    Ok(answer)
}

fn request(content: &str, max_output: Option<u64>) -> Request {
    let request = Request::new(MODEL_ID, vec![Message::new(Role::User, content)]);
    Request { max_output, ..request }
}

fn model(window: u32) -> (EmbeddedModel, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    let path = Some(tiny::write(&home, window));
    let options = EmbeddedOptions { path, threads: Some(2), ..EmbeddedOptions::default() };
    (EmbeddedModel::new(options), home)
}

#[test]
fn prv_4_without_weights_the_answer_is_the_hint() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().to_owned();
    let model = EmbeddedModel::new(EmbeddedOptions { data_dir, ..Default::default() });
    let failure = collect(model.ask(&request("hello", None))).unwrap_err();
    let fault = failure.fault();
    assert_eq!(fault.label, Label::Model);
    assert!(failure.body.contains("PyPI"), "{}", failure.body);
    assert_eq!(model.count_tokens("hello"), None);
}

#[test]
fn snd_5_loading_is_said_once_and_again_after_unloading() {
    let (model, _home) = model(256);
    let loading = || collect(model.ask(&request("hello", Some(1)))).unwrap().loading;
    assert!(loading());
    assert!(!loading());
    model.unload();
    assert!(loading());
    model.unload();
    model.load();
    assert!(!loading());
}

#[test]
fn snd_4c_an_answer_ends_at_its_largest_length_and_usage_is_exact() {
    let (model, _home) = model(256);
    let request = request("hello", Some(5));
    let prompt = model.count_prompt(&request.messages).unwrap();
    // Marks, role, line ends and five letters, byte by byte, and the opened answer.
    assert_eq!(prompt, 1 + 5 + 5 + 1 + 1 + 1 + 10);
    let answer = collect(model.ask(&request)).unwrap();
    let usage = answer.usage.unwrap();
    assert_eq!((usage.prompt, usage.cached, usage.reasoning), (prompt, 0, 0));
    match answer.finish {
        Some(Finish::Length) => assert_eq!(usage.completion, 5),
        Some(Finish::Stop) => assert!(usage.completion < 5),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_window_ends_an_answer_that_would_not() {
    let (model, _home) = model(64);
    for seed in ["a", "b", "c", "d"] {
        let answer = collect(model.ask(&request(seed, None))).unwrap();
        let usage = answer.usage.unwrap();
        assert!(usage.prompt + usage.completion <= 64, "{usage:?}");
        assert_eq!(answer.finish == Some(Finish::Length), usage.prompt + usage.completion == 64);
    }
}

#[test]
fn prv_4_beyond_the_window_there_is_a_real_overflow() {
    let (model, _home) = model(256);
    let failed = |content: &str, output| {
        let failure = collect(model.ask(&request(content, output))).unwrap_err();
        assert_eq!(failure.status, Some(400));
        let fault = failure.fault();
        (fault.label, fault.subkind, fault.limit, fault.requested)
    };
    // The marks and roles around the message take 19 tokens.
    let long = "x".repeat(300);
    assert_eq!(failed(&long, None), (Label::Overflow, None, Some(256), Some(319)));
    assert_eq!(failed(&"x".repeat(237), None), (Label::Overflow, None, Some(256), Some(256)));
    let sum = (Label::OverflowOutput, Some(Subkind::Sum), Some(256), Some(319));
    assert_eq!(failed(&"x".repeat(200), Some(100)), sum);
    let just = collect(model.ask(&request(&"x".repeat(236), None))).unwrap();
    assert_eq!(just.usage.unwrap().prompt, 255);
}

#[test]
fn answers_repeat_with_and_without_a_remembered_prompt() {
    let (first, _home) = model(1024);
    let long = "abcdefghij".repeat(60);
    let ask = |model: &EmbeddedModel, content: &str| {
        let answer = collect(model.ask(&request(content, Some(20)))).unwrap();
        (answer.text, answer.usage.unwrap())
    };
    let (text, usage) = ask(&first, &long);
    let (again, remembered) = ask(&first, &long);
    assert_eq!(text, again);
    assert_eq!((usage.cached, remembered.cached), (0, 512));
    // Another prompt with the same beginning, on a model that remembers and on a new one.
    let (second, _home) = model(1024);
    let other = format!("{}XYZ", &long[..450]);
    let (text, usage) = ask(&first, &other);
    assert_eq!(usage.cached, 384);
    assert_eq!(ask(&second, &other).0, text);
}

#[test]
fn a_temperature_rolls_the_same_dice_each_time() {
    let (model, _home) = model(256);
    let mut hot = request("hello", Some(30));
    hot.temperature = Some(2.0);
    let ask = |request: &Request| collect(model.ask(request)).unwrap().text;
    assert_eq!(ask(&hot), ask(&hot));
    assert_ne!(ask(&hot), ask(&request("hello", Some(30))));
}

#[test]
fn snd_4_a_dropped_answer_makes_room_for_the_next() {
    let (model, _home) = model(4096);
    let dropped: Vec<_> = (0..20).map(|_| model.ask(&request("hello", None))).collect();
    drop(dropped);
    collect(model.ask(&request("hello", Some(1)))).unwrap();
}

#[test]
fn whoever_comes_together_is_served_in_turn() {
    let (model, _home) = model(256);
    let streams: Vec<_> = (0..4).map(|_| model.ask(&request("hello", Some(9)))).collect();
    let texts: Vec<_> = streams.into_iter().map(|stream| collect(stream).unwrap().text).collect();
    assert!(texts.iter().all(|text| *text == texts[0]));
}

#[test]
fn special_words_of_a_user_are_only_words() {
    let (model, _home) = model(256);
    assert_eq!(model.count_tokens("<|im_end|>"), Some(10));
    assert_eq!(model.count_tokens("ab 12"), Some(4));
}

#[test]
fn the_answer_outlives_the_model() {
    let (model, _home) = model(256);
    let stream = model.ask(&request("hello", Some(3)));
    drop(model);
    assert!(collect(stream).unwrap().finish.is_some());
}
