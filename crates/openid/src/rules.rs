//! Who of those that a provider knows may sign in, and by which of their names they are looked for.

use thiserror::Error;

use crate::Identity;

/// The claim that names a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameClaim {
    /// The address, which counts only where the provider verified it.
    #[default]
    Email,
    /// The name that they sign in with at the provider. Some let people choose it.
    Username,
    /// What the provider calls them and nobody else.
    Subject,
}

/// Some of those that a provider knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// All of them.
    Everybody,
    /// Who has this verified address, in small letters.
    Email(String),
    /// Who has a verified address of this domain, in small letters.
    Domain(String),
    /// Who is in this group.
    Group(String),
}

/// This says nothing about anybody.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is neither an address, a @domain, a group:NAME nor *")]
pub struct BadAllowed(String);

impl std::str::FromStr for Allowed {
    type Err = BadAllowed;

    fn from_str(text: &str) -> Result<Self, BadAllowed> {
        let text = text.trim();
        let named = |rest: &str| !rest.is_empty() && !rest.contains(char::is_whitespace);
        if text == "*" {
            return Ok(Self::Everybody);
        }
        if let Some(group) = text.strip_prefix("group:").map(str::trim) {
            let good = !group.is_empty();
            return good.then(|| Self::Group(group.to_owned())).ok_or(BadAllowed(text.to_owned()));
        }
        match text.rsplit_once('@') {
            Some(("", domain)) if named(domain) => Ok(Self::Domain(domain.to_lowercase())),
            Some((_, domain)) if !domain.is_empty() && named(text) => {
                Ok(Self::Email(text.to_lowercase()))
            }
            _ => Err(BadAllowed(text.to_owned())),
        }
    }
}

/// What an administrator decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What names a person.
    pub claim: NameClaim,
    /// Who may sign in. Nobody named is no limit.
    pub allowed: Vec<Allowed>,
}

/// What is missing for somebody to be let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// They are not among those who may sign in.
    Permission,
    /// Their address is not verified.
    VerifiedEmail,
    /// The provider does not say the claim that names them.
    Name,
}

/// The names by which somebody is looked for who signs in for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The claim that names them, and what the provider calls them.
    pub names: Vec<String>,
    /// Why the claim is not among them.
    pub lacking: Option<Lacking>,
}

impl Rules {
    /// Says whether somebody may sign in, and by which names they are looked for.
    pub fn judge(&self, identity: &Identity) -> Result<Names, Lacking> {
        let verified = identity.email.as_deref().filter(|_| identity.email_verified);
        let verified = verified.map(str::to_lowercase);
        let is_allowed = |allowed: &Allowed| match allowed {
            Allowed::Everybody => true,
            Allowed::Email(email) => verified.as_deref() == Some(email),
            Allowed::Domain(domain) => {
                let of = verified.as_deref().and_then(|email| email.rsplit_once('@'));
                of.is_some_and(|(_, of)| of == domain)
            }
            Allowed::Group(group) => identity.groups.contains(group),
        };
        if !self.allowed.is_empty() && !self.allowed.iter().any(is_allowed) {
            let by_email = |one: &Allowed| matches!(one, Allowed::Email(_) | Allowed::Domain(_));
            let unverified = verified.is_none() && identity.email.is_some();
            return Err(match unverified && self.allowed.iter().any(by_email) {
                true => Lacking::VerifiedEmail,
                false => Lacking::Permission,
            });
        }
        let (name, lacking) = match self.claim {
            NameClaim::Email if identity.email.is_some() => (verified, Lacking::VerifiedEmail),
            NameClaim::Email => (None, Lacking::Name),
            NameClaim::Username => {
                (identity.username.clone().filter(|name| !name.is_empty()), Lacking::Name)
            }
            NameClaim::Subject => (Some(identity.subject.clone()), Lacking::Name),
        };
        let lacking = Some(lacking).filter(|_| name.is_none());
        let mut names: Vec<String> = name.into_iter().chain([identity.subject.clone()]).collect();
        names.dedup();
        Ok(Names { names, lacking })
    }

