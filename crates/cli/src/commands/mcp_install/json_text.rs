//! JSON with comments and trailing commas, changed as a text: what is not ours stays as it was
//! written, comments and all.

use std::ops::Range;

use serde_json::Value;

use super::client::Fields;

/// So deep may a settings file be.
const DEEPEST: usize = 100;

/// Why a text is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// From 1.
    pub(super) line: usize,
    pub(super) problem: String,
}

/// A value and where it stands.
struct Node {
    at: Range<usize>,
    kind: Kind,
}

enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Plain(Value),
}

struct Member {
    key: String,
    start: usize,
    value: Node,
    /// Where the comma behind it stands.
    comma: Option<usize>,
}

impl Node {
    fn member(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Object(members) => members.iter().find(|member| member.key == key),
            _ => None,
        }
    }

    fn find(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.member(key).map(|member| &member.value))
    }

    fn value(&self) -> Value {
        match &self.kind {
            Kind::Plain(value) => value.clone(),
            Kind::Array(items) => Value::Array(items.iter().map(Self::value).collect()),
            Kind::Object(members) => Value::Object(
                members.iter().map(|member| (member.key.clone(), member.value.value())).collect(),
            ),
        }
    }
}

/// What stands at a path, without comments.
pub(super) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, Broken> {
    Ok(root(text)?.and_then(|root| root.find(path).map(Node::value)))
}

/// Whether there is nothing in it, not even a comment.
pub(super) fn is_blank(text: &str) -> bool {
    text.split_whitespace().collect::<String>().trim_matches(['{', '}']).is_empty()
}

/// Gives the object at a path these members; objects on the way that are missing are made.
pub(super) fn set(text: &str, path: &[&str], fields: &Fields) -> Result<String, Broken> {
    let mut text = match root(text)? {
        Some(_) => text.to_owned(),
        // Comments of a file that holds nothing else stay above.
        None => format!("{text}{{}}\n"),
    };
    for (depth, key) in path.iter().enumerate() {
        let root = whole(&text)?;
        let parent = &path[..depth];
        let node = object_at(&text, &root, parent)?;
        if node.member(key).is_none() {
            let inner = path[depth + 1..].iter().rev();
            let entry = fields.iter().map(|(key, value)| (*key, New::Value(value.clone())));
            let value = inner
                .fold(New::Object(entry.collect()), |value, key| New::Object(vec![(*key, value)]));
            return Ok(insert(&text, node, key, &value));
        }
    }
    for (key, value) in fields {
        let root = whole(&text)?;
        let node = object_at(&text, &root, path)?;
        text = match node.member(key) {
            None => insert(&text, node, key, &New::Value(value.clone())),
            Some(member) if member.value.value() == *value => continue,
            Some(member) => {
                let layout = Layout::of(&text);
                let indent = layout.indent_at(&text, member.start);
                let range = member.value.at.clone();
                replace(&text, range, &layout.written(&New::Value(value.clone()), &indent))
            }
        };
    }
    Ok(text)
}

/// Takes a member away, and the object that it stood in if that is empty then.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, Broken> {
    let Some(root) = root(text)? else { return Ok(text.to_owned()) };
    let Some((key, parent)) = path.split_last() else { return Ok(text.to_owned()) };
    let Some(node) = root.find(parent) else { return Ok(text.to_owned()) };
    let Kind::Object(members) = &node.kind else { return Ok(text.to_owned()) };
    let Some(place) = members.iter().position(|member| member.key == *key) else {
        return Ok(text.to_owned());
    };
    if members.len() == 1 && !parent.is_empty() {
        let inside = &text[node.at.start + 1..node.at.end - 1];
        let own = &text[members[0].start..members[0].value.at.end];
        // A comment that stands there is somebody's.
        if inside.replacen(own, "", 1).trim().trim_end_matches(',').is_empty() {
            return remove(text, parent);
        }
    }
    let member = &members[place];
    let mut end = member.comma.map_or(member.value.at.end, |comma| comma + 1);
    let line = text[..member.start].rfind('\n').map_or(0, |at| at + 1);
    let first_on_line = text[line..member.start].trim().is_empty() && line > 0;
    let start = if first_on_line {
        let before = &text[..line - 1];
        before.strip_suffix('\r').map_or(before.len(), str::len)
    } else if member.comma.is_some() {
        end += text[end..].len() - text[end..].trim_start_matches(' ').len();
        member.start
    } else {
        text[..member.start].trim_end_matches(' ').len()
    };
    let mut left = replace(text, start..end, "");
    // The last member of a list has no comma in JSON.
    if member.comma.is_none()
        && let Some(comma) = place.checked_sub(1).and_then(|before| members[before].comma)
    {
        left = replace(&left, comma..comma + 1, "");
    }
    Ok(left)
}

