//! A note as a Markdown file: one `key: value` a line between two lines of dashes, then the text
//! as it is. The lines are YAML, so that other programs read them; we read only what we write.

use plimsoll_domain::Timestamp;
use plimsoll_store::Scope;

use super::{
    anchor_line::AnchorLine,
    card::{Card, UID_LENGTH},
};
use crate::{DEFAULT_SESSION, time};

/// The line that makes a file one of ours.
const OURS: &str = "plimsoll: note 1";
const FENCE: &str = "---";
/// The line that a list begins with, and what its lines begin with.
const ANCHORS: &str = "anchors:";
const ITEM: &str = "  - ";
/// The beginnings of lines that git leaves where a merge needs a person.
const MARKERS: [&str; 3] = ["<<<<<<< ", "||||||| ", ">>>>>>> "];

/// What a file turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// Somebody else's.
    NotOurs,
    /// One of ours that cannot be read, and why.
    Bad(String),
    /// A note.
    Note {
        /// What it is called in every store.
        uid: String,
        /// Its fields, not yet checked.
        card: Box<Card>,
    },
}

/// The file of a note.
pub(super) fn write(uid: &str, card: &Card) -> String {
    let mut text = format!("{FENCE}\n{OURS}\n");
    let mut field = |key: &str, value: &str| {
        text.push_str(&format!("{key}: {}\n", quoted(value)));
    };
    field("uid", uid);
    field("title", &card.title);
    field("type", &card.kind);
    if !card.project.is_empty() {
        field("project", &card.project);
    }
    field("scope", card.scope.name());
    let rest = [("topic_key", &card.topic_key), ("namespace", &card.namespace)];
    for (key, value) in rest {
        if let Some(value) = value {
            field(key, value);
        }
    }
    field("session", &card.session);
    if let Some(tool) = &card.tool {
        field("tool", tool);
    }
    if let Some(author) = &card.author {
        field("author", author);
    }
    text.push_str(&format!("created: {}\n", moment(card.created_at)));
    if let Some(at) = card.expires_at {
        text.push_str(&format!("expires: {}\n", moment(at)));
    }
    if !card.anchors.is_empty() {
        text.push_str(&format!("{ANCHORS}\n"));
        for anchor in &card.anchors {
            text.push_str(&format!("{ITEM}{}\n", quoted(&anchor.written())));
        }
    }
    let markers = marker_lines(&card.content);
    if markers > 0 {
        text.push_str(&format!("marker_lines: {markers}\n"));
    }
    text.push_str(&format!("{FENCE}\n\n{}\n", card.content));
    text
}

/// Reads a file. Line ends that git changed on the way are changed back.
pub(super) fn read(text: &str) -> Parsed {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unix;
    let text = if text.starts_with("---\r\n") {
        unix = text.replace("\r\n", "\n");
        &unix
    } else {
        text
    };
    let ours = text.lines().take(40).any(|line| line.trim_end() == OURS);
    let Some((fields, body)) = parts(text).filter(|_| ours) else {
        let clash = ours && marker_lines(text) > 0;
        return if clash { Parsed::Bad(clashes()) } else { Parsed::NotOurs };
    };
    match fields_of(fields, body) {
        Ok((uid, card)) => Parsed::Note { uid, card: Box::new(card) },
        Err(why) => Parsed::Bad(why),
    }
}

fn clashes() -> String {
    "git left marks of a conflict in it; resolve them and sync again".to_owned()
}

/// The lines between the dashes, and what comes after them.
fn parts(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---\n")?;
    let end = rest.find("\n---\n").map(|at| (at + 1, at + 5));
    // A text that is missing is told apart later.
    let end = end.or_else(|| rest.strip_suffix("\n---").map(|head| (head.len() + 1, rest.len())));
    let (end, body) = end?;
    let body = &rest[body..];
    let body = body.strip_prefix('\n').unwrap_or(body);
    Some((&rest[..end], body.strip_suffix('\n').unwrap_or(body)))
}

