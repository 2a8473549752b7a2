//! A team's people (TEA-9, TEA-10): what their tokens look like, what is noted about what they do,
//! and how long that is kept. Who may do what is decided where requests come in.

mod identities;
mod leaving;
mod limits;

use std::time::Duration;

pub use leaving::{Left, OwnProject};
use plimsoll_domain::Timestamp;
use plimsoll_store::{AuditEntry, is_person_name};

use crate::{App, AppError, KEY_PREFIX};

/// What is noted in the audit log. The words are stable: people look for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audited {
    /// Somebody signed in.
    SignIn,
    /// Somebody tried to, with something that is not right.
    SignInFailed,
    /// Somebody signed out.
    SignOut,
    /// A person was added, changed or removed.
    UserAdded,
    /// What somebody may do for the team, or use, was changed.
    UserChanged,
    /// Somebody left.
    UserRemoved,
    /// Somebody was bound to who they are at the provider of identities, or is bound no more.
    UserBound,
    /// A token was made.
    TokenAdded,
    /// A token was taken back.
    TokenRemoved,
    /// A project was added.
    ProjectAdded,
    /// What may be used in a project was changed.
    ProjectChanged,
    /// A role was given.
    RoleSet,
    /// A role was taken away.
    RoleRemoved,
    /// A key of a provider was kept.
    KeySet,
    /// A key of a provider was forgotten.
    KeyRemoved,
    /// A setting was changed.
    SettingChanged,
    /// Conversations, notes or receipts were taken along.
    Exported,
    /// Something was deleted.
    Deleted,
}

impl Audited {
    /// The word in the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign-in",
            Self::SignInFailed => "sign-in.failed",
            Self::SignOut => "sign-out",
            Self::UserAdded => "user.add",
            Self::UserChanged => "user.set",
            Self::UserRemoved => "user.rm",
            Self::UserBound => "user.bind",
            Self::TokenAdded => "token.add",
            Self::TokenRemoved => "token.rm",
            Self::ProjectAdded => "project.add",
            Self::ProjectChanged => "project.set",
            Self::RoleSet => "role.set",
            Self::RoleRemoved => "role.rm",
            Self::KeySet => "key.set",
            Self::KeyRemoved => "key.rm",
            Self::SettingChanged => "setting.set",
            Self::Exported => "export",
            Self::Deleted => "delete",
        }
    }
}

/// Who did something, and from where.
#[derive(Clone, Copy, Debug)]
pub struct Doer<'a> {
    /// Who, where that is known.
    pub person: Option<&'a str>,
    /// An address, or `terminal`.
    pub origin: &'a str,
}

/// Whoever can run the program beside the store.
pub const AT_THE_TERMINAL: Doer<'static> = Doer { person: None, origin: "terminal" };

const TOKEN: &str = "team-";
/// The random part of a token, in hexadecimal digits.
pub const TOKEN_DIGITS: usize = 64;

/// The token of a person. It begins like the keys of client programs, so that no provider is sent
/// one by mistake, and says whose it is, so that wrong ones can be counted by name.
pub fn person_token(name: &str, random: &str) -> String {
    format!("{KEY_PREFIX}{TOKEN}{name}-{random}")
}

/// Whose a token says that it is; none for what is no token of a person.
pub fn name_in_token(token: &str) -> Option<&str> {
    let rest = token.strip_prefix(KEY_PREFIX)?.strip_prefix(TOKEN)?;
    let (name, digits) = rest.rsplit_once('-')?;
    let random = digits.len() == TOKEN_DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit());
    (random && is_person_name(name)).then_some(name)
}

/// So many rows go at a time: whoever writes meanwhile hardly waits.
const STEP: u64 = 500;
/// So many steps at once; the rest goes the next time.
const STEPS: u64 = 20;

impl App {
    /// Notes in the audit log what was done.
    pub async fn note_audit(
        &self,
        by: Doer<'_>,
        what: Audited,
        subject: &str,
    ) -> Result<(), AppError> {
        let at = self.clock.now();
        let random: String = self.chance.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let entry = AuditEntry {
            id: format!("{:016x}{random}", at.millis()),
            at,
            person: by.person.map(str::to_owned),
            action: what.name().to_owned(),
            subject: shortened(subject),
            origin: shortened(by.origin),
        };
        Ok(self.store.note_audit(&entry).await?)
    }

    /// The same of what was done at the terminal, where there is a team.
    pub async fn note_at_terminal(&self, what: Audited, subject: &str) -> Result<(), AppError> {
        if self.store.people().await?.is_empty() {
            return Ok(());
        }
        self.note_audit(AT_THE_TERMINAL, what, subject).await
    }

    /// Forgets sign-ins and attempts that have ended, and of the audit log and of usage what is older than the
    /// settings keep, in bounded steps; says how many rows went.
    pub async fn tidy_team(&self) -> Result<u64, AppError> {
        let (settings, now) = (self.settings(), self.clock.now());
        let audit = before(now, settings.audit_kept());
        let used = before(now, settings.usage_kept());
        let mut gone = 0;
        for _ in 0..STEPS {
            let step = self.store.forget_ended_sign_ins(now, STEP).await?
                + self.store.forget_openid_attempts(now, STEP).await?
                + self.store.purge_audit(audit, STEP).await?
                + self.store.purge_use(used, STEP).await?;
            gone += step;
            if step == 0 {
                break;
            }
        }
        Ok(gone)
    }
}

/// The time so long before another.
pub fn before(now: Timestamp, age: Duration) -> Timestamp {
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(now.millis().saturating_sub(age))
}

/// No entry is longer than that, whoever chose its words.
const LONGEST: usize = 500;

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_a_token_says_whose_it_is() {
        let digits = "0f".repeat(32);
        for name in ["ann", "a-b", "x.y_z"] {
            assert_eq!(name_in_token(&person_token(name, &digits)), Some(name));
        }
        let key = format!("{KEY_PREFIX}{digits}");
        for other in ["", "plimsoll-", &key, "plimsoll-team-ann-12", &person_token("Ann", &digits)]
        {
            assert_eq!(name_in_token(other), None, "{other}");
        }
    }

    #[test]
    fn tea_10_entries_of_the_log_are_short_lines() {
        assert_eq!(shortened("a\nb\u{1b}[0m"), "ab[0m");
        assert_eq!(shortened(&"x".repeat(900)).len(), LONGEST);
    }
}
