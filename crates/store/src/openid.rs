//! How people of a team are found who sign in by OpenID Connect (TEA-9), and what is kept while
//! they are at the provider.

use plimsoll_domain::Timestamp;

use crate::{Person, sql::people::openid};

/// Somebody who was sent to the provider, until they come back or it ends. What proves that they
/// are the same is kept as hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenIdAttempt {
    /// The hash of what comes back with them.
    pub state: String,
    /// The hash of what only their browser has.
    pub browser: String,
    /// Where they wanted to go, on this server.
    pub goes_to: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// A name at the provider as it is kept and looked for: addresses know no capital letters.
pub fn openid_name(name: &str) -> String {
    let name = name.trim();
    if name.contains('@') { name.to_lowercase() } else { name.to_owned() }
}

jobs! {
    pub trait OpenIds {
        /// Says by which [name](openid_name) at the provider somebody signs in for the first time;
        /// who they were there until now is forgotten. False if there is no such person, or the
        /// name is somebody else's.
        write put_openid_name(person: &str, name: Option<&str>) -> bool = openid::put_name;

        /// Names at the provider that nobody came by yet, with the people that they are for.
        read openid_names() -> Vec<(String, String)> = openid::names;

        /// Binds who somebody is at the provider to the person that the first of these names is
        /// for; then the name is used up. None if they are for nobody.
        write bind_subject(subject: &str, names: &[String]) -> Option<Person> = openid::bind;

        /// Keeps an attempt to sign in, unless there are so many already; says whether.
        write add_openid_attempt(attempt: &OpenIdAttempt, most: u64) -> bool = openid::begin;

        /// Takes an attempt out for good: it is for one sign-in, of one browser, until it ends.
        write take_openid_attempt(state: &str, browser: &str, now: Timestamp)
            -> Option<OpenIdAttempt> = openid::take;

        /// Forgets attempts that have ended, at most so many; says how many.
        write forget_openid_attempts(now: Timestamp, most: u64) -> u64 = openid::forget_ended;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_addresses_know_no_capital_letters_and_subjects_do() {
        assert_eq!(openid_name(" Ann@Example.org "), "ann@example.org");
        assert_eq!(openid_name("aB7"), "aB7");
    }
}
