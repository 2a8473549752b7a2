//! Writing out what a filter shows (HIS-8).

use std::{
    collections::{HashMap, HashSet},
    io::Write,
};

use plimsoll_domain::{File, HistoryScope, PairId, Topic, TopicId, TopicTree};
use plimsoll_exchange::{ArchiveWriter, OwnHead, OwnWriter, TextStyle, TextWriter};
use plimsoll_filter::{ExportFormat, ExportOrder};
use plimsoll_store::{ArchivedPair, PairRow, Workspace};

use crate::{
    App, AppError, HistoryChoice, View,
    for_people::{FileNames, named},
    topics::find_topic,
};

/// Pairs whose texts are in memory at once.
const CHUNK: usize = 256;

/// What to export.
#[derive(Clone, Debug)]
pub struct ExportAsk {
    /// From where.
    pub workspace: Workspace,
    /// Whether only the topic is looked at (HIS-9).
    pub scope: HistoryScope,
    /// Which pairs; the empty filter shows all.
    pub filter: String,
    /// What a bare `t` means, as a path or an id.
    pub topic: Option<String>,
    /// What a bare `m` means, and whose window `o` asks of.
    pub model: Option<String>,
    /// How it is written.
    pub format: ExportFormat,
    pub order: ExportOrder,
}

/// What was exported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    pub pairs: u64,
    pub topics: u64,
    pub files: u64,
    /// Files whose bytes are missing or altered, and so not in the archive, in words.
    pub left_out: Vec<String>,
}

type To<'w> = &'w mut (dyn Write + Send);

