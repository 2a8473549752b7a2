//! To which account of this machine the other end of a connection belongs (SEC-8).
//!
//! Both ends of a loopback connection are sockets of this kernel, and it knows who made each.
//! It is asked over `sock_diag`, and where that is forbidden, its table in `/proc/net` is read.
//! Elsewhere than on Linux nobody is asked, and everybody needs the token.

use std::net::SocketAddr;

/// Whose the other end of a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Account {
    /// The account that this server runs as.
    Own,
    /// Another one of this machine, by its number. Root is another account too: programs of
    /// root act for others, such as proxies, and root itself can read the token.
    Other(u32),
    /// The system does not say, or the other end is not on this machine.
    Unknown,
}

/// Whether this system can tell accounts at all.
pub fn accounts_are_told() -> bool {
    cfg!(target_os = "linux")
}

/// Whose the other end of a connection is. `still_open` is asked after the system was: as long
/// as our end is open, no other socket can have the addresses of its other end, so the answer
/// was about this connection.
pub(crate) fn account(
    client: SocketAddr,
    server: SocketAddr,
    still_open: impl FnOnce() -> bool,
) -> Account {
    let on_this_machine = client.ip().is_loopback() && server.ip().is_loopback();
    match on_this_machine.then(|| system::owner(client, server)).flatten() {
        Some(owner) if still_open() => system::named(owner),
        _ => Account::Unknown,
    }
}

#[cfg(target_os = "linux")]
#[path = "account_linux.rs"]
mod system;

#[cfg(not(target_os = "linux"))]
mod system {
    use std::net::SocketAddr;

    use super::Account;

    pub(super) fn owner(_: SocketAddr, _: SocketAddr) -> Option<u32> {
        None
    }

    pub(super) fn named(_: u32) -> Account {
        Account::Unknown
    }
}
