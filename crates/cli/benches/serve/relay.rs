//! An answer on its way: from a provider through the store's app to whoever follows.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use plimsoll_testkit::{
    report::Table,
    scripted::{Reply, ScriptedServer},
};
use serde_json::json;

use crate::{
    bare::{Bare, PIECE, PIECES},
    filled::{Effort, Outcome},
    served::Served,
};

pub(crate) fn run(effort: Effort, bare: &Bare, table: &mut Table) -> Outcome {
    let unused = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)])?;
    let served = Served::start_with(&unused, 4096, |home| {
        let models = format!(
            "[[model]]\nid = \"test\"\nprovider = \"openai\"\nbaseUrl = \"http://{}/v1\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = 4096\n",
            bare.address
        );
        std::fs::write(home.join("models.toml"), models).unwrap();
        // Each answer is far larger than the window; none goes along with the next.
        std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
    });
    let (mut ours, mut theirs, mut behind) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..effort.runs {
        let started = Instant::now();
        let seen = until_ended(&mut follow(&bare.address, "/events")?)?;
        theirs = theirs.min(started.elapsed());
        if pieces(&seen) != PIECES {
            return Err("bare axum lost a piece".into());
        }
        let mut stream = follow(&served.address, "/api/events")?;
        let started = Instant::now();
        served.json("POST", "/api/send", Some(json!({"text": "Tell me."})));
        let seen = until_ended(&mut stream)?;
        // Who falls too far behind is sent back to the start and reads the rest there; that is
        // no relay, and does not count as one.
        match pieces(&seen) == PIECES {
            true => ours = ours.min(started.elapsed()),
            false => behind += 1,
        }
    }
    let rate = |time: Duration| PIECES as f64 / time.as_secs_f64();
    table.row("SSE: pieces of an answer, kept and relayed", "20k pieces", rate(ours), "pieces/s");
    let ratio = rate(ours) / rate(theirs);
    let runs = effort.runs;
    table.ratio(format!("{ratio:.2} × bare axum SSE; sent back in {behind} of {runs} runs"));
    table.goal("≥ 0.5 ×", rate(ours) >= 0.5 * rate(theirs));
    Ok(())
}

fn follow(address: &str, path: &str) -> Outcome<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
    // From the head of the answer on, nothing is missed.
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(stream)
}

/// All that comes until the event that ends an answer.
fn until_ended(stream: &mut TcpStream) -> Outcome<Vec<u8>> {
    const END: &[u8] = b"event: ended\n";
    let (mut seen, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let looked = seen.len().saturating_sub(END.len());
        let read = stream.read(&mut piece)?;
        if read == 0 {
            return Err("the stream of events ended".into());
        }
        seen.extend_from_slice(&piece[..read]);
        // What ends it tells the whole answer again.
        let end = seen[looked..].windows(END.len()).position(|window| window == END);
        if let Some(end) = end {
            seen.truncate(looked + end);
            return Ok(seen);
        }
    }
}

/// So many pieces came.
fn pieces(seen: &[u8]) -> usize {
    String::from_utf8_lossy(seen).matches(PIECE).count()
}
