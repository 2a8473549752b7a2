//! A small HTTP client for tests: one request a connection, exactly the bytes that the
//! test asks for.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as text.
    pub body: String,
    /// The body, as it came.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Asks `host:port`. The host header is the address unless the headers hold another.
pub fn request(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<Answer> {
    let mut reader = send(address, method, path, headers, body)?;
    let (status, headers) = head(&mut reader)?;
    let chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value.eq_ignore_ascii_case("chunked"));
    let mut bytes = Vec::new();
    if chunked {
        while let Some(mut chunk) = chunk(&mut reader)? {
            bytes.append(&mut chunk);
        }
    } else {
        // Not every server closes what it was asked to close.
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.and_then(|(_, length)| length.parse().ok()).unwrap_or(u64::MAX);
        reader.take(length).read_to_end(&mut bytes)?;
    }
    let body = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Answer { status, headers, body, bytes })
}

/// Server-sent events of a path, one after the other, until the connection ends.
pub struct Events {
    reader: BufReader<TcpStream>,
    rest: String,
}

/// One server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentEvent {
    /// Its number.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its data.
    pub data: String,
}

impl Events {
    /// Starts listening.
    pub fn listen(address: &str, path: &str, headers: &[(&str, &str)]) -> io::Result<Self> {
        let mut reader = send(address, "GET", path, headers, b"")?;
        let (status, _) = head(&mut reader)?;
        if status != 200 {
            return Err(io::Error::other(format!("the server said {status}")));
        }
        Ok(Self { reader, rest: String::new() })
    }

    /// Everything until an event of this name, that one included.
    pub fn until(&mut self, name: &str) -> io::Result<Vec<SentEvent>> {
        let mut seen: Vec<SentEvent> = Vec::new();
        while seen.last().is_none_or(|event| event.name != name) {
            seen.push(self.next_event()?);
        }
        Ok(seen)
    }

    /// The next event.
    pub fn next_event(&mut self) -> io::Result<SentEvent> {
        // What was looked through is not looked through again with every piece of a long event.
        let mut searched = 0;
        loop {
            if let Some(at) = self.rest[searched..].find("\n\n") {
                let end = searched + at;
                let event = parse(&self.rest[..end]);
                self.rest.drain(..end + 2);
                searched = 0;
                if event != SentEvent::default() {
                    return Ok(event);
                }
            } else {
                searched = self.rest.floor_char_boundary(self.rest.len().saturating_sub(1));
                let ended = || io::Error::other("the stream of events ended");
                let more = chunk(&mut self.reader)?.ok_or_else(ended)?;
                self.rest.push_str(&String::from_utf8_lossy(&more));
            }
        }
    }
}

fn parse(block: &str) -> SentEvent {
    let mut event = SentEvent::default();
    for line in block.lines() {
        match line.split_once(": ") {
            Some(("id", id)) => id.clone_into(&mut event.id),
            Some(("event", name)) => name.clone_into(&mut event.name),
            Some(("data", data)) => event.data.push_str(data),
            _ => {}
        }
    }
    event
}

fn send(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(address)?;
    // Generous: a slow machine must not fail a test, a dead server must end it.
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    // A server that refuses a body answers before it has read all of it, and hangs up.
    let _ = stream.write_all(body);
    Ok(BufReader::new(stream))
}

type Head = (u16, Vec<(String, String)>);

fn head(reader: &mut BufReader<TcpStream>) -> io::Result<Head> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("no status in {line:?}")))?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    Ok((status, headers))
}

/// One chunk of a chunked body; none at its end.
fn chunk(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Vec<u8>>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let size = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
    let mut bytes = vec![0; size + 2];
    reader.read_exact(&mut bytes)?;
    bytes.truncate(size);
    Ok(if size == 0 { None } else { Some(bytes) })
}