fn replace(text: &str, range: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

fn whole(text: &str) -> Result<Node, Broken> {
    root(text)?.ok_or_else(|| broken(text, text.len(), "it is empty"))
}

fn object_at<'n>(text: &str, root: &'n Node, path: &[&str]) -> Result<&'n Node, Broken> {
    let name = path.last().copied().unwrap_or("the file");
    let node = root.find(path).ok_or_else(|| broken(text, 0, &format!("{name} is missing")))?;
    match node.kind {
        Kind::Object(_) => Ok(node),
        _ => Err(broken(text, node.at.start, &format!("{name} is no object"))),
    }
}

/// What is put into a file; members keep their order.
enum New<'k> {
    Value(Value),
    Object(Vec<(&'k str, Self)>),
}

fn insert(text: &str, node: &Node, key: &str, value: &New<'_>) -> String {
    let layout = Layout::of(text);
    let Kind::Object(members) = &node.kind else { return text.to_owned() };
    let newline = layout.newline;
    let outer = layout.indent_at(text, node.at.start);
    let inner = format!("{outer}{}", layout.unit);
    let member = |indent: &str| format!("{}: {}", Value::from(key), layout.written(value, indent));
    let inside = &text[node.at.start + 1..node.at.end - 1];
    let Some(last) = members.last() else {
        let kept = inside.trim_end();
        let body = format!("{kept}{newline}{inner}{}{newline}{outer}", member(&inner));
        return replace(text, node.at.start + 1..node.at.end - 1, &body);
    };
    // Where the last member has a comma, the new last one gets one too.
    let (comma, trailing) = if last.comma.is_some() { ("", ",") } else { (",", "") };
    let after = last.comma.map_or(last.value.at.end, |comma| comma + 1);
    if !inside.contains('\n') {
        let one_line = format!("{comma} {}: {}{trailing}", Value::from(key), on_one_line(value));
        return replace(text, after..after, &one_line);
    }
    let line = text[..last.start].rfind('\n').map_or(0, |at| at + 1);
    let own_line = text[line..last.start].trim().is_empty();
    let indent = if own_line { text[line..last.start].to_owned() } else { inner };
    // What stands behind the last member on its line is about that one.
    let rest = text[after..].split('\n').next().unwrap_or_default();
    let rest = rest.strip_suffix('\r').unwrap_or(rest);
    let about = rest.trim();
    let comment = about.starts_with("//") || about.starts_with("/*") && about.ends_with("*/");
    let place = if about.is_empty() || comment { after + rest.len() } else { after };
    let grown =
        replace(text, place..place, &format!("{newline}{indent}{}{trailing}", member(&indent)));
    replace(&grown, after..after, comma)
}

/// How a file is laid out.
struct Layout {
    newline: &'static str,
    unit: String,
}

impl Layout {
    fn of(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indented = text.lines().find(|line| line.trim_start().starts_with('"'));
        let unit = indented.map_or("", |line| &line[..line.len() - line.trim_start().len()]);
        let unit = match unit {
            unit if unit.starts_with('\t') => "\t",
            "" => "  ",
            unit => unit,
        };
        Self { newline, unit: unit.to_owned() }
    }

    fn indent_at(&self, text: &str, place: usize) -> String {
        let line = &text[text[..place].rfind('\n').map_or(0, |at| at + 1)..];
        line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned()
    }

    /// An object has a line for each member; a list stands on one.
    fn written(&self, value: &New<'_>, indent: &str) -> String {
        let members = match value {
            New::Value(value) => return listed(value),
            New::Object(members) => members,
        };
        let inner = format!("{indent}{}", self.unit);
        let lines: Vec<String> = members
            .iter()
            .map(|(key, value)| {
                format!("{inner}{}: {}", Value::from(*key), self.written(value, &inner))
            })
            .collect();
        let newline = self.newline;
        format!("{{{newline}{}{newline}{indent}}}", lines.join(&format!(",{newline}")))
    }
}

fn on_one_line(value: &New<'_>) -> String {
    let members = match value {
        New::Value(value) => return listed(value),
        New::Object(members) => members,
    };
    let member =
        |(key, value): &(&str, New<'_>)| format!("{}: {}", Value::from(*key), on_one_line(value));
    format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
}

fn listed(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(listed).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn broken(text: &str, at: usize, problem: &str) -> Broken {
    let line = text[..at.min(text.len())].matches('\n').count() + 1;
    Broken { line, problem: problem.to_owned() }
}

fn root(text: &str) -> Result<Option<Node>, Broken> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip()?;
    if reader.at == text.len() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.skip()?;
    if reader.at < text.len() {
        return Err(reader.broken("something stands behind its end"));
    }
    Ok(Some(node))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn broken(&self, problem: &str) -> Broken {
        broken(self.text, self.at, problem)
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// White space and comments.
    fn skip(&mut self) -> Result<(), Broken> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blank;
            let rest = &rest[blank..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or_else(|| self.broken("a comment is not closed"))?;
                self.at += end + 2;
            } else if blank == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Broken> {
        if depth > DEEPEST {
            return Err(self.broken("it is too deep"));
        }
        let start = self.at;
        let kind = match self.next() {
            Some(b'{') => Kind::Object(self.members(depth)?),
            Some(b'[') => Kind::Array(self.items(depth)?),
            Some(b'"') => Kind::Plain(Value::String(self.string()?)),
            _ => {
                let rest = &self.text[start..];
                let end = rest
                    .find(|c: char| c.is_whitespace() || ",]}/".contains(c))
                    .unwrap_or(rest.len());
                let value = serde_json::from_str(&rest[..end]);
                let value = value.map_err(|_| self.broken("there is no value"))?;
                self.at += end;
                Kind::Plain(value)
            }
        };
        Ok(Node { at: start..self.at, kind })
    }

    fn members(&mut self, depth: usize) -> Result<Vec<Member>, Broken> {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.skip()?;
            if self.next() == Some(b'}') {
                self.at += 1;
                return Ok(members);
            }
            if members.last().is_some_and(|last: &Member| last.comma.is_none()) {
                return Err(self.broken("a comma is missing"));
            }
            let start = self.at;
            if self.next() != Some(b'"') {
                return Err(self.broken("there is no name in quotes"));
            }
            let key = self.string()?;
            self.skip()?;
            if self.next() != Some(b':') {
                return Err(self.broken("a colon is missing"));
            }
            self.at += 1;
            self.skip()?;
            let value = self.value(depth + 1)?;
            self.skip()?;
            let comma = (self.next() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            members.push(Member { key, start, value, comma });
        }
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Node>, Broken> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip()?;
            if self.next() == Some(b']') {
                self.at += 1;
                return Ok(items);
            }
            items.push(self.value(depth + 1)?);
            self.skip()?;
            match self.next() {
                Some(b',') => self.at += 1,
                Some(b']') => {}
                _ => return Err(self.broken("a comma is missing")),
            }
        }
    }

    fn string(&mut self) -> Result<String, Broken> {
        let rest = &self.text.as_bytes()[self.at..];
        let mut end = 1;
        while rest.get(end).is_some_and(|b| *b != b'"') {
            end += if rest[end] == b'\\' { 2 } else { 1 };
        }
        let text = self.text.get(self.at..self.at + end + 1);
        let text = text.and_then(|text| serde_json::from_str(text).ok());
        let text = text.ok_or_else(|| self.broken("a text is not closed"))?;
        self.at += end + 1;
        Ok(text)
    }
}

#[cfg(test)]
#[path = "json_text_tests.rs"]
mod tests;
