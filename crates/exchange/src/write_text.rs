//! Writing conversations for people: Markdown and plain text. Nothing reads these back.

use std::io::{self, Write};

use plimsoll_domain::{Lifecycle, PairUse};
use plimsoll_store::ArchivedPair;

use crate::times;

/// Which kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStyle {
    /// Markdown, with a heading for each pair.
    Markdown,
    Plain,
}

/// Writes pairs as they come.
pub struct TextWriter<W> {
    to: W,
    style: TextStyle,
    /// Whether pairs come topic by topic, so that each topic has a heading.
    by_topic: bool,
    topic: Option<String>,
    pairs: u64,
    left_out: LeftOut,
}

/// What pairs had that a text does not hold.
#[derive(Default)]
struct LeftOut {
    files: u64,
    originals: u64,
    other_answers: u64,
}

impl<W: Write> TextWriter<W> {
    /// A writer of this style.
    pub fn new(to: W, style: TextStyle, by_topic: bool) -> Self {
        Self { to, style, by_topic, topic: None, pairs: 0, left_out: LeftOut::default() }
    }

    /// The next pair; `topic` is its path, `message` what people read of its message.
    pub fn pair(&mut self, topic: &str, message: &str, archived: &ArchivedPair) -> io::Result<()> {
        if self.by_topic && self.topic.as_deref() != Some(topic) {
            self.gap()?;
            match self.style {
                TextStyle::Markdown => writeln!(self.to, "# {topic}")?,
                TextStyle::Plain => writeln!(self.to, "=== {topic} ===")?,
            }
            self.topic = Some(topic.to_owned());
            self.pairs += 1;
        }
        self.gap()?;
        let head = head(if self.by_topic { None } else { Some(topic) }, archived);
        match self.style {
            TextStyle::Markdown => writeln!(self.to, "## {head}")?,
            TextStyle::Plain => writeln!(self.to, "--- {head} ---")?,
        }
        let pair = &archived.pair;
        self.part("User", message)?;
        if let Some(answer) = &pair.assistant_text {
            self.part("Assistant", answer)?;
        }
        if let Some(error) = &pair.error {
            self.part("Error", &format!("[{}] {}", error.code, error.message))?;
        }
        self.pairs += 1;
        self.left_out.files += pair.attachments.len() as u64;
        self.left_out.originals += u64::from(archived.edited_at.is_some());
        self.left_out.other_answers += u64::from(pair.previous_answer.is_some());
        Ok(())
    }

    /// The end, with a line of what is not in it.
    pub fn finish(mut self) -> io::Result<W> {
        let LeftOut { files, originals, other_answers } = self.left_out;
        let counted = [
            (files, "what attached files hold"),
            (originals, "the texts before edits"),
            (other_answers, "the answers before regenerations"),
        ];
        let parts: Vec<String> = counted
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{what} ({count})"))
            .collect();
        if !parts.is_empty() {
            self.gap()?;
            let parts = parts.join(", ");
            match self.style {
                TextStyle::Markdown => writeln!(self.to, "*Left out of this text: {parts}.*")?,
                TextStyle::Plain => writeln!(self.to, "Left out of this text: {parts}.")?,
            }
        }
        Ok(self.to)
    }

    fn gap(&mut self) -> io::Result<()> {
        if self.pairs > 0 { self.to.write_all(b"\n") } else { Ok(()) }
    }

    fn part(&mut self, who: &str, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let text = text.trim_end();
        match self.style {
            TextStyle::Markdown => write!(self.to, "\n**{who}**\n\n{text}\n"),
            TextStyle::Plain => write!(self.to, "{who}:\n{text}\n"),
        }
    }
}

/// One line about a pair: when, where, by whom, and its labels.
fn head(topic: Option<&str>, archived: &ArchivedPair) -> String {
    let pair = &archived.pair;
    let mut parts = vec![times::for_people(pair.created_at)];
    parts.extend(topic.map(ToOwned::to_owned));
    if !pair.model.is_empty() {
        parts.push(pair.model.clone());
    }
    if pair.star.count() > 0 {
        parts.push("★".repeat(usize::from(pair.star.count())));
    }
    if pair.color_flag == plimsoll_domain::ColorFlag::Blue {
        parts.push("blue".to_owned());
    }
    match pair.pair_use {
        PairUse::Auto => {}
        // By hand, or because a summary stands for it.
        PairUse::Out => parts.push("left out".to_owned()),
        PairUse::Pinned => parts.push(pair.pair_use.words().to_owned()),
    }
    if !matches!(pair.lifecycle, Lifecycle::Complete | Lifecycle::Idle) {
        parts.push(pair.lifecycle.name().to_owned());
    }
    if archived.edited_at.is_some() {
        parts.push("edited".to_owned());
    }
    parts.join(" · ")
}
