//! The settings schema: one table for defaults, validation and documentation.

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number above 0.
    Ratio,
    /// A whole number within bounds.
    Whole {
        /// Not smaller.
        min: u64,
        /// Not larger.
        max: u64,
    },
    /// A whole number within bounds, or `auto`.
    WholeOrAuto {
        /// Not smaller.
        min: u64,
        /// Not larger.
        max: u64,
    },
    /// A size in bytes; `100 KB` and the like are understood, KB = 1024.
    Bytes,
    /// A whole number from this on, or 0 for none.
    WholeOrNone {
        /// Not smaller, unless it is 0.
        min: u64,
    },
    /// `on` or `off`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Absolute paths: a list in the file, and in a variable like `PATH`.
    Paths,
    /// Addresses of servers: a list in the file, and in a variable with blanks between them.
    Servers,
    /// Names of models that stand for others, `name=model`: a list in the file, and in a variable
    /// with blanks between them.
    Aliases,
    /// Names of people or groups: a list in the file, and in a variable with commas between them.
    Names,
    /// The name of a time zone that this machine knows, or nothing.
    Zone,
    /// An object store, `s3://bucket/prefix`, or nothing.
    ObjectStore,
    /// Any text.
    Text,
    /// The address of a server that keeps something, which may hold a password; or nothing.
    Address,
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingSpec {
    /// The key in `config.toml`.
    pub key: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// The default, as it would be written.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
}

impl SettingSpec {
    /// The environment variable that sets it: `charsPerToken` is
    /// `PLIMSOLL_CHARS_PER_TOKEN`.
    pub fn env_var(&self) -> String {
        let mut name = String::from("PLIMSOLL_");
        for c in self.key.chars() {
            if c.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(c.to_ascii_uppercase());
        }
        name
    }

    /// What stands between the entries of a list in one text; none is a setting of one value.
    pub(crate) fn separator(key: &str) -> Option<char> {
        match Self::find(key)?.kind {
            Kind::Paths => Some(PATH_SEPARATOR),
            Kind::Servers | Kind::Aliases => Some(' '),
            Kind::Names => Some(','),
            _ => None,
        }
    }

    /// The setting with this key.
    pub fn find(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|spec| spec.key == key)
    }
}

/// What stands between paths in one text, as in `PATH`.
pub(crate) const PATH_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

const fn spec(
    key: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
) -> SettingSpec {
    SettingSpec { key, kind, default, help }
}

/// How the tools for agents may count: EST-2, or a tokenizer by its name.
const COUNTERS: [&str; 11] = [
    "bytes4", "o200k", "cl100k", "llama3", "qwen2", "deepseek", "tekken", "kimi", "glm4", "glm5",
    "minimax",
];

const TIMEOUT: Kind = Kind::Whole { min: 1, max: 3600 };

const COUNT: Kind = Kind::Whole { min: 1, max: u64::MAX };

const WHOLE: Kind = Kind::Whole { min: 0, max: u64::MAX };

