use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use super::*;

const SOON: Duration = Duration::from_secs(5);

fn ask(server: &ScriptedServer) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
        .write_all(b"POST /v1/x?y=1 HTTP/1.1\r\nX-Key: k\r\nContent-Length: 2\r\n\r\nhi")
        .unwrap();
    stream
}

fn read(mut stream: TcpStream) -> String {
    let mut all = Vec::new();
    // A close in mid-answer may arrive as a reset; what came before it counts.
    let _ = stream.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn replies_come_in_order_and_requests_are_remembered() {
    let first = Reply::json(200, "{}").close();
    let server = ScriptedServer::start([first]).unwrap();
    let answer = read(ask(&server));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n{}"), "{answer}");
    let mut second = ask(&server);
    let mut head = [0; 12];
    second.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 500");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!((requests[0].method.as_str(), requests[0].path.as_str()), ("POST", "/v1/x?y=1"));
    assert_eq!((requests[0].header("x-key"), requests[0].body.as_str()), (Some("k"), "hi"));
}

#[test]
fn two_requests_share_a_connection() {
    let server = ScriptedServer::always(Reply::json(200, "{}")).unwrap();
    let mut stream = ask(&server);
    stream.write_all(b"GET /second HTTP/1.1\r\n\r\n").unwrap();
    assert!(server.wait_for_requests(2, SOON));
    assert_eq!(server.requests()[1].path, "/second");
}

#[test]
fn a_drip_is_one_chunk_a_piece() {
    let reply = Reply::stream().chunk("abc").dripping(2, Duration::ZERO).end().close();
    let server = ScriptedServer::always(reply).unwrap();
    assert!(read(ask(&server)).ends_with("\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"));
}

#[test]
fn a_client_that_hangs_up_is_noticed() {
    let server = ScriptedServer::always(Reply::never_answers()).unwrap();
    let stream = ask(&server);
    assert!(server.wait_for_requests(1, SOON));
    assert!(!server.wait_for_hang_up(Duration::from_millis(20)));
    drop(stream);
    assert!(server.wait_for_hang_up(SOON));
}

#[test]
fn dropping_the_server_frees_those_who_wait() {
    let server = ScriptedServer::always(Reply::never_answers()).unwrap();
    let stream = ask(&server);
    assert!(server.wait_for_requests(1, SOON));
    let start = Instant::now();
    drop(server);
    read(stream);
    assert!(start.elapsed() < SOON);
}

#[test]
fn routes_answer_by_path_and_elsewhere_with_404() {
    let server = ScriptedServer::routes([("/v1/x", Reply::json(200, "{}").close())]).unwrap();
    assert!(read(ask(&server)).starts_with("HTTP/1.1 200"));
    let other = ScriptedServer::routes([("/y", Reply::json(200, "{}"))]).unwrap();
    let mut head = [0; 12];
    ask(&other).read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 404");
}

#[test]
fn what_stands_behind_a_gate_waits_for_it() {
    let gate = Gate::default();
    let reply = Reply::stream().chunk("a").gate(&gate).chunk("b").end().close();
    let server = ScriptedServer::always(reply).unwrap();
    let mut stream = ask(&server);
    let mut first = Vec::new();
    while !first.ends_with(b"1\r\na\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        first.push(byte[0]);
    }
    gate.open();
    assert_eq!(read(stream), "1\r\nb\r\n0\r\n\r\n");
}
