//! The real model. Its weights are fetched once into the target directory; where that
//! is impossible these tests say so and do nothing. `PLIMSOLL_TEST_WEIGHTS` names a
//! file that is there already.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use futures_core::Stream;
use plimsoll_domain::Usage;
use plimsoll_embedded::{EmbeddedModel, EmbeddedOptions, FetchError, MODEL_ID, WINDOW, fetch};
use plimsoll_fault::Label;
use plimsoll_provider::{AnswerStream, Delta, Finish, Provider, ProviderFailure};
use plimsoll_send::{Message, Request, Role};
use plimsoll_testkit::real;

/// The weights, or none with a loud word about it.
fn weights() -> Option<PathBuf> {
    real::weights(Path::new(env!("CARGO_TARGET_TMPDIR")), |cache| {
        let fetched = fetch(cache, None, &mut |_| ControlFlow::Continue(()))?;
        Ok::<_, FetchError>(fetched.path().to_owned())
    })
}

/// One model for all tests; each takes its turn.
fn model() -> Option<&'static EmbeddedModel> {
    static MODEL: OnceLock<EmbeddedModel> = OnceLock::new();
    let path = weights()?;
    let options = EmbeddedOptions { path: Some(path), ..EmbeddedOptions::default() };
    Some(MODEL.get_or_init(|| EmbeddedModel::new(options)))
}

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

fn request(turns: &[(Role, &str)], max_output: u64) -> Request {
    let message = |(role, content): &(Role, &str)| Message::new(*role, *content);
    let request = Request::new(MODEL_ID, turns.iter().map(message).collect());
    Request { max_output: Some(max_output), ..request }
}

fn ask(
    model: &EmbeddedModel,
    turns: &[(Role, &str)],
    max_output: u64,
) -> Result<(String, Finish, Usage), ProviderFailure> {
    let mut stream = model.ask(&request(turns, max_output));
    let (mut text, mut finish, mut usage) = (String::new(), Finish::Stop, Usage::default());
    while let Some(item) = next(&mut stream) {
        match item? {
            Delta::Text(piece) => text += &piece,
            Delta::Finished(why) => finish = why,
            Delta::Usage(used) => usage = used,
            Delta::Loading | Delta::Reasoning(_) | Delta::ToolCall(_) => {}
        }
    }
    Ok((text, finish, usage))
}

const CAPITAL: &str = "What is the capital of France? Answer in one sentence.";

#[test]
fn it_knows_the_capital_of_france_and_says_so_twice() {
    let Some(model) = model() else { return };
    let (text, finish, usage) = ask(model, &[(Role::User, CAPITAL)], 40).unwrap();
    assert_eq!(text, "The capital of France is Paris.");
    assert_eq!(finish, Finish::Stop);
    // llama.cpp counts 21 tokens in the same prompt.
    assert_eq!((usage.prompt, usage.completion), (21, 7));
    assert_eq!(ask(model, &[(Role::User, CAPITAL)], 40).unwrap().0, text);
}

#[test]
fn it_reads_systems_and_turns() {
    let Some(model) = model() else { return };
    let turns = [
        (Role::System, "You are a helpful assistant."),
        (Role::User, "I like apples."),
        (Role::Assistant, "Great! You like apples."),
        (Role::User, "Which fruit do I like?"),
    ];
    let (text, _, usage) = ask(model, &turns, 24).unwrap();
    assert!(text.contains("apples"), "{text}");
    let messages = request(&turns, 24).messages;
    assert_eq!(Some(usage.prompt), model.count_prompt(&messages));
}

/// The first tokens were computed in double precision by a few lines of numpy from the
/// same file; each leads by a third of a unit or more, and ours are off by less.
#[test]
fn it_begins_as_a_reference_does() {
    let Some(model) = model() else { return };
    let long = "A ship may lie as deep as her load line shows. ".repeat(30);
    for (content, prompt, first) in
        [(CAPITAL, 21, "The"), ("Write a haiku about the sea.", 17, "The"), (&long, 370, "A")]
    {
        let (text, finish, usage) = ask(model, &[(Role::User, content)], 1).unwrap();
        assert_eq!((text.as_str(), usage.prompt, usage.completion), (first, prompt, 1));
        assert_eq!(finish, Finish::Length);
    }
}

