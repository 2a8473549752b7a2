//! The programs whose configuration we know: where it is, and how it names a server.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::{entry, json_text, toml_text};
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

/// Why a configuration is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It cannot be read, with the line.
    Unreadable(String),
    /// Somebody else wrote an entry with our name.
    NotOurs { entry: String, why: String },
    /// The change would not come to what was wanted.
    Unsure { entry: String },
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
    pub(super) fn with(
        self,
        text: &str,
        command: &str,
        args: &[String],
    ) -> Result<String, Refusal> {
        self.has(text)?;
        let (path, fields) = (self.path(), self.entry(command, args));
        let done = match self {
            Self::Codex => toml_text::set(text, path, &fields),
            _ => json_text::set(text, &path, &fields).map_err(|error| told(&error)),
        };
        let done = done.map_err(Refusal::Unreadable)?;
        let before = self.whole(text)?;
        self.checked(done, |after| entry::is_put(&before, after, path, &fields))
    }

    /// The configuration without it.
    pub(super) fn without(self, text: &str) -> Result<String, Refusal> {
        self.has(text)?;
        let path = self.path();
        let done = match self {
            Self::Codex => toml_text::remove(text, path),
            _ => json_text::remove(text, &path).map_err(|error| told(&error)),
        };
        let done = done.map_err(Refusal::Unreadable)?;
        let before = self.whole(text)?;
        self.checked(done, |after| entry::is_taken(&before, after, path))
    }

    /// Whether our entry is in it. One of another make is refused.
    pub(super) fn has(self, text: &str) -> Result<bool, Refusal> {
        let path = self.path();
        let whole = self.whole(text)?;
        let Some(found) = whole.get(path[0]).and_then(|servers| servers.get(path[1])) else {
            return Ok(false);
        };
        match entry::foreign(found) {
            None => Ok(true),
            Some(why) => Err(Refusal::NotOurs { entry: path.join("."), why }),
        }
    }

    /// All that it says.
    fn whole(self, text: &str) -> Result<Value, Refusal> {
        let whole = match self {
            Self::Codex => toml_text::whole(text),
            _ => json_text::get(text, &[])
                .map(|whole| whole.unwrap_or(json!({})))
                .map_err(|error| told(&error)),
        };
        whole.map_err(Refusal::Unreadable)
    }

    /// A changed text is read once more before anybody gets it.
    fn checked(self, done: String, right: impl Fn(&Value) -> bool) -> Result<String, Refusal> {
        match self.whole(&done) {
            Ok(after) if right(&after) => Ok(done),
            _ => Err(Refusal::Unsure { entry: self.path().join(".") }),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn unsure(entry: &str) -> Result<String, Refusal> {
        Err(Refusal::Unsure { entry: entry.to_owned() })
    }

    #[test]
    fn a_change_that_would_hit_something_else_is_refused() {
        let ours = r#"{"command": "plimsoll", "args": ["mcp"]}"#;
        // The comment would swallow the server behind our entry.
        let comment =
            format!("{{\"mcpServers\": {{ // mine\n\"plimsoll\": {ours}, \"o\": {{}}}}}}");
        assert_eq!(Client::Cursor.without(&comment), unsure("mcpServers.plimsoll"));
        // The last of two counts; the first one would be changed.
        let twice = format!("{{\"servers\": {{\"plimsoll\": {ours}, \"plimsoll\": {ours}}}}}");
        let args = ["mcp".to_owned(), "--tools".to_owned(), "core".to_owned()];
        assert_eq!(Client::Vscode.with(&twice, "plimsoll", &args), unsure("servers.plimsoll"));
        assert_eq!(Client::Vscode.without(&twice), unsure("servers.plimsoll"));
        let right = |_: &Value| false;
        assert_eq!(
            Client::Codex.checked("a = 1".to_owned(), right),
            unsure("mcp_servers.plimsoll")
        );
        let right = |_: &Value| true;
        assert_eq!(Client::Codex.checked("a = ".to_owned(), right), unsure("mcp_servers.plimsoll"));
    }

    #[test]
    fn dates_and_numbers_of_a_toml_file_do_not_stand_in_the_way() {
        let text = "at = 2024-05-01T10:00:00Z\nx = nan\ny = 0x10\n[[list]]\na = 1.5\n";
        let done = Client::Codex.with(text, "plimsoll", &["mcp".to_owned()]).unwrap();
        assert_eq!(Client::Codex.has(&done), Ok(true));
        assert_eq!(Client::Codex.without(&done).unwrap(), text);
    }
}
