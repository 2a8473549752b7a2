//! Topics by name or by path, and which topics of a tree that means.

use std::fmt;

use crate::{
    ast::Span,
    bits::Bits,
    error::{ErrorKind, FilterError, quoted},
    pattern::{Folded, Pattern, fold},
    scan::{Glyph, Quoted},
};

/// A topic as the filter sees it: its name and the index of the topic above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicNode {
    /// The index of the topic above; none at the root.
    pub parent: Option<usize>,
    pub name: String,
}

/// Which topics are meant, descendants aside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TopicPath {
    /// Any topic with this name, wherever it stands.
    Name(Pattern),
    /// A path from the root. A wildcard stays within one name.
    Path(Vec<Pattern>),
}

/// A quoted topic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TopicPattern {
    pub path: TopicPath,
    /// Whether the topics below them count too.
    pub descendants: bool,
}

impl TopicPattern {
    /// Reads what stands between the quotes; a trailing `...` counts there too.
    pub(crate) fn from_quoted(text: &Quoted, source: &str) -> Result<Self, FilterError> {
        let mut glyphs = trim(&text.glyphs);
        let mut descendants = false;
        while let Some(shorter) = glyphs.strip_suffix([Glyph::Char('.'); 3].as_slice()) {
            glyphs = trim(shorter);
            descendants = true;
        }
        let has = |c: char| glyphs.contains(&Glyph::Char(c));
        let rooted = glyphs.first() == Some(&Glyph::Char('/'));
        let path = match (rooted, has('>')) {
            (true, false) => TopicPath::Path(components(&glyphs[1..], '/')),
            (false, true) if !has('/') => TopicPath::Path(components(glyphs, '>')),
            (false, false) if !has('/') => TopicPath::Name(Pattern::from_glyphs(glyphs)),
            // Names hold no separator (HIS-3), so this could never match anything.
            _ => {
                let error = bad_path(text.span, source, "one kind of separator");
                return Err(error.hint("write a path as `t'A > B'` or as `t'/A/B'`"));
            }
        };
        let names = match &path {
            TopicPath::Name(name) => std::slice::from_ref(name),
            TopicPath::Path(names) => names.as_slice(),
        };
        if names.iter().any(|name| name.literal() == Some("")) {
            let error = bad_path(text.span, source, "a name in every place of the path");
            return Err(error.hint("write `*` for any name"));
        }
        Ok(Self { path, descendants })
    }

    /// The indices of the topics that are meant, in ascending order.
    pub fn resolve(&self, topics: &[TopicNode]) -> Vec<usize> {
        let names: Vec<String> = topics.iter().map(|topic| fold(&topic.name)).collect();
        let found = self.resolve_folded(topics, &names);
        (0..topics.len()).filter(|&index| found.get(index)).collect()
    }

    /// The same, when the folded names are at hand.
    pub(crate) fn resolve_folded(&self, topics: &[TopicNode], names: &[String]) -> Bits {
        let mut found = match &self.path {
            TopicPath::Name(name) => {
                let name = name.folded();
                let matches = |&index: &usize| names.get(index).is_some_and(|n| name.matches(n));
                Bits::of(topics.len(), (0..topics.len()).filter(matches))
            }
            TopicPath::Path(path) => {
                let path: Vec<Folded> = path.iter().map(Pattern::folded).collect();
                let matches = |&index: &usize| on_path(index, &path, topics, names);
                Bits::of(topics.len(), (0..topics.len()).filter(matches))
            }
        };
        if self.descendants {
            add_descendants(&mut found, topics);
        }
        found
    }
}

/// Whether the topic and those above it, up to the root, have these names.
fn on_path(index: usize, path: &[Folded], topics: &[TopicNode], names: &[String]) -> bool {
    let mut at = Some(index);
    for wanted in path.iter().rev() {
        let Some(here) = at else { return false };
        match (topics.get(here), names.get(here)) {
            (Some(topic), Some(name)) if wanted.matches(name) => at = topic.parent,
            _ => return false,
        }
    }
    at.is_none()
}

/// Adds every topic that stands below one that is set. Each topic is walked over once,
/// and a tree that is broken (a cycle, a parent that does not exist) ends the walk.
pub(crate) fn add_descendants(found: &mut Bits, topics: &[TopicNode]) {
    let mut known = found.clone();
    let mut walk = Vec::new();
    for start in 0..topics.len() {
        let mut at = Some(start);
        while let Some(here) = at
            && here < topics.len()
            && !known.get(here)
        {
            known.set(here);
            walk.push(here);
            at = topics[here].parent;
        }
        let below = at.is_some_and(|here| found.get(here));
        for here in walk.drain(..) {
            if below {
                found.set(here);
            }
        }
    }
}

/// The path of a topic from the root, `/A/B`, for people to read.
pub(crate) fn path_of(index: usize, topics: &[TopicNode]) -> String {
    let mut names = Vec::new();
    let mut at = Some(index);
    while let Some(topic) = at.and_then(|here| topics.get(here))
        && names.len() < topics.len()
    {
        names.push(topic.name.as_str());
        at = topic.parent;
    }
    names.iter().rev().fold(String::new(), |path, name| path + "/" + name)
}

fn trim(mut glyphs: &[Glyph]) -> &[Glyph] {
    let blank = |glyph: &Glyph| matches!(glyph, Glyph::Char(c) if c.is_whitespace());
    while let [first, rest @ ..] = glyphs
        && blank(first)
    {
        glyphs = rest;
    }
    while let [rest @ .., last] = glyphs
        && blank(last)
    {
        glyphs = rest;
    }
    glyphs
}

fn components(glyphs: &[Glyph], separator: char) -> Vec<Pattern> {
    glyphs
        .split(|glyph| *glyph == Glyph::Char(separator))
        .map(|name| Pattern::from_glyphs(trim(name)))
        .collect()
}

fn bad_path(span: Span, source: &str, expected: &str) -> FilterError {
    FilterError::new(ErrorKind::BadPath, span, quoted(source), expected)
}

/// Prints the quoted form, with the dots outside.
impl fmt::Display for TopicPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            TopicPath::Name(name) => write!(f, "'{name}'")?,
            TopicPath::Path(names) => {
                f.write_str("'")?;
                for name in names {
                    write!(f, "/{name}")?;
                }
                f.write_str("'")?;
            }
        }
        if self.descendants { f.write_str("...") } else { Ok(()) }
    }
}

#[cfg(test)]
#[path = "topics_tests.rs"]
mod tests;
