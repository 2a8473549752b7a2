//! REL-5: many clients at once, for a while, without an error and with flat memory.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use plimsoll_testkit::{
    http::{self, Events},
    real::{skipped, times},
    scripted::{Reply, ScriptedServer},
};
use serde_json::json;

use crate::{
    growth::{WINDOW, fill_window},
    measures::memory,
    served::Served,
};

const CLIENTS: usize = 200;

/// As much as memory may move once everybody is there.
const FLAT: u64 = 24 << 20;

#[test]
fn rel_5_two_hundred_clients_follow_and_ask_and_memory_is_flat() {
    let pieces: Vec<String> = (0..20).map(|n| format!("piece {n} ")).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let server = ScriptedServer::chats([Reply::openai(&pieces, 14, 20)]).unwrap();
    let served = Served::start(&server, 4096);
    let long = Duration::from_secs(u64::from(times(6, 60)));
    let (over, heard) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let path = if client % 2 == 0 { "/api/events" } else { "/ui/events" };
            let mut events = Events::listen(&served.address, path, &[]).unwrap();
            let (over, heard) = (Arc::clone(&over), Arc::clone(&heard));
            let address = served.address.clone();
            std::thread::spawn(move || -> Result<usize, String> {
                let mut ends = 0;
                while !over.load(Ordering::Relaxed) {
                    let seen = events.until("ended").map_err(|error| error.to_string())?;
                    if seen.iter().any(|event| event.name == "reset") {
                        return Err("a client that kept up was sent back".to_owned());
                    }
                    let state = http::request(&address, "GET", "/api/state", &[], b"");
                    let state = state.map_err(|error| error.to_string())?;
                    if state.status != 200 {
                        return Err(format!("{}: {}", state.status, state.body));
                    }
                    ends += 1;
                    heard.fetch_add(1, Ordering::Relaxed);
                }
                Ok(ends)
            })
        })
        .collect();
    let send = |n: usize| {
        let mut events = served.events();
        let ask = json!({"text": format!("question {n}")});
        served.json("POST", "/api/send", Some(ask));
        events.until("ended").unwrap();
    };
    // Everybody has been served a few times before memory is looked at.
    (0..4).for_each(send);
    let before = memory(served.pid());
    let (began, mut sends) = (Instant::now(), 4);
    while began.elapsed() < long {
        send(sends);
        sends += 1;
    }
    let after = memory(served.pid());
    over.store(true, Ordering::Relaxed);
    // Whoever waits for an end is given one.
    send(sends);
    for client in clients {
        // One that was just past its look at the flag waits for a further end.
        while !client.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
            sends += 1;
            send(sends);
        }
        let ends = client.join().unwrap().unwrap();
        assert!(ends >= 4, "a client heard of {ends} ends only");
    }
    let heard = heard.load(Ordering::Relaxed);
    println!("{CLIENTS} clients, {sends} sends, {heard} ends heard, in {:?}", began.elapsed());
    flat(before, after);
}

/// REL-5: watchers, fifty requests a second and a send after the other; memory is flat in the
/// second half. At full size (500 watchers, two minutes) in the long mode.
#[test]
fn rel_5_many_watchers_and_fifty_requests_a_second() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 20)]).unwrap();
    let served = Served::start(&server, 4096);
    let half = Duration::from_secs(u64::from(times(3, 60)));
    let over = AtomicBool::new(false);
    let (watchers, asked) = (times(60, 500), AtomicUsize::new(0));
    let watching: Vec<_> = (0..watchers)
        .map(|_| Events::listen(&served.address, "/ui/events", &[]).unwrap())
        .collect();
    let (middle, end, sends) = std::thread::scope(|scope| {
        for mut events in watching {
            let over = &over;
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    events.until("ended").unwrap();
                }
            });
        }
        let sending = scope.spawn(|| {
            let mut sends = 0;
            while !over.load(Ordering::Relaxed) {
                served.send(&format!("question {sends}"));
                sends += 1;
            }
            // Whoever waits for an end is given one.
            served.send("the last one");
            sends
        });
        let ask_for = |time: Duration| {
            let began = Instant::now();
            for nth in 0.. {
                let due = Duration::from_millis(20) * nth;
                if due >= time {
                    break;
                }
                std::thread::sleep(due.saturating_sub(began.elapsed()));
                let paths = ["/api/state", "/healthz", "/api/pairs?from=0&limit=20", "/"];
                let path = paths[nth as usize % paths.len()];
                let answer = http::request(&served.address, "GET", path, &[], b"").unwrap();
                assert_eq!(answer.status, 200, "{path}: {}", answer.body);
                asked.fetch_add(1, Ordering::Relaxed);
            }
            memory(served.pid())
        };
        let (middle, end) = (ask_for(half), ask_for(half));
        over.store(true, Ordering::Relaxed);
        (middle, end, sending.join().unwrap())
    });
    let asked = asked.load(Ordering::Relaxed);
    println!("{watchers} watchers, {asked} requests, {sends} sends in twice {half:?}");
    flat(middle, end);
}

/// Sends with a full window leave memory as it was. It had grown by 24.5 KB a send, so less than
/// that must be told from what the allocator and the stacks of threads still take after some
/// hundred sends; the more sends, the less a send may take. The window is full from the first.
/// 2,000 in the long mode.
#[test]
fn rel_9_sends_with_a_full_window_leave_memory_flat() {
    let a_send = u64::from(times(20, 12)) << 10;
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 20)]).unwrap();
    let served = Served::start_with(&server, WINDOW, fill_window);
    let half = times(400, 1_000);
    let send = |nth: u32| {
        served.send(&format!("question {nth}: {}", "some more words ".repeat(3)));
    };
    (0..half).for_each(send);
    let middle = memory(served.pid());
    (half..2 * half).for_each(send);
    println!("{} sends", 2 * half);
    within(middle, memory(served.pid()), u64::from(half) * a_send);
}

fn flat(before: Option<u64>, after: Option<u64>) {
    within(before, after, FLAT);
}

#[allow(clippy::print_stdout, reason = "the figures are what people run it for")]
fn within(before: Option<u64>, after: Option<u64>, most: u64) {
    match (before, after) {
        (Some(before), Some(after)) => {
            println!("memory: {} KB, then {} KB", before >> 10, after >> 10);
            assert!(after < before + most, "{} KB became {} KB", before >> 10, after >> 10);
        }
        _ => skipped("the memory of a process cannot be seen here"),
    }
}
