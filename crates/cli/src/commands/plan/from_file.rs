//! The pairs of a file as the history of a store that is thrown away afterwards, so that a plan
//! over a file is made the way every other plan is.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_app::{App, FIRST_TOPIC, topic_path};
use plimsoll_domain::{
    Attachment, Lifecycle, MessagePair, PairId, SegmentBody, Timestamp, Topic, TopicId, segments,
};
use plimsoll_store::{ArchivedPair, Workspace};

use crate::{
    failure::{Failure, note},
    input::unreadable,
    pairs::{LineError, PairLine, PairsError, read_pairs},
};

/// Files above this size show a progress bar on a terminal.
const LONG_READ_BYTES: u64 = 32 * 1024 * 1024;

/// No tree of topics is deeper; a path that claims to be would fill the memory.
const DEEPEST_TOPIC: usize = 64;

/// So many pairs are written at once.
const BATCH_PAIRS: usize = 2000;

/// What a file became in the store.
pub(super) struct FromFile {
    /// The id of each pair, as the file has it.
    pub(super) names: HashMap<PairId, Box<str>>,
    /// The path of the topic that was asked for, as the store has it.
    pub(super) topic: Option<String>,
    /// The model of the newest pair that names one: it is planned for, whether it can be asked
    /// here or not.
    pub(super) model: Option<String>,
}

/// Brings the pairs of a file into a workspace. `topic` is the one that a bare `t` means.
pub(super) async fn bring_in(
    app: &App,
    workspace: &Workspace,
    path: &Path,
    topic: Option<&str>,
) -> Result<FromFile, Failure> {
    let mut history = FileHistory::default();
    let selected = topic.map(|path| history.topic(path)).transpose();
    let selected = selected.map_err(|error| Failure::usage(format!("--topic: {}", error.0)))?;
    history.read(path)?;
    if let (Some(path), Some(id)) = (topic, selected)
        && !history.has_pairs_within(id)
    {
        note(&format!("no pair of this history stands in or below the topic '{path}'"));
    }
    let topic = selected.map(|id| topic_path(&history.topics, id));
    let FileHistory { topics, pairs, .. } = history;
    app.open_workspace(workspace).await?;
    let mut names = HashMap::with_capacity(pairs.len());
    let mut model = None;
    let mut batch = Vec::with_capacity(BATCH_PAIRS);
    let mut topics = &topics[..];
    let mut pairs = in_order(pairs).peekable();
    loop {
        batch.clear();
        for line in pairs.by_ref().take(BATCH_PAIRS) {
            names.insert(line.pair.id, line.id);
            if !line.pair.model.is_empty() {
                model = Some(line.pair.model.clone());
            }
            batch.push(ArchivedPair {
                pair: line.pair,
                cut: false,
                revision: 0,
                edited_at: None,
                revisions: Vec::new(),
                previous: None,
            });
        }
        app.store().bring_in(workspace, topics, &batch).await?;
        topics = &[];
        if pairs.peek().is_none() {
            return Ok(FromFile { names, topic, model });
        }
    }
}

/// A pair of the file, with its id and its time as the file has them.
struct Line {
    id: Box<str>,
    created_at: jiff::Timestamp,
    pair: MessagePair,
}

/// HIS-2: by creation time, ties by the bytes of the id. Their new ids sort the same way.
fn in_order(mut lines: Vec<Line>) -> impl Iterator<Item = Line> {
    lines.sort_by(|a, b| (a.created_at, a.id.as_bytes()).cmp(&(b.created_at, b.id.as_bytes())));
    lines.into_iter().zip(0u64..).map(|(mut line, number)| {
        line.pair.id = PairId::new(line.pair.created_at, numbered(number));
        line
    })
}

fn numbered(number: u64) -> [u8; 10] {
    let mut bytes = [0; 10];
    bytes[2..].copy_from_slice(&number.to_be_bytes());
    bytes
}

#[derive(Default)]
struct FileHistory {
    pairs: Vec<Line>,
    /// Parents first.
    topics: Vec<Topic>,
    /// By parent and name in lower case.
    topic_ids: HashMap<(Option<TopicId>, String), TopicId>,
    /// The number of each id, to find one that stands twice.
    numbers: HashMap<Box<str>, usize>,
}

