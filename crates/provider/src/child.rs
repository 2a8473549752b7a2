//! Programs of others, started without keys and tokens in their environment (SEC-9). Whoever
//! starts one begins here; those in the sandbox get an environment of their own.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Words of a variable's name that say that it holds a secret.
const SECRET_WORDS: [&str; 14] = [
    "KEY",
    "KEYS",
    "APIKEY",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "CREDENTIAL",
    "CREDENTIALS",
    "PAT",
];

/// Variables that hold keys under any other name.
static PRIVATE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn private() -> MutexGuard<'static, BTreeSet<String>> {
    PRIVATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on no program that is started gets these variables.
pub fn keep_private(variables: impl IntoIterator<Item = String>) {
    private().extend(variables);
}

/// A program that can be started; keys and tokens stay here.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    program_with(name, &[])
}

/// The same, with the variables that are the program's own.
pub(crate) fn program_with(name: impl AsRef<OsStr>, own: &[&str]) -> Command {
    let mut command = Command::new(name);
    let private = private();
    for (variable, _) in std::env::vars_os() {
        let text = variable.to_string_lossy();
        let secret = private.contains(&*text) || holds_secret(&text);
        if secret && !own.contains(&&*text) {
            command.env_remove(&variable);
        }
    }
    command
}

fn holds_secret(variable: &str) -> bool {
    let words = variable.split(|c: char| !c.is_ascii_alphanumeric());
    words.map(str::to_ascii_uppercase).any(|word| SECRET_WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_9_variables_with_secrets_are_told_by_their_names() {
        for secret in
            ["OPENAI_API_KEY", "PLIMSOLL_TOKEN", "aws_secret_access_key", "GH_PAT", "DB_PASSWORD"]
        {
            assert!(holds_secret(secret), "{secret}");
        }
        for plain in [
            "PATH",
            "HOME",
            "GNOME_KEYRING_CONTROL",
            "DBUS_SESSION_BUS_ADDRESS",
            "SSH_AUTH_SOCK",
            "XDG_RUNTIME_DIR",
            "COMPASS",
        ] {
            assert!(!holds_secret(plain), "{plain}");
        }
    }

    #[test]
    fn sec_9_a_program_gets_no_variable_that_was_named_a_key() {
        let gone = |command: &Command, name: &str| {
            command.get_envs().any(|(variable, value)| variable == name && value.is_none())
        };
        // One that is set, and that no program which a test starts needs.
        let harmless = ["CARGO_PKG_NAME", "PWD", "LANG", "TERM", "SHLVL"];
        let name = harmless.into_iter().find(|name| std::env::var_os(name).is_some()).unwrap();
        assert!(!gone(&program("x"), name));
        keep_private([name.to_owned()]);
        assert!(gone(&program("x"), name));
        assert!(!gone(&program_with("x", &[name]), name), "its own stays");
    }
}
