//! From an address to a pool of connections.
//!
//! A connection to another machine is encrypted and its certificate is checked, unless the address
//! says `sslmode=disable`; one that stays on this machine is not. `sslrootcert=FILE` names the
//! certificates that are trusted in the place of the machine's own.

use std::{path::PathBuf, sync::Arc, time::Duration};

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use plimsoll_store::{StoreError, StoreResult};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::{
    Config, NoTls,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::OpenOptions;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A machine that is gone says nothing. Its connections are given up after so long, where a system
/// would by itself wait for a quarter of an hour and more.
const LOST_AFTER: Duration = Duration::from_secs(30);

/// Where all connections are at work, a job waits for one. A machine that is busy takes its time.
const WAIT_FOR_A_CONNECTION: Duration = Duration::from_secs(60);

/// Where a store is, and how it is entered.
#[derive(Debug)]
struct Address {
    config: Config,
    encrypted: bool,
    trusted: Option<PathBuf>,
}

pub(super) fn pool(url: &str, options: &OpenOptions) -> StoreResult<Pool> {
    let address = parse(url)?;
    let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = if address.encrypted {
        let tls = MakeRustlsConnect::new(trust(address.trusted.as_deref())?);
        Manager::from_config(address.config, tls, config)
    } else {
        Manager::from_config(address.config, NoTls, config)
    };
    Pool::builder(manager)
        .max_size(options.connections.max(1))
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT_FOR_A_CONNECTION))
        .build()
        .map_err(|error| StoreError::Failed(error.to_string()))
}

fn parse(url: &str) -> StoreResult<Address> {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let mut mode = None;
    let mut trusted = None;
    let mut rest = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value),
            Some(("sslrootcert", value)) => trusted = Some(PathBuf::from(decoded(value))),
            _ => rest.push(part),
        }
    }
    let plain =
        if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) };
    let bad = |why: String| StoreError::BadAddress(why);
    let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
        let why = std::error::Error::source(&error).map_or_else(String::new, ToString::to_string);
        bad(if why.is_empty() { error.to_string() } else { why })
    })?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(bad("it names no host".to_owned()));
    }
    let encrypted = match mode {
        None | Some("prefer" | "allow") => !config.get_hosts().iter().all(is_here),
        Some("disable") => false,
        Some("require" | "verify-ca" | "verify-full") => true,
        Some(other) => return Err(bad(format!("`sslmode={other}` is unknown"))),
    };
    config.ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
    config.connect_timeout(CONNECT_TIMEOUT).tcp_user_timeout(LOST_AFTER);
    config
        .keepalives_idle(LOST_AFTER / 3)
        .keepalives_interval(LOST_AFTER / 6)
        .keepalives_retries(4);
    if config.get_application_name().is_none() {
        config.application_name("plimsoll");
    }
    Ok(Address { config, encrypted, trusted })
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// `%2F` and the like as what they stand for; what is no such thing stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let hex = behind.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn trust(file: Option<&std::path::Path>) -> StoreResult<ClientConfig> {
    let failed = |error: rustls::Error| StoreError::Failed(error.to_string());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().map_err(failed)?;
    let Some(file) = file else {
        return Ok(builder.with_platform_verifier().map_err(failed)?.with_no_client_auth());
    };
    let unusable = |why: String| {
        StoreError::BadAddress(format!("`sslrootcert` {} cannot be used: {why}", file.display()))
    };
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(file).map_err(|e| unusable(e.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
        roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_1_another_machine_is_spoken_to_in_secret() {
        let encrypted = |url: &str| parse(url).unwrap().encrypted;
        assert!(!encrypted("postgres://me@localhost/plimsoll"));
        assert!(encrypted("postgres://me@db.example/plimsoll"));
        assert!(encrypted("postgres://me@127.0.0.1/plimsoll?sslmode=verify-full"));
        assert!(!encrypted("postgres://me@db.example/plimsoll?sslmode=disable"));
        let trusted = parse("postgres://db/p?sslrootcert=%2Fetc%2Fca.pem&sslmode=require").unwrap();
        assert_eq!(trusted.trusted.as_deref(), Some(std::path::Path::new("/etc/ca.pem")));
    }

    #[test]
    fn tea_1_what_is_no_address_is_refused() {
        for url in ["postgres://", "postgres://h/p?sslmode=maybe", "postgres://h:x/p", "nonsense"] {
            let refused = parse(url).unwrap_err();
            assert!(matches!(refused, StoreError::BadAddress(_)), "{url}: {refused}");
        }
    }
}
