//! Signing in by OpenID Connect, as an administrator set it up (TEA-9).

use crate::{Settings, SettingsError, settings::split_servers};

/// The claim that people are found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenIdClaim {
    /// A verified address.
    Email,
    /// The name that they sign in with at the provider.
    PreferredUsername,
    /// What the provider calls them.
    Subject,
}

/// A provider that a team signs in by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenIdSettings {
    /// Its address, as it writes itself: some have a slash at the end, and some have none.
    pub issuer: String,
    /// What it knows this server by.
    pub client: String,
    /// The variable that holds the secret.
    pub secret_variable: String,
    /// What people call it.
    pub name: String,
    /// What it is asked to tell.
    pub scopes: Vec<String>,
    /// What people are found by.
    pub claim: OpenIdClaim,
    /// Who may sign in.
    pub allowed: Vec<String>,
    /// Whether people are added who sign in for the first time.
    pub creates: bool,
}

impl Settings {
    /// The variable that holds the secret of this server at a provider of identities.
    pub fn openid_secret_variable(&self) -> &str {
        self.text("openidSecretVariable").trim()
    }

    /// The provider that the team signs in by, if there is one; or what is missing.
    pub fn openid(&self) -> Result<Option<OpenIdSettings>, SettingsError> {
        let issuer = self.text("openidIssuer").trim();
        if issuer.is_empty() {
            return Ok(None);
        }
        let bad = |key: &'static str, expected: &str| SettingsError::BadValue {
            origin: "OpenID Connect".to_owned(),
            key,
            value: self.text(key).to_owned(),
            expected: expected.to_owned(),
        };
        if !is_issuer(issuer) {
            let words = "the https address of the provider; plain http only for this machine";
            return Err(bad("openidIssuer", words));
        }
        let client = self.text("openidClientId").trim();
        if client.is_empty() {
            return Err(bad("openidClientId", "what the provider knows this server by"));
        }
        let allowed: Vec<String> =
            split_names(self.text("openidAllow")).map(str::to_owned).collect();
        let creates = self.text("openidCreate") == "on";
        if creates && allowed.is_empty() {
            let words = "who may be added (@domain, group:NAME, addresses), or * for all whom the \
                         provider knows";
            return Err(bad("openidAllow", words));
        }
        let name = self.text("openidName").trim();
        Ok(Some(OpenIdSettings {
            issuer: issuer.to_owned(),
            client: client.to_owned(),
            secret_variable: self.openid_secret_variable().to_owned(),
            name: if name.is_empty() { "OpenID" } else { name }.to_owned(),
            scopes: split_servers(self.text("openidScopes")).map(str::to_owned).collect(),
            claim: match self.text("openidClaim") {
                "preferred_username" => OpenIdClaim::PreferredUsername,
                "sub" => OpenIdClaim::Subject,
                _ => OpenIdClaim::Email,
            },
            allowed,
            creates,
        }))
    }
}

/// Names of people or groups.
pub(crate) fn split_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// Keys and codes go over this connection: nobody else may read it or answer.
fn is_issuer(issuer: &str) -> bool {
    let host = |rest: &str| {
        let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let bare = place.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
        bare.map_or(place, |(host, _)| host).to_owned()
    };
    let plain = !issuer.contains(|c: char| c.is_whitespace() || matches!(c, '?' | '#' | '@'));
    let named = match issuer.split_once("://") {
        Some(("https", rest)) => !host(rest).is_empty(),
        Some(("http", rest)) => matches!(&*host(rest), "localhost" | "127.0.0.1" | "[::1]"),
        _ => false,
    };
    plain && named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sources;

    fn openid(file: &str) -> Result<Option<OpenIdSettings>, String> {
        let sources = Sources { file: Some(file.to_owned()), ..Sources::default() };
        Settings::resolve(&sources).unwrap().openid().map_err(|error| error.to_string())
    }

    const USUAL: &str = "openidIssuer = \"https://id.example.org/realms/crew\"\n\
                         openidClientId = \"plimsoll\"\n";

    #[test]
    fn tea_9_a_provider_of_identities_needs_an_address_and_a_name_for_us() {
        assert_eq!(openid(""), Ok(None));
        let usual = openid(USUAL).unwrap().unwrap();
        assert_eq!(usual.issuer, "https://id.example.org/realms/crew");
        assert_eq!(usual.secret_variable, "PLIMSOLL_OPENID_CLIENT_SECRET");
        assert_eq!((usual.name.as_str(), usual.claim), ("OpenID", OpenIdClaim::Email));
        assert_eq!(usual.scopes, ["email", "profile"]);
        assert!(usual.allowed.is_empty() && !usual.creates);
        let said = openid("openidIssuer = \"https://id.example.org\"").unwrap_err();
        assert!(said.contains("openidClientId"), "{said}");
    }

    #[test]
    fn tea_9_a_provider_is_asked_by_https() {
        for good in ["https://a", "https://a:8443/x/", "http://127.0.0.1:9", "http://localhost/x"] {
            assert!(is_issuer(good), "{good}");
        }
        for bad in [
            "id.example.org",
            "https://",
            "http://id.example.org",
            "http://127.0.0.1.example.org",
            "http://localhost@id.example.org",
            "https://a?b",
            "https://a b",
            "ftp://a",
        ] {
            assert!(!is_issuer(bad), "{bad}");
        }
    }

    #[test]
    fn tea_9_nobody_is_added_without_saying_who_may_be() {
        let said = openid(&format!("{USUAL}openidCreate = true")).unwrap_err();
        assert!(said.contains("openidAllow") && said.contains("@domain"), "{said}");
        let named = format!(
            "{USUAL}openidCreate = true\nopenidAllow = [\"@example.org\", \"group:Deck crew\"]"
        );
        let named = openid(&named).unwrap().unwrap();
        assert_eq!(named.allowed, ["@example.org", "group:Deck crew"]);
        assert!(named.creates);
    }
}
