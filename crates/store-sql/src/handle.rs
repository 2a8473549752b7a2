//! Names of handles: no two are the same, whichever process or machine opens them (TEA-6).

use std::hash::{BuildHasher, RandomState};

/// A name for a handle that is being opened.
pub(crate) fn new() -> String {
    // The standard library keys its maps with what the system gives as random.
    let random = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_6_handles_have_names_of_their_own() {
        let names: std::collections::HashSet<String> = (0..1000).map(|_| new()).collect();
        assert_eq!(names.len(), 1000);
    }
}
