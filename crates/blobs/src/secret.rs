//! What looks like a secret, so that a person is asked before it is taken in (INS-4).

use crate::{name::last_part, texty::is_environment};

/// How much of a file's beginning [`looks_secret`] wants to see, in bytes.
pub const HEAD: usize = 16 << 10;

const KEYS: &str = "looks like a private key";
const STORE: &str = "is a store of keys or passwords";
const LOGIN: &str = "looks like a file of passwords or access tokens";

/// Endings of files that hold keys, whatever is in them.
const STORES: &[&str] = &[
    ".p12",
    ".pfx",
    ".jks",
    ".jceks",
    ".keystore",
    ".bcfks",
    ".kdbx",
    ".kdb",
    ".ppk",
    ".keychain",
    ".keychain-db",
    ".keytab",
    ".agekey",
    ".1pux",
    ".opvault",
];

/// Names of files that hold nothing but passwords or tokens.
const LOGINS: &[&str] = &[
    ".netrc",
    "_netrc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    ".pypirc",
    ".vault-token",
    ".dockercfg",
    ".my.cnf",
    ".s3cfg",
    ".boto",
    "credentials",
    "credentials.json",
    "credentials.csv",
    "credentials.toml",
    "credentials.tfrc.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "shadow",
    "wallet.dat",
];

/// Words that stand in files of secrets and hardly anywhere else, in lower case.
const WORDS: &[(&str, &str)] = &[
    ("private key-----", KEYS),
    ("private key block-----", KEYS),
    ("putty-user-key-file-", KEYS),
    ("age-secret-key-1", KEYS),
    ("client-key-data:", KEYS),
    ("\"type\": \"service_account\"", LOGIN),
    ("aws_secret_access_key", LOGIN),
];

/// Why a person should be asked before this file is taken in, if they should: its name is
/// that of a secret, or its beginning (up to [`HEAD`] bytes of it) reads like one.
pub fn looks_secret(name: &str, head: &[u8]) -> Option<&'static str> {
    let name = last_part(name).to_ascii_lowercase();
    if is_environment(&name) {
        return Some("usually holds passwords or access tokens");
    }
    let ssh = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"];
    if ssh.contains(&name.as_str()) {
        return Some(KEYS);
    }
    if STORES.iter().any(|ending| name.ends_with(ending)) {
        return Some(STORE);
    }
    if LOGINS.contains(&name.as_str())
        || (name.starts_with("client_secret") && name.ends_with(".json"))
    {
        return Some(LOGIN);
    }
    // Without zeros UTF-16 reads like ASCII.
    let head: Vec<u8> = head.iter().take(HEAD).filter(|byte| **byte != 0).copied().collect();
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    if name == ".npmrc" || name == ".yarnrc" || name == ".yarnrc.yml" {
        let words = ["_authtoken", "_password", "_auth", "npmauthtoken", "npmauthident"];
        return words.iter().any(|word| head.contains(word)).then_some(LOGIN);
    }
    if name == "config.json" && head.contains("\"auths\"") {
        return Some(LOGIN);
    }
    WORDS.iter().find(|(word, _)| head.contains(word)).map(|(_, why)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ins_4_secrets_are_asked_about() {
        let pem = b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl".as_slice();
        let utf16: Vec<u8> = pem.iter().flat_map(|byte| [*byte, 0]).collect();
        let asked: &[(&str, &[u8])] = &[
            (".env", b""),
            ("project/.env.production", b"A=1"),
            ("C:\\me\\.ENV", b""),
            ("id_rsa", b""),
            ("notes.txt", pem),
            ("notes.txt", &utf16),
            ("key.asc", b"-----BEGIN PGP PRIVATE KEY BLOCK-----"),
            ("server.pem", b"junk\n-----BEGIN RSA PRIVATE KEY-----"),
            (".npmrc", b"//npm.example/:_authToken=npm_x"),
            ("credentials", b"[default]"),
            ("x.ini", b"aws_secret_access_key = x"),
            ("store.kdbx", b""),
            ("k.p12", b""),
            ("sa.json", b"{\"type\": \"service_account\"}"),
        ];
        for (name, head) in asked {
            assert!(looks_secret(name, head).is_some(), "{name}");
        }
        let taken: &[(&str, &[u8])] = &[
            ("main.rs", b"fn main() {}"),
            ("id_rsa.pub", b"ssh-rsa AAAA"),
            ("cert.pem", b"-----BEGIN CERTIFICATE-----"),
            (".npmrc", b"save-exact=true"),
            (".environment", b""),
            ("", b"hello"),
            ("photo.png", &[0x89, b'P', b'N', b'G']),
        ];
        for (name, head) in taken {
            assert_eq!(looks_secret(name, head), None, "{name}");
        }
    }
}
