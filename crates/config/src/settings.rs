//! Raw settings become one resolved value: defaults, then the file, then the
//! environment.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use plimsoll_budget::{ClientOverBudget, FileLimits, OverBudget, ReplyReserve};
use plimsoll_tokens::{Estimator, Method, Tokenizer};
use thiserror::Error;

use crate::{
    Kind, SETTINGS, SettingSpec, catalog_file::toml_problem, places::is_object_store,
    schema::PATH_SEPARATOR,
};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// `config.toml`.
    File,
    /// A `PLIMSOLL_…` variable.
    Environment,
    /// A flag of the command line.
    Flag,
}

/// Why settings were refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// The file is not TOML.
    #[error("config.toml: {0}")]
    Syntax(String),
    /// The file names a setting that does not exist.
    #[error("config.toml: there is no setting '{key}'{}", .nearest.map(|n| format!("; did you mean '{n}'?")).unwrap_or_default())]
    UnknownKey {
        key: String,
        /// A setting with a similar name.
        nearest: Option<&'static str>,
    },
    /// A value is not one that the setting takes.
    #[error("{origin}: '{value}' is not a value for {key}: {expected}")]
    BadValue {
        /// `config.toml`, or the variable.
        origin: String,
        /// The setting.
        key: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        expected: String,
    },
}

/// The texts that settings are read from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The content of `config.toml`, if there is one.
    pub file: Option<String>,
    /// Variables, names and values; others than `PLIMSOLL_…` are passed over.
    pub environment: Vec<(String, String)>,
}

/// Every setting, resolved and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    values: Vec<(String, Source)>,
}

impl Default for Settings {
    fn default() -> Self {
        let default = |spec: &SettingSpec| (spec.default.to_owned(), Source::Default);
        Self { values: SETTINGS.iter().map(default).collect() }
    }
}

