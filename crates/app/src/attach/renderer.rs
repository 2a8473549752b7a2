//! Rendering attachments: takes a message with its tokens, and says what stands for them in a request
//! to one model.

use std::{
    collections::{HashMap, hash_map::Entry},
    path::PathBuf,
    sync::Arc,
};

use plimsoll_blobs::{BlobError, Blobs};
use plimsoll_budget::Model;
use plimsoll_domain::{
    Attachment, ContextKind, Delivery, Extraction, File, FileId, MessagePair, SegmentBody,
    plain_name, print_token, segments,
};
use plimsoll_files::DocumentReaders;
use plimsoll_send::{
    AttachLimits, AttachedFile, Capabilities, DeliveredPart, FilePart, Part, Reference,
    allowed_deliveries, deliver, effective_delivery, on_demand_line, rendered, sent_instead,
    unseeable,
};
use plimsoll_store::{Store, Workspace};
use plimsoll_tokens::{Correction, ImagePricing, image_tokens};

use super::{FileCache, bytes::load, file_cache::Shelf};
use crate::{
    AppError,
    shelf::{blob_name, blocking, text_again},
    weigher::Weigher,
};

/// A longer text stands in no message; the model may read it by tool.
const LONGEST_INLINE: u64 = 16 << 20;

/// What a picture of unknown size weighs: a large one.
const UNKNOWN_PICTURE: (u32, u32) = (2048, 2048);

/// Who delivers the files of messages to one model.
pub(crate) struct AttachmentRenderer<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) blobs: &'a Blobs,
    pub(crate) documents: &'a DocumentReaders,
    pub(crate) workspace: &'a Workspace,
    pub(crate) capabilities: Capabilities,
    pub(crate) model: &'a Model,
    pub(crate) weigher: &'a Weigher,
}

/// The files that references stand for, each once.
pub(crate) fn files_of(references: &[Reference]) -> Vec<Arc<File>> {
    let files = references.iter().filter_map(|one| one.file.as_ref().ok());
    let mut files: Vec<Arc<File>> = files.map(Arc::clone).collect();
    files.sort_unstable_by_key(|file| file.id);
    files.dedup_by_key(|file| file.id);
    files
}

/// What a message weighs as it goes out, without its overhead.
pub(crate) struct WeighedText {
    pub(crate) tokens: u64,
    /// What of it each reference adds.
    references: Vec<u64>,
}

