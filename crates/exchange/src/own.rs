//! Our own export, field by field. Names are those of the spec (HIS-1, HIS-3).

use plimsoll_domain::{
    ColorFlag, Lifecycle, MessagePair, PairError, PairId, PairKind, PairUse, ReceiptId, Star,
    Summarised, Timestamp, Topic, TopicId, Usage,
};
use plimsoll_store::{ArchivedPair, INTERRUPTED, PreviousAnswer, Revision, SavedFilter};
use serde::{Deserialize, Serialize};

use crate::{
    own_file::{OwnAttachment, attachments},
    times,
};

/// The first field of every export of ours, by which it is known.
pub(crate) const MARK: &str = "plimsollExport";

/// The version that is written. A reader refuses a newer one. The first had no files, the second
/// had no uses, kinds and groups of pairs, no marks, drafts and snippets.
pub(crate) const VERSION: u64 = 3;

pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

fn yes() -> bool {
    true
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_chat(kind: &PairKind) -> bool {
    *kind == PairKind::Chat
}

fn is_auto(pair_use: &PairUse) -> bool {
    *pair_use == PairUse::Auto
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OwnTopic {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    name: String,
    /// Whether somebody gave the name; older exports do not say.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    named: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnFilter {
    name: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnUsage {
    prompt: u64,
    cached: u64,
    completion: u64,
    reasoning: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OwnPair {
    id: String,
    topic_id: String,
    model: String,
    user_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    assistant_text: Option<String>,
    #[serde(default)]
    star: u64,
    color_flag: String,
    #[serde(rename = "use", default, skip_serializing_if = "is_auto")]
    pair_use: PairUse,
    lifecycle_state: String,
    #[serde(with = "times::own")]
    created_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<OwnUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_id: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    cut: bool,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "times::own_option")]
    edited_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    revisions: Vec<OwnRevision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_answer: Option<OwnAnswer>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<OwnAttachment>,
    /// A summary or, where nothing is said, a message with its answer (HIS-11).
    #[serde(default, skip_serializing_if = "is_chat")]
    kind: PairKind,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    summarises: Vec<OwnSummarised>,
    /// The first pair of its comparison (HIS-12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// By it a summary knows whether this was edited since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
}

/// A pair that a summary stands for.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OwnSummarised {
    pair: String,
    revision: u64,
    use_before: PairUse,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OwnRevision {
    user_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    assistant_text: Option<String>,
    #[serde(with = "times::own")]
    edited_at: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OwnAnswer {
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    assistant_text: Option<String>,
    lifecycle_state: String,
    #[serde(default, skip_serializing_if = "is_false")]
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<OwnUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
}

impl From<&Topic> for OwnTopic {
    fn from(topic: &Topic) -> Self {
        Self {
            id: topic.id.to_string(),
            parent: topic.parent.map(|id| id.to_string()),
            name: topic.name.clone(),
            named: topic.named,
            system_message: topic.system_message.clone(),
            default_model: topic.default_model.clone(),
            // JSON has no word for what is no number, and no model takes it.
            temperature: topic.temperature.filter(|value| value.is_finite()),
            max_output: topic.max_output,
        }
    }
}

impl OwnTopic {
    pub(crate) fn check(self) -> Result<Topic, String> {
        if self.temperature.is_some_and(|value| !value.is_finite()) {
            return Err("temperature is out of range".to_owned());
        }
        Ok(Topic {
            id: TopicId::parse(&self.id).ok_or_else(|| no_id(&self.id))?,
            parent: self
                .parent
                .map(|id| TopicId::parse(&id).ok_or_else(|| no_id(&id)))
                .transpose()?,
            name: self.name,
            named: self.named,
            system_message: self.system_message,
            default_model: self.default_model,
            temperature: self.temperature,
            max_output: self.max_output.map(count).transpose()?,
        })
    }
}

impl From<&SavedFilter> for OwnFilter {
    fn from(filter: &SavedFilter) -> Self {
        Self { name: filter.name.clone(), text: filter.text.clone() }
    }
}

impl From<OwnFilter> for SavedFilter {
    fn from(filter: OwnFilter) -> Self {
        Self { name: filter.name, text: filter.text }
    }
}

impl From<&ArchivedPair> for OwnPair {
    fn from(archived: &ArchivedPair) -> Self {
        let pair = &archived.pair;
        Self {
            id: pair.id.to_string(),
            topic_id: pair.topic_id.to_string(),
            model: pair.model.clone(),
            user_text: pair.user_text.clone(),
            assistant_text: pair.assistant_text.clone(),
            star: u64::from(pair.star.count()),
            color_flag: pair.color_flag.name().to_owned(),
            pair_use: pair.pair_use,
            lifecycle_state: pair.lifecycle.name().to_owned(),
            created_at: pair.created_at.millis(),
            error_code: pair.error.as_ref().map(|error| error.code.clone()),
            error_message: pair.error.as_ref().map(|error| error.message.clone()),
            usage: pair.usage.map(own_usage),
            receipt_id: pair.receipt_id.map(|id| id.to_string()),
            cut: archived.cut,
            edited_at: archived.edited_at.map(Timestamp::millis),
            revisions: archived.revisions.iter().map(own_revision).collect(),
            previous_answer: archived.previous.as_ref().map(own_answer),
            attachments: pair.attachments.iter().map(OwnAttachment::from).collect(),
            kind: pair.kind,
            summarises: pair.summarises.iter().map(own_summarised).collect(),
            group: pair.group.map(|id| id.to_string()),
            revision: Some(archived.revision).filter(|revision| *revision > 0),
        }
    }
}

impl OwnPair {
    pub(crate) fn check(self) -> Result<ArchivedPair, String> {
        let previous = self.previous_answer.map(answer).transpose()?;
        let mut lifecycle = state(&self.lifecycle_state)?;
        let mut error = error(self.error_code, self.error_message);
        if lifecycle == Lifecycle::Sending {
            // It was under way when it was written; nobody is at work on it here (SND-6).
            lifecycle = Lifecycle::Error;
            error = Some(PairError {
                code: INTERRUPTED.to_owned(),
                message: "the export was made while this was being sent".to_owned(),
            });
        }
        Ok(ArchivedPair {
            pair: MessagePair {
                id: PairId::parse(&self.id).ok_or_else(|| no_id(&self.id))?,
                topic_id: TopicId::parse(&self.topic_id).ok_or_else(|| no_id(&self.topic_id))?,
                model: self.model,
                attachments: attachments(&self.user_text, self.attachments)?,
                user_text: self.user_text,
                assistant_text: self.assistant_text,
                star: Star::new(self.star).map_err(|error| error.to_string())?,
                color_flag: ColorFlag::parse(&self.color_flag)
                    .ok_or_else(|| "colorFlag is blue or grey".to_owned())?,
                pair_use: self.pair_use,
                kind: self.kind,
                summarises: self
                    .summarises
                    .into_iter()
                    .map(summarised)
                    .collect::<Result<_, String>>()?,
                group: self
                    .group
                    .map(|id| PairId::parse(&id).ok_or_else(|| no_id(&id)))
                    .transpose()?,
                lifecycle,
                created_at: Timestamp::from_millis(self.created_at),
                error,
                usage: self.usage.map(usage).transpose()?,
                receipt_id: receipt(self.receipt_id)?,
                previous_answer: previous.as_ref().and_then(|previous| previous.text.clone()),
            },
            cut: self.cut,
            revision: self.revision.map(count).transpose()?.unwrap_or_default(),
            edited_at: self.edited_at.map(Timestamp::from_millis),
            revisions: self
                .revisions
                .into_iter()
                .map(|revision| Revision {
                    user_text: revision.user_text,
                    assistant_text: revision.assistant_text,
                    edited_at: Timestamp::from_millis(revision.edited_at),
                })
                .collect(),
            previous,
        })
    }
}

fn own_summarised(one: &Summarised) -> OwnSummarised {
    let Summarised { pair, revision, use_before } = *one;
    OwnSummarised { pair: pair.to_string(), revision, use_before }
}

fn summarised(own: OwnSummarised) -> Result<Summarised, String> {
    Ok(Summarised {
        pair: PairId::parse(&own.pair).ok_or_else(|| no_id(&own.pair))?,
        revision: count(own.revision)?,
        use_before: own.use_before,
    })
}

fn own_usage(usage: Usage) -> OwnUsage {
    let Usage { prompt, cached, completion, reasoning } = usage;
    OwnUsage { prompt, cached, completion, reasoning }
}

fn own_revision(revision: &Revision) -> OwnRevision {
    OwnRevision {
        user_text: revision.user_text.clone(),
        assistant_text: revision.assistant_text.clone(),
        edited_at: revision.edited_at.millis(),
    }
}

fn own_answer(answer: &PreviousAnswer) -> OwnAnswer {
    OwnAnswer {
        model: answer.model.clone(),
        assistant_text: answer.text.clone(),
        lifecycle_state: answer.lifecycle.name().to_owned(),
        cut: answer.cut,
        usage: answer.usage.map(own_usage),
        receipt_id: answer.receipt_id.map(|id| id.to_string()),
        error_code: answer.error.as_ref().map(|error| error.code.clone()),
        error_message: answer.error.as_ref().map(|error| error.message.clone()),
    }
}

fn answer(own: OwnAnswer) -> Result<PreviousAnswer, String> {
    let lifecycle = state(&own.lifecycle_state)?;
    if lifecycle == Lifecycle::Sending {
        return Err("a previous answer cannot be under way".to_owned());
    }
    Ok(PreviousAnswer {
        model: own.model,
        text: own.assistant_text,
        lifecycle,
        cut: own.cut,
        usage: own.usage.map(usage).transpose()?,
        receipt_id: receipt(own.receipt_id)?,
        error: error(own.error_code, own.error_message),
    })
}

fn state(name: &str) -> Result<Lifecycle, String> {
    Lifecycle::parse(name).ok_or_else(|| {
        let names: Vec<&str> = Lifecycle::ALL.iter().map(|state| state.name()).collect();
        format!("lifecycleState is one of {}", names.join(", "))
    })
}

fn error(code: Option<String>, message: Option<String>) -> Option<PairError> {
    code.map(|code| PairError { code, message: message.unwrap_or_default() })
}

fn receipt(id: Option<String>) -> Result<Option<ReceiptId>, String> {
    id.map(|id| ReceiptId::parse(&id).ok_or_else(|| no_id(&id))).transpose()
}

fn usage(own: OwnUsage) -> Result<Usage, String> {
    Ok(Usage {
        prompt: count(own.prompt)?,
        cached: count(own.cached)?,
        completion: count(own.completion)?,
        reasoning: count(own.reasoning)?,
    })
}

/// A store counts with a sign, and would keep another number than a larger one.
pub(crate) fn count(number: u64) -> Result<u64, String> {
    match i64::try_from(number) {
        Ok(_) => Ok(number),
        Err(_) => Err(format!("{number} is larger than any count")),
    }
}

pub(crate) fn no_id(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    format!("'{start}' is no id")
}
