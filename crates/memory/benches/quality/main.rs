//! How well the memory finds what people mean, over a directory of Markdown with questions:
//! `cargo xtask bench search [DIR] [--half tune|held] [--more DIR] [--misses]`.
//!
//! DIR holds `notes/*.md`, in which every `## Title` is a note, and `questions-*.tsv` with the
//! columns half, language, kind, question, and `file.md#Title` of the notes that answer it,
//! parted by ` ; `. `--more` adds the sections of other Markdown files as notes that answer
//! nothing. Beside it stands what FTS5 finds by any of the words.

// A benchmark stops at the first failure, and says what it finds.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, clippy::print_stdout)]

mod corpus;
mod meaning;
mod plain;
mod score;

use std::{path::PathBuf, sync::Arc, time::Instant};

use corpus::{Corpus, Note};
use plimsoll_domain::Timestamp;
use plimsoll_memory::find_joined;
use plimsoll_store::{
    Memory as _, MemoryFound, MemoryHits, MemoryQuery, NewObservation, Search as _, Workspace,
};
use plimsoll_store_sql::{OpenOptions, SqlStore};
use score::Scores;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

struct Options {
    dir: PathBuf,
    more: Option<PathBuf>,
    half: Option<String>,
    misses: bool,
}

fn options() -> Options {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("quality");
    let mut options = Options { dir: own, more: None, half: None, misses: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--half" => options.half = args.next(),
            "--more" => options.more = args.next().map(PathBuf::from),
            "--misses" => options.misses = true,
            "--bench" | "--quick" => {}
            dir => options.dir = PathBuf::from(dir),
        }
    }
    options
}

#[tokio::main]
async fn main() -> Outcome {
    let options = options();
    let mut corpus = Corpus::read(&options.dir, options.half.as_deref())?;
    if let Some(more) = &options.more {
        corpus.add_more(more)?;
    }
    println!("{} notes, {} questions", corpus.notes.len(), corpus.questions.len());
    let home = tempfile::tempdir()?;
    let store = filled(home.path(), &corpus.notes).await?;
    let workspace = Workspace::default();
    let (mut ours, mut joined, mut alone) =
        (Scores::default(), Scores::default(), Scores::default());
    let meaning = meaning::filled(&store).await?;
    for question in &corpus.questions {
        let query = MemoryQuery {
            text: question.text.clone(),
            limit: 10,
            snippet_chars: 300,
            ..MemoryQuery::default()
        };
        let begun = Instant::now();
        let found = store.search_memory(&workspace, &query).await?;
        let took = begun.elapsed();
        let titles = titles(found);
        if let Some(meaning) = &meaning {
            let begun = Instant::now();
            let found = find_joined(store.as_ref(), &workspace, Some(meaning), &query).await?;
            joined.add(question, &self::titles(found), begun.elapsed());
            let begun = Instant::now();
            let near = meaning.nearest(&workspace, &question.text, 10).await?;
            let took = begun.elapsed();
            let mut found = Vec::new();
            for (id, _) in near {
                found.push(store.observation(&workspace, id).await?.title);
            }
            alone.add(question, &found, took);
        }
        if options.misses && !titles.iter().take(5).any(|title| question.answers.contains(title)) {
            println!(
                "{} {}: {}\n   wanted {:?}\n   found  {:?}",
                question.language,
                question.kind,
                question.text,
                question.answers,
                titles.iter().take(3).collect::<Vec<_>>()
            );
        }
        ours.add(question, &titles, took);
    }
    let plain = plain::Plain::filled(&corpus.notes)?;
    let mut theirs = Scores::default();
    for question in &corpus.questions {
        let begun = Instant::now();
        let titles = plain.find(&question.text, 10)?;
        theirs.add(question, &titles, begun.elapsed());
    }
    ours.print("the memory, by words");
    if meaning.is_some() {
        joined.print("the memory, by words and meaning");
        alone.print("meaning alone");
    }
    theirs.print("FTS5, any of the words, porter");
    Ok(())
}

fn titles(found: MemoryHits) -> Vec<String> {
    let notes = found.hits.into_iter().filter_map(|hit| match hit.found {
        MemoryFound::Observation(note) => Some(note.title),
        MemoryFound::Prompt(_) => None,
    });
    notes.collect()
}

async fn filled(home: &std::path::Path, notes: &[Note]) -> Outcome<Arc<SqlStore>> {
    let start = Timestamp::from_millis(1_794_787_200_000);
    let path = home.join("quality.sqlite");
    let store = Arc::new(SqlStore::open_sqlite(&path, OpenOptions::default(), start).await?);
    let notes: Vec<NewObservation> = notes
        .iter()
        .map(|note| NewObservation {
            session: "quality".to_owned(),
            kind: "manual".to_owned(),
            title: note.title.clone(),
            content: note.content.clone(),
            project: "quality".to_owned(),
            ..NewObservation::default()
        })
        .collect();
    for some in notes.chunks(500) {
        store.save_observations(&Workspace::default(), some, start, start).await?;
    }
    Ok(store)
}