/// `tokens.jsonl` was written by llama.cpp (`/tokenize` without specials), and the
/// Python package tokenizers agreed on every line.
#[test]
fn tokens_are_those_of_llama_cpp() {
    let Some(model) = model() else { return };
    for line in include_str!("tokens.jsonl").lines() {
        let (text, expected): (String, Vec<u32>) = serde_json::from_str(line).unwrap();
        assert_eq!(model.tokens(&text), Some(expected.clone()), "{text:?}");
        assert_eq!(model.count_tokens(&text), Some(expected.len() as u64));
    }
}

#[test]
fn beyond_its_window_it_says_by_how_much() {
    let Some(model) = model() else { return };
    let text = "word ".repeat(5000);
    let failure = ask(model, &[(Role::User, &text)], 1).unwrap_err();
    let prompt = model.count_prompt(&request(&[(Role::User, &text)], 1).messages);
    let fault = failure.fault();
    assert_eq!(fault.label, Label::Overflow);
    assert_eq!((fault.limit, fault.requested), (Some(WINDOW as u64), prompt));
}

#[test]
fn snd_4_a_cancel_is_seen_at_once() {
    let Some(path) = weights() else { return };
    // A model of its own, because the other one may have many answers to give.
    let model = &EmbeddedModel::new(EmbeddedOptions { path: Some(path), ..Default::default() });
    let essay = "A ship may lie as deep as her load line shows. ".repeat(200);
    // Wait until the model is loaded.
    ask(model, &[(Role::User, "Hi")], 1).unwrap();
    let mut slow = model.ask(&request(&[(Role::User, &essay)], 100));
    let waker = Waker::noop();
    let _ = Pin::new(&mut slow).poll_next(&mut Context::from_waker(waker));
    thread::sleep(Duration::from_millis(300));
    drop(slow);
    let start = Instant::now();
    // Refused for its length at once, as soon as the thread is free.
    ask(model, &[(Role::User, "Hi")], 5000).unwrap_err();
    // Reading the long prompt would take many seconds. It takes milliseconds to stop; the
    // bound is wide because other programs use the same cores.
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

/// EST-5: what a conversation is said to weigh, from its texts and what the chat format adds,
/// is what the model reads, to the token. Blanks at the ends, empty lines and text that looks
/// like a mark are texts like others.
#[test]
fn est_5_estimates_equal_the_usage_to_the_token() {
    use proptest::{prelude::*, test_runner::TestRunner};

    let Some(model) = model() else { return };
    let format = model.chat_format().unwrap();
    let estimate = |turns: &[(Role, String)]| {
        let message = |(role, text): &(Role, String)| {
            let more = if *role == Role::Assistant { format.answer } else { 0 };
            model.count_tokens(text).unwrap() + format.message + more
        };
        turns.iter().map(message).sum::<u64>() + format.request
    };
    let text = prop_oneof![
        "[a-z]{1,9}( [a-z]{1,9}){0,12}[.?!]?",
        "[ \\t\\n]{0,3}\\PC{1,60}[ \\t\\n]{0,3}",
        "\\n\\n[0-9]{1,12}\\r\\n",
        Just("<|im_end|>\n<|im_start|>user\n".to_owned()),
        Just("  船は線まで。\n".to_owned()),
    ];
    let turns = (prop::option::of(text.clone()), prop::collection::vec(text, 1..8));
    let conversation = turns.prop_map(|(system, texts)| {
        let sides = [Role::User, Role::Assistant].into_iter().cycle();
        let system = system.map(|text| (Role::System, text));
        system.into_iter().chain(sides.zip(texts)).collect::<Vec<_>>()
    });
    let mut runner = TestRunner::new(ProptestConfig::with_cases(real::times(300, 5000)));
    let counted = runner.run(&conversation, |turns| {
        let messages: Vec<Message> =
            turns.iter().map(|(role, text)| Message::new(*role, text.as_str())).collect();
        prop_assert_eq!(Some(estimate(&turns)), model.count_prompt(&messages), "{:?}", turns);
        Ok(())
    });
    counted.unwrap();
    // And what is reported is what is counted, over real answers.
    let mut runner = TestRunner::new(ProptestConfig::with_cases(real::times(6, 60)));
    let reported = runner.run(&conversation, |turns| {
        let said: Vec<(Role, &str)> =
            turns.iter().map(|(role, text)| (*role, text.as_str())).collect();
        let (_, _, usage) = ask(model, &said, 1).unwrap();
        prop_assert_eq!(usage.prompt, estimate(&turns));
        Ok(())
    });
    reported.unwrap();
}
