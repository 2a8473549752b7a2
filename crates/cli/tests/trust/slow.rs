//! Clients that are slow, silent or too many (REL-8): heads and bodies have times, and whether
//! we live is answered when every place and every descriptor is taken.

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use plimsoll_testkit::{
    http::{self, Events},
    scripted::{Reply, ScriptedServer},
};

use crate::served::Served;

/// Longer than any time that a client has, on a busy machine.
const LONG: Duration = Duration::from_secs(120);

fn begun(address: &str, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// What the server says until it hangs up.
fn heard(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the connection was held: {error}"),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn lives(address: &str) {
    let answer = http::request(address, "GET", "/healthz", &[], b"").unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
}

/// A server that ends with this, however its test does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that may have so many descriptors.
fn narrow(served: &Served, descriptors: u64) -> (Running, String) {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -n {descriptors}; exec \"$0\" serve --addr 127.0.0.1:0")])
        .arg(env!("CARGO_BIN_EXE_plimsoll"))
        .env("PLIMSOLL_CONFIG_DIR", served.home())
        .env("PLIMSOLL_DATA_DIR", served.home().join("narrow"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let stdout = child.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut said).unwrap();
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    (Running(child), address.unwrap().to_owned())
}

#[test]
fn rel_8_half_requests_are_ended_and_whether_we_live_is_answered() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start(&server, 4096);
    let (_running, address) = narrow(&served, 160);
    let half = "POST /api/send HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le";
    let mut halves: Vec<TcpStream> = (0..400).map(|_| begun(&address, half)).collect();
    lives(&address);
    assert_eq!(http::request(&address, "GET", "/api/state", &[], b"").unwrap().status, 200);
    for stream in &mut halves {
        heard(stream);
    }
    let body = "PUT /api/draft HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                Content-Length: 5000\r\n\r\n{\"text\":\"";
    let said = heard(&mut begun(&address, body));
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
    lives(&address);
}

#[test]
fn rel_8_watchers_stay_and_whether_we_live_is_answered_when_all_places_are_taken() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start(&server, 4096);
    let (_running, address) = narrow(&served, 160);
    let watch = || Events::listen(&address, "/api/events", &[]);
    let mut watchers = Vec::new();
    while let Ok(watcher) = watch() {
        watchers.push(watcher);
        assert!(watchers.len() < 160, "there is no bound");
    }
    assert!(watchers.len() >= 32, "only {} watchers", watchers.len());
    lives(&address);
    let full = http::request(&address, "GET", "/api/state", &[], b"").unwrap();
    assert_eq!((full.status, full.header("retry-after")), (503, Some("5")));
    // Half requests do not push out who watches.
    let _halves: Vec<TcpStream> = (0..100).map(|_| begun(&address, "GET / HT")).collect();
    lives(&address);
    drop(watchers.pop());
    let json = [("Content-Type", "application/json")];
    let star = || http::request(&address, "PUT", "/api/draft", &json, b"{\"text\":\"mine\"}");
    // The place of who went is free as soon as the server has seen it.
    let mut answer = star();
    while !answer.as_ref().is_ok_and(|answer| answer.status < 300) {
        let told = answer.as_ref().map_or(503, |answer| answer.status);
        assert_eq!(told, 503);
        std::thread::yield_now();
        answer = star();
    }
    for watcher in &mut watchers {
        watcher.until("draft").unwrap();
    }
}
