//! The pairs of a file, without their texts.

use std::{
    collections::HashMap,
    io::BufReader,
    path::Path,
    time::{Duration, Instant},
};

use plimsoll_budget::{ExcludedBecause, Load, is_emitted, not_sendable};
use plimsoll_domain::{Timestamp, attachment_kinds};
use plimsoll_filter::{Filter, Row, Rows, Scope, TextTerm};

use super::{scope::PlanScope, source::Source};
use crate::{
    failure::{Failure, note},
    input::unreadable,
    pairs::{LineError, PairLine, PairsError, mend_surrogates, read_pairs},
};

/// A pair, its texts left in the file.
pub(crate) struct Entry {
    pub(crate) id: Box<str>,
    created_at: jiff::Timestamp,
    /// Where its line starts in the file, and how long it is.
    pub(crate) offset: u64,
    length: usize,
    /// Why it is never sent, if it is not.
    pub(crate) not_sendable: Option<ExcludedBecause>,
    /// Its tokens, once it was weighed.
    pub(crate) tokens: Option<u64>,
    /// Its place among the pairs of the file, which the hits of text terms go by.
    number: usize,
}

/// All pairs in the order of HIS-2.
pub(crate) struct History {
    source: Source,
    pub(crate) entries: Vec<Entry>,
    rows: Vec<Row>,
    /// For each text term, whether each pair contains it, in the order of the file.
    hits: Vec<Vec<bool>>,
    /// How long looking for the texts took.
    pub(crate) text_search: Duration,
}

impl History {
    /// Reads a file, and looks for the filter's texts on the way.
    pub(crate) fn read(
        path: &Path,
        filter: &Filter,
        send_error_pairs: bool,
        scope: &mut PlanScope,
    ) -> Result<Self, Failure> {
        let terms = filter.text_terms();
        let mut reading = Reading {
            entries: Vec::new(),
            rows: Vec::new(),
            hits: vec![Vec::new(); terms.len()],
            numbers: HashMap::new(),
            text_search: Duration::ZERO,
            send_error_pairs,
        };
        let mut source = Source::open(path)?;
        let input = BufReader::with_capacity(1 << 18, source.first_pass());
        let lossy = read_pairs(input, |pair, line| reading.add(pair, line, terms, scope))
            .map_err(|error| pairs_failure(path, error))?;
        source.end_first_pass();
        if lossy > 0 {
            let shown = path.display();
            note(&format!("{shown}: {lossy} lines are not UTF-8; bad bytes were read as U+FFFD"));
        }
        Ok(reading.sorted(source))
    }

    /// Reads the texts of a pair again.
    pub(crate) fn with_text<T>(
        &mut self,
        row: usize,
        each: impl FnOnce(&PairLine<'_>) -> T,
    ) -> Result<T, Failure> {
        let entry = &self.entries[row];
        let line = self
            .source
            .read_again(entry.offset, entry.length)
            .map_err(|error| unreadable(self.source.path(), &error))?;
        let line = String::from_utf8_lossy(&line);
        let line = mend_surrogates(line.trim_start_matches('\u{feff}'));
        let pair = PairLine::parse(&line).map_err(|_| {
            Failure::failed(format!("{} changed while it was read", self.source.path().display()))
                .hint("run the command again")
        })?;
        Ok(each(&pair))
    }

    /// The load of a pair. One that was never weighed is beyond what the boundary
    /// reaches, and does not fit.
    pub(crate) fn load(&self, row: u32) -> Load {
        let entry = &self.entries[row as usize];
        match (entry.not_sendable, entry.tokens) {
            (Some(_), _) => Load::NOT_SENDABLE,
            (None, tokens) => Load::of(tokens.unwrap_or(u64::MAX)),
        }
    }

    /// Notes the weight of a pair, also for the filter's `k`.
    pub(crate) fn set_tokens(&mut self, row: usize, tokens: u64) {
        self.entries[row].tokens = Some(tokens);
        self.rows[row].tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
    }

    /// Whether any pair stands in the selected topic or below it.
    pub(crate) fn uses_selected_topic(&self, scope: &PlanScope) -> bool {
        self.rows.iter().filter_map(|row| row.topic).any(|topic| scope.is_selected(topic))
    }

    /// The model of the newest pair that states one.
    pub(crate) fn newest_model<'a>(&self, scope: &'a PlanScope) -> Option<&'a str> {
        let models = scope.models();
        let stated = |row: &Row| models.get(row.model as usize).filter(|id| !id.is_empty());
        self.rows.iter().rev().find_map(stated).map(String::as_str)
    }
}

impl Rows for History {
    fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn contains(&self, row: usize, term: usize) -> bool {
        self.hits[term][self.entries[row].number]
    }
}

struct Reading {
    entries: Vec<Entry>,
    rows: Vec<Row>,
    hits: Vec<Vec<bool>>,
    /// The number of each id, to find one that stands twice.
    numbers: HashMap<Box<str>, usize>,
    text_search: Duration,
    send_error_pairs: bool,
}

impl Reading {
    fn add(
        &mut self,
        pair: PairLine<'_>,
        line: std::ops::Range<u64>,
        terms: &[TextTerm],
        scope: &mut PlanScope,
    ) -> Result<(), LineError> {
        let number = self.entries.len();
        let id: Box<str> = pair.id.as_ref().into();
        if let Some(first) = self.numbers.insert(id.clone(), number) {
            return Err(LineError(format!("id '{id}' stands twice, first in pair {}", first + 1)));
        }
        let answer = pair.assistant_text.as_deref();
        if !terms.is_empty() {
            let started = Instant::now();
            for (hits, term) in self.hits.iter_mut().zip(terms) {
                let in_answer = answer.is_some_and(|answer| term.is_match(answer));
                hits.push(in_answer || term.is_match(&pair.user_text));
            }
            self.text_search += started.elapsed();
        }
        let answered = answer.is_some_and(is_emitted);
        let not_sendable = not_sendable(pair.lifecycle, answered, self.send_error_pairs);
        let (has_image, has_attachment) = attachment_kinds(&pair.user_text);
        self.rows.push(Row {
            created_at: Timestamp::from_millis(pair.created_at.as_millisecond()),
            topic: pair.topic.as_deref().map_or(Ok(None), |path| scope.topic(path))?,
            model: scope.model(&pair.model),
            star: pair.star,
            flag: pair.color_flag,
            lifecycle: pair.lifecycle,
            has_image,
            has_attachment,
            tokens: 0,
        });
        self.entries.push(Entry {
            id,
            created_at: pair.created_at,
            offset: line.start,
            length: usize::try_from(line.end - line.start).unwrap_or(0),
            not_sendable,
            tokens: None,
            number,
        });
        Ok(())
    }

    /// HIS-2: by creation time, ties by the bytes of the id.
    fn sorted(self, source: Source) -> History {
        let Self { entries, rows, hits, text_search, .. } = self;
        let mut both: Vec<(Entry, Row)> = entries.into_iter().zip(rows).collect();
        both.sort_by(|(a, _), (b, _)| {
            (a.created_at, a.id.as_bytes()).cmp(&(b.created_at, b.id.as_bytes()))
        });
        let (entries, rows) = both.into_iter().unzip();
        History { source, entries, rows, hits, text_search }
    }
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
