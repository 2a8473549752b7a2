//! The embedded model beside llama.cpp on the same file, prompts and threads, in one
//! run: `cargo xtask bench embedded`. The peer is left out, loudly, where it cannot be
//! set up. `--quick` leaves the long prompt out, `--sentences` all but the sentence model.

mod sentences;

use std::{
    io::{Read, Write},
    net::TcpStream,
    ops::ControlFlow,
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Instant,
};

use futures_core::Stream;
use plimsoll_domain::Usage;
use plimsoll_embedded::{EmbeddedModel, EmbeddedOptions, FetchError, MODEL_ID, fetch};
use plimsoll_provider::{AnswerStream, Delta, Provider};
use plimsoll_send::{Message, Request, Role};
use plimsoll_testkit::{
    llama_server::{LlamaOptions, LlamaServer},
    real,
    report::Table,
};
use serde_json::{Value, json};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Tokens that are written after each prompt.
const WRITTEN: u32 = 64;

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

/// A text of about 15 tokens a sentence. It begins with its own number, so that nothing
/// remembered of another prompt helps.
fn prompt(sentences: usize) -> String {
    let line = "The load line of a ship shows how deep she may lie in the water. ";
    format!("{sentences}: {}", line.repeat(sentences))
}

/// Tokens a second.
struct Speeds {
    prompt: u64,
    reads: f64,
    writes: f64,
}

fn ours(model: &EmbeddedModel, sentences: usize) -> Speeds {
    let messages = vec![Message::new(Role::User, prompt(sentences))];
    let (model_id, max_output) = (MODEL_ID.to_owned(), Some(u64::from(WRITTEN)));
    let request = Request { max_output, ..Request::new(model_id, messages) };
    let started = Instant::now();
    let mut stream = model.ask(&request);
    let (mut first, mut usage) = (None, Usage::default());
    while let Some(delta) = next(&mut stream) {
        match delta {
            Delta::Text(_) => {
                first.get_or_insert(started.elapsed().as_secs_f64());
            }
            Delta::Usage(used) => usage = used,
            _ => {}
        }
    }
    let (first, all) = (first.unwrap_or(f64::NAN), started.elapsed().as_secs_f64());
    Speeds {
        prompt: usage.prompt,
        reads: usage.prompt.saturating_sub(usage.cached) as f64 / first,
        writes: usage.completion.saturating_sub(1) as f64 / (all - first),
    }
}

/// The same of the peer, as it measures itself.
fn theirs(server: &LlamaServer, sentences: usize) -> Outcome<Speeds> {
    let body = json!({
        "messages": [{"role": "user", "content": prompt(sentences)}],
        "max_tokens": WRITTEN, "temperature": 0, "cache_prompt": false,
    })
    .to_string();
    let address = server.root_url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    let value: Value = serde_json::from_str(body)?;
    let number = |name: &str| value["timings"][name].as_f64().ok_or("no timings");
    Ok(Speeds {
        prompt: number("prompt_n")? as u64,
        reads: number("prompt_per_second")?,
        writes: number("predicted_per_second")?,
    })
}

/// The most memory that this process had, in megabytes, where Linux tells it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn main() -> Outcome {
    let quick = std::env::args().any(|arg| arg == "--quick");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut table = Table::default();
    sentences::measure(cache, &mut table)?;
    if std::env::args().any(|arg| arg == "--sentences") {
        return Ok(table.print_and_save("sentences")?);
    }
    let Some(weights) = real::weights(cache, |cache| {
        let fetched = fetch(cache, None, &mut |_| ControlFlow::Continue(()))?;
        Ok::<_, FetchError>(fetched.path().to_owned())
    }) else {
        return Ok(());
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let options = EmbeddedOptions {
        path: Some(weights.clone()),
        threads: Some(threads),
        ..EmbeddedOptions::default()
    };
    let model = EmbeddedModel::new(options);

    let started = Instant::now();
    ours(&model, 1);
    table.row("load and first answer", "", started.elapsed().as_secs_f64(), "s");
    let text = "What it weighs, in 12,345 tokens. ".repeat(30_000);
    let started = Instant::now();
    model.count_tokens(&text).ok_or("no tokenizer")?;
    let speed = text.len() as f64 / started.elapsed().as_secs_f64() / 1e6;
    table.row("count tokens", "1 MB", speed, "MB/s");

    let peer = LlamaServer::start(
        cache,
        &LlamaOptions {
            model: weights,
            window: 4096,
            longest_answer: WRITTEN,
            threads: u32::try_from(threads)?,
        },
    );
    let peer = peer.map_err(|why| real::skipped(&format!("the peer: {why}"))).ok();
    for sentences in if quick { &[33][..] } else { &[33, 100] } {
        let mine = ours(&model, *sentences);
        let size = format!("prompt of {}", mine.prompt);
        let other = peer.as_ref().map(|server| theirs(server, *sentences)).transpose()?;
        table.row("reads", &size, mine.reads, "tokens/s");
        if let Some(other) = &other {
            table.ratio(format!("{:.2} × llama.cpp", mine.reads / other.reads));
            table.row("reads, llama.cpp (peer)", &size, other.reads, "tokens/s");
        }
        table.row("writes", &size, mine.writes, "tokens/s");
        if let Some(other) = &other {
            table.ratio(format!("{:.2} × llama.cpp", mine.writes / other.writes));
            table.row("writes, llama.cpp (peer)", &size, other.writes, "tokens/s");
        }
    }
    if let Some(megabytes) = peak_memory() {
        table.row("peak memory", "", megabytes, "MB");
    }
    Ok(table.print_and_save("embedded")?)
}
