//! Weighing texts for a model: by an estimator, or by the provider's own tokenizer.

use std::sync::Arc;

use plimsoll_budget::{Model, is_emitted};
use plimsoll_config::Settings;
use plimsoll_provider::{ChatFormat, Provider};
use plimsoll_tokens::{Basis, Calibration, Estimator, Method, RawTokens};

use crate::{AppError, heavy};

/// How the texts of one send are weighed.
#[derive(Clone)]
pub(crate) enum Weigher {
    Estimator(Estimator),
    /// The provider has the tokenizer itself, as the embedded model does (EST-3).
    Provider(Arc<dyn Provider>),
}

impl Weigher {
    pub(crate) fn new(
        settings: &Settings,
        model: &Model,
        provider: Option<&Arc<dyn Provider>>,
    ) -> Result<Self, AppError> {
        let method = settings.estimator();
        let wants_exact = matches!(method, Method::Auto | Method::Exact);
        let counts = provider.filter(|provider| provider.count_tokens("a").is_some());
        if let Some(provider) = counts
            && wants_exact
            && model.tokenizer.is_none()
        {
            return Ok(Self::Provider(Arc::clone(provider)));
        }
        let chars_per_token = model.chars_per_token.unwrap_or_else(|| settings.chars_per_token());
        Estimator::resolve(method, model.tokenizer, Some(chars_per_token))
            .map(Self::Estimator)
            .ok_or_else(|| AppError::NoTokenizer(model.id.clone()))
    }

    /// Raw tokens of a text; 0 for one that makes no message, else at least 1.
    pub(crate) fn count(&self, text: &str) -> u64 {
        if !is_emitted(text) {
            return 0;
        }
        let count = || match self {
            Self::Estimator(estimator) => estimator.count(text),
            Self::Provider(provider) => {
                provider.count_tokens(text).unwrap_or_else(|| Estimator::Fast.count(text))
            }
        };
        heavy(text.len(), count).max(1)
    }

    /// Raw tokens of an answer that is sent along. Where the name of its role is longer than the
    /// user's, that belongs to it (EST-5).
    pub(crate) fn count_answer(&self, text: &str) -> u64 {
        let tokens = self.count(text);
        let more = self.chat_format().map_or(0, |format| format.answer);
        if tokens == 0 { 0 } else { tokens + more }
    }

    /// What the chat format adds, where the provider writes it itself.
    pub(crate) fn chat_format(&self) -> Option<ChatFormat> {
        match self {
            Self::Provider(provider) => provider.chat_format(),
            Self::Estimator(_) => None,
        }
    }

    /// Raw tokens of a message: its text and the overhead, or nothing.
    pub(crate) fn message(&self, text: &str, overhead: u64) -> RawTokens {
        RawTokens::message(self.count(text), overhead)
    }

    /// What its numbers rest on (EST-9), given what the model's reports taught.
    pub(crate) fn basis(&self, learned: &Calibration) -> Basis {
        match self {
            Self::Estimator(estimator) if estimator.is_exact() => Basis::Tokenizer,
            Self::Estimator(_) => Basis::of_reports(learned),
            Self::Provider(_) => Basis::Exact,
        }
    }

    /// The stamp under which estimates are kept (EST-7).
    pub(crate) fn stamp(&self) -> String {
        match self {
            Self::Estimator(estimator) => estimator.stamp(),
            Self::Provider(provider) => format!("exact:{}:2", provider.name()),
        }
    }

    pub(crate) fn is_exact(&self) -> bool {
        match self {
            Self::Estimator(estimator) => estimator.is_exact(),
            Self::Provider(_) => true,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Estimator(estimator) => estimator.method().name(),
            Self::Provider(_) => Method::Exact.name(),
        }
    }
}
