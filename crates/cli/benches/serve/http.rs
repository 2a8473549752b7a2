//! A trivial route: what our doors (host, origin, headers) cost beside none.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use plimsoll_testkit::{
    report::Table,
    scripted::{Reply, ScriptedServer},
};

use crate::{
    bare::Bare,
    filled::{Effort, Outcome},
    served::Served,
};

/// Connections that ask at once.
const CLIENTS: usize = 8;

const ROUND: Duration = Duration::from_millis(500);

pub(crate) fn run(effort: Effort, bare: &Bare, table: &mut Table) -> Outcome {
    let provider = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)])?;
    let served = Served::start(&provider, 4096);
    let (mut ours, mut theirs) = (0.0_f64, 0.0_f64);
    // In turns, so that both meet the same moments of the machine.
    for _ in 0..effort.runs {
        theirs = theirs.max(rate(&bare.address));
        ours = ours.max(rate(&served.address));
    }
    table.row("HTTP: GET /healthz, 8 connections", "", ours, "requests/s");
    table.ratio(format!("{:.2} × bare axum", ours / theirs));
    table.goal("≥ 0.7 ×", ours >= 0.7 * theirs);
    Ok(())
}

/// Requests in a second.
fn rate(address: &str) -> f64 {
    let started = Instant::now();
    let done: usize = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| asked(address))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    done as f64 / started.elapsed().as_secs_f64()
}

/// Asks again and again over one connection; how often it was answered.
fn asked(address: &str) -> usize {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let (mut done, mut answer, started) = (0, [0; 4096], Instant::now());
    while started.elapsed() < ROUND {
        stream.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        while !answer[..length].ends_with(b"ok\n") {
            let read = stream.read(&mut answer[length..]).unwrap();
            assert!(read > 0, "the server hung up");
            length += read;
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"), "it was refused");
        done += 1;
    }
    done
}
