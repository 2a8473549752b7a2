//! One connection of the scripted server: requests in, scripted bytes out.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use super::{Recorded, Shared, Step};

/// How often a wait looks up to see whether the client is gone or the server stops.
const BLINK: Duration = Duration::from_millis(5);
/// More than this is no request.
const MAX_HEAD: usize = 64 * 1024;

/// Why a connection is over.
enum Over {
    /// The script closed it.
    Scripted,
    /// The client went away, or the server stops.
    Gone,
}

impl From<io::Error> for Over {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

/// Serves a connection to its end.
pub(super) fn serve(mut stream: TcpStream, shared: &Shared) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(BLINK));
    let _ = stream.set_write_timeout(Some(BLINK));
    let mut ahead = Vec::new();
    while let Ok(Some(request)) = read_request(&mut stream, &mut ahead, shared) {
        let reply = (shared.script)(&request);
        shared.seen().requests.push(request);
        shared.changed.notify_all();
        match play(&mut stream, reply.steps(), shared) {
            Ok(()) => {}
            Err(Over::Scripted) => break,
            Err(Over::Gone) => {
                if !shared.stopping() {
                    shared.seen().hung_up.push(Instant::now());
                    shared.changed.notify_all();
                }
                break;
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn play(stream: &mut TcpStream, steps: &[Step], shared: &Shared) -> Result<(), Over> {
    for step in steps {
        match step {
            Step::Bytes(bytes) => send(stream, bytes, shared)?,
            Step::Chunk(bytes) => send_chunk(stream, bytes, shared)?,
            Step::Repeat { chunk, times } => {
                for _ in 0..*times {
                    send_chunk(stream, chunk, shared)?;
                }
            }
            Step::Drip { bytes, size, pause } => {
                for piece in bytes.chunks((*size).max(1)) {
                    send_chunk(stream, piece, shared)?;
                    wait(stream, Some(*pause), shared)?;
                }
            }
            Step::LastChunk => send(stream, b"0\r\n\r\n", shared)?,
            Step::Sleep(time) => wait(stream, Some(*time), shared)?,
            Step::Gate(gate) => {
                while !gate.is_open() {
                    wait(stream, Some(BLINK), shared)?;
                }
            }
            Step::Hang => wait(stream, None, shared)?,
            Step::Close => return Err(Over::Scripted),
        }
    }
    Ok(())
}

fn send_chunk(stream: &mut TcpStream, bytes: &[u8], shared: &Shared) -> Result<(), Over> {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    send(stream, &framed, shared)
}

/// Writes all bytes, however slowly the client reads.
fn send(stream: &mut TcpStream, mut bytes: &[u8], shared: &Shared) -> Result<(), Over> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(Over::Gone),
            Ok(written) => {
                shared.bytes_sent.fetch_add(written as u64, Ordering::Relaxed);
                bytes = &bytes[written..];
            }
            Err(error) if is_blink(&error) && !shared.stopping() => {}
            Err(_) => return Err(Over::Gone),
        }
    }
    Ok(())
}

/// Waits for a time, or without one until the client goes away.
fn wait(stream: &TcpStream, time: Option<Duration>, shared: &Shared) -> Result<(), Over> {
    let end = time.map(|time| Instant::now() + time);
    let mut byte = [0];
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(());
        }
        match stream.peek(&mut byte) {
            Ok(0) => return Err(Over::Gone),
            // A client that sends ahead is still there, but peeking no longer waits.
            Ok(_) => thread::sleep(left.unwrap_or(BLINK).min(BLINK)),
            Err(error) if is_blink(&error) && !shared.stopping() => {}
            Err(_) => return Err(Over::Gone),
        }
    }
}

fn is_blink(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// The next request; none when the client closed the connection between two.
fn read_request(
    stream: &mut TcpStream,
    ahead: &mut Vec<u8>,
    shared: &Shared,
) -> Result<Option<Recorded>, Over> {
    let head_end = loop {
        if let Some(at) = ahead.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if ahead.len() > MAX_HEAD || !read_more(stream, ahead, shared)? {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&ahead[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ').map(ToOwned::to_owned);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    while ahead.len() < head_end + length {
        if !read_more(stream, ahead, shared)? {
            return Ok(None);
        }
    }
    let rest = ahead.split_off(head_end + length);
    let body = String::from_utf8_lossy(&ahead[head_end..]).into_owned();
    *ahead = rest;
    let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    Ok(Some(Recorded { method, path, headers, body }))
}

/// Reads what there is; false when the client closed.
fn read_more(stream: &mut TcpStream, into: &mut Vec<u8>, shared: &Shared) -> Result<bool, Over> {
    let mut buffer = [0; 16 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(false),
            Ok(count) => {
                into.extend_from_slice(&buffer[..count]);
                return Ok(true);
            }
            Err(error) if is_blink(&error) && !shared.stopping() => {}
            Err(_) => return Err(Over::Gone),
        }
    }
}
