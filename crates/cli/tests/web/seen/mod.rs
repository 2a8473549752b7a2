//! PAY-6 through the API alone: no send that carries `seen` sends what was not shown. The seed
//! is printed; PLIMSOLL_SEED repeats a run, and PLIMSOLL_LONG=1 makes it a long one.

mod client;
mod look;
mod others;

use std::time::Instant;

use client::{Asked, Client};

/// Steps of a normal run and of a long one. In each a client looks, something may be changed,
/// and the client sends.
const STEPS: (u64, u64) = (2_000, 50_000);

/// Carries out one step.
fn step(client: &mut Client) {
    client.thin_out();
    let asked = client.ask();
    let Some(shown) = client.look(&asked) else { return };
    let changed = client.interfere();
    let fate = client.fate();
    let answer = client.send(&asked, &shown);
    let calls = client.calls.lock().unwrap().clone();
    let what = format!("step {}: {asked:?} after {changed:?}", client.step);
    match answer.status {
        202 => {
            client.end(fate);
            let calls = client.calls.lock().unwrap().split_off(0);
            let first = calls.first().unwrap_or_else(|| panic!("{what}: nothing was sent"));
            if let Some(words) = shown.differs(first) {
                panic!("{what}: {words}");
            }
            client.count(asked.name());
            client.count(fate.name());
            client.sent += 1;
        }
        status => {
            assert!(calls.is_empty(), "{what}: refused with {status}, and still sent");
            assert!(changed.is_some(), "{what}: refused for nothing: {}", answer.body);
            // A pair that is gone, or is not the newest any more, cannot be asked again.
            let again = !matches!(asked, Asked::New(_));
            let view_changed = status == 409 && answer.body.contains("view_changed");
            assert!(view_changed || again && status < 500, "{what}: {}", answer.body);
            client.refused += 1;
        }
    }
    client.count(changed.unwrap_or("no change"));
}

#[test]
#[allow(clippy::print_stderr, reason = "whoever runs it wants to see the seed and how far it is")]
fn pay_6_no_send_that_carries_seen_sends_what_was_not_shown() {
    let seed = std::env::var("PLIMSOLL_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(4711);
    let steps = if plimsoll_testkit::real::long() { STEPS.1 } else { STEPS.0 };
    eprintln!("seen through the API: seed {seed}, {steps} steps");
    let begun = Instant::now();
    let mut client = Client::begin(seed);
    while client.sent + client.refused < steps {
        client.step += 1;
        step(&mut client);
    }
    let (sent, refused) = (client.sent, client.refused);
    let seconds = begun.elapsed().as_secs();
    eprintln!("seed {seed}: {sent} sent, {refused} refused, {seconds} s, {:?}", client.kinds);
    assert!(sent > steps / 3 && refused > steps / 10, "{sent} sent, {refused} refused");
    assert!(client.kinds.len() >= KINDS, "only {:?} were done", client.kinds);
}

/// So many kinds of sends, ends and changes are counted.
const KINDS: usize = 24;
