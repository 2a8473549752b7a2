//! How people find a setting: groups in reading order, and a plain title for each (UI-22).

use crate::SettingSpec;

/// Settings that belong together.
pub struct SettingGroup {
    /// Such as `Context`.
    pub name: &'static str,
    /// Keys with their titles, the most used first.
    titles: &'static [(&'static str, &'static str)],
}

impl SettingGroup {
    /// The settings with their titles, in order.
    pub fn settings(&self) -> impl Iterator<Item = (&'static SettingSpec, &'static str)> {
        self.titles.iter().filter_map(|(key, title)| Some((SettingSpec::find(key)?, *title)))
    }
}

/// What an administrator decides before a server starts (TEA-1, TEA-9). It is never shown or changed
/// in a page: one person on one machine needs none of it, addresses hold passwords, and whoever
/// chooses the provider of identities can become anybody.
pub const SERVER_SETTINGS: SettingGroup = SettingGroup {
    name: "A server for a team",
    titles: &[
        ("store", "Database of the store"),
        ("blobs", "Object store for files"),
        ("leaseSeconds", "Give a silent node's send up after, seconds"),
        ("openidIssuer", "Provider of identities"),
        ("openidClientId", "Name of this server there"),
        ("openidSecretVariable", "Variable with its secret"),
        ("openidName", "What people call the provider"),
        ("openidScopes", "What it is asked to tell"),
        ("openidClaim", "What people are found by"),
        ("openidAllow", "Who may sign in by it"),
        ("openidCreate", "Add them at their first sign-in"),
    ],
};

/// The group that only a team has: one person on one machine is shown none of it (TEA-11).
pub const TEAM_GROUP: &str = "Team";

/// Every other setting stands in one of these groups.
pub const SETTING_GROUPS: &[SettingGroup] = &[
    SettingGroup {
        name: "Conversations",
        titles: &[
            ("defaultModel", "Model for new conversations"),
            ("systemMessage", "System message of new conversations"),
            ("sendSystemMessage", "Send system messages"),
            ("scope", "What the page opens with"),
            ("keepDeleted", "Keep what is deleted, hours"),
            ("timeZone", "Time zone"),
        ],
    },
    SettingGroup {
        name: "Context",
        titles: &[
            ("overBudget", "When a request is over the limit"),
            ("warnAt", "Warn above, percent"),
            ("replyReserve", "Room kept for the answer, tokens"),
            ("userRequestAllowance", "Room kept for your message, tokens"),
            ("boundaryStep", "Move the load line in blocks"),
            ("maxTrimAttempts", "Most trims of one request"),
            ("trimStep", "History left out by each trim"),
            ("sendErrorPairs", "Send the questions of failed pairs"),
        ],
    },
    SettingGroup {
        name: "Counting tokens",
        titles: &[
            ("estimator", "How texts are weighed"),
            ("charsPerToken", "Characters to a token"),
        ],
    },
    SettingGroup {
        name: "Files",
        titles: &[
            ("filesScope", "Whose files models are told of"),
            ("filesSectionTokens", "Room for the list of files, tokens"),
            ("fileLimitText", "Largest text file"),
            ("fileLimitImage", "Largest picture"),
            ("longPasteChars", "A paste becomes a file, from characters"),
            ("longPasteLines", "A paste becomes a file, from lines"),
            ("visionModel", "Model that looks at images"),
            ("transcriptionModel", "Model that transcribes audio"),
            ("whisperModel", "Model file of whisper-cli"),
            ("allowedRoots", "Folders whose files can be named"),
        ],
    },
    SettingGroup {
        name: "Sending",
        titles: &[
            ("queueWhileSending", "Queue messages during a send"),
            ("retries", "Retries of a passing fault"),
            ("timeoutConnect", "Wait for a connection, seconds"),
            ("timeoutFirst", "Wait for an answer to begin, seconds"),
            ("timeoutIdle", "Wait between pieces of an answer, seconds"),
        ],
    },
    SettingGroup {
        name: "Other programs",
        titles: &[
            ("memoryReview", "Look at agents' notes before they count"),
            ("gatewayOverBudget", "When their request is over the limit"),
            ("gatewayAliases", "Models that answer for others"),
            ("gatewayNeedsKey", "Ask your own programs for a key"),
            ("gatewayPassKeys", "Pass their keys on to the provider"),
            ("gatewayBodyLimit", "Largest request"),
            ("gatewayConcurrent", "Most requests at the same time"),
        ],
    },
    SettingGroup {
        name: "Memory for agents",
        titles: &[
            ("mcpAnswerLimit", "Most tokens of one answer"),
            ("mcpSessionBudget", "Budget of one session, tokens"),
            ("mcpTokenizer", "How answers are counted"),
        ],
    },
    SettingGroup {
        name: TEAM_GROUP,
        titles: &[
            ("team", "Several people use this server"),
            ("publicUrl", "Address that the team opens"),
            ("signInDays", "Sign in again after, days"),
            ("auditKeepDays", "Keep the audit log, days"),
            ("usageKeepDays", "Keep who used how much, days"),
        ],
    },
    SettingGroup {
        name: "This machine",
        titles: &[
            ("log", "What is logged"),
            ("logToFile", "Log to a file as well"),
            ("allowedServers", "Servers of private networks"),
            ("threads", "Threads of the model inside"),
            ("memoryMeaning", "Search the memory by meaning"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SETTINGS;

    #[test]
    fn ui_22_every_setting_stands_in_one_group_with_a_title() {
        let groups = || SETTING_GROUPS.iter().chain([&SERVER_SETTINGS]);
        let listed = || groups().flat_map(|group| group.titles);
        for spec in SETTINGS {
            let count = listed().filter(|(key, _)| *key == spec.key).count();
            assert_eq!(count, 1, "{} is listed {count} times in groups.rs", spec.key);
        }
        for (key, title) in listed() {
            assert!(SettingSpec::find(key).is_some(), "{key} is no setting");
            assert!(!title.is_empty(), "{key}");
        }
    }
}
