//! Where imported things go: topics by id, else by name; pairs in batches.

use std::collections::{HashMap, HashSet};

use plimsoll_domain::{
    ColorFlag, ContextMark, Draft, Lifecycle, MessagePair, PairId, PairKind, PairUse, Snippet,
    Star, Timestamp, Topic, TopicId, title_of,
};
use plimsoll_exchange::{
    Conversation, Format, Record, Turn, copied_pair_id, copied_topic_id, pair_id, topic_id,
    topic_name,
};
use plimsoll_store::{ArchivedPair, SavedFilter, Workspace};

use crate::{App, AppError, ImportAsk, Imported, Progress, import_files::FileDesk};

/// A batch is written when it has this many pairs, or this many bytes of text. It ends
/// where a conversation ends, so that a conversation is there whole or not at all.
const BATCH_PAIRS: usize = 256;
const BATCH_BYTES: usize = 4 << 20;

/// What is said first in a conversation, by whomever.
fn first_words(conversation: &Conversation) -> &str {
    let texts = conversation
        .turns
        .iter()
        .flat_map(|turn| std::iter::once(turn.user.as_str()).chain(turn.assistant.as_deref()));
    texts.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default()
}

/// Below this topic stands what comes from elsewhere.
const IMPORTED: &str = "Imported";

pub(crate) struct Importer<'a> {
    app: &'a App,
    workspace: &'a Workspace,
    /// The path that was asked for.
    below: Option<Vec<String>>,
    now: Timestamp,
    topics: HashMap<TopicId, Topic>,
    names: HashMap<(Option<TopicId>, String), TopicId>,
    /// Topics of other workspaces; ids are used once in a store.
    elsewhere: HashSet<TopicId>,
    filters: HashSet<String>,
    snippets: HashSet<String>,
    /// Where contexts begin; set when the pairs that they name are here.
    marks: Vec<(Option<TopicId>, ContextMark)>,
    /// What became of pairs whose ids are taken elsewhere in this store.
    copies: HashMap<PairId, PairId>,
    /// What became of the topics of one of our own exports.
    became: HashMap<TopicId, TopicId>,
    files: FileDesk<'a>,
    /// The next number to try for a name that is taken.
    numbers: HashMap<(Option<TopicId>, String), u64>,
    batch_topics: Vec<Topic>,
    batch: Vec<ArchivedPair>,
    batch_bytes: usize,
    batch_undated: HashSet<plimsoll_domain::PairId>,
}

impl<'a> Importer<'a> {
    pub(crate) async fn open(app: &'a App, ask: &'a ImportAsk) -> Result<Self, AppError> {
        let below = ask.topic.as_ref().map(|path| {
            let names = path.split('/').map(str::trim).filter(|name| !name.is_empty());
            names.map(ToOwned::to_owned).collect::<Vec<_>>()
        });
        if below.as_ref().is_some_and(Vec::is_empty) {
            return Err(AppError::UnknownTopic(ask.topic.clone().unwrap_or_default()));
        }
        let mut importer = Self {
            app,
            workspace: &ask.workspace,
            below,
            now: app.clock.now(),
            topics: HashMap::new(),
            names: HashMap::new(),
            elsewhere: HashSet::new(),
            filters: HashSet::new(),
            snippets: HashSet::new(),
            marks: Vec::new(),
            copies: HashMap::new(),
            became: HashMap::new(),
            files: FileDesk::open(app, &ask.workspace)?,
            numbers: HashMap::new(),
            batch_topics: Vec::new(),
            batch: Vec::new(),
            batch_bytes: 0,
            batch_undated: HashSet::new(),
        };
        for topic in app.store.topics(&ask.workspace).await? {
            importer.remember(topic);
        }
        for workspace in app.store.workspaces().await? {
            if workspace != ask.workspace {
                let topics = app.store.topics(&workspace).await?;
                importer.elsewhere.extend(topics.iter().map(|topic| topic.id));
            }
        }
        let filters = app.store.saved_filters(&ask.workspace).await?;
        importer.filters.extend(filters.into_iter().map(|filter| filter.name));
        let snippets = app.store.snippets(&ask.workspace).await?;
        importer.snippets.extend(snippets.into_iter().map(|snippet| snippet.name));
        Ok(importer)
    }

    pub(crate) async fn take(
        &mut self,
        record: Record,
        imported: &mut Imported,
    ) -> Result<(), AppError> {
        match record {
            Record::Topic(topic) => self.topic(topic),
            Record::Filter(filter) => self.filter(&filter, imported).await?,
            Record::Snippet(snippet) => self.snippet(&snippet, imported).await?,
            Record::Draft(conversation, draft) => self.draft(conversation, draft, imported).await?,
            Record::Mark(conversation, mark) => self.marks.push((conversation, mark)),
            Record::File(file) => self.files.take(file, imported).await?,
            Record::Pair(pair) => self.pair(*pair, imported),
            Record::Conversation(format, conversation) => self.conversation(format, conversation),
        }
        if self.batch.len() >= BATCH_PAIRS || self.batch_bytes >= BATCH_BYTES {
            self.flush(imported).await?;
        }
        Ok(())
    }

