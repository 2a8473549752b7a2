//! Files as the page is told of them.

use std::sync::Arc;

use plimsoll_domain::{
    ContextKind, Delivery, Extraction, File, FilesScope, file_label, print_token,
};
use plimsoll_files::{age_words, size_words};
use plimsoll_send::{AttachedFile, Plan, TooLarge, Unseeable, unseeable};
use plimsoll_store::Workspace;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    Web,
    formats::{percent_encoded, rfc3339},
    problem::Problem,
};

/// A file over the limit of its kind, and what can be done.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TooLargeDto {
    /// The limit in bytes.
    limit: u64,
    /// The size in words.
    size_text: String,
    /// All of it in a sentence.
    words: String,
    /// So many bytes of it could be attached instead; none of what is no text.
    head_bytes: Option<u64>,
    /// The same in words.
    head_text: Option<String>,
    /// Whether the model could read it by tool instead.
    on_demand: bool,
}

impl TooLargeDto {
    fn of(too_large: &TooLarge) -> Self {
        let head = too_large.head;
        Self {
            limit: too_large.limit,
            size_text: size_words(too_large.size),
            words: too_large.to_string(),
            head_bytes: head,
            head_text: head.map(size_words),
            on_demand: too_large.on_demand,
        }
    }
}

/// What may be attached with the selected model.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LimitsDto {
    /// The largest text in bytes.
    text: u64,
    /// The largest picture in bytes.
    image: u64,
    /// Said where the limit is smaller than usual (LIM-2).
    words: Option<String>,
}

impl LimitsDto {
    pub(crate) fn of(plan: &Plan) -> Self {
        let limits = &plan.target().file_limits;
        Self { text: limits.text, image: limits.image, words: limits.words.clone() }
    }
}

/// What models are told about files.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SectionDto {
    /// Whether they may be.
    on: bool,
    /// Whose files they are told of.
    scope: FilesScope,
    /// What the section and the tools weigh; none if nothing is said now.
    tokens: Option<u64>,
    /// How many files are named.
    shown: usize,
    /// How many there are.
    total: usize,
    /// The tools that are offered.
    tools: Vec<String>,
}

impl SectionDto {
    pub(crate) fn of(web: &Web, plan: &Plan, scope: FilesScope) -> Self {
        let files = plan.target().files.as_ref();
        let (section, tools) = plan.files_tokens();
        Self {
            on: web.app.settings().files_section_tokens() > 0,
            scope,
            tokens: files.map(|_| section.saturating_add(tools)),
            shown: files.map_or(0, |files| files.shown),
            total: files.map_or(0, |files| files.total),
            tools: files.map_or_else(Vec::new, |files| files.tools.clone()),
        }
    }
}

/// The text that was read out of a document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExtractedDto {
    /// How long the document is in its own parts: `12 pages`.
    length: Option<String>,
    /// The bytes of the text in words.
    size_text: String,
    /// A raw estimate of what it weighs.
    tokens: u64,
    /// What is not in it.
    remark: Option<String>,
}

impl ExtractedDto {
    fn of(file: &File) -> Option<Self> {
        let text = file.extracted()?;
        Some(Self {
            length: text.length.clone(),
            size_text: size_words(text.bytes),
            tokens: text.tokens,
            remark: text.remark(),
        })
    }
}

/// A file.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileDto {
    id: String,
    /// Its name, as it came.
    name: String,
    /// IMAGE, PDF, DOCUMENT, AUDIO, VOICE, VIDEO or GENERATED.
    kind: &'static str,
    mime: String,
    /// Bytes.
    size: u64,
    size_text: String,
    /// What it weighs whole, where that is known.
    tokens: Option<u64>,
    /// Width and height of a picture.
    pixels: Option<[u32; 2]>,
    is_text: bool,
    /// The text that was read out of it, where it is a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    extracted: Option<ExtractedDto>,
    /// Why no text was read out of a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_text: Option<String>,
    /// user, assistant or pending.
    source: &'static str,
    /// Whether models that call tools are told of it: a message that was sent holds it, a
    /// tool made it, or it was added for them.
    pub(super) listed: bool,
    /// Whether it was added for them: then it is listed in every scope but that of none.
    added: bool,
    /// The words that came with it.
    upload_context: Option<String>,
    created_at: String,
    age: String,
    /// What stands for it in a message.
    token: String,
    /// What was noticed when it came in.
    pub(super) said: Option<String>,
    thumbnail: Option<String>,
    /// How it would be delivered with the selected model.
    delivery: Delivery,
    deliveries: Vec<Delivery>,
    too_large: Option<TooLargeDto>,
}

