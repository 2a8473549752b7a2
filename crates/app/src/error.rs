//! Why a use case ended early; each kind is a decision for the surface.

use plimsoll_budget::ModelLimit;
use plimsoll_exchange::{BadRecord, ReadError};
use plimsoll_filter::FilterError;
use plimsoll_send::Suggestion;
use plimsoll_store::StoreError;
use plimsoll_tokens::commas;
use thiserror::Error;

use crate::{MOST_COMPARED, NoProvider};

/// What a surface can be told.
#[derive(Debug, Error)]
pub enum AppError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The filter is not right; the text is that of the filter.
    #[error("the filter is not right: {}", .error.problem())]
    Filter {
        /// The filter.
        source_text: String,
        /// What is wrong with it.
        error: FilterError,
    },
    /// A filter came with a command, which a send does not take.
    #[error("this takes a filter, not a command after ':'")]
    FilterHasCommand,
    /// There is nobody to ask.
    #[error(transparent)]
    NoProvider(#[from] NoProvider),
    /// There is no message.
    #[error("there is nothing to send: the message is blank")]
    EmptyMessage,
    /// A snippet cannot be called that (UI-23).
    #[error(transparent)]
    BadSnippetName(#[from] plimsoll_domain::BadSnippetName),
    /// A snippet must hold something.
    #[error("there is nothing in the snippet; give it a text")]
    EmptySnippet,
    /// No snippet has this name.
    #[error("there is no snippet '{0}'")]
    UnknownSnippet(String),
    /// No topic has this path.
    #[error("there is no topic '{0}'")]
    UnknownTopic(String),
    /// The request is over the limit and the policy does not let it go (VAL-3).
    #[error("the request is over the limit of {} by {} tokens", limit_words(.limit), commas(*.excess))]
    OverBudget {
        /// How far.
        excess: u64,
        /// ML, and why it is that.
        limit: ModelLimit,
        /// What would help.
        suggestions: Vec<Suggestion>,
    },
    /// What would be sent is not what the sender saw (PAY-6). Nothing was written.
    #[error("what would be sent has changed since you looked")]
    ViewChanged,
    /// The message alone is over the limit (VAL-1).
    #[error("the message alone is larger than the limit of {} tokens", commas(*.limit))]
    PromptTooLarge {
        /// ML.
        limit: u64,
        /// What would help.
        suggestions: Vec<Suggestion>,
    },
    /// The account's windows are full for longer than the caller wants to wait (VAL-4).
    #[error("{}", .0)]
    OverQuota(crate::OverQuota),
    /// Only a pair that failed or was stopped is asked again (SND-7).
    #[error("only a pair that failed or was stopped can be asked again")]
    NotToReAsk,
    /// Only the newest complete pair is answered anew (SND-8).
    #[error("only the newest complete pair can be regenerated")]
    NotToRegenerate,
    /// A summary has no message to send again (HIS-13).
    #[error("a summary cannot be sent again; edit it, or delete it and summarise anew")]
    NotToSendAgain,
    /// There is nothing to summarise (HIS-11).
    #[error("there is nothing to summarise: no pair is left out for want of room")]
    NothingToSummarise,
    /// A pair that no request for a summary has room for.
    #[error(
        "“{opening}” alone is too long for {model} to summarise; choose a model with a larger window, or leave that pair out"
    )]
    TooLongToSummarise {
        /// How it begins.
        opening: String,
        model: String,
    },
    /// HIS-12: several models, each once.
    #[error("a message is compared with 2 to {} different models", MOST_COMPARED)]
    NotToCompare,
    /// `exact` was asked for and the tokenizer is not known.
    #[error("the tokenizer of '{0}' is not known; use another estimator")]
    NoTokenizer(String),
    /// A file could not be imported; nothing of it was written (HIS-8).
    #[error(transparent)]
    Import(#[from] ReadError),
    /// A record of a file is bad, and it was not said to skip such; nothing was written.
    #[error("{0}")]
    BadRecord(BadRecord),
    /// What was asked for could not be written out.
    #[error("cannot write: {0}")]
    Writing(#[from] std::io::Error),
    /// The bytes of a file could not be taken in or read.
    #[error(transparent)]
    Blob(plimsoll_blobs::BlobError),
    /// A file looks like a secret, and nobody said that it is meant (INS-4).
    #[error("'{}' {why}; attach it only if you mean to", plimsoll_domain::plain_name(name))]
    LooksSecret {
        name: String,
        /// What it looks like.
        why: &'static str,
    },
    /// What is known of a file does not name its bytes.
    #[error("what is kept about '{0}' is damaged; attach it again")]
    Damaged(String),
    /// Only of a text can the first part be taken.
    #[error("'{0}' is not text, so it has no first part; attach it on demand")]
    NotText(String),
    /// A file is over the limit of its kind (LIM-3).
    #[error("{0}")]
    FileTooLarge(plimsoll_send::TooLarge),
    /// A part of the program ended that must not.
    #[error("a background task ended before its work was done; try again")]
    Ended,
}

/// A limit, and why nobody should rely on it, if so.
fn limit_words(limit: &ModelLimit) -> String {
    match limit.doubt() {
        Some(doubt) => format!("{} ({doubt})", commas(limit.tokens)),
        None => commas(limit.tokens),
    }
}
