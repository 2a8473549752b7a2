//! Keys that a team keeps sealed in its store: of a person, of a project, of everybody (TEA-10).

use std::sync::Arc;

use plimsoll_app::Payer;
use plimsoll_domain::Timestamp;
use plimsoll_provider::Secret;
use plimsoll_store::{KeyHolder, Noun, SealedKey, Store, StoreError};
use plimsoll_tokens::counted;

use super::sealing::{BadMaster, HELP, MasterKeys, Unopened, VARIABLE};
use crate::failure::Failure;

/// Whose a key is, in words that follow "the key of openai".
pub(crate) fn whose(holder: &KeyHolder) -> String {
    match holder {
        KeyHolder::Person(name) => format!("for {name}"),
        KeyHolder::Project(name) => format!("for the project {name}"),
        KeyHolder::Team => "for the team".to_owned(),
    }
}

/// The sealed keys of a store, and what opens them.
pub(crate) struct TeamKeys {
    store: Arc<dyn Store>,
    masters: Result<MasterKeys, BadMaster>,
}

/// What came of sealing all keys again.
#[derive(Default)]
pub(crate) struct Resealed {
    /// Keys that the first master key seals now.
    pub(crate) done: u64,
    /// Keys that it sealed already.
    pub(crate) as_before: u64,
    /// Keys that do not open.
    pub(crate) unopened: Vec<(SealedKey, Unopened)>,
}

impl TeamKeys {
    /// Those of a store, with the master keys of the environment. That there are none is told
    /// when one is needed.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, masters: MasterKeys::of_environment() }
    }

    fn masters(&self) -> Result<&MasterKeys, Failure> {
        self.masters.as_ref().map_err(|bad| Failure::failed(bad.to_string()).hint(HELP))
    }

    /// Refuses where nothing can be sealed, before somebody types a key.
    pub(crate) fn must_seal(&self) -> Result<(), Failure> {
        self.masters().map(drop)
    }

    /// The row whose key goes along where somebody asks a provider.
    pub(crate) async fn serving(
        &self,
        payer: &Payer,
        provider: &str,
    ) -> Result<Option<SealedKey>, Failure> {
        Ok(self.store.sealed_key_for(&payer.person, &payer.project, provider).await?)
    }

    /// The same for all providers.
    pub(crate) async fn all_serving(&self, payer: &Payer) -> Result<Vec<SealedKey>, Failure> {
        Ok(self.store.sealed_keys_for(&payer.person, &payer.project).await?)
    }

    /// The row of one holder.
    pub(crate) async fn of(
        &self,
        holder: &KeyHolder,
        provider: &str,
    ) -> Result<Option<SealedKey>, Failure> {
        let rows = self.store.sealed_keys().await?;
        Ok(rows.into_iter().find(|row| row.holder == *holder && row.provider == provider))
    }

    /// All rows.
    pub(crate) async fn all(&self) -> Result<Vec<SealedKey>, Failure> {
        Ok(self.store.sealed_keys().await?)
    }

    /// The key of a row. One that does not open is said: no other goes instead of it.
    pub(crate) fn open(&self, row: &SealedKey) -> Result<Secret, Failure> {
        let of = format!("the key of {} {} cannot be opened", row.provider, whose(&row.holder));
        let masters = self.masters.as_ref();
        let masters = masters.map_err(|bad| Failure::failed(format!("{of}: {bad}")).hint(HELP))?;
        masters.open(row).map_err(|why| {
            let hint = match why {
                Unopened::OtherMaster => format!("add the key that it had to {VARIABLE}"),
                Unopened::Changed => "give the key again".to_owned(),
                Unopened::Newer => "update this server".to_owned(),
            };
            Failure::failed(format!("{of}: {why}")).hint(hint)
        })
    }

    /// Keeps a key in the place of the one that its holder had.
    pub(crate) async fn keep(
        &self,
        holder: &KeyHolder,
        provider: &str,
        key: &str,
        servers: &[String],
        now: Timestamp,
    ) -> Result<(), Failure> {
        let masters = self.masters()?;
        let mut row = SealedKey {
            id: random::<16>()?.map(|byte| format!("{byte:02x}")).concat(),
            holder: holder.clone(),
            provider: provider.to_owned(),
            servers: servers.to_vec(),
            sealed: String::new(),
            created_at: now,
        };
        let sealed = masters.seal(&row, key, random()?);
        row.sealed = sealed.ok_or_else(|| Failure::failed("the key could not be sealed"))?;
        self.store.put_sealed_key(&row).await.map_err(|error| match error {
            StoreError::NotFound(Noun::Person) => {
                Failure::failed("there is no such user").hint("plimsoll team user list names them")
            }
            StoreError::NotFound(Noun::Project) => Failure::failed("there is no such project")
                .hint("plimsoll team project list names them"),
            error => error.into(),
        })
    }

    /// Forgets a key; says whether there was one.
    pub(crate) async fn remove(&self, holder: &KeyHolder, provider: &str) -> Result<bool, Failure> {
        Ok(self.store.remove_sealed_key(holder, provider).await?)
    }

    /// Seals every key with the first master key.
    pub(crate) async fn reseal(&self) -> Result<Resealed, Failure> {
        let masters = self.masters()?;
        let mut done = Resealed::default();
        for row in self.store.sealed_keys().await? {
            match masters.reseal(&row, random()?) {
                Ok(None) => done.as_before += 1,
                Err(why) => done.unopened.push((row, why)),
                // Who gave another key meanwhile had it sealed with the first one.
                Ok(Some(sealed)) => {
                    self.store.reseal_key(&row, &sealed).await?;
                    done.done += 1;
                }
            }
        }
        Ok(done)
    }

    /// Whether a key opens here.
    pub(crate) fn opens(&self, row: &SealedKey) -> Result<(), String> {
        let masters = self.masters.as_ref().map_err(ToString::to_string)?;
        masters.open(row).map(drop).map_err(|why| why.to_string())
    }

    /// What whoever starts a server should know: that keys are there which it cannot open, in one
    /// line.
    pub(crate) async fn trouble(&self) -> Result<Option<String>, Failure> {
        let rows = self.store.sealed_keys().await?;
        let bad = match &self.masters {
            // Without keys, nobody needs it.
            Err(BadMaster::Missing) if rows.is_empty() => return Ok(None),
            Err(bad) => Some(bad.to_string()),
            Ok(_) => None,
        };
        let unopened = rows.iter().filter(|row| self.opens(row).is_err()).count() as u64;
        Ok(match (bad, unopened) {
            (None, 0) => None,
            (Some(bad), 0) => Some(format!("{bad}; {HELP}")),
            (Some(bad), some) => Some(format!("{bad}, so {} cannot be opened; {HELP}", keys(some))),
            (None, some) => Some(format!(
                "{} cannot be opened with {VARIABLE}; plimsoll team key list says which",
                keys(some)
            )),
        })
    }
}

fn keys(count: u64) -> String {
    counted(count, "sealed key")
}

fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::failed(format!("this machine gives no random bytes: {error}")))?;
    Ok(bytes)
}
