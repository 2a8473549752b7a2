//! What a note and its file have in common: the fields that travel.

use blake3::Hasher;
use plimsoll_domain::Timestamp;
use plimsoll_store::{Anchor, Change, Observation, ObservationRevision, Scope, SyncNote};

use super::anchor_line::AnchorLine;
use crate::{MemoryError, checks};

/// The fields of a note that are the same in each store that has it. Numbers, counts and the time
/// of the last change are not among them: they would differ, and clash with every merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) title: String,
    pub(super) kind: String,
    pub(super) project: String,
    pub(super) scope: Scope,
    pub(super) topic_key: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) session: String,
    pub(super) tool: Option<String>,
    pub(super) author: Option<String>,
    pub(super) created_at: Timestamp,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) anchors: Vec<AnchorLine>,
    pub(super) content: String,
}

impl Card {
    pub(super) fn of(note: &Observation) -> Self {
        Self {
            title: note.title.clone(),
            kind: note.kind.clone(),
            project: note.project.clone(),
            scope: note.scope,
            topic_key: note.topic_key.clone(),
            namespace: note.namespace.clone(),
            session: note.session.clone(),
            tool: note.tool_name.clone(),
            author: note.author.clone(),
            created_at: note.created_at,
            expires_at: note.expires_at.filter(|at| *at != Change::NEVER),
            anchors: AnchorLine::of_note(note),
            content: note.content.clone(),
        }
    }

    /// The note that a store makes of it. What a file says is bounded and redacted like what is
    /// saved.
    pub(super) fn checked(self) -> Result<Self, MemoryError> {
        Ok(Self {
            title: checks::title(&self.title)?,
            kind: checks::name("type", &self.kind)?,
            project: checks::opt_name("project", Some(&self.project))?.unwrap_or_default(),
            scope: self.scope,
            topic_key: checks::opt_name("topic_key", self.topic_key.as_deref())?,
            namespace: checks::opt_name("namespace", self.namespace.as_deref())?,
            session: checks::name("session", &self.session)?,
            tool: checks::opt_name("tool", self.tool.as_deref())?,
            author: checks::opt_name("author", self.author.as_deref())?,
            created_at: self.created_at,
            expires_at: self.expires_at.filter(|at| *at != Change::NEVER),
            anchors: AnchorLine::checked(self.anchors)?,
            content: checks::text("content", &self.content)?,
        })
    }

    pub(super) fn note(self) -> Observation {
        Observation {
            id: 0,
            session: self.session,
            kind: self.kind,
            title: self.title,
            content: self.content,
            tool_name: self.tool,
            project: self.project,
            scope: self.scope,
            topic_key: self.topic_key,
            namespace: self.namespace,
            revision_count: 1,
            duplicate_count: 0,
            last_seen_at: None,
            created_at: self.created_at,
            updated_at: self.created_at,
            author: self.author,
            expires_at: self.expires_at,
            anchors: self.anchors.into_iter().map(Anchor::from).collect(),
            superseded_by: None,
        }
    }

    /// Tells one state of a note from another.
    pub(super) fn hash(&self) -> String {
        let mut all = self.fields();
        if let Some(author) = &self.author {
            all.add("author").add(author);
        }
        if let Some(at) = self.expires_at {
            all.add("expires").add(&at.millis().to_string());
        }
        for anchor in &self.anchors {
            all.add("anchor").add(&anchor.target).opt(anchor.hash.as_deref());
        }
        all.done()
    }

    /// What [`hash`](Self::hash) would be without the fields that files did not always have.
    pub(super) fn hash_of_old(&self) -> String {
        self.fields().done()
    }

    fn fields(&self) -> Fields {
        let mut all = Fields::new("card");
        all.add(&self.title).add(&self.kind).add(&self.project).add(self.scope.name());
        all.opt(self.topic_key.as_deref()).opt(self.namespace.as_deref()).add(&self.session);
        all.opt(self.tool.as_deref()).add(&self.created_at.millis().to_string());
        all.add(&self.content);
        all
    }

    /// Tells whether two are the same note that came into two stores some other way.
    pub(super) fn identity(&self) -> String {
        let mut all = Fields::new("identity");
        all.add(&self.title).add(&self.kind).add(&self.project).add(self.scope.name());
        all.opt(self.namespace.as_deref()).add(&self.created_at.millis().to_string());
        all.add(&self.content).done()
    }

    /// Tells one text from another.
    pub(super) fn text(&self) -> String {
        text(&self.kind, &self.title, &self.content)
    }

    /// Where it stands, if it has a topic key: there is one such note in a store (MEM-3).
    pub(super) fn key(&self) -> Option<String> {
        let mut all = Fields::new("key");
        all.add(self.topic_key.as_deref()?).add(&self.project).add(self.scope.name());
        Some(all.opt(self.namespace.as_deref()).done())
    }
}

pub(super) fn text(kind: &str, title: &str, content: &str) -> String {
    Fields::new("text").add(kind).add(title).add(content).done()
}

pub(super) fn text_of(earlier: &ObservationRevision) -> String {
    text(&earlier.kind, &earlier.title, &earlier.content)
}

/// What a note is called that was never in a file. It is made of what never changes, so that two
/// stores that got the same note by an import call it the same; `attempt` tells apart those that
/// would share it.
pub(super) fn uid(found: &SyncNote, attempt: u32) -> String {
    let note = &found.note.observation;
    let first = found.note.revisions.first();
    let (kind, title, content) = first.map_or((&note.kind, &note.title, &note.content), |first| {
        (&first.kind, &first.title, &first.content)
    });
    let mut all = Fields::new("uid");
    all.add(&note.created_at.millis().to_string()).add(kind).add(title).add(content);
    if attempt > 0 {
        all.add(&attempt.to_string());
    }
    all.done()[..UID_LENGTH].to_owned()
}

/// How long a uid is, in hexadecimal digits.
pub(super) const UID_LENGTH: usize = 16;

/// What the bytes of a file are.
pub(super) fn bytes(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

/// Fields one after the other, none of which can pass for two.
struct Fields(Hasher);

impl Fields {
    fn new(what: &str) -> Self {
        let mut fields = Self(Hasher::new());
        fields.add(what);
        fields
    }

    fn add(&mut self, text: &str) -> &mut Self {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
        self
    }

    fn opt(&mut self, text: Option<&str>) -> &mut Self {
        self.0.update(&[u8::from(text.is_some())]);
        self.add(text.unwrap_or_default())
    }

    fn done(&self) -> String {
        self.0.finalize().to_hex()[..32].to_owned()
    }
}
