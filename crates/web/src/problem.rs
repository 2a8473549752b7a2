//! Errors as RFC 9457 problem details: a stable code, words for people, what would help.

use axum::{
    Json,
    body::Bytes,
    extract::{FromRequest, Request, rejection::JsonRejection},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use plimsoll_app::AppError;
use plimsoll_blobs::BlobError;
use plimsoll_domain::plain_name;
use plimsoll_send::Suggestion;
use plimsoll_store::StoreError;
use plimsoll_tokens::commas;
use serde::{Serialize, de::DeserializeOwned};
use utoipa::ToSchema;

use crate::api::views_told::ViewChanges;

/// Something that would help.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Help {
    /// What to do: `trim`, `fit`, `send_anyway` (send again with `overBudget: trim`),
    /// `set_window` (PUT /api/models/{id}), `forget_learned` (DELETE
    /// /api/models/{id}/learned), `unpin` (PATCH /api/pairs with its `pairs` and `use: auto`),
    /// `switch_model`, `clear_history`, `shorten`, `detach`, `on_demand`.
    kind: &'static str,
    /// The words on a button.
    label: String,
    /// One line that says what it does.
    detail: String,
    /// The model that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The name of the file that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// What the window would have to be at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// The ids of the pairs that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<String>,
}

/// The type of a problem that has none.
#[derive(Clone, Copy, Debug)]
struct AboutBlank;

impl Serialize for AboutBlank {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str("about:blank")
    }
}

