//! What the tokens of a message stand for, as the page says it.

use axum::http::StatusCode;
use plimsoll_domain::{Attachment, Delivery, Draft, FileId, file_label, parse_file_id};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::Problem;

/// More tokens than this are in no message that a person wrote.
const MOST: usize = 1000;

/// How the model gets a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DeliveryName {
    Inline,
    OnDemand,
    Path,
}

impl From<Delivery> for DeliveryName {
    fn from(delivery: Delivery) -> Self {
        match delivery {
            Delivery::Inline => Self::Inline,
            Delivery::OnDemand => Self::OnDemand,
            Delivery::Path => Self::Path,
        }
    }
}

impl From<DeliveryName> for Delivery {
    fn from(name: DeliveryName) -> Self {
        match name {
            DeliveryName::Inline => Self::Inline,
            DeliveryName::OnDemand => Self::OnDemand,
            DeliveryName::Path => Self::Path,
        }
    }
}

/// What one token of a message stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AttachedTo {
    /// The file; without one the newest file with the token's bytes is meant.
    #[serde(default)]
    file_id: Option<String>,
    /// How the model gets it; without one the rules say.
    #[serde(default)]
    delivery: Option<DeliveryName>,
}

/// A message that is being written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Writing {
    /// Its text, context tokens in place.
    pub(crate) text: String,
    /// One entry for each token of the text, in order.
    #[serde(default)]
    pub(crate) attachments: Vec<AttachedTo>,
}

/// The file that an id means.
pub(crate) fn file_id(text: &str) -> Result<FileId, Problem> {
    parse_file_id(text).ok_or_else(|| {
        Problem::new(StatusCode::NOT_FOUND, "not_found", "there is no file with this id")
    })
}

/// What the page said, checked.
pub(crate) fn read(attached: &[AttachedTo]) -> Result<Vec<Attachment>, Problem> {
    if attached.len() > MOST {
        let words = format!("a message holds at most {MOST} attachments");
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "too_many_attachments", words));
    }
    let one = |one: &AttachedTo| {
        Ok(Attachment {
            file: one.file_id.as_deref().map(file_id).transpose()?,
            delivery: one.delivery.map(Delivery::from),
        })
    };
    attached.iter().map(one).collect()
}

/// What the page is told.
pub(crate) fn told(attachments: &[Attachment]) -> Vec<AttachedTo> {
    let one = |one: &Attachment| AttachedTo {
        file_id: one.file.map(file_label),
        delivery: one.delivery.map(DeliveryName::from),
    };
    attachments.iter().map(one).collect()
}

impl Writing {
    pub(crate) fn of(draft: &Draft) -> Self {
        Self { text: draft.text.clone(), attachments: told(&draft.attachments) }
    }

    pub(crate) fn kept(self) -> Result<Draft, Problem> {
        Ok(Draft { attachments: read(&self.attachments)?, text: self.text, ..Draft::default() })
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::{SegmentBody, segments};
    use plimsoll_tokens::heuristic;
    use serde_json::{Value, json};

    /// The same cases are read by `ui/tests/tokens.test.js`: both sides read texts alike.
    const SHARED: &str = include_str!("../../ui/tests/shared.json");

    #[test]
    fn tok_2_page_and_server_find_the_same_tokens_and_est_1_guess_the_same() {
        let shared: Value = serde_json::from_str(SHARED).unwrap();
        for case in shared["tokens"].as_array().unwrap() {
            let text = case["text"].as_str().unwrap();
            let token = |body| match body {
                SegmentBody::Token(token) => Some(json!([token.kind.name(), token.path])),
                SegmentBody::Text(_) => None,
            };
            let found: Vec<Value> =
                segments(text).into_iter().filter_map(|s| token(s.body)).collect();
            assert_eq!(json!(found), case["found"], "{text:?}");
        }
        for case in shared["estimates"].as_array().unwrap() {
            let (text, per_token) = (case["text"].as_str().unwrap(), &case["charsPerToken"]);
            assert_eq!(heuristic(text, per_token.as_f64().unwrap()), case["tokens"], "{text:?}");
        }
    }
}