enum Writer<'w> {
    Own(OwnWriter<To<'w>>),
    Zip(Box<OwnWriter<ArchiveWriter<To<'w>>>>),
    Text(TextWriter<To<'w>>),
}

impl App {
    /// Writes the pairs that a filter shows, with their files where the format has them.
    /// `watch` is told how many pairs and blobs of how many are done.
    pub async fn export(
        &self,
        ask: &ExportAsk,
        to: &mut (dyn Write + Send),
        watch: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<Exported, AppError> {
        // A filter that is wrong is told before anything else happens.
        crate::history::parse_filter(&ask.filter)?;
        self.open_workspace(&ask.workspace).await?;
        let topics = self.store.topics(&ask.workspace).await?;
        // A conversation that holds nothing yet is no topic, and nothing is exported of it.
        if let Some(path) = &ask.topic
            && find_topic(&topics, path).is_none()
            && TopicId::parse(path).is_none()
        {
            return Err(AppError::UnknownTopic(path.clone()));
        }
        // A view makes a first topic where there is none, and an export makes nothing.
        let rows = match topics.is_empty() {
            true => Vec::new(),
            false => {
                let view = View {
                    history: HistoryChoice::Filter(ask.filter.clone()),
                    topic: ask.topic.clone(),
                    model: ask.model.clone(),
                    scope: ask.scope,
                    ..View::default()
                };
                self.workspace_view(&ask.workspace, view).await?.rows_shown(self).await?
            }
        };
        let all = ask.filter.trim().is_empty() && ask.scope == HistoryScope::Everything;
        let paths = paths(&topics)?;
        let ids = ordered(&rows, ask.order, &paths);
        let used = if all { topics } else { with_ancestors(topics, &rows) };
        let lossless = matches!(ask.format, ExportFormat::Json | ExportFormat::Zip);
        let files = match (lossless, all) {
            (false, _) => Vec::new(),
            (true, true) => self.store.files(&ask.workspace).await?,
            (true, false) => self.files_of(&ask.workspace, &rows).await?,
        };
        let counts = (used.len() as u64, files.len() as u64);
        let head = match lossless {
            true => self.own_head(ask, all, used, files).await?,
            false => OwnHead::default(),
        };
        let mut exported = Exported { topics: counts.0, files: counts.1, ..Exported::default() };
        let by_topic = ask.order == ExportOrder::Topic;
        let mut writer = match ask.format {
            ExportFormat::Json => Writer::Own(OwnWriter::start(to, &head)?),
            ExportFormat::Zip => {
                let archive = ArchiveWriter::start(to)?;
                Writer::Zip(Box::new(OwnWriter::start(archive, &head)?))
            }
            ExportFormat::Markdown => {
                Writer::Text(TextWriter::new(to, TextStyle::Markdown, by_topic))
            }
            ExportFormat::Text => Writer::Text(TextWriter::new(to, TextStyle::Plain, by_topic)),
        };
        let blobs: HashSet<String> = match ask.format {
            ExportFormat::Zip => head.files.iter().map(File::blob_name).collect(),
            _ => HashSet::new(),
        };
        let names: FileNames = match lossless {
            true => FileNames::new(),
            false => {
                let files = self.store.files(&ask.workspace).await?;
                files.into_iter().map(|file| (file.id, file.name)).collect()
            }
        };
        let total = (ids.len() + blobs.len()) as u64;
        for chunk in ids.chunks(CHUNK) {
            let found = self.store.archived(chunk).await?;
            let mut by_id: HashMap<PairId, ArchivedPair> =
                found.into_iter().map(|archived| (archived.pair.id, archived)).collect();
            // A pair that was deleted since is not there any more, and that is right.
            for archived in chunk.iter().filter_map(|id| by_id.remove(id)) {
                match &mut writer {
                    Writer::Own(writer) => writer.pair(&archived)?,
                    Writer::Zip(writer) => writer.pair(&archived)?,
                    Writer::Text(writer) => {
                        let path = paths.get(&archived.pair.topic_id);
                        let pair = &archived.pair;
                        let message = named(&pair.user_text, &pair.attachments, &names);
                        writer.pair(path.map_or("", String::as_str), &message, &archived)?;
                    }
                }
                exported.pairs += 1;
            }
            watch(exported.pairs, total);
        }
        match writer {
            Writer::Own(writer) => writer.finish()?,
            Writer::Zip(writer) => {
                let mut archive = writer.finish()?;
                let mut done = exported.pairs;
                let mut step = || {
                    done += 1;
                    watch(done, total);
                };
                exported.left_out =
                    self.export_blobs(&ask.workspace, &head.files, &mut archive, &mut step).await?;
                archive.finish(&exported.left_out)?
            }
            Writer::Text(writer) => writer.finish()?,
        }
        .flush()?;
        Ok(exported)
    }
}

impl App {
    /// What a lossless export says before its pairs. Saved filters and snippets belong to the
    /// workspace as a whole; drafts and marks to the conversations that are exported whole.
    async fn own_head(
        &self,
        ask: &ExportAsk,
        all: bool,
        topics: Vec<Topic>,
        files: Vec<File>,
    ) -> Result<OwnHead, AppError> {
        let at = &ask.workspace;
        let mut head = OwnHead { scope: ask.scope, topics, files, ..OwnHead::default() };
        if all {
            head.filters = self.store.saved_filters(at).await?;
            head.snippets = self.store.snippets(at).await?;
        }
        if !ask.filter.trim().is_empty() {
            return Ok(head);
        }
        let known: HashSet<TopicId> = head.topics.iter().map(|topic| topic.id).collect();
        let meant = |conversation: Option<TopicId>| match conversation {
            Some(id) => all || known.contains(&id),
            None => all,
        };
        head.drafts = self.store.drafts(at).await?;
        head.drafts.retain(|(conversation, _)| meant(*conversation));
        let here = head.topics.iter().map(|topic| Some(topic.id));
        for within in here.chain(all.then_some(None)) {
            let mark = self.context_mark(at, within).await?;
            head.marks.extend(mark.map(|mark| (within, mark)));
        }
        Ok(head)
    }
}

fn paths(topics: &[Topic]) -> Result<HashMap<TopicId, String>, AppError> {
    let mut tree = TopicTree::default();
    for topic in topics {
        tree.add(topic.clone()).map_err(plimsoll_store::StoreError::from)?;
    }
    Ok(topics.iter().filter_map(|topic| Some((topic.id, tree.path(topic.id)?))).collect())
}

/// The rows come in the order of HIS-2, and a stable sort keeps it within a topic.
fn ordered(rows: &[PairRow], order: ExportOrder, paths: &HashMap<TopicId, String>) -> Vec<PairId> {
    let mut rows: Vec<&PairRow> = rows.iter().collect();
    if order == ExportOrder::Topic {
        rows.sort_by_key(|row| paths.get(&row.topic_id));
    }
    rows.iter().map(|row| row.id).collect()
}

/// The topics of these rows and all above them, in the order given.
fn with_ancestors(mut topics: Vec<Topic>, rows: &[PairRow]) -> Vec<Topic> {
    let parents: HashMap<TopicId, Option<TopicId>> =
        topics.iter().map(|topic| (topic.id, topic.parent)).collect();
    let mut used: HashSet<TopicId> = HashSet::new();
    for row in rows {
        let mut at = Some(row.topic_id);
        while let Some(id) = at
            && used.insert(id)
        {
            at = parents.get(&id).copied().flatten();
        }
    }
    topics.retain(|topic| used.contains(&topic.id));
    topics
}