/// Why a request was not done. Kept small: it is the other half of every result.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    /// Always `about:blank`: the code says what it is.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    kind: AboutBlank,
    /// The status in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What happened, for people.
    pub(crate) detail: Box<str>,
    /// What happened, for programs; it never changes.
    code: &'static str,
    /// What to do next, or what it is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Box<str>>,
    /// The filter, and a caret under the place of the mistake.
    #[serde(skip_serializing_if = "Option::is_none")]
    caret: Option<Box<str>>,
    /// Seconds until it would work.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_seconds: Option<u32>,
    /// What would help, best first.
    #[serde(skip_serializing_if = "<[Help]>::is_empty")]
    suggestions: Box<[Help]>,
    /// What changed since the page was drawn (PAY-6).
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Box<ViewChanges>>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<Box<str>>) -> Self {
        Self {
            kind: AboutBlank,
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.into(),
            code,
            hint: None,
            caret: None,
            after_seconds: None,
            suggestions: Box::default(),
            changes: None,
        }
    }

    pub(crate) fn bad_request(detail: impl Into<Box<str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// REL-7: what such a body would take in memory has nothing to do with its size.
    pub(crate) fn too_many_values() -> Self {
        let most = plimsoll_domain::MAX_JSON_TREE_BYTES >> 20;
        let detail = format!(
            "the body holds so many values that they take over {most} MB; send less at once"
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_many_values", detail)
    }

    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("there is no such {what}"))
    }

    pub(crate) fn confirm(detail: impl Into<Box<str>>) -> Self {
        Self::new(StatusCode::CONFLICT, "confirm", detail)
    }

    /// Offers these models instead of those that the catalog knows: they can be asked.
    pub(crate) fn switch_to(mut self, models: impl IntoIterator<Item = String>) -> Self {
        let mut suggestions = std::mem::take(&mut self.suggestions).into_vec();
        if suggestions.is_empty() {
            return self;
        }
        suggestions.retain(|help| help.kind != SWITCH);
        suggestions.extend(models.into_iter().map(switch));
        self.suggestions = suggestions.into();
        self
    }

    /// Something else would be sent than was seen.
    pub(crate) fn changed(mut self, changes: ViewChanges) -> Self {
        if let Some(words) = changes.words() {
            self.detail = format!("{}: {words}", self.detail).into();
        }
        self.changes = Some(Box::new(changes));
        self.hint("look again, then send what is shown now")
    }

    pub(crate) fn hint(mut self, hint: impl Into<Box<str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self)).into_response();
        let kind = header::HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Self {
        let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
        let detail = error.to_string();
        match error {
            AppError::Store(error) => Self::from(error),
            AppError::Filter { source_text, error } => Self {
                caret: Some(error.caret(&source_text).into()),
                hint: error.suggestion.clone().map(Into::into),
                ..Self::new(unprocessable, "bad_filter", error.problem())
            },
            AppError::FilterHasCommand => Self::new(unprocessable, "bad_filter", detail),
            AppError::NoProvider(missing) => {
                let problem = Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "no_provider",
                    missing.message.as_str(),
                );
                if missing.hint.is_empty() { problem } else { problem.hint(missing.hint) }
            }
            AppError::ViewChanged => Self::new(StatusCode::CONFLICT, "view_changed", detail),
            AppError::EmptyMessage => Self::new(unprocessable, "empty_message", detail),
            AppError::BadSnippetName(_) | AppError::EmptySnippet => {
                Self::new(unprocessable, "bad_snippet", detail)
            }
            AppError::UnknownSnippet(_) => Self::not_found("snippet"),
            AppError::UnknownTopic(_) => Self::new(unprocessable, "unknown_topic", detail),
            AppError::OverBudget { suggestions, .. } => {
                let pins = suggestions.iter().any(|one| matches!(one, Suggestion::Unpin { .. }));
                let code = if pins { "pinned_too_large" } else { "over_budget" };
                let suggestions = suggestions.iter().flat_map(helps).collect();
                Self { suggestions, ..Self::new(unprocessable, code, detail) }
            }
            AppError::PromptTooLarge { suggestions, .. } => Self {
                suggestions: suggestions.iter().flat_map(helps).collect(),
                ..Self::new(unprocessable, "user_prompt_too_large", detail)
            },
            AppError::OverQuota(full) => Self {
                after_seconds: full
                    .after
                    .map(|after| u32::try_from(after.as_secs()).unwrap_or(u32::MAX)),
                ..Self::new(unprocessable, "over_quota", detail)
            },
            AppError::Blob(error) => match error {
                BlobError::TooLarge { .. } => {
                    Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
                }
                BlobError::Missing(_) | BlobError::Altered(_) => {
                    Self::new(StatusCode::NOT_FOUND, "missing_content", detail)
                }
                BlobError::NoSuchFile(_) | BlobError::NotAFile(_) => {
                    Self::new(unprocessable, "file_refused", detail)
                }
                _ => Self::new(StatusCode::SERVICE_UNAVAILABLE, "blobs", detail),
            },
            AppError::LooksSecret { .. } => Self::new(unprocessable, "looks_secret", detail),
            AppError::Damaged(_) => Self::new(StatusCode::NOT_FOUND, "missing_content", detail),
            AppError::NotText(_) => Self::new(unprocessable, "not_text", detail),
            AppError::FileTooLarge(_) => Self::new(unprocessable, "file_too_large", detail),
            AppError::NotToReAsk => Self::new(StatusCode::CONFLICT, "not_to_reask", detail),
            AppError::NotToRegenerate => {
                Self::new(StatusCode::CONFLICT, "not_to_regenerate", detail)
            }
            AppError::NotToSendAgain => {
                Self::new(StatusCode::CONFLICT, "not_to_send_again", detail)
            }
            AppError::NothingToSummarise => {
                Self::new(StatusCode::CONFLICT, "nothing_to_summarise", detail)
            }
            AppError::TooLongToSummarise { .. } => {
                Self::new(unprocessable, "too_long_to_summarise", detail)
            }
            AppError::NotToCompare => Self::new(unprocessable, "not_to_compare", detail),
            AppError::Import(read) => {
                Self::new(unprocessable, "bad_import", detail).hint(read.hint())
            }
            AppError::BadRecord(_) => Self::new(unprocessable, "bad_import", detail)
                .hint("nothing was imported; mend the file, or leave this record out"),
            AppError::Writing(_) => Self::new(StatusCode::SERVICE_UNAVAILABLE, "writing", detail),
            AppError::Ended => Self::new(StatusCode::SERVICE_UNAVAILABLE, "ended", detail),
            AppError::NoTokenizer(_) => Self::new(unprocessable, "no_tokenizer", detail),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let detail = error.to_string();
        match error {
            StoreError::NotFound(_) => Self::new(StatusCode::NOT_FOUND, "not_found", detail),
            StoreError::Busy { .. } => Self::new(StatusCode::CONFLICT, "busy", detail),
            StoreError::Exists(_)
            | StoreError::Conflict { .. }
            | StoreError::LeaseLost { .. }
            | StoreError::Revised { .. }
            | StoreError::KeyTaken { .. }
            | StoreError::Illegal(_) => Self::new(StatusCode::CONFLICT, "conflict", detail),
            StoreError::SelfRelation(_) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_note", detail)
            }
            StoreError::Topic(_) => Self::new(StatusCode::CONFLICT, "topic", detail),
            StoreError::DiskFull => {
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", detail)
            }
            _ => Self::new(StatusCode::SERVICE_UNAVAILABLE, "store", detail),
        }
    }
}

