//! Which tools are offered: profiles and names, joined by commas.

use thiserror::Error;

use crate::{
    memory_tools::MEMORY_TOOLS,
    specs_tools::SPECS_TOOLS,
    table::{Part, ToolSpec},
};

/// The profiles that `--tools` knows.
pub const PROFILES: [&str; 5] = ["memory", "specs", "core", "files", "all"];

/// What clients are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The tools of this crate, in the order of the table.
    tools: Vec<&'static str>,
    /// Whether the file tools are offered too.
    files: bool,
    /// Extra tools that were named one by one.
    named: Vec<String>,
}

/// A word that is neither a profile nor a tool.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "\"{word}\" is neither a profile ({}) nor a tool; docs/tool-reference.md lists the tools",
    PROFILES.join(", ")
)]
pub struct UnknownTool {
    /// The word.
    pub word: String,
}

/// All tools of our own, memory first.
pub fn all_tools() -> impl Iterator<Item = &'static ToolSpec> {
    MEMORY_TOOLS.iter().chain(SPECS_TOOLS.iter())
}

impl Default for Offer {
    /// Exactly those.
    fn default() -> Self {
        Self { tools: all_tools().map(|tool| tool.name).collect(), files: false, named: Vec::new() }
    }
}

impl Offer {
    /// Reads `core,sdd_adr` and the like. `extra` are the names of the file tools.
    pub fn parse(text: &str, extra: &[&str]) -> Result<Self, UnknownTool> {
        let mut wanted: Vec<&'static str> = Vec::new();
        let (mut files, mut named) = (false, Vec::new());
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let chosen: Box<dyn Fn(&ToolSpec) -> bool> = match word {
                "memory" => Box::new(|tool| tool.part == Part::Memory),
                "specs" => Box::new(|tool| tool.part == Part::Specs),
                "core" => Box::new(|tool| tool.core),
                "all" => {
                    files = true;
                    Box::new(|_| true)
                }
                "files" => {
                    files = true;
                    Box::new(|_| false)
                }
                name if all_tools().any(|tool| tool.name == name) => {
                    Box::new(move |tool| tool.name == name)
                }
                name if extra.contains(&name) => {
                    named.push(name.to_owned());
                    Box::new(|_| false)
                }
                _ => {
                    let word = word.chars().take(60).collect();
                    return Err(UnknownTool { word });
                }
            };
            wanted.extend(all_tools().filter(|tool| chosen(tool)).map(|tool| tool.name));
        }
        let tools: Vec<&str> =
            all_tools().map(|tool| tool.name).filter(|name| wanted.contains(name)).collect();
        if tools.is_empty() && !files && named.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self { tools, files, named })
    }

    /// The offered tools of this crate.
    pub fn tools(&self) -> impl Iterator<Item = &'static ToolSpec> {
        all_tools().filter(|tool| self.tools.contains(&tool.name))
    }

    /// The offered tool with this name.
    pub fn find(&self, name: &str) -> Option<&'static ToolSpec> {
        self.tools().find(|tool| tool.name == name)
    }

    /// Whether an extra tool is offered.
    pub fn has_extra(&self, name: &str) -> bool {
        self.files || self.named.iter().any(|one| one == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        Offer::parse(text, &["list_files"]).unwrap().tools().map(|tool| tool.name).collect()
    }

    #[test]
    fn profiles_and_names_combine() {
        assert_eq!(names("").len(), 34, "nothing said is the default");
        assert_eq!(names("memory,specs"), names(""));
        assert_eq!(names("all"), names(""));
        assert_eq!(names("memory").len(), 19);
        assert_eq!(names("specs").len(), 15);
        assert_eq!(names("files").len(), 0);
        assert_eq!(
            names(" core , sdd_adr,core "),
            [
                "mem_session_start",
                "mem_session_end",
                "mem_session_summary",
                "mem_save",
                "mem_search",
                "mem_context",
                "mem_timeline",
                "mem_get_observation",
                "mem_progress",
                "sdd_adr"
            ]
        );
        let offers = |text| Offer::parse(text, &["list_files"]).unwrap().has_extra("list_files");
        assert!(offers("files") && offers("all") && offers("core,list_files"));
        assert!(!offers("memory,specs") && !offers("core"));
    }

    #[test]
    fn a_wrong_word_is_told() {
        let said = Offer::parse("core,sdd_adrs", &[]).unwrap_err().to_string();
        assert!(said.contains("\"sdd_adrs\"") && said.contains("memory, specs, core"), "{said}");
    }
}
