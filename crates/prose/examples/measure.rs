//! How fast texts are rendered: `cargo run --release -p plimsoll-prose --example measure`.
//!
//! Three parts: a typical answer and a window of forty pairs; the same as it streams in;
//! and texts made to be expensive, at a size and at four times that size, whose ratio
//! says whether the work grows with the text or faster.

// A measurement speaks.
#![allow(clippy::print_stdout)]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use plimsoll_prose::{plain_preview, render, render_partial, stable_prefix};

const ANSWER: &str = "## Why it blocks\n\nBecause `std::sync::Mutex` is held **across** an \
`.await`, see [the guide](https://tokio.rs/tokio/tutorial). A guard that lives until the end of \
the block keeps the lock while the task sleeps, and every other task on the worker waits.\n\n\
- Drop the guard *before* the await.\n- Or use `tokio::sync::Mutex`, which may be held.\n- Or \
move the state into a task and talk to it over a channel.\n\n```rust\nasync fn next(queue: \
&Mutex<VecDeque<Job>>) -> Option<Job> {\n    // The guard is dropped at the end of this line.\n    \
let job = queue.lock().unwrap().pop_front();\n    if let Some(job) = &job {\n        \
println!(\"running {} of {}\", job.id, 42);\n    }\n    job\n}\n```\n\n| way | cost | when |\n\
|-----|-----:|------|\n| drop early | 0 | nearly always |\n| async mutex | ~50 ns | held across \
await |\n\nWith $n$ tasks the wait grows as $O(n \\log n)$:\n\n$$\nT(n) = \\sum_{i=1}^{n} \
\\frac{c}{i} \\approx c \\ln n\n$$\n\nThat is all there is to it, and it costs $5 at most.\n\n";

/// The shortest of many runs: others on the machine can only make one longer.
fn time(mut work: impl FnMut()) -> Duration {
    let begin = Instant::now();
    let mut shortest = Duration::MAX;
    while begin.elapsed() < Duration::from_millis(600) {
        let one = Instant::now();
        work();
        shortest = shortest.min(one.elapsed());
    }
    shortest
}

fn few(text: &str) -> Duration {
    (0..5)
        .map(|_| {
            let begin = Instant::now();
            black_box(render(text));
            begin.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn row(name: &str, bytes: usize, took: Duration) {
    let speed = bytes as f64 / took.as_secs_f64() / 1e6;
    println!("{name:<34} {bytes:>9} B {:>11.3} ms {speed:>8.1} MB/s", took.as_secs_f64() * 1e3);
}

fn main() {
    let begin = Instant::now();
    black_box(render(ANSWER));
    row("the first answer of a process", ANSWER.len(), begin.elapsed());
    row("a typical answer", ANSWER.len(), time(|| drop(black_box(render(ANSWER)))));
    let window: Vec<String> = (0..40).map(|n| ANSWER.replace('n', &format!("n{n}"))).collect();
    let bytes = window.iter().map(String::len).sum();
    row(
        "a window of 40 answers",
        bytes,
        time(|| {
            for answer in &window {
                black_box(render(answer));
            }
        }),
    );
    let code = format!("```rust\n{}```\n", "let job = queue.lock(); // a comment\n".repeat(2_000));
    row("code", code.len(), time(|| drop(black_box(render(&code)))));
    let prose =
        "Plain words in sentences, as people write them to each other. ".repeat(20) + "\n\n";
    let prose = prose.repeat(50);
    row("prose without anything", prose.len(), time(|| drop(black_box(render(&prose)))));
    row("a preview", ANSWER.len(), time(|| drop(black_box(plain_preview(ANSWER, 120)))));
    streaming();
    hostile();
}

/// An answer of 32 KB in pieces of 20 bytes, each shown when it arrives.
fn streaming() {
    let answer = ANSWER.repeat(32 * 1024 / ANSWER.len());
    let cuts: Vec<usize> =
        (0..answer.len()).step_by(20).filter(|&at| answer.is_char_boundary(at)).collect();
    let begin = Instant::now();
    let mut kept = 0;
    let mut longest = 0;
    for &cut in &cuts {
        kept += stable_prefix(&answer[kept..cut]);
        longest = longest.max(cut - kept);
        black_box(render_partial(&answer[kept..cut]));
    }
    let each = begin.elapsed() / u32::try_from(cuts.len()).unwrap_or(1);
    println!("streaming: {} pieces, {each:?} each, longest tail {longest} B", cuts.len());
}

fn hostile() {
    println!("\n{:<26} {:>12} {:>12} {:>7}", "hostile", "100 KB", "400 KB", "ratio");
    let deep = |n: usize| (0..n).map(|n| " ".repeat(2 * n) + "- a\n").collect::<String>();
    let texts: [(&str, &dyn Fn(usize) -> String); 30] = [
        ("quotes", &|n| ">".repeat(n)),
        ("lists", &|n| "- ".repeat(n / 2) + "a"),
        ("lists, empty lines", &|n| "- ".repeat(n / 4) + "a" + &"\n".repeat(n / 2)),
        ("indented lists, empty lines", &|n| deep(200) + &"\n".repeat(n)),
        ("quotes over lines", &|n| ("> ".repeat(60) + "a\n").repeat(n / 122)),
        ("brackets", &|n| "[".repeat(n)),
        ("brackets closed", &|n| "[".repeat(n / 2) + &"]".repeat(n / 2)),
        ("links in links", &|n| "[a](".repeat(n / 4)),
        ("images", &|n| "![".repeat(n / 6) + &"](b)".repeat(n / 6)),
        ("stars", &|n| "*".repeat(n)),
        ("emphasis", &|n| "*a ".repeat(n / 3)),
        ("emphasis closed", &|n| "*a ".repeat(n / 6) + &"a* ".repeat(n / 6)),
        ("mixed emphasis", &|n| "*_~a".repeat(n / 4)),
        ("ticks", &|n| (1..n.isqrt()).map(|n| "`".repeat(n) + "a").collect()),
        ("angles", &|n| "<".repeat(n)),
        ("open tags", &|n| "<a ".repeat(n / 3)),
        ("comments", &|n| "<!-- ".repeat(n / 5)),
        ("instructions", &|n| "a<?".repeat(n / 3)),
        ("declarations", &|n| "a<!A".repeat(n / 4)),
        ("cdata", &|n| "a<![CDATA[".repeat(n / 10)),
        ("dollars", &|n| "$a ".repeat(n / 3)),
        ("formulas", &|n| "$a$ ".repeat(n / 4)),
        ("open formulas", &|n| "\\[ ".repeat(n / 3)),
        ("words in brackets", &|n| "\\(ab cd\\) ".repeat(n / 10)),
        ("addresses", &|n| "http://http://".repeat(n / 14)),
        ("definitions", &|n| (0..n / 20).map(|n| format!("[{n}]: https://a/{n}\n")).collect()),
        ("references", &|n| "[a]: b\n\n".to_owned() + &"[a] ".repeat(n / 4)),
        ("bars", &|n| "|".repeat(n)),
        ("wide table", &|n| {
            format!("{}\n{}\n{}", "|a".repeat(n / 8), "|-".repeat(n / 8), "|b\n".repeat(n / 6))
        }),
        ("entities", &|n| "&amp;".repeat(n / 5)),
    ];
    for (name, text) in texts {
        let (small, large) = (few(&text(100_000)), few(&text(400_000)));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        println!("{name:<26} {small:>12.2?} {large:>12.2?} {ratio:>7.1}");
    }
}
