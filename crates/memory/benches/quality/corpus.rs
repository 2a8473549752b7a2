//! Notes and questions, read from Markdown and tables.

use std::{fs, path::Path};

use crate::Outcome;

pub(crate) struct Note {
    pub(crate) title: String,
    pub(crate) content: String,
}

pub(crate) struct Question {
    pub(crate) language: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    /// Titles of the notes that answer it.
    pub(crate) answers: Vec<String>,
}

pub(crate) struct Corpus {
    pub(crate) notes: Vec<Note>,
    pub(crate) questions: Vec<Question>,
}

impl Corpus {
    pub(crate) fn read(dir: &Path, half: Option<&str>) -> Outcome<Self> {
        let mut corpus = Self { notes: Vec::new(), questions: Vec::new() };
        for path in files(&dir.join("notes"), "md")? {
            corpus.notes.extend(sections(&fs::read_to_string(path)?, "## "));
        }
        for path in files(dir, "tsv")? {
            for line in fs::read_to_string(&path)?.lines() {
                let columns: Vec<&str> = line.split('\t').collect();
                let [of_half, language, kind, text, answers] = columns.as_slice() else {
                    return Err(format!("{}: {line:?} has not five columns", path.display()).into());
                };
                if half.is_some_and(|half| half != *of_half) {
                    continue;
                }
                let answers = answers.split(" ; ").filter_map(|one| one.split_once('#'));
                corpus.questions.push(Question {
                    language: (*language).to_owned(),
                    kind: (*kind).to_owned(),
                    text: (*text).to_owned(),
                    answers: answers.map(|(_, title)| title.to_owned()).collect(),
                });
            }
        }
        Ok(corpus)
    }

    /// Sections of other Markdown, which answer nothing.
    pub(crate) fn add_more(&mut self, dir: &Path) -> Outcome {
        for path in files(dir, "md")? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            for note in sections(&text, "## ") {
                let title = format!("{}: {}", name.trim_end_matches(".md"), note.title);
                self.notes.push(Note { title, ..note });
            }
        }
        Ok(())
    }
}

fn files(dir: &Path, extension: &str) -> Outcome<Vec<std::path::PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn sections(text: &str, heading: &str) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix(heading) {
            notes.push(Note { title: title.trim().to_owned(), content: String::new() });
        } else if let Some(note) = notes.last_mut() {
            // No note is longer than the memory takes.
            if note.content.len() + line.len() < 60_000 {
                note.content.push_str(line);
                note.content.push('\n');
            }
        }
    }
    notes.retain(|note| !note.content.trim().is_empty() && !note.title.is_empty());
    notes
}
