//! How keys of providers are sealed for the store, with a key that is not in it (TEA-10).
//!
//! A sealed key is base64 of a version, the id of its master key, 24 random bytes, and what
//! XChaCha20-Poly1305 makes of the key. Whose it is, for which provider and which servers is bound
//! to it, so that a row that was changed, or copied to another holder, does not open.

use std::cmp::Ordering;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use plimsoll_provider::Secret;
use plimsoll_store::SealedKey;
use thiserror::Error;
use zeroize::Zeroizing;

/// Holds the master keys.
pub(crate) const VARIABLE: &str = "PLIMSOLL_SECRET_KEY";

/// What to do where a master key is missing or wrong.
pub(crate) const HELP: &str = "plimsoll team secret new prints one; every node needs the same";

/// How sealed keys are written; another number is another way.
const VERSION: u8 = 1;
const ID: usize = 4;
const NONCE: usize = 24;

/// Why the variable holds no master keys. What it holds is never repeated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum BadMaster {
    #[error("{VARIABLE} is not set")]
    Missing,
    #[error("{VARIABLE} holds no key: one is 32 bytes in base64 or 64 hexadecimal digits")]
    NoKey,
    #[error("{VARIABLE} holds the same key twice")]
    Twice,
}

/// Why a sealed key does not open.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Unopened {
    #[error("it was sealed with another {VARIABLE} than this server has")]
    OtherMaster,
    #[error("what the store holds of it was changed since it was sealed")]
    Changed,
    #[error("it was sealed by a newer version of Plimsoll")]
    Newer,
}

struct Master {
    id: [u8; ID],
    cipher: XChaCha20Poly1305,
}

/// The keys that other keys are sealed with: the first seals, all of them open.
pub(crate) struct MasterKeys(Vec<Master>);

impl MasterKeys {
    /// Reads them as the variable has them: one, or several with commas between.
    pub(crate) fn parse(text: &str) -> Result<Self, BadMaster> {
        let mut masters: Vec<Master> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let key = bytes_of(part).ok_or(BadMaster::NoKey)?;
            let master = Master { id: id_of(&key), cipher: XChaCha20Poly1305::new((&*key).into()) };
            if masters.iter().any(|known| known.id == master.id) {
                return Err(BadMaster::Twice);
            }
            masters.push(master);
        }
        Ok(Self(masters))
    }

    /// Those of the environment.
    pub(crate) fn of_environment() -> Result<Self, BadMaster> {
        let text = std::env::var(VARIABLE).map(Zeroizing::new);
        let text = text.ok().filter(|text| !text.trim().is_empty());
        Self::parse(&text.ok_or(BadMaster::Missing)?)
    }

    /// Seals a key for a row: what the row says besides is bound to it.
    pub(crate) fn seal(&self, row: &SealedKey, key: &str, nonce: [u8; NONCE]) -> Option<String> {
        let master = self.0.first()?;
        let about = about(row, master.id);
        let payload = Payload { msg: key.as_bytes(), aad: &about };
        let sealed = master.cipher.encrypt(&XNonce::from(nonce), payload).ok()?;
        Some(BASE64.encode([&[VERSION][..], &master.id, &nonce, &sealed].concat()))
    }

    /// The key of a row.
    pub(crate) fn open(&self, row: &SealedKey) -> Result<Secret, Unopened> {
        Ok(Secret::new(self.unseal(row)?.as_str()))
    }

    /// The same row sealed with the first key; none where it is already.
    pub(crate) fn reseal(
        &self,
        row: &SealedKey,
        nonce: [u8; NONCE],
    ) -> Result<Option<String>, Unopened> {
        let key = self.unseal(row)?;
        let (id, _) = read(&row.sealed)?;
        if self.0.first().is_some_and(|first| first.id == id) {
            return Ok(None);
        }
        Ok(self.seal(row, &key, nonce))
    }

    fn unseal(&self, row: &SealedKey) -> Result<Zeroizing<String>, Unopened> {
        let (id, rest) = read(&row.sealed)?;
        let master = self.0.iter().find(|master| master.id == id).ok_or(Unopened::OtherMaster)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>().ok_or(Unopened::Changed)?;
        let payload = Payload { msg: sealed, aad: &about(row, id) };
        let key = master.cipher.decrypt(&XNonce::from(*nonce), payload);
        let key = key.map(Zeroizing::new).map_err(|_| Unopened::Changed)?;
        let text = std::str::from_utf8(&key).map_err(|_| Unopened::Changed)?;
        Ok(Zeroizing::new(text.to_owned()))
    }
}