impl AttachmentRenderer<'_> {
    /// Under which stamp the weights of messages with tokens are kept: they depend on who
    /// gets them.
    pub(crate) fn stamp(&self) -> String {
        let Capabilities { paths, vision, tools, documents } = self.capabilities;
        let flags = [paths, vision, tools, documents].map(|flag| if flag { '1' } else { '0' });
        let flags: String = flags.into_iter().collect();
        format!("{};to:{flags}:{}", self.weigher.stamp(), self.pricing().name())
    }

    fn pricing(&self) -> ImagePricing {
        self.model.image_pricing.unwrap_or(ImagePricing::OpenAi)
    }

    /// Looks up what the references of a message stand for. That is done once for a send; it is
    /// weighed, shown and rendered from this.
    pub(crate) async fn resolve(
        &self,
        file_cache: &mut FileCache,
        text: &str,
        attachments: &[Attachment],
    ) -> Result<Vec<Reference>, AppError> {
        let mut references = Vec::new();
        let Self { store, blobs, documents, workspace, .. } = *self;
        let shelf = Shelf { store, blobs, documents, workspace };
        if !text.contains("<<") {
            return Ok(references);
        }
        let paths: Vec<String> = segments(text)
            .into_iter()
            .filter_map(|segment| match segment.body {
                SegmentBody::Token(token) => Some(token.path.into_owned()),
                SegmentBody::Text(_) => None,
            })
            .collect();
        if paths.is_empty() {
            return Ok(references);
        }
        let blobs = self.blobs.clone();
        let resolved = move || paths.iter().map(|path| blobs.resolve(path)).collect::<Vec<_>>();
        for resolved in blocking(resolved).await? {
            let attachment = attachments.get(references.len()).copied().unwrap_or(Attachment::BARE);
            let file = match resolved {
                Err(broken) => Err(broken.to_string()),
                Ok(name) => file_cache
                    .file(shelf, attachment, name.hash())
                    .await?
                    .ok_or_else(|| "it is no longer among the files".to_owned()),
            };
            file_cache.resolutions += 1;
            references.push(Reference { file, delivery: attachment.delivery });
        }
        Ok(references)
    }

    /// What a pair's question weighs.
    pub(crate) async fn weigh_pair(
        &self,
        file_cache: &mut FileCache,
        pair: &MessagePair,
    ) -> Result<u64, AppError> {
        let references = self.resolve(file_cache, &pair.user_text, &pair.attachments).await?;
        Ok(self.weigh(file_cache, &pair.user_text, &references).await?.tokens)
    }

    /// What a message weighs.
    pub(crate) async fn weigh(
        &self,
        file_cache: &mut FileCache,
        text: &str,
        references: &[Reference],
    ) -> Result<WeighedText, AppError> {
        let mut weighed = WeighedText { tokens: 0, references: Vec::new() };
        if references.is_empty() {
            weighed.tokens = self.weigher.count(text);
            return Ok(weighed);
        }
        file_cache.weigh_by(&self.weigher.stamp());
        // A block that was weighed before is not read again.
        let known = |file: &File, how| file_cache.block(file.id, how).map(|_| String::new());
        let texts = self.texts(references, known).await?;
        let parts = deliver(text, references, &texts, self.capabilities, &self.model.id);
        for (part, segment) in parts.iter().zip(segments(text)) {
            let tokens = match part {
                DeliveredPart::Words(words) => self.weigher.count(words),
                DeliveredPart::Line(line) => self.weigher.count(line),
                DeliveredPart::Token { written, .. } => self.weigher.count(written),
                DeliveredPart::Enclosed(file) => self.enclosed_tokens(file),
                DeliveredPart::Block { file, delivery, text } => {
                    match file_cache.block(file.id, *delivery) {
                        Some(tokens) => tokens,
                        None => {
                            let tokens = self.weigher.count(text);
                            file_cache.note_block(file.id, *delivery, text, tokens);
                            tokens
                        }
                    }
                }
            };
            weighed.tokens = weighed.tokens.saturating_add(tokens);
            if let SegmentBody::Token(_) = segment.body {
                weighed.references.push(tokens);
            }
        }
        Ok(weighed)
    }

    /// What bytes cost (EST-5). An unknown cost is never nothing.
    fn enclosed_tokens(&self, file: &File) -> u64 {
        if file.context_kind() == ContextKind::Image {
            let (width, height) = file.pixels.unwrap_or(UNKNOWN_PICTURE);
            return image_tokens(self.pricing(), width, height).max(1);
        }
        file.tokens.unwrap_or(file.size / 4).max(1)
    }

    /// The texts that stand in the message, where they do. `known` may give one without
    /// reading.
    async fn texts(
        &self,
        references: &[Reference],
        known: impl Fn(&File, Delivery) -> Option<String>,
    ) -> Result<Vec<Option<String>>, AppError> {
        let mut texts = Vec::with_capacity(references.len());
        for one in references {
            let Ok(file) = &one.file else {
                texts.push(None);
                continue;
            };
            let delivery = effective_delivery(file, one.delivery, self.capabilities);
            let known = || known(file, delivery);
            let text = match delivery {
                Delivery::Inline if file.is_text => match known() {
                    Some(text) => Some(text),
                    None => self.read(file).await?,
                },
                Delivery::Text => match known() {
                    Some(text) => Some(text),
                    None => text_again(self.blobs, self.documents, file).await?,
                },
                _ => None,
            };
            texts.push(text);
        }
        Ok(texts)
    }

    async fn read(&self, file: &File) -> Result<Option<String>, AppError> {
        let (blobs, name) = (self.blobs.clone(), blob_name(file)?);
        let bytes = blocking(move || blobs.read(&name, LONGEST_INLINE)).await?;
        // What marks a text as UTF-8 is no part of it.
        let words = |bytes: Vec<u8>| {
            let text = String::from_utf8_lossy(&bytes);
            text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()
        };
        match bytes {
            // It is there, and cannot be had now: that is no reason to send without it.
            Err(error @ BlobError::S3(_)) => Err(error.into()),
            bytes => Ok(bytes.ok().map(words)),
        }
    }

    /// The message as it goes out. `loaded` keeps the bytes of files that several messages hold.
    pub(crate) async fn render(
        &self,
        loaded: &mut HashMap<FileId, FilePart>,
        text: &str,
        references: &[Reference],
    ) -> Result<Vec<Part>, AppError> {
        let texts = self.texts(references, |_, _| None).await?;
        let parts = deliver(text, references, &texts, self.capabilities, &self.model.id);
        let enclosed = parts.iter().filter_map(|part| match part {
            DeliveredPart::Enclosed(file) => Some(file.id),
            _ => None,
        });
        for id in enclosed {
            let files = references.iter().filter_map(|one| one.file.as_ref().ok());
            if let (Entry::Vacant(place), Some(file)) =
                (loaded.entry(id), files.into_iter().find(|file| file.id == id))
            {
                place.insert(load(self.blobs, file).await?);
            }
        }
        let paths = self.local_paths(references).await?;
        let path_token = |file: &File| {
            let path = paths.get(&file.id)?;
            Some(print_token(file.context_kind(), &path.to_string_lossy()))
        };
        Ok(rendered(&parts, path_token, |file| loaded.get(&file.id).cloned()))
    }

    /// Where those who read the disk find the files of a message.
    async fn local_paths(
        &self,
        references: &[Reference],
    ) -> Result<HashMap<FileId, PathBuf>, AppError> {
        let mut paths = HashMap::new();
        for file in files_of(references).iter().filter(|_| self.capabilities.paths) {
            let Ok(name) = blob_name(file) else { continue };
            let blobs = self.blobs.clone();
            let path = blocking(move || match blobs.local_path(&name) {
                Err(error @ BlobError::S3(_)) => Err(error),
                path => Ok(path.unwrap_or_else(|_| blobs.path(&name))),
            });
            paths.insert(file.id, path.await??);
        }
        Ok(paths)
    }

    /// Each reference of a message as it would go out, for people.
    pub(crate) fn attached(
        &self,
        references: &[Reference],
        weighed: &WeighedText,
        limits: &AttachLimits,
        correction: Correction,
    ) -> Vec<AttachedFile> {
        let attached = |(one, tokens): (&Reference, &u64)| {
            let tokens = correction.apply(*tokens);
            let Ok(file) = &one.file else {
                return AttachedFile {
                    file: one.file.clone(),
                    delivery: Delivery::OnDemand,
                    deliveries: &[],
                    instead: None,
                    tokens,
                    on_demand_tokens: None,
                    note: None,
                    too_large: None,
                };
            };
            let delivery = effective_delivery(file, one.delivery, self.capabilities);
            AttachedFile {
                delivery,
                deliveries: allowed_deliveries(file, self.capabilities),
                instead: sent_instead(file, delivery, self.capabilities),
                tokens,
                on_demand_tokens: self.on_demand_tokens(file, delivery, correction),
                note: self.note(file, delivery),
                too_large: limits.check(file, delivery, self.capabilities),
                file: one.file.clone(),
            }
        };
        references.iter().zip(&weighed.references).map(attached).collect()
    }

    /// What a file that stands in the message would weigh as a reference.
    fn on_demand_tokens(
        &self,
        file: &File,
        delivery: Delivery,
        correction: Correction,
    ) -> Option<u64> {
        let whole = matches!(delivery, Delivery::Inline | Delivery::Text);
        let could = self.capabilities.tools && whole;
        could.then(|| correction.apply(self.weigher.count(&on_demand_line(file))))
    }

    fn note(&self, file: &File, delivery: Delivery) -> Option<String> {
        let id = &self.model.id;
        let picture = file.context_kind() == ContextKind::Image;
        if let Some(why) = unseeable(file).filter(|_| self.capabilities.vision) {
            let (name, why) = (plain_name(&file.name), why.words());
            return Some(format!("{name} is not shown to {id}, because {why}"));
        }
        match delivery {
            Delivery::Inline if picture && !self.capabilities.vision => {
                Some(format!("{id} does not see images; it gets a note instead"))
            }
            Delivery::OnDemand if !self.capabilities.tools => {
                let name = plain_name(&file.name);
                let note =
                    format!("{id} calls no tools, so it gets the name of {name} and nothing else");
                Some(match &file.extraction {
                    Some(Extraction::Nothing(why)) => {
                        format!("{note}; its text was not read: {why}")
                    }
                    _ => note,
                })
            }
            Delivery::Text => {
                let remark = file.extracted()?.remark()?;
                Some(format!("the text of {} goes along, {remark}", plain_name(&file.name)))
            }
            _ => None,
        }
    }
}
