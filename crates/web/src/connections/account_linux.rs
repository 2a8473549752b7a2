//! The kernel of Linux, asked for the owner of a socket.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use socket2::{Domain, Protocol, Socket, Type};

use super::Account;

/// What stands for every account that has no number in our user namespace. Two of them
/// look alike, so none is taken for ours.
const NOBODY: u32 = 65534;

/// A socket as the kernel describes it.
#[derive(Debug, PartialEq, Eq)]
struct Described {
    state: u8,
    owner: u32,
    inode: u64,
}

impl Described {
    /// The owner, if the socket still has one. One that was closed, or waits out its time,
    /// is said to be root's, and has no inode; one that only asks for a connection is
    /// not the other end of one.
    fn owner(&self) -> Option<u32> {
        const ESTABLISHED: u8 = 1;
        const FIN_WAIT_1: u8 = 4;
        const FIN_WAIT_2: u8 = 5;
        let connected = matches!(self.state, ESTABLISHED | FIN_WAIT_1 | FIN_WAIT_2);
        (connected && self.inode != 0).then_some(self.owner)
    }
}

pub(super) fn named(owner: u32) -> Account {
    match owner {
        NOBODY => Account::Unknown,
        own if own == rustix::process::geteuid().as_raw() => Account::Own,
        other => Account::Other(other),
    }
}

pub(super) fn owner(client: SocketAddr, server: SocketAddr) -> Option<u32> {
    let described = match by_diag(client, server) {
        Ok(described) => described,
        Err(_) => by_table(client, server),
    };
    described?.owner()
}

/// The socket that the kernel is asked through; kept open, so that asking needs no
/// descriptor when none are left.
static ASKING: Mutex<Option<Socket>> = Mutex::new(None);

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const HEADER: usize = 16;
const QUESTION: usize = HEADER + 56;
const NUMBER: u32 = 1;

/// Asks for the one socket with these addresses. None is that there is no such socket; an
/// error is that the kernel cannot be asked so.
fn by_diag(client: SocketAddr, server: SocketAddr) -> std::io::Result<Option<Described>> {
    let mut asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    let answered = (|| {
        let socket = match asking.as_mut() {
            Some(socket) => socket,
            None => asking.insert(open()?),
        };
        socket.write_all(&question(client, server))?;
        let mut answer = [0; 4096];
        let length = socket.read(&mut answer)?;
        understood(&answer[..length], client, server)
            .ok_or_else(|| std::io::Error::other("not an answer to the question"))
    })();
    if answered.is_err() {
        // An answer that came late would be taken for the next one's.
        *asking = None;
    }
    answered
}

fn open() -> std::io::Result<Socket> {
    const AF_NETLINK: i32 = 16;
    const SOCK_RAW: i32 = 3;
    const NETLINK_SOCK_DIAG: i32 = 4;
    let (domain, kind) = (Domain::from(AF_NETLINK), Type::from(SOCK_RAW));
    let socket = Socket::new(domain, kind, Some(Protocol::from(NETLINK_SOCK_DIAG)))?;
    // The kernel answers before the question was sent off; this is for one that does not.
    socket.set_read_timeout(Some(Duration::from_millis(200)))?;
    Ok(socket)
}

/// A `nlmsghdr` with an `inet_diag_req_v2`.
fn question(client: SocketAddr, server: SocketAddr) -> [u8; QUESTION] {
    const REQUEST: u16 = 1;
    const TCP: u8 = 6;
    let family: u8 = if client.is_ipv4() { 2 } else { 10 };
    let mut bytes = [0; QUESTION];
    let mut at = 0;
    let mut put = |part: &[u8]| {
        bytes[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    };
    put(&(QUESTION as u32).to_ne_bytes());
    put(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    put(&REQUEST.to_ne_bytes());
    put(&NUMBER.to_ne_bytes());
    put(&[0; 4]);
    put(&[family, TCP, 0, 0]);
    put(&u32::MAX.to_ne_bytes());
    put(&client.port().to_be_bytes());
    put(&server.port().to_be_bytes());
    put(&octets(client.ip()));
    put(&octets(server.ip()));
    put(&[0; 4]);
    // No cookie: any socket with these addresses.
    put(&[0xff; 8]);
    bytes
}

fn octets(address: IpAddr) -> [u8; 16] {
    let mut bytes = [0; 16];
    match address {
        IpAddr::V4(address) => bytes[..4].copy_from_slice(&address.octets()),
        IpAddr::V6(address) => bytes = address.octets(),
    }
    bytes
}

/// The `inet_diag_msg` of an answer; none within if there is no such socket.
fn understood(answer: &[u8], client: SocketAddr, server: SocketAddr) -> Option<Option<Described>> {
    const ERROR: u16 = 2;
    const NO_SUCH_SOCKET: i32 = -2;
    let word = |at: usize| answer.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
    let half = |at: usize| answer.get(at..at + 2)?.try_into().ok().map(u16::from_ne_bytes);
    let port = |at: usize| answer.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes);
    if word(8)? != NUMBER {
        return None;
    }
    match half(4)? {
        ERROR if word(HEADER)?.cast_signed() == NO_SUCH_SOCKET => Some(None),
        SOCK_DIAG_BY_FAMILY => {
            let ports = (port(HEADER + 4)?, port(HEADER + 6)?);
            if ports != (client.port(), server.port()) {
                return None;
            }
            Some(Some(Described {
                state: *answer.get(HEADER + 1)?,
                owner: word(HEADER + 64)?,
                inode: word(HEADER + 68)?.into(),
            }))
        }
        _ => None,
    }
}

/// Looks through the kernel's tables of sockets.
fn by_table(client: SocketAddr, server: SocketAddr) -> Option<Described> {
    let look = |table: &str, from: String, to: String| {
        let table = BufReader::new(File::open(table).ok()?);
        table.lines().map_while(Result::ok).find_map(|line| row(&line, &from, &to))
    };
    let (SocketAddr::V4(from), SocketAddr::V4(to)) = (client, server) else {
        return look("/proc/net/tcp6", written(client), written(server));
    };
    let found = look("/proc/net/tcp", written(client), written(server));
    // A program that speaks IPv6 alone has an IPv4 address in a socket of IPv6.
    found.or_else(|| {
        let mapped = |ip: &Ipv4Addr, port| written((ip.to_ipv6_mapped(), port).into());
        look("/proc/net/tcp6", mapped(from.ip(), from.port()), mapped(to.ip(), to.port()))
    })
}

/// An address as those tables write it: words of the machine, in hexadecimal digits.
fn written(address: SocketAddr) -> String {
    let words = |octets: &[u8]| {
        let word = |part: &[u8]| part.try_into().map_or(0, u32::from_ne_bytes);
        octets.chunks(4).map(|part| format!("{:08X}", word(part))).collect::<String>()
    };
    let ip = match address.ip() {
        IpAddr::V4(ip) => words(&ip.octets()),
        IpAddr::V6(ip) => words(&Ipv6Addr::octets(&ip)),
    };
    format!("{ip}:{:04X}", address.port())
}

/// The socket of a row, if it is the one from here to there.
fn row(line: &str, from: &str, to: &str) -> Option<Described> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let &[_, local, remote, state, _, _, _, owner, _, inode, ..] = columns.as_slice() else {
        return None;
    };
    if local != from || remote != to {
        return None;
    }
    let state = u8::from_str_radix(state, 16).ok()?;
    Some(Described { state, owner: owner.parse().ok()?, inode: inode.parse().ok()? })
}

#[cfg(test)]
#[path = "account_tests.rs"]
mod tests;
