//! What ties the page that sends somebody away to the one that they come back to.

/// One attempt to sign in. The nonce and the verifier are made of the state and of a secret that
/// only the browser has, so that a server keeps neither: any node finishes what another began.
#[derive(Clone, PartialEq, Eq)]
pub struct Attempt {
    pub(crate) state: String,
    pub(crate) nonce: String,
    pub(crate) verifier: String,
}

const NONCE: &str = "plimsoll 2026-12-03 nonce of a sign-in by OpenID Connect";
const VERIFIER: &str = "plimsoll 2026-12-03 PKCE verifier of a sign-in by OpenID Connect";

impl Attempt {
    /// The attempt of this browser with this state.
    pub fn new(browser_secret: &str, state: &str) -> Self {
        let material = format!("{browser_secret}\n{state}");
        let derived = |context: &str| {
            blake3::derive_key(context, material.as_bytes())
                .map(|byte| format!("{byte:02x}"))
                .concat()
        };
        Self { state: state.to_owned(), nonce: derived(NONCE), verifier: derived(VERIFIER) }
    }
}

impl std::fmt::Debug for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Attempt")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_nonce_and_verifier_belong_to_one_browser_and_one_state() {
        let attempt = Attempt::new("secret", "state");
        assert_eq!(attempt, Attempt::new("secret", "state"));
        for other in [Attempt::new("secret", "other"), Attempt::new("other", "state")] {
            assert_ne!(attempt.nonce, other.nonce);
            assert_ne!(attempt.verifier, other.verifier);
        }
        assert_ne!(attempt.nonce, attempt.verifier);
        // RFC 7636: 43 to 128 unreserved characters.
        assert_eq!(attempt.verifier.len(), 64);
        assert!(attempt.verifier.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(format!("{attempt:?}"), "Attempt");
    }
}
