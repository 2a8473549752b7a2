//! What the transport says when it fails: one line for people with the phase and the address,
//! so that they know where to look, and the words of the libraries apart from it.

use std::{error::Error, time::Duration};

use crate::NotReached;

/// A failure of the transport.
pub(crate) struct Told {
    /// For people: what happened, and where.
    pub(crate) line: String,
    /// The words of the libraries, from cause to cause, where they say more.
    pub(crate) chain: Option<Box<str>>,
}

impl Told {
    fn new(line: String, chain: String) -> Self {
        let chain = Some(chain).filter(|chain| !line.contains(chain.as_str())).map(Into::into);
        Self { line, chain }
    }
}

/// Names the phase in which a request failed before its answer began.
pub(crate) fn before_answer(error: reqwest::Error, connect: Duration) -> Told {
    let at = error.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let error = error.without_url();
    let told = chain(&error);
    let cause = plain(&root(&error));
    let line = if is_not_reached(&error) {
        format!("connect: {at} is not asked: {cause}")
    } else if error.is_timeout() && error.is_connect() {
        format!("connect timeout: no connection to {at} within {}", seconds(connect))
    } else if error.is_redirect() {
        format!("redirect: {at}: {cause}")
    } else if is_tls(&error) {
        format!("tls: no secure connection to {at}: {cause}")
    } else if error.is_dns() || told.contains("dns error") {
        format!("dns: the name of {at} was not found: {cause}")
    } else if error.is_connect() {
        format!("connect: no connection to {at}: {cause}")
    } else {
        format!("connection closed before the answer: {at} said nothing")
    };
    Told::new(line, told)
}

/// Says that nothing came in time.
pub(crate) fn no_first_byte(waited: Duration) -> String {
    format!("first byte timeout: the server did not answer within {}", seconds(waited))
}

/// Says that nothing more came in time.
pub(crate) fn idle(waited: Duration) -> String {
    format!("idle timeout: the answer stood still for {}", seconds(waited))
}

/// Says that the connection broke after the answer had begun.
pub(crate) fn in_mid_stream(error: Option<reqwest::Error>) -> Told {
    let chain = error.map(|error| chain(&error.without_url()).into());
    Told { line: "connection closed in mid-stream".to_owned(), chain }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// The words of an error and of what caused it, without repetitions.
fn chain(error: &dyn Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let words = next.to_string();
        if !told.contains(&words) {
            told.push_str(": ");
            told.push_str(&words);
        }
        cause = next.source();
    }
    told
}

/// The innermost cause, which names what happened.
fn root(error: &dyn Error) -> String {
    let mut root = error;
    while let Some(next) = root.source() {
        root = next;
    }
    root.to_string()
}

/// A cause without the number that the system gave it.
fn plain(cause: &str) -> String {
    let words = cause.split(" (os error ").next().unwrap_or(cause);
    words.strip_prefix("failed to lookup address information: ").unwrap_or(words).to_owned()
}

fn is_not_reached(error: &dyn Error) -> bool {
    let mut cause = error.source();
    while let Some(next) = cause {
        if next.is::<NotReached>() {
            return true;
        }
        cause = next.source();
    }
    false
}

fn is_tls(error: &dyn Error) -> bool {
    let mut cause = error.source();
    while let Some(next) = cause {
        let inner = next.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if next.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>()) {
            return true;
        }
        cause = next.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use plimsoll_fault::Label;

    use super::*;
    use crate::ProviderFailure;

    #[test]
    fn every_phase_is_the_network() {
        let wait = Duration::from_millis(1500);
        let phases = [
            no_first_byte(wait),
            idle(wait),
            in_mid_stream(None).line,
            "connect timeout: no connection to http://10.0.0.1 within 10 s".to_owned(),
            "redirect: http://10.0.0.1: it leads in a circle; check the base URL".to_owned(),
            "tls: no secure connection to https://a.b: invalid peer certificate: UnknownIssuer"
                .to_owned(),
            "dns: the name of https://a.b was not found: Name or service not known".to_owned(),
            "connect: no connection to http://127.0.0.1:9: Connection refused".to_owned(),
            "connection closed before the answer: http://127.0.0.1:9 said nothing".to_owned(),
        ];
        for transport in phases {
            for status in [None, Some(200)] {
                let transport = Some(transport.clone());
                let failure = ProviderFailure { status, transport, ..Default::default() };
                let fault = failure.fault();
                assert_eq!(fault.label, Label::Network, "{failure:?}");
                assert_eq!(Some(fault.message), failure.transport);
            }
        }
        assert!(idle(wait).ends_with("1.5 s"), "{}", idle(wait));
    }
}
