//! The settings that only a team has (TEA-9, TEA-10).

use std::time::Duration;

use crate::Settings;

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
        assert!(!none.team() && none.public_url().is_none());
        assert_eq!(none.sign_in_time(), 14 * DAY);
        assert!(settings("team = true").team());
    }

    #[test]
    fn tea_9_the_address_of_a_team_has_a_name_and_a_port() {
        let team = settings("publicUrl = \"https://p.example.org:8443/\"");
        assert_eq!(team.public_url(), Some("https://p.example.org:8443"));
        assert_eq!(team.public_host(), Some("p.example.org:8443"));
    }
}
