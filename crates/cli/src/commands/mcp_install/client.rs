//! The programs whose configuration we know: where it is, and how it names a server.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{json_text, toml_text};
use crate::failure::Failure;

/// What our entry is called everywhere.
const NAME: &str = "plimsoll";

/// The members of an entry, in the order in which they are written.
pub(super) type Fields = [(&'static str, Value)];

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    Codex,
    Claude,
    Cursor,
    Zed,
    Vscode,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// For all that you work on
    #[default]
    User,
    /// For whoever works on this project
    Project,
}

/// The directories that matter, as the environment gives them.
pub(super) struct Places {
    pub(super) home: PathBuf,
    pub(super) project: PathBuf,
}

impl Places {
    pub(super) fn of_this_machine() -> Result<Self, Failure> {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let home = home
            .ok_or_else(|| Failure::failed("the home directory is not known").hint("set HOME"))?;
        let here = std::env::current_dir()
            .map_err(|error| Failure::failed(format!("cannot look at this directory: {error}")))?;
        let root = here.ancestors().find(|directory| directory.join(".git").exists());
        let project = root.filter(|root| **root != home).unwrap_or(&here).to_owned();
        Ok(Self { home, project })
    }

    /// A directory that a variable names, or its usual place.
    fn named(&self, variable: &str, usual: impl FnOnce(&Path) -> PathBuf) -> PathBuf {
        match std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute()) {
            Some(path) => path,
            None => usual(&self.home),
        }
    }

    /// Where programs of this system keep their settings.
    fn settings(&self) -> PathBuf {
        if cfg!(target_os = "macos") {
            self.home.join("Library/Application Support")
        } else if cfg!(windows) {
            self.named("APPDATA", |home| home.join("AppData/Roaming"))
        } else {
            self.named("XDG_CONFIG_HOME", |home| home.join(".config"))
        }
    }
}

impl Client {
    /// The program, as people call it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Codex => "Codex",
            Self::Claude => "Claude Code",
            Self::Cursor => "Cursor",
            Self::Zed => "Zed",
            Self::Vscode => "VS Code",
        }
    }

    pub(super) fn file(self, scope: Scope, places: &Places) -> PathBuf {
        let (home, project) = (&places.home, &places.project);
        match (self, scope) {
            (Self::Codex, Scope::User) => {
                places.named("CODEX_HOME", |home| home.join(".codex")).join("config.toml")
            }
            (Self::Codex, Scope::Project) => project.join(".codex/config.toml"),
            (Self::Claude, Scope::User) => {
                places.named("CLAUDE_CONFIG_DIR", Path::to_owned).join(".claude.json")
            }
            (Self::Claude, Scope::Project) => project.join(".mcp.json"),
            (Self::Cursor, Scope::User) => home.join(".cursor/mcp.json"),
            (Self::Cursor, Scope::Project) => project.join(".cursor/mcp.json"),
            // It keeps to XDG on a Mac, too.
            (Self::Zed, Scope::User) if cfg!(windows) => {
                places.settings().join("Zed/settings.json")
            }
            (Self::Zed, Scope::User) => places
                .named("XDG_CONFIG_HOME", |home| home.join(".config"))
                .join("zed/settings.json"),
            (Self::Zed, Scope::Project) => project.join(".zed/settings.json"),
            (Self::Vscode, Scope::User) => places.settings().join("Code/User/mcp.json"),
            (Self::Vscode, Scope::Project) => project.join(".vscode/mcp.json"),
        }
    }

    fn path(self) -> [&'static str; 2] {
        match self {
            Self::Codex => ["mcp_servers", NAME],
            Self::Claude | Self::Cursor => ["mcpServers", NAME],
            Self::Zed => ["context_servers", NAME],
            Self::Vscode => ["servers", NAME],
        }
    }

    fn entry(self, command: &str, args: &[String]) -> Vec<(&'static str, Value)> {
        let typed = matches!(self, Self::Claude | Self::Vscode);
        let mut entry = Vec::new();
        if typed {
            entry.push(("type", json!("stdio")));
        }
        entry.extend([("command", json!(command)), ("args", json!(args))]);
        entry
    }

    /// The configuration with our entry in it.
    pub(super) fn with(self, text: &str, command: &str, args: &[String]) -> Result<String, String> {
        let (path, entry) = (self.path(), self.entry(command, args));
        match self {
            Self::Codex => toml_text::set(text, path, &entry),
            _ => json_text::set(text, &path, &entry).map_err(|error| told(&error)),
        }
    }

    /// The configuration without it.
    pub(super) fn without(self, text: &str) -> Result<String, String> {
        match self {
            Self::Codex => toml_text::remove(text, self.path()),
            _ => json_text::remove(text, &self.path()).map_err(|error| told(&error)),
        }
    }

    /// Whether our entry is in it.
    pub(super) fn has(self, text: &str) -> Result<bool, String> {
        let found = match self {
            Self::Codex => toml_text::get(text, self.path()),
            _ => json_text::get(text, &self.path()).map_err(|error| told(&error)),
        };
        found.map(|found| found.is_some())
    }

    /// Whether a configuration says nothing at all.
    pub(super) fn is_blank(self, text: &str) -> bool {
        match self {
            Self::Codex => toml_text::is_blank(text),
            _ => json_text::is_blank(text),
        }
    }
}

fn told(error: &json_text::Broken) -> String {
    format!("line {}: {}", error.line, error.problem)
}