impl Settings {
    /// Resolves the settings, or says what is wrong with the first bad one.
    pub fn resolve(sources: &Sources) -> Result<Self, SettingsError> {
        let mut settings = Self::default();
        if let Some(file) = &sources.file {
            let table: toml::Table = toml::from_str(file)
                .map_err(|error| SettingsError::Syntax(toml_problem(file, &error)))?;
            for (key, value) in &table {
                let value = match value {
                    toml::Value::String(text) => text.clone(),
                    toml::Value::Boolean(true) => "on".to_owned(),
                    toml::Value::Boolean(false) => "off".to_owned(),
                    toml::Value::Integer(number) => number.to_string(),
                    toml::Value::Float(number) => number.to_string(),
                    toml::Value::Array(items) if SettingSpec::separator(key).is_some() => {
                        list(key, items)?
                    }
                    other => {
                        let problem = format!("{key} takes one value, not {}", other.type_str());
                        return Err(SettingsError::Syntax(problem));
                    }
                };
                settings.set(key, value, Source::File)?;
            }
        }
        for spec in SETTINGS {
            let name = spec.env_var();
            if let Some((_, value)) = sources.environment.iter().find(|(key, _)| *key == name) {
                settings.set(spec.key, value.clone(), Source::Environment)?;
            }
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: String, source: Source) -> Result<(), SettingsError> {
        let index = SETTINGS.iter().position(|spec| spec.key == key).ok_or_else(|| {
            SettingsError::UnknownKey { key: key.to_owned(), nearest: nearest(key) }
        })?;
        let spec = &SETTINGS[index];
        if let Err(expected) = check(spec.kind, &value) {
            let origin = match source {
                Source::Environment => spec.env_var(),
                Source::Flag => "the command line".to_owned(),
                Source::File | Source::Default => "config.toml".to_owned(),
            };
            return Err(SettingsError::BadValue { origin, key: spec.key, value, expected });
        }
        self.values[index] = (value, source);
        Ok(())
    }

    /// Sets a value by a flag, which wins over the file and the environment.
    pub fn set_flag(&mut self, key: &str, value: String) -> Result<(), SettingsError> {
        self.set(key, value, Source::Flag)
    }

    /// A value as it was written, and where it comes from.
    pub fn get(&self, key: &str) -> Option<(&str, Source)> {
        let index = SETTINGS.iter().position(|spec| spec.key == key)?;
        self.values.get(index).map(|(value, source)| (value.as_str(), *source))
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        self.get(key).map_or("", |(value, _)| value)
    }

    pub(crate) fn whole(&self, key: &str) -> u64 {
        self.text(key).parse().unwrap_or(0)
    }

    /// Characters to a token.
    pub fn chars_per_token(&self) -> f64 {
        self.text("charsPerToken").parse().unwrap_or(plimsoll_tokens::DEFAULT_CHARS_PER_TOKEN)
    }

    /// URA.
    pub fn user_request_allowance(&self) -> u64 {
        self.whole("userRequestAllowance")
    }

    /// NTA.
    pub fn max_trim_attempts(&self) -> u64 {
        self.whole("maxTrimAttempts")
    }

    /// The mark, in percent.
    pub fn warn_at(&self) -> u64 {
        self.whole("warnAt")
    }

    /// What is kept for the answer.
    pub fn reply_reserve(&self) -> ReplyReserve {
        self.text("replyReserve").parse().map_or(ReplyReserve::Auto, ReplyReserve::Tokens)
    }

    /// How texts are weighed.
    pub fn estimator(&self) -> Method {
        Method::parse(self.text("estimator")).unwrap_or_default()
    }

    /// What happens above the limit.
    /// Whether nobody set it.
    pub fn is_default(&self, key: &str) -> bool {
        self.get(key).is_some_and(|(_, source)| source == Source::Default)
    }

    /// Whether a page opens with everything in sight, not with one conversation (HIS-9).
    pub fn opens_with_everything(&self) -> bool {
        self.text("scope") == "everything"
    }

    pub fn over_budget(&self) -> OverBudget {
        OverBudget::parse(self.text("overBudget")).unwrap_or_default()
    }

    /// Seconds to connect, to the first byte, and between pieces of an answer (SND-5).
    pub fn timeouts(&self) -> (u64, u64, u64) {
        (self.whole("timeoutConnect"), self.whole("timeoutFirst"), self.whole("timeoutIdle"))
    }

    /// How often a transient fault is retried.
    pub fn retries(&self) -> u64 {
        self.whole("retries")
    }
    /// Whether an overflow drops as many pairs as the error says (OVF-4).
    pub fn smart_trim(&self) -> bool {
        self.text("trimStep") == "smart"
    }

    /// Whether failed pairs send their user text.
    pub fn send_error_pairs(&self) -> bool {
        self.text("sendErrorPairs") == "on"
    }

    /// Whether the boundary moves in blocks (BND-6).
    pub fn boundary_step(&self) -> bool {
        self.text("boundaryStep") == "on"
    }

    /// The model when none is chosen.
    pub fn default_model(&self) -> &str {
        self.text("defaultModel")
    }

    /// What is logged: this level and what is worse, or `off`.
    pub fn log(&self) -> &str {
        self.text("log")
    }

    /// Whether it is logged to a file as well.
    pub fn log_to_file(&self) -> bool {
        self.text("logToFile") == "on"
    }

    /// The zone of calendar days; none is the machine's.
    pub fn time_zone(&self) -> Option<&str> {
        Some(self.text("timeZone")).filter(|zone| !zone.is_empty())
    }

    /// From how many characters, and from how many lines, a paste is a long one.
    pub fn long_paste(&self) -> (u64, u64) {
        (self.whole("longPasteChars"), self.whole("longPasteLines"))
    }

    /// Whether the topic's system message is sent. `systemMessage` was this switch before it was
    /// a text; an old file keeps its meaning.
    pub fn send_system_message(&self) -> bool {
        self.text("sendSystemMessage") == "on" && self.text("systemMessage") != "off"
    }

    /// The system message that new conversations begin with (UI-23).
    pub fn default_system_message(&self) -> Option<&str> {
        let text = self.text("systemMessage");
        Some(text).filter(|text| !text.trim().is_empty() && !matches!(*text, "on" | "off"))
    }

    /// The room of the files section.
    pub fn files_section_tokens(&self) -> u64 {
        self.whole("filesSectionTokens")
    }

    /// The name of the scope of the files section.
    pub fn files_scope(&self) -> &str {
        self.text("filesScope")
    }

    /// The model that looks at images for the file tools.
    pub fn vision_model(&self) -> Option<&str> {
        Some(self.text("visionModel")).filter(|name| !name.is_empty())
    }

    /// The model that transcribes audio for the file tools.
    pub fn transcription_model(&self) -> Option<&str> {
        Some(self.text("transcriptionModel")).filter(|name| !name.is_empty())
    }

    /// The model file with which `whisper-cli` of this machine transcribes.
    pub fn whisper_model(&self) -> Option<&Path> {
        Some(Path::new(self.text("whisperModel"))).filter(|path| !path.as_os_str().is_empty())
    }

    /// Whether a message that is sent during a send waits for its end (SND-2).
    pub fn queue_while_sending(&self) -> bool {
        self.text("queueWhileSending") == "on"
    }

    /// How long what is deleted can be brought back (REC-5); none deletes for good at once.
    pub fn keep_deleted(&self) -> Option<Duration> {
        let hours = self.whole("keepDeleted");
        (hours > 0).then(|| Duration::from_secs(hours * 60 * 60))
    }

    /// Whether notes that agents save wait until a person approves them (MEM-16).
    pub fn memory_review(&self) -> bool {
        self.text("memoryReview") == "on"
    }

    /// Directories below which files may be named by path (SEC-3).
    pub fn allowed_roots(&self) -> Vec<PathBuf> {
        split_paths(self.text("allowedRoots")).map(PathBuf::from).collect()
    }

    /// Servers of private networks that may be asked where others use this one too (UI-19).
    pub fn allowed_servers(&self) -> Vec<String> {
        split_servers(self.text("allowedServers")).map(str::to_owned).collect()
    }

    /// What happens to a client's request that is too large (GWY-7).
    pub fn gateway_over_budget(&self) -> ClientOverBudget {
        ClientOverBudget::parse(self.text("gatewayOverBudget")).unwrap_or_default()
    }

    /// The model that answers for a name that clients ask for (GWY-2). `*` at the end of a name
    /// stands for the rest of it.
    pub fn gateway_alias(&self, name: &str) -> Option<&str> {
        let aliases = split_servers(self.text("gatewayAliases"));
        let mut aliases = aliases.filter_map(|alias| alias.split_once('='));
        aliases
            .find(|(asked, _)| match asked.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => *asked == name,
            })
            .map(|(_, model)| model)
    }