fn fields_of(fields: &str, body: &str) -> Result<(String, Card), String> {
    if marker_lines(fields) > 0 {
        return Err(clashes());
    }
    let mut found = Found::default();
    let mut in_list = false;
    for line in fields.lines().filter(|line| !line.is_empty() && *line != OURS) {
        if in_list && let Some(item) = line.strip_prefix(ITEM) {
            let item = unquoted(item).ok_or_else(|| format!("'{item}' is not closed"))?;
            found.anchors.get_or_insert_default().push(AnchorLine::read(&item));
            continue;
        }
        in_list = line.trim_end() == ANCHORS;
        if in_list {
            match found.anchors.replace(Vec::new()) {
                Some(_) => return Err("anchors stands in it twice".to_owned()),
                None => continue,
            }
        }
        let (key, value) =
            line.split_once(": ").ok_or_else(|| format!("'{line}' is no `key: value` line"))?;
        found.put(
            key,
            unquoted(value).ok_or_else(|| format!("the value of {key} is not closed"))?,
        )?;
    }
    let declared = found.marker_lines.as_deref().map_or(Ok(0), str::parse);
    let declared: usize = declared.map_err(|_| "marker_lines is no number".to_owned())?;
    if marker_lines(body) > declared {
        return Err(clashes());
    }
    let missing = |key: &str| format!("it has no {key}");
    let uid = found.uid.ok_or_else(|| missing("uid"))?;
    if uid.len() != UID_LENGTH
        || !uid.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    {
        return Err(format!("its uid is not {UID_LENGTH} digits of 0-9 and a-f"));
    }
    let created = found.created.ok_or_else(|| missing("created"))?;
    let expires = found.expires.map(|text| {
        instant(&text).ok_or_else(|| format!("expires is no time: {text}; write a day or a time"))
    });
    let scope = found.scope.as_deref().map_or(Ok(Scope::Project), str::parse);
    let card = Card {
        title: found.title.ok_or_else(|| missing("title"))?,
        kind: found.kind.unwrap_or_else(|| "manual".to_owned()),
        project: found.project.unwrap_or_default(),
        scope: scope.map_err(|error| error.to_string())?,
        topic_key: found.topic_key,
        namespace: found.namespace,
        session: found.session.unwrap_or_else(|| DEFAULT_SESSION.to_owned()),
        tool: found.tool,
        author: found.author,
        created_at: instant(&created).ok_or_else(|| format!("created is no time: {created}"))?,
        expires_at: expires.transpose()?,
        anchors: found.anchors.unwrap_or_default(),
        content: body.to_owned(),
    };
    Ok((uid, card))
}

/// What stood in the lines.
#[derive(Default)]
struct Found {
    uid: Option<String>,
    title: Option<String>,
    kind: Option<String>,
    project: Option<String>,
    scope: Option<String>,
    topic_key: Option<String>,
    namespace: Option<String>,
    session: Option<String>,
    tool: Option<String>,
    author: Option<String>,
    created: Option<String>,
    expires: Option<String>,
    anchors: Option<Vec<AnchorLine>>,
    marker_lines: Option<String>,
}

impl Found {
    fn put(&mut self, key: &str, value: String) -> Result<(), String> {
        let place = match key {
            "uid" => &mut self.uid,
            "title" => &mut self.title,
            "type" => &mut self.kind,
            "project" => &mut self.project,
            "scope" => &mut self.scope,
            "topic_key" => &mut self.topic_key,
            "namespace" => &mut self.namespace,
            "session" => &mut self.session,
            "tool" => &mut self.tool,
            "author" => &mut self.author,
            "created" => &mut self.created,
            "expires" => &mut self.expires,
            "marker_lines" => &mut self.marker_lines,
            // What is not understood would be lost with the next change of the note.
            _ => return Err(format!("'{key}' is not known to this version")),
        };
        match place.replace(value) {
            Some(_) => Err(format!("{key} stands in it twice")),
            None => Ok(()),
        }
    }
}

fn marker_lines(text: &str) -> usize {
    text.lines().filter(|line| MARKERS.iter().any(|mark| line.starts_with(mark))).count()
}

/// A value as YAML reads it: in quotes where it would mean something else without them.
fn quoted(value: &str) -> String {
    if is_plain(value) { value.to_owned() } else { serde_json::Value::from(value).to_string() }
}

fn is_plain(value: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let starts = value.starts_with(|c: char| c.is_alphanumeric());
    let odd = value.contains(": ") || value.contains(" #") || value.ends_with([':', ' ']);
    let typed = value.starts_with(|c: char| c.is_ascii_digit()) && !value.contains(' ')
        || WORDS.contains(&value.to_ascii_lowercase().as_str());
    starts && !odd && !typed && !value.contains(char::is_control)
}

fn unquoted(value: &str) -> Option<String> {
    if value.starts_with('"') { serde_json::from_str(value).ok() } else { Some(value.to_owned()) }
}

/// A time that is read as the same again; one that no calendar knows is a number.
fn moment(at: Timestamp) -> String {
    let millis = at.millis();
    let of_day = millis.rem_euclid(86_400_000);
    let (seconds, millis_of) = (of_day / 1000, of_day % 1000);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let text =
        format!("{}T{hours:02}:{minutes:02}:{:02}.{millis_of:03}Z", time::day(at), seconds % 60);
    if instant(&text) == Some(at) { text } else { millis.to_string() }
}

fn instant(text: &str) -> Option<Timestamp> {
    if let Ok(millis) = text.parse() {
        return Some(Timestamp::from_millis(millis));
    }
    // An age is no time of its own.
    text.contains('-').then(|| time::parse(text, Timestamp::from_millis(0))).flatten()
}

#[cfg(test)]
#[path = "front_matter_tests.rs"]
mod tests;
