//! Projects and workspaces (HIS-6): the scope of everything that is kept.

use thiserror::Error;

/// A workspace of a project. Written `project/workspace`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Workspace {
    text: String,
    slash: usize,
}

/// A text that names no workspace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' names no workspace; write project/workspace, such as default/main")]
pub struct BadWorkspace(pub String);

impl Workspace {
    /// Reads `project/workspace`. Both parts are non-blank, without control characters.
    pub fn parse(text: &str) -> Result<Self, BadWorkspace> {
        let bad = || BadWorkspace(text.to_owned());
        let (project, name) = text.split_once('/').ok_or_else(bad)?;
        let good = |part: &str| {
            !part.is_empty()
                && part.trim() == part
                && !part.contains(|c: char| c == '/' || c.is_control())
        };
        if good(project) && good(name) {
            Ok(Self { text: text.to_owned(), slash: project.len() })
        } else {
            Err(bad())
        }
    }

    pub fn project(&self) -> &str {
        &self.text[..self.slash]
    }

    pub fn name(&self) -> &str {
        &self.text[self.slash + 1..]
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self { text: "default/main".to_owned(), slash: "default".len() }
    }
}

impl std::fmt::Display for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_two_parts() {
        let sea = Workspace::parse("sea/log book").unwrap();
        assert_eq!((sea.project(), sea.name()), ("sea", "log book"));
        assert_eq!(Workspace::parse("default/main"), Ok(Workspace::default()));
        for bad in ["", "sea", "/", "a/", "/b", "a/b/c", "a/ b", "a\n/b"] {
            assert_eq!(Workspace::parse(bad), Err(BadWorkspace(bad.into())));
        }
    }
}
