//! The token: what lets in whoever the system does not vouch for (SEC-1, SEC-8, SEC-9).

use std::{
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::tries::Tries;
use crate::connections::{Account, Peer};

/// A secret that lets in, and what is made of it.
pub struct Token {
    hash: blake3::Hash,
    /// What cookies are made with. They cannot be made from the token alone, so trying cookies
    /// is no way to try tokens.
    cookies: [u8; 32],
    /// The code that lets in once.
    once: Mutex<Option<blake3::Hash>>,
    tries: Tries,
}

/// As many wrong tries are taken from one place in one time.
const WRONG_TRIES: u32 = 10;

impl Token {
    /// The token with this text. The secret is random, and makes the cookies; while it stays
    /// the same, so do they.
    pub fn new(text: &str, secret: &str) -> Self {
        let cookies = format!("{} {secret}{text}", secret.len());
        Self {
            hash: blake3::hash(text.as_bytes()),
            cookies: blake3::derive_key(
                "plimsoll 2026 cookies of the workbench",
                cookies.as_bytes(),
            ),
            once: Mutex::default(),
            tries: Tries::at_most(WRONG_TRIES),
        }
    }

    /// Lets in whoever comes first with this code, once.
    pub fn let_in_once(&self, code: &str) {
        *self.code() = Some(blake3::hash(code.as_bytes()));
    }

    fn code(&self) -> MutexGuard<'_, Option<blake3::Hash>> {
        self.once.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a text is the token. Hashes are compared in constant time.
    pub(super) fn is(&self, text: &str) -> bool {
        self.hash == blake3::hash(text.as_bytes())
    }

    /// Whether a text is the code; it is used up then.
    pub(super) fn takes_code(&self, text: &str) -> bool {
        let mut code = self.code();
        let right = code.is_some_and(|code| code == blake3::hash(text.as_bytes()));
        if right {
            *code = None;
        }
        right
    }

    /// The name of the cookie: browsers send cookies of one port to all others, so servers at
    /// two ports must not overwrite each other's.
    pub(super) fn cookie_name(peer: &Peer) -> String {
        format!("plimsoll_{}", peer.port)
    }

    /// The value of the cookie of a client. It is good at this port and for this client alone:
    /// whoever listens at another port is sent it by browsers, and must not get in with it.
    pub(super) fn cookie(&self, peer: &Peer) -> String {
        let whose = format!("{} {}", peer.port, place(peer));
        blake3::keyed_hash(&self.cookies, whose.as_bytes()).to_hex().to_string()
    }

    /// Whether this is the cookie of a client.
    pub(super) fn is_cookie(&self, peer: &Peer, value: &str) -> bool {
        blake3::hash(self.cookie(peer).as_bytes()) == blake3::hash(value.as_bytes())
    }

    /// The seconds until a client may try again; none if it may now.
    pub(crate) fn must_wait(&self, peer: &Peer, now: Instant) -> Option<u64> {
        self.tries.must_wait(&place(peer), now)
    }

    /// A client tried something wrong.
    pub(crate) fn was_wrong(&self, peer: &Peer, now: Instant) {
        self.tries.was_wrong(&place(peer), now);
    }
}

/// Who a client is, as far as it can be told: its account on this machine, or its address.
pub(crate) fn place(peer: &Peer) -> String {
    match (peer.account, peer.address.ip()) {
        (Account::Own, _) => "own account".to_owned(),
        (Account::Other(number), _) => format!("account {number}"),
        (Account::Unknown, IpAddr::V4(address)) => address.to_string(),
        // Machines change the second half of such an address by themselves.
        (Account::Unknown, IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}")
        }
    }
}