/// The id of the master key of a sealed text, and what follows.
fn read(sealed: &str) -> Result<([u8; ID], Vec<u8>), Unopened> {
    let bytes = BASE64.decode(sealed).map_err(|_| Unopened::Changed)?;
    let (version, rest) = bytes.split_first().ok_or(Unopened::Changed)?;
    match version.cmp(&VERSION) {
        Ordering::Less => return Err(Unopened::Changed),
        Ordering::Equal => {}
        Ordering::Greater => return Err(Unopened::Newer),
    }
    let (id, rest) = rest.split_first_chunk::<ID>().ok_or(Unopened::Changed)?;
    Ok((*id, rest.to_vec()))
}

/// What is bound to a sealed key. Each part comes with its length, so that no two rows say the
/// same.
fn about(row: &SealedKey, master: [u8; ID]) -> Vec<u8> {
    let (kind, holder) = row.holder.parts();
    let mut about = [&[VERSION][..], &master].concat();
    let servers = row.servers.iter().map(String::as_str);
    for part in [row.id.as_str(), kind, holder, &row.provider].into_iter().chain(servers) {
        about.extend((part.len() as u64).to_be_bytes());
        about.extend(part.as_bytes());
    }
    about
}

/// A name for a master key that tells nothing about it.
fn id_of(key: &[u8; 32]) -> [u8; ID] {
    let hash = blake3::derive_key("plimsoll 2026 id of a master key", key);
    [hash[0], hash[1], hash[2], hash[3]]
}

fn bytes_of(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let bytes = Zeroizing::new(match text.len() {
        64 => of_digits(text)?,
        _ => BASE64.decode(text).ok()?,
    });
    let key = <[u8; 32]>::try_from(bytes.as_slice()).ok()?;
    Some(Zeroizing::new(key))
}

fn of_digits(text: &str) -> Option<Vec<u8>> {
    let digit = |letter: u8| char::from(letter).to_digit(16);
    let byte = |pair: &[u8]| u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok();
    text.as_bytes().chunks_exact(2).map(byte).collect()
}

