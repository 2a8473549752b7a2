//! What a team keeps about its people's doings: the audit log, what each person and project used,
//! and sealed keys of providers (TEA-10).

use plimsoll_domain::Timestamp;

use crate::sql::people::{audit, sealed_keys, team_use};

/// Something that was done and matters to whoever looks after the team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// An id of its own; those of one time are in the order of their ids.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// Who, where that is known: of a failed sign-in it is not.
    pub person: Option<String>,
    /// What was done, such as `role.set`.
    pub action: String,
    /// What it was done to, in words. Never a secret.
    pub subject: String,
    /// From where: an address, or `terminal`.
    pub origin: String,
}

/// What somebody used in a project.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonUse {
    /// Who.
    pub person: String,
    /// Where.
    pub project: String,
    /// When.
    pub at: Timestamp,
    /// Tokens, read and written.
    pub tokens: u64,
    /// In US dollars, as far as the price is known.
    pub cost: f64,
}

/// What usage is summed up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseBy {
    /// Who.
    Person,
    /// Where.
    Project,
}

/// A sum of what was used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamUse {
    /// The person or the project.
    pub name: String,
    /// Calls and sends.
    pub calls: u64,
    /// Tokens, read and written.
    pub tokens: u64,
    /// In US dollars.
    pub cost: f64,
}

/// Whose a key of a provider is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyHolder {
    /// One person alone.
    Person(String),
    /// Everybody who sends in a project.
    Project(String),
    /// Everybody.
    Team,
}

impl KeyHolder {
    /// The word for the kind, and the name; a team has none.
    pub fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Person(name) => ("person", name),
            Self::Project(name) => ("project", name),
            Self::Team => ("team", ""),
        }
    }

    /// The holder of these parts.
    pub fn of_parts(kind: &str, name: &str) -> Option<Self> {
        match kind {
            "person" => Some(Self::Person(name.to_owned())),
            "project" => Some(Self::Project(name.to_owned())),
            "team" => Some(Self::Team),
            _ => None,
        }
    }
}

/// A key of a provider as it is kept: nobody can read it without the master key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedKey {
    /// Its id, which is sealed in with it: a row cannot be put in another's place.
    pub id: String,
    /// Whose it is.
    pub holder: KeyHolder,
    /// Whose models it is for.
    pub provider: String,
    /// The servers that it may be sent to.
    pub servers: Vec<String>,
    /// The sealed key as text.
    pub sealed: String,
    /// When it was kept.
    pub created_at: Timestamp,
}

jobs! {
    pub trait Audit {
        /// Notes what was done.
        write note_audit(entry: &AuditEntry) -> () = audit::note;

        /// What was done since a time, the newest first, at most so much.
        read audit_since(since: Timestamp, most: u64) -> Vec<AuditEntry> = audit::since;

        /// Forgets what was done before a time, at most so many entries; says how many.
        write purge_audit(before: Timestamp, most: u64) -> u64 = audit::purge;

        /// Counts what was used.
        write_lazily count_use(used: &[PersonUse]) -> () = team_use::count;

        /// What a person used in the thirty days before a time, in all projects.
        read used_by_person(person: &str, now: Timestamp) -> TeamUse = team_use::by_person;

        /// What was used in a project in the thirty days before a time, by everybody.
        read used_in_project(project: &str, now: Timestamp) -> TeamUse = team_use::in_project;

        /// Sums since a time, the costliest first.
        read team_use_since(since: Timestamp, by: UseBy) -> Vec<TeamUse> = team_use::since;

        /// What somebody used in each project, as far as it is known.
        read use_of(person: &str) -> Vec<TeamUse> = team_use::of_person;

        /// Forgets what was used before a time, at most so many rows; says how many.
        write purge_use(before: Timestamp, most: u64) -> u64 = team_use::purge;

        /// Keeps a sealed key in the place of one that its holder had for that provider.
        write put_sealed_key(key: &SealedKey) -> () = sealed_keys::put;

        /// All sealed keys, by holder and provider.
        read sealed_keys() -> Vec<SealedKey> = sealed_keys::all;

        /// The key that serves a person in a project: theirs, else the project's, else the team's.
        read sealed_key_for(person: &str, project: &str, provider: &str) -> Option<SealedKey>
            = sealed_keys::serving;

        /// The keys that may serve a person in a project, by provider, and of each the one that
        /// serves first.
        read sealed_keys_for(person: &str, project: &str) -> Vec<SealedKey>
            = sealed_keys::all_serving;

        /// Puts a newly sealed text in the place of the one that a row was read with; false where
        /// the row is gone or another by now.
        write reseal_key(was: &SealedKey, sealed: &str) -> bool = sealed_keys::reseal;

        /// Forgets a key; says whether there was one.
        write remove_sealed_key(holder: &KeyHolder, provider: &str) -> bool = sealed_keys::remove;
    }
}
