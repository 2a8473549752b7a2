//! How items are told.

use plimsoll_budget::{Piece, SNIPPET_CHARS, quoted};
use plimsoll_store::{Observation, Prompt, Scope, Session};
use plimsoll_tokens::cut_at_word;

use crate::{
    DetailLevel, Marks,
    checks::one_line,
    projects::Scene,
    time::{day, minute},
};

/// Characters of a snippet of a neighbour in the timeline.
pub(crate) const NEIGHBOUR: usize = 200;

/// The beginning of a text on one line, at most so many characters, never within a word.
pub(crate) fn snippet(text: &str, chars: usize) -> String {
    let line = one_line(text);
    // One character is kept for the ellipsis.
    let room = chars.saturating_sub(1);
    let Some((end, _)) = line.char_indices().nth(room) else { return line };
    if line.char_indices().nth(chars).is_none() {
        return line;
    }
    let head = cut_at_word(&line, end);
    // A single word that is longer than all the room is cut where the room ends.
    let head = if head.is_empty() { &line[..end] } else { head };
    format!("{head}…")
}

/// `#42 [decision] Title`.
pub(crate) fn headline(note: &Observation) -> String {
    format!("#{} [{}] {}", note.id, note.kind, note.title)
}

/// What a headline ends with where the note does not count any more, or may be out of date.
pub(crate) fn warning(note: &Observation, marks: &Marks) -> String {
    match marks.of(note).join(", ") {
        nothing if nothing.is_empty() => nothing,
        words => format!(" ⚠ {words}"),
    }
}

/// `by codex`, where that is known.
pub(crate) fn written_by(note: &Observation) -> Option<String> {
    note.author.as_ref().map(|author| format!("by {author}"))
}

/// The headline with where the note belongs, as far as that has to be said.
fn placed(note: &Observation, scene: &Scene) -> String {
    let warning = warning(note, &scene.marks);
    match scene.place(&note.project, note.scope).join(", ") {
        nothing if nothing.is_empty() => format!("{}{warning}", headline(note)),
        place => format!("{} ({place}){warning}", headline(note)),
    }
}

/// The headline with the circumstances that fit on it.
fn dated(note: &Observation, when: String, level: DetailLevel, scene: &Scene) -> String {
    let mut about: Vec<String> = written_by(note).into_iter().collect();
    about.push(when);
    about.extend(scene.place(&note.project, note.scope));
    if level == DetailLevel::Full {
        about.extend(note.topic_key.as_ref().map(|key| format!("topic {key}")));
        if note.revision_count > 1 {
            about.push(format!("revision {}", note.revision_count));
        }
    }
    format!("{} ({}){}", headline(note), about.join(", "), warning(note, &scene.marks))
}

/// An observation, with what stands under its headline in a standard telling.
pub(crate) fn observation(
    note: &Observation,
    level: DetailLevel,
    under: &str,
    scene: &Scene,
) -> String {
    observation_when(note, day(note.updated_at), level, under, scene)
}

/// The same with the minute at which it was written down, for a telling in order of time.
pub(crate) fn observation_at(
    note: &Observation,
    level: DetailLevel,
    under: &str,
    scene: &Scene,
) -> String {
    observation_when(note, minute(note.created_at), level, under, scene)
}

fn observation_when(
    note: &Observation,
    when: String,
    level: DetailLevel,
    under: &str,
    scene: &Scene,
) -> String {
    match level {
        DetailLevel::Summary => placed(note, scene),
        DetailLevel::Standard => {
            format!("{}\n  {}", dated(note, when, level, scene), quoted(under))
        }
        DetailLevel::Full => {
            format!("{}\n{}", dated(note, when, level, scene), quoted(&note.content))
        }
    }
}

/// A prompt, with what is told of it in a standard telling.
pub(crate) fn prompt(prompt: &Prompt, level: DetailLevel, under: &str, scene: &Scene) -> String {
    let mut about = vec![day(prompt.created_at)];
    about.extend(scene.place(&prompt.project, Scope::Project));
    let head = format!("prompt #{} ({})", prompt.id, about.join(", "));
    match level {
        DetailLevel::Summary => format!("{head}: {}", snippet(&prompt.content, 80)),
        DetailLevel::Standard => format!("{head}: {under}"),
        DetailLevel::Full => format!("{head}:\n{}", quoted(&prompt.content)),
    }
}

pub(crate) fn session(session: &Session, level: DetailLevel) -> String {
    let ended = match session.ended_at {
        Some(ended) => format!("ended {}", minute(ended)),
        None => "open".to_owned(),
    };
    let summary = session.summary_id.map_or_else(String::new, |id| format!(", summary #{id}"));
    let head = format!(
        "session {} [{}] started {}, {ended}{summary}",
        session.id,
        session.project,
        minute(session.started_at)
    );
    match (&session.summary, level) {
        (Some(summary), DetailLevel::Standard) => {
            format!("{head}\n  {}", quoted(&snippet(summary, SNIPPET_CHARS)))
        }
        (Some(summary), DetailLevel::Full) => format!("{head}\n{}", quoted(summary)),
        _ => head,
    }
}

/// A piece of an answer about an observation.
pub(crate) fn piece(text: String, place: usize, heading: Option<&str>, id: u64) -> Piece {
    Piece {
        text,
        place,
        heading: heading.map(ToOwned::to_owned),
        full_text: format!("mem_get_observation id={id}"),
        lines_from: None,
    }
}

/// The same of a note's own text: where it is told in full and has to be cut, the mark says
/// from which line `mem_get_observation` goes on.
pub(crate) fn note_piece(
    text: String,
    place: usize,
    heading: Option<&str>,
    note: &Observation,
    level: DetailLevel,
) -> Piece {
    let lines_from = match level {
        DetailLevel::Full => text.len().checked_sub(quoted(&note.content).len()),
        DetailLevel::Summary | DetailLevel::Standard => None,
    };
    Piece { lines_from, ..piece(text, place, heading, note.id) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_snippet_is_short_and_a_beginning(text in "([a-zé語🚢]{0,30}[ \n]?){0,60}") {
            let told = snippet(&text, 50);
            prop_assert!(told.chars().count() <= 50);
            let head = told.strip_suffix('…').unwrap_or(&told);
            prop_assert!(one_line(&text).starts_with(head));
        }
    }
}