    /// Tells those who watch which files came so far.
    pub(crate) fn tell_files(&mut self) {
        self.files.tell();
    }

    /// Writes what was gathered, all or none.
    pub(crate) async fn flush(&mut self, imported: &mut Imported) -> Result<(), AppError> {
        self.files.tell();
        let store = &self.app.store;
        let ids: Vec<_> = self.batch.iter().map(|archived| archived.pair.id).collect();
        let taken: HashMap<_, _> = store.whereabouts(&ids).await?.into_iter().collect();
        let asked = self.batch.len() as u64;
        for archived in &mut self.batch {
            let pair = &mut archived.pair;
            if taken.get(&pair.id).is_some_and(|workspace| workspace != self.workspace) {
                // A copy of it lives elsewhere in this store; this one needs a name too.
                let copy = copied_pair_id(self.workspace.as_str(), pair.id, pair.created_at);
                self.copies.insert(pair.id, copy);
                pair.id = copy;
            }
        }
        // What a pair says of others, it says of their copies.
        let here = |id: PairId| self.copies.get(&id).copied().unwrap_or(id);
        for archived in &mut self.batch {
            let pair = &mut archived.pair;
            pair.group = pair.group.map(here);
            for one in &mut pair.summarises {
                one.pair = here(one.pair);
            }
        }
        let brought = store.bring_in(self.workspace, &self.batch_topics, &self.batch).await?;
        if brought != plimsoll_store::BroughtIn::default() {
            self.app.events.publish(self.workspace, Progress::Imported);
        }
        imported.new_topics += brought.topics;
        imported.new_pairs += brought.pairs;
        imported.known_pairs += asked - brought.pairs;
        let fresh = |id| !taken.contains_key(id);
        imported.undated += self.batch_undated.iter().filter(|id| fresh(id)).count() as u64;
        self.batch_topics.clear();
        self.batch.clear();
        self.batch_undated.clear();
        self.batch_bytes = 0;
        Ok(())
    }

    /// Says where contexts begin, once all pairs are here. What was said here before stays.
    pub(crate) async fn finish(&mut self, imported: &mut Imported) -> Result<(), AppError> {
        self.flush(imported).await?;
        for (conversation, mark) in std::mem::take(&mut self.marks) {
            let within = conversation.map(|id| self.became.get(&id).copied().unwrap_or(id));
            if self.app.context_mark(self.workspace, within).await?.is_none() {
                let pair = self.copies.get(&mark.pair).copied().unwrap_or(mark.pair);
                let mark = ContextMark { pair, ..mark };
                self.app.set_context_mark(self.workspace, within, Some(mark)).await?;
            }
        }
        Ok(())
    }

    async fn snippet(
        &mut self,
        snippet: &Snippet,
        imported: &mut Imported,
    ) -> Result<(), AppError> {
        if self.snippets.insert(snippet.name.clone()) {
            self.app.store.put_snippet(self.workspace, snippet).await?;
            imported.new_snippets += 1;
        }
        Ok(())
    }

    /// What somebody is writing here is never replaced.
    async fn draft(
        &mut self,
        conversation: Option<TopicId>,
        mut draft: Draft,
        imported: &mut Imported,
    ) -> Result<(), AppError> {
        let here = conversation.map(|id| self.became.get(&id).copied().unwrap_or(id));
        if self.app.store.draft(self.workspace, here).await?.is_some() {
            return Ok(());
        }
        self.files.place(&mut draft.attachments, imported);
        self.app.store.put_draft(self.workspace, here, &draft, self.now).await?;
        imported.new_drafts += 1;
        Ok(())
    }

    fn conversation(&mut self, format: Format, conversation: Conversation) {
        if conversation.turns.is_empty() {
            return;
        }
        let id = topic_id(self.workspace.as_str(), &conversation.key);
        // A topic that was renamed or moved since is still the one.
        if !self.topics.contains_key(&id) {
            let path = self.below.clone();
            let path = path.unwrap_or_else(|| vec![IMPORTED.to_owned(), format.name().to_owned()]);
            let parent = self.path(&path);
            match conversation.title.as_deref().and_then(topic_name) {
                Some(title) => {
                    let name = self.free_name(parent, &title);
                    self.make(Topic::new(id, parent, &name));
                }
                // Nobody named it: its first words do, as those of any conversation (HIS-9).
                None => {
                    let name = title_of(first_words(&conversation));
                    self.make(Topic { name, parent, ..Topic::new_chat(id) });
                }
            }
        }
        for turn in conversation.turns {
            self.turn(id, turn);
        }
    }