    /// The names of models that stand for others, as they are written.
    pub fn gateway_aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        split_servers(self.text("gatewayAliases")).filter_map(|alias| alias.split_once('='))
    }

    /// Whether programs of the same account need a key as well (GWY-15).
    pub fn gateway_needs_key(&self) -> bool {
        self.text("gatewayNeedsKey") == "on"
    }

    /// Whether the keys of clients go to providers (GWY-15).
    pub fn gateway_pass_keys(&self) -> bool {
        self.text("gatewayPassKeys") == "on"
    }

    /// The largest body of a client's request, unpacked.
    pub fn gateway_body_limit(&self) -> u64 {
        parse_bytes(self.text("gatewayBodyLimit")).unwrap_or(64 << 20)
    }

    /// How many requests of clients may be under way.
    pub fn gateway_concurrent(&self) -> u64 {
        self.whole("gatewayConcurrent")
    }

    /// The most tokens of one answer of the memory and spec tools (MBG-9).
    pub fn mcp_answer_limit(&self) -> Option<u64> {
        Some(self.whole("mcpAnswerLimit")).filter(|tokens| *tokens > 0)
    }

    /// What one session of an agent may read in all (MBG-7).
    pub fn mcp_session_budget(&self) -> Option<u64> {
        Some(self.whole("mcpSessionBudget")).filter(|tokens| *tokens > 0)
    }

    /// How the memory and spec tools count.
    pub fn mcp_counter(&self) -> Estimator {
        Tokenizer::parse(self.text("mcpTokenizer")).map_or(Estimator::Bytes4, Estimator::Exact)
    }

    /// Threads of the model inside; none goes by the cores.
    pub fn threads(&self) -> Option<usize> {
        self.text("threads").parse().ok()
    }

    /// Whether the memory is searched by meaning too (MEM-10).
    pub fn memory_meaning(&self) -> bool {
        self.text("memoryMeaning") == "on"
    }

    /// The largest files.
    pub fn file_limits(&self) -> FileLimits {
        let bytes = |key| parse_bytes(self.text(key)).unwrap_or(0);
        FileLimits { text: bytes("fileLimitText"), image: bytes("fileLimitImage") }
    }
}

pub(crate) fn split_paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(PATH_SEPARATOR).map(str::trim).filter(|path| !path.is_empty())
}

pub(crate) fn split_servers(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',']).filter(|server| !server.is_empty())
}