/// Where something of a file is served.
pub(crate) fn url(at: &Workspace, file: &File, what: &str) -> String {
    let id = file_label(file.id);
    if *at == Workspace::default() {
        return format!("/api/files/{id}/{what}");
    }
    let workspace = percent_encoded(at.as_str());
    format!("/api/files/{id}/{what}?workspace={workspace}")
}

/// The thumbnail of a picture.
pub(crate) fn thumbnail(at: &Workspace, file: &File) -> Option<String> {
    file.pixels.is_some().then(|| url(at, file, "thumbnail"))
}

impl FileDto {
    pub(crate) fn of(
        web: &Arc<Web>,
        at: &Workspace,
        file: &File,
        plan: &Plan,
    ) -> Result<Self, Problem> {
        let path = web.app.file_path(at, file)?;
        let attached = plan.attachment_preview(file);
        Ok(Self {
            id: file_label(file.id),
            name: file.name.clone(),
            kind: file.kind.name(),
            mime: file.mime.clone(),
            size: file.size,
            size_text: size_words(file.size),
            tokens: file.tokens,
            pixels: file.pixels.map(|(width, height)| [width, height]),
            is_text: file.is_text,
            extracted: ExtractedDto::of(file),
            no_text: match &file.extraction {
                Some(Extraction::Nothing(why)) => Some(why.clone()),
                _ => None,
            },
            source: file.source.name(),
            listed: file.listed,
            added: file.listed,
            upload_context: file.upload_context.clone(),
            created_at: rfc3339(file.created_at),
            age: age_words(file.created_at, web.app.clock().now()),
            token: print_token(file.context_kind(), &path.to_string_lossy()),
            said: None,
            thumbnail: thumbnail(at, file),
            delivery: attached.delivery,
            deliveries: attached.deliveries.to_vec(),
            too_large: attached.too_large.as_ref().map(TooLargeDto::of),
        })
    }
}

/// A word for a picture that no model gets to see.
pub(crate) fn unseen_words(file: &File) -> Option<&'static str> {
    unseeable(file).map(|why| match why {
        Unseeable::Damaged => "damaged",
        Unseeable::Format => "not shown",
    })
}

/// An attachment of a message, weighed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachedDto {
    file_id: Option<String>,
    name: String,
    /// image, text or file.
    kind: &'static str,
    size: u64,
    size_text: String,
    /// The text that was read out of it, where it is a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    extracted: Option<ExtractedDto>,
    /// What it adds as it would be delivered now.
    tokens: u64,
    delivery: Delivery,
    deliveries: Vec<Delivery>,
    /// What the model gets instead, if it cannot take it that way: `name only`.
    instead: Option<&'static str>,
    thumbnail: Option<String>,
    /// Why there is no file behind it.
    broken: Option<String>,
    /// What people should know about it.
    note: Option<String>,
    /// `damaged` or `not shown`: a picture that no model gets to see.
    unseen: Option<&'static str>,
    too_large: Option<TooLargeDto>,
}

impl AttachedDto {
    pub(crate) fn of(at: &Workspace, one: &AttachedFile) -> Self {
        let file = one.file.as_ref().ok();
        let kind = file.map_or(ContextKind::File, |file| file.context_kind());
        let size = file.map_or(0, |file| file.size);
        Self {
            file_id: file.map(|file| file_label(file.id)),
            name: file.map_or_else(|| "broken attachment".to_owned(), |file| file.name.clone()),
            kind: kind.name(),
            size,
            size_text: size_words(size),
            extracted: file.and_then(|file| ExtractedDto::of(file)),
            tokens: one.tokens,
            delivery: one.delivery,
            deliveries: one.deliveries.to_vec(),
            instead: one.instead,
            thumbnail: file.and_then(|file| thumbnail(at, file)),
            broken: one.file.as_ref().err().cloned(),
            note: one.note.clone(),
            unseen: file.and_then(|file| unseen_words(file)),
            too_large: one.too_large.as_ref().map(TooLargeDto::of),
        }
    }
}