    fn turn(&mut self, topic: TopicId, turn: Turn) {
        let id = pair_id(self.workspace.as_str(), &turn);
        if turn.created_at.is_none() {
            self.batch_undated.insert(id);
        }
        self.pair_here(ArchivedPair {
            pair: MessagePair {
                id,
                topic_id: topic,
                model: turn.model.unwrap_or_default(),
                user_text: turn.user,
                assistant_text: turn.assistant,
                star: Star::default(),
                color_flag: ColorFlag::default(),
                pair_use: PairUse::default(),
                kind: PairKind::default(),
                summarises: Vec::new(),
                group: None,
                lifecycle: Lifecycle::Complete,
                created_at: turn.created_at.unwrap_or(self.now),
                error: None,
                usage: None,
                receipt_id: None,
                previous_answer: None,
                attachments: Vec::new(),
            },
            cut: false,
            revision: 0,
            edited_at: None,
            revisions: Vec::new(),
            previous: None,
        });
    }

    /// A pair of ours. Its topic and its files came before it; the reader has seen to that.
    fn pair(&mut self, mut archived: ArchivedPair, imported: &mut Imported) {
        self.files.place(&mut archived.pair.attachments, imported);
        if let Some(topic) = self.became.get(&archived.pair.topic_id) {
            archived.pair.topic_id = *topic;
        }
        self.pair_here(archived);
    }

    fn pair_here(&mut self, archived: ArchivedPair) {
        let pair = &archived.pair;
        let answer = pair.assistant_text.as_ref().map_or(0, String::len);
        self.batch_bytes += pair.user_text.len() + answer;
        self.batch.push(archived);
    }

    /// A topic of ours goes where the one with its id is, else where one of its name is,
    /// else it is made as it was.
    fn topic(&mut self, topic: Topic) {
        let parent = match topic.parent {
            Some(parent) => self.became.get(&parent).copied(),
            None => self.below.clone().and_then(|path| self.path(&path)),
        };
        let by_name = self.names.get(&(parent, topic.name.to_lowercase())).copied();
        // Two conversations with the same first words are two.
        let by_name = by_name.filter(|_| topic.named);
        let known = self.topics.contains_key(&topic.id).then_some(topic.id).or(by_name);
        let here = known.unwrap_or_else(|| {
            let id = match self.elsewhere.contains(&topic.id) {
                true => copied_topic_id(self.workspace.as_str(), topic.id),
                false => topic.id,
            };
            let made = Topic { id, parent, ..topic.clone() };
            self.batch_topics.push(made.clone());
            self.remember(made);
            id
        });
        self.became.insert(topic.id, here);
    }

    async fn filter(
        &mut self,
        filter: &SavedFilter,
        imported: &mut Imported,
    ) -> Result<(), AppError> {
        if self.filters.insert(filter.name.clone()) {
            self.app.store.save_filter(self.workspace, filter).await?;
            self.app.events.publish(self.workspace, Progress::Topics);
            imported.new_filters += 1;
        }
        Ok(())
    }

    /// The topic at a path, made where it is not there.
    fn path(&mut self, names: &[String]) -> Option<TopicId> {
        let mut at = None;
        for name in names {
            at = Some(match self.names.get(&(at, name.to_lowercase())) {
                Some(id) => *id,
                None => {
                    let id = TopicId::new(self.now, self.app.chance.bytes());
                    self.make(Topic::new(id, at, name));
                    id
                }
            });
        }
        at
    }

    fn make(&mut self, mut topic: Topic) {
        // A new child starts with a copy of its parent's system message (HIS-3).
        let above = topic.parent.and_then(|parent| self.topics.get(&parent));
        topic.system_message = above.and_then(|above| above.system_message.clone());
        self.batch_topics.push(topic.clone());
        self.remember(topic);
    }

    fn remember(&mut self, topic: Topic) {
        if topic.named {
            self.names.insert((topic.parent, topic.name.to_lowercase()), topic.id);
        }
        self.topics.insert(topic.id, topic);
    }

    /// The name, or the name with a number if a sibling has it: two conversations of one
    /// title stay two.
    fn free_name(&mut self, parent: Option<TopicId>, name: &str) -> String {
        let mut free = name.to_owned();
        while self.names.contains_key(&(parent, free.to_lowercase())) {
            let number = self.numbers.entry((parent, name.to_lowercase())).or_insert(1);
            *number += 1;
            free = format!("{name} ({number})");
        }
        free
    }
}