/// One suggestion can be several buttons: each model is one.
fn helps(suggestion: &Suggestion) -> Vec<Help> {
    let help = |kind, label: &str, detail: String| Help {
        kind,
        label: label.to_owned(),
        detail,
        model: None,
        file: None,
        tokens: None,
        pairs: Vec::new(),
    };
    match suggestion {
        Suggestion::SendAnyway => vec![help(
            "send_anyway",
            "Send anyway",
            "nobody knows for sure; the provider decides, and your text is kept".to_owned(),
        )],
        Suggestion::SetWindow { model, needed } => {
            let detail = "kept in your models.toml".to_owned();
            let help = help("set_window", "Set this model's window", detail);
            vec![Help { model: Some(model.clone()), tokens: Some(*needed), ..help }]
        }
        Suggestion::ForgetLearned { model } => {
            let detail = "and send: the limit came from an error of the provider".to_owned();
            let help = help("forget_learned", "Forget the learned limit", detail);
            vec![Help { model: Some(model.clone()), ..help }]
        }
        Suggestion::TrimAsNeeded => vec![help(
            "trim",
            "Trim as needed",
            "drop oldest pairs only if the server refuses".to_owned(),
        )],
        Suggestion::FitFirst { pairs } => vec![help(
            "fit",
            "Fit first",
            match pairs {
                1 => "leave out the oldest pair before sending".to_owned(),
                many => format!("leave out the {many} oldest pairs before sending"),
            },
        )],
        Suggestion::Unpin { pairs, frees } => {
            let label = match pairs.len() {
                1 => "Unpin the pinned message".to_owned(),
                many => format!("Unpin all {many} pinned messages"),
            };
            let detail = format!("sent only where there is room, up to −{} tokens", commas(*frees));
            let pairs = pairs.iter().map(ToString::to_string).collect();
            vec![Help { pairs, ..help("unpin", &label, detail) }]
        }
        Suggestion::SwitchModel { models } => models.iter().cloned().map(switch).collect(),
        Suggestion::ClearHistory { frees } => vec![help(
            "clear_history",
            "Clear history",
            format!("begin a new context here, −{} tokens", commas(*frees)),
        )],
        Suggestion::ShortenMessage { tokens } => vec![help(
            "shorten",
            "Shorten the message",
            format!("by at least {} tokens", commas(*tokens)),
        )],
        Suggestion::DetachFile { name, tokens } => {
            let label = format!("Detach {}", plain_name(name));
            let help = help("detach", &label, format!("−{} tokens", commas(*tokens)));
            vec![Help { file: Some(name.clone()), ..help }]
        }
        Suggestion::AttachOnDemand { name, frees } => {
            let detail = format!("the model reads it by tool, −{} tokens", commas(*frees));
            let help = help("on_demand", &format!("{name} on demand"), detail);
            vec![Help { file: Some(name.clone()), ..help }]
        }
    }
}

const SWITCH: &str = "switch_model";

fn switch(model: String) -> Help {
    Help {
        kind: SWITCH,
        label: format!("Switch to {model}"),
        detail: "it fits there".to_owned(),
        model: Some(model),
        file: None,
        tokens: None,
        pairs: Vec::new(),
    }
}

/// Nothing is there.
pub(crate) async fn not_found() -> Problem {
    Problem::not_found("page")
}

/// What is wrong with `"\ud83d"`: browsers let people cut a character in two.
const HALF_A_CHARACTER: &str = "a text holds half of a character (a \\u escape of a surrogate \
     without its other half), which no Unicode text can hold; send the whole character, or \
     U+FFFD for it";

/// A JSON body whose mistakes are problems.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let (head, body) = request.into_parts();
        let whole = Request::from_parts(head.clone(), body);
        let bytes = match Bytes::from_request(whole, state).await {
            Ok(bytes) => bytes,
            Err(error) => {
                return Err(Self::problem(error.status(), "bad_body", &error.body_text()));
            }
        };
        if !plimsoll_domain::json_is_bounded(&bytes) {
            return Err(Problem::too_many_values());
        }
        let request = Request::from_parts(head, bytes.into());
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => {
                let code = match &rejection {
                    JsonRejection::MissingJsonContentType(_) => "unsupported_media_type",
                    JsonRejection::JsonSyntaxError(_) => "bad_json",
                    JsonRejection::JsonDataError(_) => "bad_fields",
                    _ => "bad_body",
                };
                let text = rejection.body_text();
                if text.contains("hex escape") || text.contains("surrogate") {
                    return Err(Self::problem(rejection.status(), code, HALF_A_CHARACTER));
                }
                Err(Self::problem(rejection.status(), code, &text))
            }
        }
    }
}

impl<T> Body<T> {
    fn problem(status: StatusCode, code: &'static str, text: &str) -> Problem {
        Problem::new(status, code, text)
    }
}