impl FileHistory {
    fn read(&mut self, path: &Path) -> Result<(), Failure> {
        let failed = |error| unreadable(path, &error);
        let (input, length): (Box<dyn Read>, u64) = if path == Path::new("-") {
            (Box::new(std::io::stdin()), 0)
        } else {
            let file = File::open(path).map_err(failed)?;
            let length = file.metadata().map_err(failed)?.len();
            (Box::new(file), length)
        };
        let progress = match length {
            0..LONG_READ_BYTES => ProgressBar::hidden(),
            _ => ProgressBar::new(length).with_style(style()),
        };
        let input = BufReader::with_capacity(1 << 18, progress.wrap_read(input));
        let read = read_pairs(input, |pair| self.add(pair));
        progress.finish_and_clear();
        let lossy = read.map_err(|error| pairs_failure(path, error))?;
        if lossy > 0 {
            let shown = path.display();
            note(&format!("{shown}: {lossy} lines are not UTF-8; bad bytes were read as U+FFFD"));
        }
        Ok(())
    }

    fn add(&mut self, line: PairLine<'_>) -> Result<(), LineError> {
        let id: Box<str> = line.id.as_ref().into();
        let number = self.pairs.len();
        if let Some(first) = self.numbers.insert(id.clone(), number) {
            return Err(LineError(format!("id '{id}' stands twice, first in pair {}", first + 1)));
        }
        let topic_id = self.topic(line.topic.as_deref().unwrap_or(FIRST_TOPIC))?;
        let created_at = Timestamp::from_millis(line.created_at.as_millisecond());
        let is_reference =
            |segment: &plimsoll_domain::Segment<'_>| matches!(segment.body, SegmentBody::Token(_));
        let references = segments(&line.user_text).into_iter().filter(is_reference).count();
        let pair = MessagePair {
            id: PairId::new(created_at, numbered(number as u64)),
            topic_id,
            model: line.model.into_owned(),
            user_text: line.user_text.into_owned(),
            assistant_text: line.assistant_text.map(|text| text.into_owned()),
            star: line.star,
            color_flag: line.color_flag,
            pair_use: line.pair_use,
            kind: line.kind,
            summarises: Vec::new(),
            group: None,
            // Nobody carries these sends out; either way they are not sent along.
            lifecycle: match line.lifecycle {
                Lifecycle::Sending => Lifecycle::Idle,
                other => other,
            },
            created_at,
            error: None,
            usage: None,
            receipt_id: None,
            previous_answer: None,
            attachments: vec![Attachment::BARE; references],
        };
        self.pairs.push(Line { id, created_at: line.created_at, pair });
        Ok(())
    }

    /// The topic at a path, made with all that stand above it. Names have no case, as in
    /// filters.
    fn topic(&mut self, path: &str) -> Result<TopicId, LineError> {
        let named = |name: &&str| !name.is_empty();
        let mut names: Vec<&str> =
            path.split(['/', '>']).map(str::trim).filter(named).take(DEEPEST_TOPIC + 1).collect();
        if names.len() > DEEPEST_TOPIC {
            return Err(LineError(format!("topic is deeper than {DEEPEST_TOPIC} levels")));
        }
        if names.is_empty() {
            names.push(FIRST_TOPIC);
        }
        let mut at: Option<TopicId> = None;
        for name in &names {
            let next = TopicId::new(Timestamp::from_millis(0), numbered(self.topics.len() as u64));
            let id = *self.topic_ids.entry((at, name.to_lowercase())).or_insert(next);
            if id == next {
                self.topics.push(Topic::new(id, at, name));
            }
            at = Some(id);
        }
        at.ok_or_else(|| LineError("topic has no name".to_owned()))
    }

    /// Whether any pair stands in a topic or below it.
    fn has_pairs_within(&self, topic: TopicId) -> bool {
        let mut within = HashSet::from([topic]);
        // A topic stands behind the one above it.
        for one in &self.topics {
            if one.parent.is_some_and(|parent| within.contains(&parent)) {
                within.insert(one.id);
            }
        }
        self.pairs.iter().any(|line| within.contains(&line.pair.topic_id))
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("reading {wide_bar} {bytes} of {total_bytes}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// What to say about a history that cannot be read.
fn pairs_failure(path: &Path, error: PairsError) -> Failure {
    match error {
        PairsError::Reading(error) => unreadable(path, &error),
        PairsError::Line { number, error } => {
            let name = match path.to_str() {
                Some("-") => "standard input".to_owned(),
                _ => path.display().to_string(),
            };
            Failure::failed(format!("{name}, line {number}: {}", error.0))
                .hint("each line is a JSON object with id, userText and createdAt")
        }
    }
}
