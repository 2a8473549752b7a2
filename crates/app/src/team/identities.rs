//! People who sign in by a provider of identities (TEA-9): found by who they are there, bound to it
//! when they first come, and added where an administrator wants that.

use plimsoll_store::{MonthlyLimits, Person, is_person_name, openid_name};

use super::{Audited, Doer};
use crate::{App, AppError};

/// So many names are tried for somebody who is added.
const MOST_NAMES: u32 = 100;

impl App {
    /// Whose account somebody's is who is known at the provider by this subject. Who comes for the
    /// first time is found by one of the names, and bound: from then on the names do not matter.
    pub async fn person_by_identity(
        &self,
        subject: &str,
        names: &[String],
        origin: &str,
    ) -> Result<Option<Person>, AppError> {
        if let Some(known) = self.store.person_by_subject(subject).await? {
            return Ok(Some(known));
        }
        let names: Vec<String> = names.iter().map(|name| openid_name(name)).collect();
        let bound = self.store.bind_subject(subject, &names).await?;
        if let Some(person) = &bound {
            let by = Doer { person: Some(&person.name), origin };
            let words = format!("{}: {subject}", person.name);
            self.note_audit(by, Audited::UserBound, &words).await?;
        }
        Ok(bound)
    }

    /// Adds somebody who is nobody here yet, by a name like the wanted one. None where all such
    /// names are taken.
    pub async fn add_person_by_identity(
        &self,
        subject: &str,
        wanted: &str,
        email: Option<&str>,
        origin: &str,
    ) -> Result<Option<Person>, AppError> {
        let stem = name_like(wanted);
        for number in 1..=MOST_NAMES {
            let name = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
            let person = Person {
                name,
                created_at: self.clock.now(),
                admin: false,
                email: email.map(str::to_owned),
                subject: Some(subject.to_owned()),
                limits: MonthlyLimits::default(),
            };
            match self.store.add_person(&person).await {
                Ok(false) => {}
                Ok(true) => {
                    let by = Doer { person: Some(&person.name), origin };
                    let words = format!("{}: {subject}", person.name);
                    self.note_audit(by, Audited::UserAdded, &words).await?;
                    return Ok(Some(person));
                }
                // They may have come twice at once, and been added by the other.
                Err(error) => match self.store.person_by_subject(subject).await? {
                    Some(person) => return Ok(Some(person)),
                    None => return Err(error.into()),
                },
            }
        }
        Ok(None)
    }
}

/// The longest stem: a number has room behind it.
const STEM: usize = 60;

/// A name that a person can have, made of what the provider calls them.
fn name_like(wanted: &str) -> String {
    let wanted = wanted.split('@').next().unwrap_or_default().to_lowercase();
    let good = |letter: char| match letter {
        'a'..='z' | '0'..='9' | '.' | '_' | '-' => letter,
        _ => '-',
    };
    let name: String = wanted.chars().map(good).collect();
    let name = name.trim_start_matches(['.', '_', '-']);
    let name = name[..name.len().min(STEM)].trim_end_matches(['.', '_', '-']);
    if is_person_name(name) { name.to_owned() } else { "user".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_a_name_is_made_of_what_the_provider_says() {
        for (wanted, name) in [
            ("ann", "ann"),
            ("Ann.Lee@example.org", "ann.lee"),
            ("DOMAIN\\bob", "domain-bob"),
            ("~eve", "eve"),
            ("Jürgen Müller", "j-rgen-m-ller"),
            ("愛", "user"),
            ("", "user"),
            ("@example.org", "user"),
        ] {
            assert_eq!(name_like(wanted), name, "{wanted}");
        }
        let long = name_like(&"x".repeat(200));
        assert!(is_person_name(&format!("{long}-{MOST_NAMES}")), "{long}");
    }
}