/// A new master key, as the variable takes it.
pub(crate) fn new_master(random: [u8; 32]) -> String {
    BASE64.encode(random)
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::Timestamp;
    use plimsoll_store::KeyHolder;

    use super::*;

    fn masters(text: &str) -> MasterKeys {
        MasterKeys::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn master(byte: u8) -> String {
        new_master([byte; 32])
    }

    fn row(holder: KeyHolder) -> SealedKey {
        SealedKey {
            id: "1".to_owned(),
            holder,
            provider: "openai".to_owned(),
            servers: vec!["https://api.openai.com".to_owned()],
            sealed: String::new(),
            created_at: Timestamp::from_millis(1),
        }
    }

    fn sealed(by: &MasterKeys, row: SealedKey, nonce: u8) -> SealedKey {
        let sealed = by.seal(&row, "sk-secret", [nonce; NONCE]).unwrap();
        assert!(!sealed.contains("sk-secret"));
        SealedKey { sealed, ..row }
    }

    fn opens(by: &MasterKeys, row: &SealedKey) -> Result<String, Unopened> {
        by.unseal(row).map(|key| key.to_string())
    }

    #[test]
    fn tea_10_a_key_opens_in_its_own_row_alone() {
        let ann = KeyHolder::Person("ann".to_owned());
        let all = masters(&master(1));
        let kept = sealed(&all, row(ann.clone()), 9);
        assert_eq!(opens(&all, &kept).as_deref(), Ok("sk-secret"));
        let evil = vec!["https://evil.example".to_owned()];
        for other in [
            SealedKey { holder: KeyHolder::Person("bob".to_owned()), ..kept.clone() },
            SealedKey { holder: KeyHolder::Project("ann".to_owned()), ..kept.clone() },
            SealedKey { holder: KeyHolder::Team, ..kept.clone() },
            SealedKey { provider: "anthropic".to_owned(), ..kept.clone() },
            SealedKey { servers: [kept.servers.clone(), evil.clone()].concat(), ..kept.clone() },
            SealedKey { servers: evil, ..kept.clone() },
            SealedKey { id: "2".to_owned(), ..kept.clone() },
        ] {
            assert_eq!(opens(&all, &other), Err(Unopened::Changed), "{other:?}");
        }
        // When it was given is not bound: it only orders lists.
        let later = SealedKey { created_at: Timestamp::from_millis(7), ..kept.clone() };
        assert!(opens(&all, &later).is_ok());
        // Parts that would run into each other differ all the same.
        let split = |name: &str, provider: &str| SealedKey {
            provider: provider.to_owned(),
            ..row(KeyHolder::Person(name.to_owned()))
        };
        let moved =
            SealedKey { sealed: sealed(&all, split("ab", "c"), 1).sealed, ..split("a", "bc") };
        assert_eq!(opens(&all, &moved), Err(Unopened::Changed));
    }

    #[test]
    fn tea_10_every_changed_byte_is_noticed() {
        let all = masters(&master(1));
        let kept = sealed(&all, row(KeyHolder::Team), 9);
        let bytes = BASE64.decode(&kept.sealed).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let changed = SealedKey { sealed: BASE64.encode(&changed), ..kept.clone() };
            assert!(opens(&all, &changed).is_err(), "byte {at}");
            let cut = SealedKey { sealed: BASE64.encode(&bytes[..at]), ..kept.clone() };
            assert!(opens(&all, &cut).is_err(), "the first {at} bytes");
        }
        let newer = SealedKey { sealed: BASE64.encode([2; 60]), ..kept.clone() };
        assert_eq!(opens(&all, &newer), Err(Unopened::Newer));
        assert_eq!(opens(&all, &SealedKey { sealed: "§".into(), ..kept }), Err(Unopened::Changed));
    }

    #[test]
    fn tea_10_a_master_key_is_changed_in_three_steps() {
        let (old, new) = (masters(&master(1)), masters(&master(2)));
        let kept = sealed(&old, row(KeyHolder::Team), 9);
        assert_eq!(opens(&new, &kept), Err(Unopened::OtherMaster));
        let both = masters(&format!("{}, {}", master(2), master(1)));
        assert_eq!(opens(&both, &kept).as_deref(), Ok("sk-secret"), "all of them open");
        let again = both.reseal(&kept, [8; NONCE]).unwrap().unwrap();
        let kept = SealedKey { sealed: again, ..kept };
        assert_eq!(both.reseal(&kept, [7; NONCE]), Ok(None), "there is nothing left to do");
        assert_eq!(opens(&new, &kept).as_deref(), Ok("sk-secret"), "the first seals");
        assert_eq!(opens(&old, &kept), Err(Unopened::OtherMaster));
    }

    #[test]
    fn tea_10_a_master_key_is_32_bytes() {
        let digits = "0a".repeat(32);
        for good in
            [&master(3), &digits, &digits.to_uppercase(), &format!("{digits},{}", master(3))]
        {
            assert!(MasterKeys::parse(good).is_ok(), "{good}");
        }
        let (short, long) = (BASE64.encode([1; 31]), BASE64.encode([1; 33]));
        for bad in [
            "",
            " ",
            "secret",
            &digits[2..],
            &"zz".repeat(32),
            &short,
            &long,
            &format!("{digits},"),
        ] {
            assert_eq!(MasterKeys::parse(bad).err(), Some(BadMaster::NoKey), "{bad}");
        }
        // Two ways to write one key are one key.
        let twice = format!("{digits},{}", new_master([10; 32]));
        assert_eq!(MasterKeys::parse(&twice).err(), Some(BadMaster::Twice));
        assert!(!BadMaster::NoKey.to_string().contains("secret"));
    }
}
