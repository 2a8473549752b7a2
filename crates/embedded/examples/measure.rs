//! Measures the embedded model: `cargo run --release -p plimsoll-embedded --example
//! measure -- <model.gguf> [threads]`.
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a tool for people")]

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use futures_core::Stream;
use plimsoll_domain::Usage;
use plimsoll_embedded::{EmbeddedModel, EmbeddedOptions, MODEL_ID};
use plimsoll_provider::{AnswerStream, ChatMessage, ChatRequest, Delta, Provider};
use plimsoll_send::Role;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn next(stream: &mut AnswerStream) -> Option<Delta> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match Pin::new(&mut *stream).as_mut().poll_next(&mut Context::from_waker(&waker)) {
            Poll::Ready(item) => return item.and_then(Result::ok),
            Poll::Pending => thread::park(),
        }
    }
}

fn request(words: usize, max_output: u64) -> ChatRequest {
    let text = "The load line of a ship shows how deep she may lie in the water. ".repeat(words);
    let messages = vec![ChatMessage { role: Role::User, content: text }];
    let (model, max_output) = (MODEL_ID.to_owned(), Some(max_output));
    ChatRequest { model, messages, temperature: None, max_output }
}

/// The memory of this process, where Linux tells it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    format!("{} {}", line("VmRSS"), line("VmHWM")).replace('\t', " ")
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().map(Into::into);
    let threads = arguments.next().and_then(|threads| threads.parse().ok());
    let model = EmbeddedModel::new(EmbeddedOptions { path, threads, ..Default::default() });

    let start = Instant::now();
    model.count_tokens("a").expect("a model file");
    println!("tokenizer {:?}", start.elapsed());
    let text = "What it weighs, in 12,345 tokens. ".repeat(30_000);
    let start = Instant::now();
    let count = model.count_tokens(&text).expect("a model file");
    let speed = text.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("counting {speed:.1} MB/s ({count} tokens)");

    let start = Instant::now();
    let mut stream = model.answer(request(1, 5000));
    while next(&mut stream).is_some() {}
    println!("load {:?}; {}", start.elapsed(), memory());

    for sentences in [2, 33, 100, 100, 200] {
        let start = Instant::now();
        let mut stream = model.answer(request(sentences, 64));
        let (mut first, mut usage) = (None, Usage::default());
        while let Some(delta) = next(&mut stream) {
            match delta {
                Delta::Text(_) => drop(first.get_or_insert(start.elapsed().as_secs_f64())),
                Delta::Usage(used) => usage = used,
                _ => {}
            }
        }
        let (first, all) = (first.unwrap_or(0.0), start.elapsed().as_secs_f64());
        println!(
            "prompt {} (remembered {}): first token {first:.2} s, reads {:.0}/s, writes {:.1}/s; {}",
            usage.prompt,
            usage.cached,
            (usage.prompt - usage.cached) as f64 / first,
            usage.completion.saturating_sub(1) as f64 / (all - first),
            memory(),
        );
    }

    for wait in [50, 400, 900] {
        let mut slow = model.answer(request(150 + wait as usize % 7, 100));
        let _ = Pin::new(&mut slow).as_mut().poll_next(&mut Context::from_waker(Waker::noop()));
        thread::sleep(Duration::from_millis(wait));
        drop(slow);
        let start = Instant::now();
        // Refused for its length at once, as soon as the thread is free.
        let mut quick = model.answer(request(1, 5000));
        while next(&mut quick).is_some() {}
        println!("cancel after {wait} ms: free again in {:?}", start.elapsed());
    }
}
