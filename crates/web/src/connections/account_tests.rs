use std::net::{TcpListener, TcpStream};

use super::*;

/// Both ends of a connection.
fn connected(address: &str) -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind(address).unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, _) = listener.accept().unwrap();
    (client, server)
}

fn own() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[test]
fn sec_8_both_ways_tell_the_owner_of_a_connection() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let (client, server) = connected(address);
        let (from, to) = (client.local_addr().unwrap(), server.local_addr().unwrap());
        let by_diag = by_diag(from, to).unwrap().unwrap();
        assert_eq!(by_diag.owner(), Some(own()), "{address}: {by_diag:?}");
        assert_eq!(by_table(from, to), Some(by_diag), "{address}");
        assert_eq!(super::super::account(from, to, || true), Account::Own);
        assert_eq!(super::super::account(from, to, || false), Account::Unknown);
    }
}

#[test]
fn sec_8_a_program_that_speaks_ipv6_alone_is_told_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = TcpStream::connect(format!("[::ffff:127.0.0.1]:{port}")).unwrap();
    let (server, from) = listener.accept().unwrap();
    let to = server.local_addr().unwrap();
    assert_eq!(by_diag(from, to).unwrap().and_then(|told| told.owner()), Some(own()));
    assert_eq!(by_table(from, to).and_then(|told| told.owner()), Some(own()));
    drop(client);
}

#[test]
fn sec_8_a_closed_socket_belongs_to_nobody() {
    // The kernel says of such a socket that it is root's, which is us in some tests.
    let (client, server) = connected("127.0.0.1:0");
    let (from, to) = (client.local_addr().unwrap(), server.local_addr().unwrap());
    drop(client);
    assert_eq!(owner(from, to), None);
    assert_eq!(by_table(from, to).and_then(|told| told.owner()), None);
    drop(server);
    assert_eq!(owner(from, to), None);
}

#[test]
fn sec_8_what_is_no_answer_names_nobody() {
    let (from, to) = ("127.0.0.1:5".parse().unwrap(), "127.0.0.1:6".parse().unwrap());
    assert_eq!(understood(&[], from, to), None);
    assert_eq!(understood(&[0; 300], from, to), None);
    assert_eq!(by_diag(from, to).unwrap(), None, "no such socket");
    for line in ["", "sl local", "0: 0100007F:0005 0100007F:0006 01 0 0 0 x 0 7"] {
        assert_eq!(row(line, "0100007F:0005", "0100007F:0006"), None, "{line}");
    }
}
