//! What is asked for, and what would be sent.

use std::sync::Arc;

use plimsoll_budget::OverBudget;
use plimsoll_domain::{FilesScope, HistoryScope, PairId, Purpose, Timestamp, Topic, TopicId};
use plimsoll_provider::Provider;
use plimsoll_send::{AttemptPlan, Comparison, FilePart, Message, Part, Plan, Role, Seen, plan};
use plimsoll_store::{StoredPair, Workspace};
use plimsoll_tokens::RawTokens;

use crate::{Payer, QuotaChoice, tooling::FilesPart, weigher::Weigher};

/// Which pairs may go along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryChoice {
    /// None.
    Nothing,
    /// Those that a filter shows; the empty filter shows all.
    Filter(String),
    /// These and no others, whatever a filter would say now.
    These(Vec<PairId>),
    /// The same, whatever their use is and wherever the line was set: what is summarised.
    Summarised(Vec<PairId>),
}

/// What is said of a send beside what its topic says. A conversation that begins keeps it; one
/// that goes on stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SaidForNow {
    pub system_message: Option<String>,
    pub temperature: Option<f32>,
}

impl SaidForNow {
    /// A topic as it counts while this is said.
    pub(crate) fn of(&self, topic: Topic) -> Topic {
        Topic {
            system_message: self.system_message.clone().or(topic.system_message),
            temperature: self.temperature.or(topic.temperature),
            ..topic
        }
    }
}

/// What a person looks at and sends with: the scope, the filter and the selectors.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Of what is in the scope, what is visible.
    pub history: HistoryChoice,
    /// Whether only the topic is looked at (HIS-9).
    pub scope: HistoryScope,
    /// The topic that new pairs go to, as a path or by its id; else a new conversation in the scope
    /// of one, and the workspace's first topic in that of everything. An id that no topic has is a
    /// conversation that holds nothing yet.
    pub topic: Option<String>,
    /// The model; else the topic's, the newest pair's, or the settings' (CAT-5).
    pub model: Option<String>,
    /// Whose files the model is told of (FIL-6); else by the settings.
    pub files: Option<FilesScope>,
    pub said: SaidForNow,
    /// Who looks, where people sign in: their keys go along with what they send (TEA-10).
    pub person: Option<Arc<str>>,
}

impl Default for View {
    /// Everything is visible, nothing is selected.
    fn default() -> Self {
        Self {
            history: HistoryChoice::Filter(String::new()),
            scope: HistoryScope::Everything,
            topic: None,
            model: None,
            files: None,
            said: SaidForNow::default(),
            person: None,
        }
    }
}

impl View {
    /// For whom a provider is asked in a workspace.
    pub(crate) fn payer(&self, workspace: &Workspace) -> Option<Payer> {
        Payer::in_workspace(self.person.as_ref(), workspace)
    }

    /// A conversation by its id, whole.
    pub fn of_conversation(id: TopicId) -> Self {
        let (scope, topic) = (HistoryScope::Conversation, Some(id.to_string()));
        Self { scope, topic, ..Self::default() }
    }
}

/// What the sender decided beforehand.
#[derive(Clone, Debug, Default)]
pub struct SendChoices {
    /// What happens above the limit (VAL-3); else by the settings.
    pub over_budget: Option<OverBudget>,
    /// What happens when the account's windows are full (VAL-4).
    pub quota: QuotaChoice,
    /// The digest of what the sender saw; the send is refused where it differs (PAY-6).
    /// Without one nothing is compared.
    pub seen: Option<SeenDigest>,
}

/// A digest that a page made, as text: anything else than the right one is a wrong one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenDigest(pub String);

impl SeenDigest {
    /// Whether the page saw this.
    pub fn is_of(&self, seen: &Seen) -> bool {
        self.0 == seen.digest().to_string()
    }
}

/// A message that is weighed and ready to go. Nothing was sent or written yet.
pub struct Prepared {
    pub(crate) workspace: Workspace,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) served_model: String,
    pub(crate) included: Vec<StoredPair>,
    pub(crate) topic: Topic,
    /// What had to be free for it (SND-2).
    pub(crate) scope: HistoryScope,
    /// Whose files the model is told of, where that was chosen.
    pub(crate) files_scope: Option<FilesScope>,
    /// The topic's system message, where it has one and it is sent (PAY-3).
    pub(crate) system: Option<String>,
    pub(crate) purpose: Purpose,
    /// Raw tokens of everything that was predicted.
    pub(crate) raw_prompt_tokens: RawTokens,
    /// The newest pair of the workspace; a new one comes after it.
    pub(crate) newest: Option<Timestamp>,
    /// The message as it was written, tokens in place.
    pub text: String,
    /// How the questions of the included pairs go out, where that differs from their texts.
    pub(crate) questions: Vec<Option<Vec<Part>>>,
    /// How the message goes out.
    pub(crate) message: Vec<Part>,
    pub(crate) files: FilesPart,
    pub(crate) weigher: Weigher,
    /// What is sent of what was known when it was prepared.
    pub plan: Plan,
    /// What a page that shows this holds (PAY-6).
    pub seen: Seen,
    /// Whether the page shows the instructions and files of this model. In a comparison it shows
    /// those of the smallest one (HIS-12), and nothing is claimed of the others that was not seen.
    pub(crate) shown_as_sent: bool,
    /// How that compares with what the sender saw.
    pub(crate) compared: Comparison,
    /// Whether its pair stands where one stood that was visible: that one is answered anew or
    /// asked again.
    pub(crate) takes_a_place: bool,
    /// Where the line stood (BND-6).
    pub(crate) line: Option<PairId>,
    /// What the attempts start from.
    pub(crate) attempts: AttemptPlan,
    /// Which pairs may go along.
    pub(crate) history: HistoryChoice,
    pub(crate) said: SaidForNow,
    /// Who sends it, where people sign in.
    pub(crate) person: Option<Arc<str>>,
    /// The first pair of the comparison that it belongs to (HIS-12), once it is begun.
    pub(crate) group: Option<PairId>,
}

impl Prepared {
    /// For whom a provider is asked.
    pub(crate) fn payer(&self) -> Option<Payer> {
        Payer::in_workspace(self.person.as_ref(), &self.workspace)
    }

    /// The pairs that go along, oldest first.
    pub fn included_ids(&self) -> Vec<PairId> {
        self.included.iter().map(|stored| stored.pair.id).collect()
    }

    /// The conversation that it was planned in; none where everything was looked at.
    pub(crate) fn within(&self) -> Option<TopicId> {
        (self.scope == HistoryScope::Conversation).then_some(self.topic.id)
    }

    /// Plans it again by another policy.
    pub(crate) fn replan(&mut self, policy: OverBudget) {
        self.plan = plan(&self.plan.snapshot, policy);
        self.attempts.fit_drop = self.plan.left_out_first();
    }

    /// What goes along as bytes, anywhere in it.
    pub(crate) fn files(&self) -> impl Iterator<Item = &FilePart> {
        let parts = self.questions.iter().flatten().flatten().chain(&self.message);
        parts.filter_map(|part| match part {
            Part::File(file) => Some(file),
            _ => None,
        })
    }

    /// Raw tokens of a text, by the model's own measure.
    pub(crate) fn weigh(&self, text: &str) -> u64 {
        self.weigher.count(text)
    }

    /// The same of a message's words.
    pub(crate) fn weigh_message(&self, message: &Message) -> u64 {
        let text = message.text();
        match message.role {
            Role::Assistant => self.weigher.count_answer(&text),
            _ => self.weigher.count(&text),
        }
    }
}
