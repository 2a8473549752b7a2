//! What a provider says of a person.

use openidconnect::AdditionalClaims;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Who somebody is, as a provider says that was believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The provider.
    pub issuer: String,
    /// What it calls the person, for ever and nobody else.
    pub subject: String,
    /// Their address, which may change and pass to somebody else.
    pub email: Option<String>,
    /// Whether the provider knows that the address is theirs.
    pub email_verified: bool,
    /// The name that they sign in with there.
    pub username: Option<String>,
    /// Groups that they are in.
    pub groups: Vec<String>,
}

impl Identity {
    /// The provider and what it calls the person: what an account is bound to.
    pub fn bound_subject(&self) -> String {
        format!("{} {}", self.issuer, self.subject)
    }

    /// What people would call them, for a page or a log.
    pub fn shown(&self) -> &str {
        self.email.as_deref().or(self.username.as_deref()).unwrap_or(&self.subject)
    }
}

/// Claims of an ID token that the standard does not have.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct MoreClaims {
    #[serde(default)]
    pub(crate) groups: Groups,
}

impl AdditionalClaims for MoreClaims {}

/// Providers write one group, many or none, and some put other things there.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Groups(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Groups {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Ok(Self(match Value::deserialize(deserializer)? {
            Value::Array(values) => values.iter().filter_map(text).collect(),
            value => text(&value).into_iter().collect(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_groups_are_read_however_they_are_written() {
        for (json, groups) in [
            (r#"{"groups": ["a", "b"]}"#, &["a", "b"][..]),
            (r#"{"groups": "a"}"#, &["a"]),
            (r#"{"groups": ["a", 7, null]}"#, &["a"]),
            (r#"{"groups": {"a": 1}}"#, &[]),
            (r#"{"groups": null}"#, &[]),
            ("{}", &[]),
        ] {
            let claims: MoreClaims = serde_json::from_str(json).unwrap();
            assert_eq!(claims.groups.0, groups, "{json}");
        }
    }
}
