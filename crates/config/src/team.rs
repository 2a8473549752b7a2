//! The settings that only a team has (TEA-9, TEA-10).

use std::time::Duration;

use crate::{Settings, settings::split_servers};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Settings {
    /// Whether several people use this server, who sign in.
    pub fn team(&self) -> bool {
        self.text("team") == "on"
    }

    /// The address that the team opens, without a slash at its end, where one is set.
    pub fn public_url(&self) -> Option<&str> {
        Some(self.text("publicUrl").trim().trim_end_matches('/')).filter(|url| !url.is_empty())
    }

    /// The name and port of the address that the team opens.
    pub fn public_host(&self) -> Option<&str> {
        self.public_url()?.split_once("://")?.1.split('/').next()
    }

    /// How long people are signed in.
    pub fn sign_in_time(&self) -> Duration {
        self.days("signInDays")
    }

    /// How long the audit log is kept.
    pub fn audit_kept(&self) -> Duration {
        self.days("auditKeepDays")
    }

    /// How long it is kept who used how much.
    pub fn usage_kept(&self) -> Duration {
        self.days("usageKeepDays")
    }

    /// The provider of identities and the name that it knows us by, where both are set.
    pub fn oidc(&self) -> Option<(&str, &str)> {
        let (issuer, client) = (self.text("oidcIssuer").trim(), self.text("oidcClientId").trim());
        (!issuer.is_empty() && !client.is_empty()).then_some((issuer, client))
    }

    /// Whether the owner of an address becomes a user at the first sign-in.
    pub fn oidc_takes(&self, email: &str) -> bool {
        let Some((_, domain)) = email.rsplit_once('@') else { return false };
        split_servers(self.text("oidcDomains")).any(|known| known.eq_ignore_ascii_case(domain))
    }

    fn days(&self, key: &str) -> Duration {
        DAY.saturating_mul(u32::try_from(self.whole(key)).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sources;

    fn settings(file: &str) -> Settings {
        Settings::resolve(&Sources { file: Some(file.to_owned()), ..Sources::default() }).unwrap()
    }

    #[test]
    fn tea_9_nobody_has_a_team_unasked() {
        let none = settings("");
        assert!(!none.team() && none.public_url().is_none() && none.oidc().is_none());
        assert_eq!(none.sign_in_time(), 14 * DAY);
        assert!(!none.oidc_takes("ann@example.org"));
        assert!(settings("team = true").team());
    }

    #[test]
    fn tea_9_addresses_and_domains_are_read() {
        let team = settings(
            "publicUrl = \"https://p.example.org:8443/\"\noidcIssuer = \"https://id.example.org\"\n\
             oidcClientId = \"plimsoll\"\noidcDomains = \"example.org, b.example\"",
        );
        assert_eq!(team.public_url(), Some("https://p.example.org:8443"));
        assert_eq!(team.public_host(), Some("p.example.org:8443"));
        assert_eq!(team.oidc(), Some(("https://id.example.org", "plimsoll")));
        for (email, taken) in [
            ("ann@example.org", true),
            ("ann@EXAMPLE.org", true),
            ("x@b.example", true),
            ("x@evil-example.org", false),
            ("x@sub.example.org", false),
            ("example.org", false),
            ("a@example.org@evil.example", false),
        ] {
            assert_eq!(team.oidc_takes(email), taken, "{email}");
        }
    }
}