/// A list as one text.
fn list(key: &str, items: &[toml::Value]) -> Result<String, SettingsError> {
    let mark = SettingSpec::separator(key).unwrap_or(' ');
    let wrong =
        |what: &str| SettingsError::Syntax(format!("{key} takes a list of texts, not {what}"));
    let mut texts = Vec::new();
    for item in items {
        match item.as_str() {
            Some(text) if text.contains(mark) => {
                return Err(wrong(&format!("'{text}': '{mark}' stands between them")));
            }
            Some(text) => texts.push(text),
            None => return Err(wrong(item.type_str())),
        }
    }
    Ok(texts.join(&mark.to_string()))
}

/// Whether a value is one that the kind takes; else what it takes.
pub(crate) fn check(kind: Kind, value: &str) -> Result<(), String> {
    let whole = || value.parse::<u64>().ok();
    let (good, expected) = match kind {
        Kind::Ratio => {
            let ratio = value.parse::<f64>().ok();
            let good = ratio.is_some_and(|ratio| ratio.is_finite() && ratio > 0.0);
            (good, "a number above 0".to_owned())
        }
        Kind::Whole { min, max: u64::MAX } => {
            (whole().is_some_and(|n| n >= min), format!("a whole number from {min}"))
        }
        Kind::Whole { min, max } => {
            let good = whole().is_some_and(|n| (min..=max).contains(&n));
            (good, format!("a whole number from {min} to {max}"))
        }
        Kind::WholeOrAuto { min, max } => {
            let good = value == "auto" || whole().is_some_and(|n| (min..=max).contains(&n));
            let most = if max == u64::MAX { String::new() } else { format!(" to {max}") };
            (good, format!("a whole number from {min}{most}, or auto"))
        }
        Kind::WholeOrNone { min } => {
            let good = whole().is_some_and(|n| n == 0 || n >= min);
            (good, format!("a whole number from {min}, or 0 for none"))
        }
        Kind::Paths => {
            let good = split_paths(value).all(|path| Path::new(path).is_absolute());
            (good, format!("absolute paths with {PATH_SEPARATOR} between them"))
        }
        Kind::Servers => {
            let good = |server: &str| {
                let rest = server.strip_prefix("https://").or(server.strip_prefix("http://"));
                rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', ':', '?']))
            };
            let words = "addresses such as http://192.168.1.5:11434 with blanks between them";
            (split_servers(value).all(good), words.to_owned())
        }
        Kind::Aliases => {
            let good = |alias: &str| {
                let names = alias.split_once('=');
                names.is_some_and(|(asked, model)| !asked.is_empty() && !model.is_empty())
            };
            let words = "names such as claude-*=embedded with blanks between them";
            (split_servers(value).all(good), words.to_owned())
        }
        Kind::Names => (true, String::new()),
        Kind::Bytes => (parse_bytes(value).is_some(), "a size such as 100 KB".to_owned()),
        Kind::Switch => (matches!(value, "on" | "off"), "on or off".to_owned()),
        Kind::Choice(words) => (words.contains(&value), format!("one of {}", words.join(", "))),
        Kind::Zone => {
            let good = value.is_empty() || jiff::tz::TimeZone::get(value).is_ok();
            (good, "the name of a zone such as Europe/Lisbon or UTC, or nothing".to_owned())
        }
        Kind::ObjectStore => {
            (is_object_store(value), "an address such as s3://bucket/prefix, or nothing".to_owned())
        }
        Kind::Text => (true, String::new()),
        Kind::Address => {
            let known = value.is_empty() || value.contains("://");
            (known, "an address such as postgres://USER:PASSWORD@HOST/DATABASE".to_owned())
        }
    };
    if good { Ok(()) } else { Err(expected) }
}

/// `100 KB`, `10MB`, `4096`; KB = 1024.
fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim().to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "KB" => 1024,
        "MB" => 1024 * 1024,
        "GB" => 1024 * 1024 * 1024,
        _ => return None,
    };
    number.checked_mul(unit)
}

/// A setting whose name shares its first letters with a key that does not exist.
pub(crate) fn nearest(key: &str) -> Option<&'static str> {
    let shared = |spec: &SettingSpec| {
        let pairs = spec.key.chars().zip(key.chars());
        pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
    };
    let best = SETTINGS.iter().max_by_key(|spec| shared(spec))?;
    (shared(best) >= 4).then_some(best.key)
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
