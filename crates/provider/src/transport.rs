//! What the transport says when it fails, with the phase first, so that people know
//! where to look and the classifier knows that it was the network.

use std::{error::Error, time::Duration};

/// Names the phase in which a request failed before its answer began.
pub(crate) fn before_answer(error: reqwest::Error, connect: Duration) -> String {
    let error = error.without_url();
    let told = chain(&error);
    if error.is_timeout() && error.is_connect() {
        format!("connect timeout: no connection within {}", seconds(connect))
    } else if error.is_redirect() {
        format!("redirect: {told}")
    } else if is_tls(&error) {
        format!("tls: {told}")
    } else if error.is_dns() || told.contains("dns error") {
        format!("dns: {told}")
    } else if error.is_connect() {
        format!("connect: {told}")
    } else {
        format!("connection closed before the answer: {told}")
    }
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
pub(crate) fn in_mid_stream(error: Option<reqwest::Error>) -> String {
    let told = error.map(|error| format!(": {}", chain(&error.without_url())));
    format!("connection closed in mid-stream{}", told.unwrap_or_default())
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
    use plimsoll_send::fault::Label;

    use super::*;
    use crate::ProviderFailure;

    #[test]
    fn every_phase_is_the_network() {
        let wait = Duration::from_millis(1500);
        let phases = [
            no_first_byte(wait),
            idle(wait),
            in_mid_stream(None),
            "connect timeout: no connection within 10 s".to_owned(),
            "redirect: error following redirect: it leads in a circle; check the base URL"
                .to_owned(),
            "tls: error sending request: invalid peer certificate: UnknownIssuer".to_owned(),
            "dns: error sending request: dns error: failed to lookup address".to_owned(),
            "connect: error sending request: tcp connect error: Connection refused".to_owned(),
            "connection closed before the answer: error sending request".to_owned(),
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