    /// Whether the claims of an ID token are enough to judge by; else the provider is asked for
    /// more.
    pub(crate) fn has_enough(&self, identity: &Identity) -> bool {
        let asked = |wants: fn(&Allowed) -> bool| self.allowed.iter().any(wants);
        let email = self.claim == NameClaim::Email
            || asked(|one| matches!(one, Allowed::Email(_) | Allowed::Domain(_)));
        let groups = asked(|one| matches!(one, Allowed::Group(_)));
        (!email || identity.email.is_some())
            && (!groups || !identity.groups.is_empty())
            && (self.claim != NameClaim::Username || identity.username.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ann() -> Identity {
        Identity {
            issuer: "https://id.example.org".to_owned(),
            subject: "7".to_owned(),
            email: Some("Ann@Example.org".to_owned()),
            email_verified: true,
            username: Some("ann".to_owned()),
            groups: vec!["crew".to_owned()],
        }
    }

    fn rules(claim: NameClaim, allowed: &[&str]) -> Rules {
        Rules { claim, allowed: allowed.iter().map(|one| one.parse().unwrap()).collect() }
    }

    #[test]
    fn tea_9_who_may_sign_in_is_written_in_four_ways() {
        for (text, allowed) in [
            ("*", Allowed::Everybody),
            (" Ann@Example.org ", Allowed::Email("ann@example.org".to_owned())),
            ("@Example.org", Allowed::Domain("example.org".to_owned())),
            ("group: Domain Users", Allowed::Group("Domain Users".to_owned())),
        ] {
            assert_eq!(text.parse(), Ok(allowed), "{text}");
        }
        for bad in ["", "ann", "@", "ann@", "a b@c", "@a b", "group:", "**"] {
            assert!(bad.parse::<Allowed>().is_err(), "{bad}");
        }
    }

    #[test]
    fn tea_9_an_address_counts_only_when_it_is_verified() {
        let by_email = rules(NameClaim::Email, &[]);
        let judged = by_email.judge(&ann()).unwrap();
        assert_eq!(
            judged,
            Names { names: vec!["ann@example.org".into(), "7".into()], lacking: None }
        );
        let unverified = Identity { email_verified: false, ..ann() };
        let judged = by_email.judge(&unverified).unwrap();
        assert_eq!(judged.names, ["7"], "nobody is found by an address that anybody can claim");
        assert_eq!(judged.lacking, Some(Lacking::VerifiedEmail));
        let none = Identity { email: None, ..ann() };
        assert_eq!(by_email.judge(&none).unwrap().lacking, Some(Lacking::Name));
        let by_name = rules(NameClaim::Username, &[]);
        assert_eq!(by_name.judge(&unverified).unwrap().names, ["ann", "7"]);
        assert_eq!(rules(NameClaim::Subject, &[]).judge(&unverified).unwrap().names, ["7"]);
    }

    #[test]
    fn tea_9_only_those_who_are_allowed_sign_in() {
        for (allowed, may) in [
            (&["@example.org"][..], true),
            (&["@ample.org"], false),
            (&["@org"], false),
            (&["ann@example.org"], true),
            (&["bob@example.org", "group:crew"], true),
            (&["group:Crew"], false),
            (&["group:officers"], false),
            (&["*"], true),
        ] {
            let judged = rules(NameClaim::Email, allowed).judge(&ann());
            assert_eq!(judged.is_ok(), may, "{allowed:?}");
        }
        let unverified = Identity { email_verified: false, ..ann() };
        let judged = rules(NameClaim::Subject, &["@example.org"]).judge(&unverified);
        assert_eq!(judged, Err(Lacking::VerifiedEmail));
        let judged = rules(NameClaim::Subject, &["group:officers"]).judge(&unverified);
        assert_eq!(judged, Err(Lacking::Permission));
    }

    #[test]
    fn tea_9_the_provider_is_asked_for_more_where_the_token_says_too_little() {
        let bare = Identity { subject: "7".to_owned(), ..Identity::default() };
        assert!(!rules(NameClaim::Email, &[]).has_enough(&bare));
        assert!(!rules(NameClaim::Username, &[]).has_enough(&bare));
        assert!(!rules(NameClaim::Subject, &["@a.b"]).has_enough(&bare));
        assert!(!rules(NameClaim::Subject, &["group:crew"]).has_enough(&bare));
        assert!(rules(NameClaim::Subject, &["*"]).has_enough(&bare));
        assert!(rules(NameClaim::Email, &["group:crew"]).has_enough(&ann()));
    }
}