/// Every setting that the core reads.
pub const SETTINGS: &[SettingSpec] = &[
    spec("charsPerToken", Kind::Ratio, "3.5", "Characters to a token in the heuristic estimator."),
    spec("userRequestAllowance", WHOLE, "100", "Tokens that the boundary keeps for your message."),
    spec(
        "replyReserve",
        Kind::WholeOrAuto { min: 0, max: u64::MAX },
        "auto",
        "Tokens that the boundary keeps for the answer.",
    ),
    spec(
        "estimator",
        Kind::Choice(&["auto", "fast", "heuristic", "bytes4", "exact"]),
        "auto",
        "How texts are weighed.",
    ),
    spec("fileLimitText", Kind::Bytes, "100 KB", "The largest text file that can be attached."),
    spec("fileLimitImage", Kind::Bytes, "10 MB", "The largest picture that can be attached."),
    spec(
        "longPasteChars",
        COUNT,
        "8000",
        "Characters from which a paste is offered as an attachment.",
    ),
    spec("longPasteLines", COUNT, "200", "Lines from which a paste is offered as an attachment."),
    spec("systemMessage", Kind::Text, "", "The system message that new conversations begin with."),
    spec("sendSystemMessage", Kind::Switch, "on", "Whether system messages are sent."),
    spec(
        "filesSectionTokens",
        WHOLE,
        "1000",
        "Tokens that the list of files may take; 0 tells models nothing of files.",
    ),
    spec(
        "filesScope",
        Kind::Choice(&["conversation", "pinned", "all", "none"]),
        "conversation",
        "Whose files models are told of and may read: those of the messages in scope, of pinned \
         ones, of all, or none.",
    ),
    spec("visionModel", Kind::Text, "", "The model that looks at images for the file tools."),
    spec(
        "transcriptionModel",
        Kind::Text,
        "",
        "The model that transcribes audio for the file tools, such as whisper-1.",
    ),
    spec(
        "whisperModel",
        Kind::Text,
        "",
        "The model file with which whisper-cli of this machine transcribes audio.",
    ),
    spec("maxTrimAttempts", WHOLE, "10", "How often an overflow may drop history."),
    spec(
        "trimStep",
        Kind::Choice(&["one", "smart"]),
        "one",
        "How much an overflow drops at a time.",
    ),
    spec(
        "scope",
        Kind::Choice(&["conversation", "everything"]),
        "conversation",
        "What a page shows when it opens: the conversation that was open last, or everything.",
    ),
    spec(
        "overBudget",
        Kind::Choice(&["ask", "trim", "fit", "block"]),
        "ask",
        "What happens to a request that is over the limit.",
    ),
    spec(
        "warnAt",
        Kind::Whole { min: 1, max: 100 },
        "80",
        "Percent of the limit above which a warning shows.",
    ),
    spec("timeoutConnect", TIMEOUT, "10", "Connection timeout of a provider, in seconds."),
    spec("timeoutFirst", TIMEOUT, "120", "Seconds until its answer must have begun."),
    spec("timeoutIdle", TIMEOUT, "60", "Seconds that may pass between pieces of an answer."),
    spec(
        "retries",
        Kind::Whole { min: 0, max: 10 },
        "3",
        "How often a transient fault is retried.",
    ),
    spec(
        "leaseSeconds",
        Kind::Whole { min: 1, max: 600 },
        "15",
        "Seconds without a sign of life after which other nodes end a send as interrupted.",
    ),
    spec("sendErrorPairs", Kind::Switch, "off", "Whether failed pairs send their user text."),
    spec("boundaryStep", Kind::Switch, "off", "Move the boundary in blocks, for prefix caches."),
    spec(
        "queueWhileSending",
        Kind::Switch,
        "off",
        "Queue what is sent during a send, instead of keeping it in the input.",
    ),
    spec(
        "keepDeleted",
        Kind::Whole { min: 0, max: 8760 },
        "24",
        "Hours for which what is deleted can be brought back; 0 deletes for good at once.",
    ),
    spec(
        "memoryReview",
        Kind::Switch,
        "off",
        "Whether notes that agents save wait until a person approves them.",
    ),
    spec(
        "store",
        Kind::Address,
        "",
        "The database of the store, postgres://USER:PASSWORD@HOST/DATABASE; empty is a file in the data directory.",
    ),
    spec("defaultModel", Kind::Text, "embedded", "The model when none is chosen."),
    spec(
        "timeZone",
        Kind::Zone,
        "",
        "The zone of calendar days in filters; empty is the machine's.",
    ),
    spec(
        "allowedRoots",
        Kind::Paths,
        "",
        "Directories below which files may be named by path; none by default.",
    ),
    spec(
        "allowedServers",
        Kind::Servers,
        "",
        "Servers of private networks that may be asked where others use this one too, such as http://192.168.1.5:11434.",
    ),
    spec(
        "gatewayOverBudget",
        Kind::Choice(&["pass", "trim", "fit", "block"]),
        "pass",
        "What happens to a request of another program that is over the limit; pass touches nothing.",
    ),
    spec(
        "gatewayAliases",
        Kind::Aliases,
        "",
        "Names that other programs ask for, and the models that answer, such as claude-*=embedded.",
    ),
    spec(
        "gatewayNeedsKey",
        Kind::Switch,
        "off",
        "Whether programs of your own account need a key of `plimsoll gateway key add` too.",
    ),
    spec(
        "gatewayPassKeys",
        Kind::Switch,
        "off",
        "Whether the key that a program sends goes to the provider instead of yours.",
    ),
    spec("gatewayBodyLimit", Kind::Bytes, "64 MB", "The largest request of another program."),
    spec(
        "gatewayConcurrent",
        Kind::Whole { min: 1, max: 10_000 },
        "256",
        "Most requests of other programs at the same time.",
    ),
    spec(
        "memoryMeaning",
        Kind::Switch,
        "off",
        "Whether the memory is searched by meaning too; `plimsoll memory meaning on` fetches the model for it.",
    ),
    spec(
        "mcpAnswerLimit",
        Kind::WholeOrNone { min: 64 },
        "20000",
        "The most tokens of one answer of the memory and spec tools; 0 is no limit.",
    ),
    spec(
        "mcpSessionBudget",
        Kind::WholeOrNone { min: 128 },
        "0",
        "What one session of an agent may read in all, in tokens; 0 is no budget.",
    ),
    spec(
        "mcpTokenizer",
        Kind::Choice(&COUNTERS),
        "bytes4",
        "How the memory and spec tools count tokens: bytes by four, or exactly by a tokenizer.",
    ),
    spec(
        "blobs",
        Kind::ObjectStore,
        "",
        "An object store for what attached files hold, from the next start, with endpoint, region and keys from the AWS_… variables; empty is the data directory.",
    ),
    spec(
        "team",
        Kind::Switch,
        "off",
        "Whether several people use this server, who sign in; `plimsoll team user add` adds them.",
    ),
    spec(
        "publicUrl",
        Kind::Text,
        "",
        "The address that the team opens, such as https://plimsoll.example.org, where a proxy stands before this server.",
    ),
    spec(
        "signInDays",
        Kind::Whole { min: 1, max: 365 },
        "14",
        "Days until people have to sign in again.",
    ),
    spec(
        "auditKeepDays",
        Kind::Whole { min: 1, max: 36_500 },
        "365",
        "Days that the audit log of a team is kept.",
    ),
    spec(
        "usageKeepDays",
        Kind::Whole { min: 31, max: 36_500 },
        "400",
        "Days that it is kept who used how much.",
    ),
    spec(
        "openidIssuer",
        Kind::Text,
        "",
        "The provider of identities by which a team signs in (OpenID Connect), such as https://id.example.org/realms/crew, as it writes itself; empty is none.",
    ),
    spec("openidClientId", Kind::Text, "", "What the provider of identities knows this server by."),
    spec(
        "openidSecretVariable",
        Kind::Text,
        "PLIMSOLL_OPENID_CLIENT_SECRET",
        "The environment variable with the secret that proves it; without one the server is a public client.",
    ),
    spec("openidName", Kind::Text, "OpenID", "What people call the provider: Sign in with …"),
    spec(
        "openidScopes",
        Kind::Text,
        "email profile",
        "What the provider is asked to tell besides who somebody is, with blanks between.",
    ),
    spec(
        "openidClaim",
        Kind::Choice(&["email", "preferred_username", "sub"]),
        "email",
        "By what the provider says people are found at their first sign-in; an e-mail address counts only if it is verified.",
    ),
    spec(
        "openidAllow",
        Kind::Names,
        "",
        "Who of the provider may sign in: e-mail addresses, @domains, group:NAME, or * for all; empty is everybody who was added.",
    ),
    spec(
        "openidCreate",
        Kind::Switch,
        "off",
        "Whether people whom openidAllow names are added at their first sign-in.",
    ),
    spec(
        "log",
        Kind::Choice(&["off", "error", "warn", "info", "debug"]),
        "warn",
        "What is logged to standard error: this and what is worse. Never keys or messages.",
    ),
    spec("logToFile", Kind::Switch, "off", "Log to plimsoll.log in the data directory as well."),
    spec(
        "threads",
        Kind::WholeOrAuto { min: 1, max: 1024 },
        "auto",
        "Threads of the model inside; auto goes by the cores.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_names_follow_the_keys() {
        let name = |key| SettingSpec::find(key).map(SettingSpec::env_var);
        assert_eq!(name("charsPerToken").as_deref(), Some("PLIMSOLL_CHARS_PER_TOKEN"));
        assert_eq!(name("retries").as_deref(), Some("PLIMSOLL_RETRIES"));
        assert_eq!(name("nope"), None);
    }
}
