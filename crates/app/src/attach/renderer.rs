//! Rendering attachments: takes a message with its tokens, and says what stands for them in a request
//! to one model.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use plimsoll_blobs::Blobs;
use plimsoll_budget::Model;
use plimsoll_domain::{
    Attachment, ContextKind, Delivery, File, FileId, MessagePair, SegmentBody, plain_name,
    print_token, segments,
};
use plimsoll_send::{
    Capabilities, DeliveredPart, FilePart, Part, Token, allowed_deliveries, deliver,
    effective_delivery, reference, rendered, sent_instead, unseeable,
};
use plimsoll_store::{Store, Workspace};
use plimsoll_tokens::{Correction, ImagePricing, image_tokens};

use super::{AttachLimits, AttachedFile, FileCache, bytes::load};
use crate::{
    AppError,
    shelf::{blob_name, blocking},
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
    pub(crate) workspace: &'a Workspace,
    pub(crate) capabilities: Capabilities,
    pub(crate) model: &'a Model,
    pub(crate) weigher: &'a Weigher,
}

/// A token of a message.
struct Resolved {
    file: Result<Arc<File>, String>,
    delivery: Option<Delivery>,
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

    async fn resolve(
        &self,
        file_cache: &mut FileCache,
        text: &str,
        attachments: &[Attachment],
    ) -> Result<Vec<Resolved>, AppError> {
        let mut resolved = Vec::new();
        for segment in segments(text) {
            let SegmentBody::Token(token) = segment.body else { continue };
            let attachment = attachments.get(resolved.len()).copied().unwrap_or(Attachment::BARE);
            let file = match self.blobs.resolve(&token.path) {
                Err(broken) => Err(broken.to_string()),
                Ok(name) => file_cache
                    .file(self.store, self.workspace, attachment, name.hash())
                    .await?
                    .ok_or_else(|| "it is no longer among the files".to_owned()),
            };
            resolved.push(Resolved { file, delivery: attachment.delivery });
        }
        Ok(resolved)
    }

    /// The files that a message holds, each once.
    pub(crate) async fn files(
        &self,
        file_cache: &mut FileCache,
        text: &str,
        attachments: &[Attachment],
    ) -> Result<Vec<Arc<File>>, AppError> {
        if !text.contains("<<") {
            return Ok(Vec::new());
        }
        let resolved = self.resolve(file_cache, text, attachments).await?;
        let mut files: Vec<Arc<File>> =
            resolved.into_iter().filter_map(|one| one.file.ok()).collect();
        files.sort_unstable_by_key(|file| file.id);
        files.dedup_by_key(|file| file.id);
        Ok(files)
    }

    /// What a message weighs as it goes out, without its overhead.
    pub(crate) async fn weigh(
        &self,
        file_cache: &mut FileCache,
        text: &str,
        attachments: &[Attachment],
    ) -> Result<u64, AppError> {
        if !text.contains("<<") {
            return Ok(self.weigher.count(text));
        }
        let resolved = self.resolve(file_cache, text, attachments).await?;
        let parts = self.weigh_parts(file_cache, text, &resolved).await?;
        Ok(parts.into_iter().map(|(_, tokens)| tokens).fold(0, u64::saturating_add))
    }

    /// What a pair's question weighs.
    pub(crate) async fn weigh_pair(
        &self,
        file_cache: &mut FileCache,
        pair: &MessagePair,
    ) -> Result<u64, AppError> {
        self.weigh(file_cache, &pair.user_text, &pair.attachments).await
    }

    /// The tokens of each part; true for those that stand for a token of the message.
    async fn weigh_parts(
        &self,
        file_cache: &mut FileCache,
        text: &str,
        resolved: &[Resolved],
    ) -> Result<Vec<(bool, u64)>, AppError> {
        file_cache.weigh_by(&self.weigher.stamp());
        // A block that was weighed before is not read again.
        let known = |file: &File| file_cache.block(file.id).map(|_| String::new());
        let texts = self.texts(resolved, known).await?;
        let parts = deliver(text, &tokens_of(resolved, &texts), self.capabilities, &self.model.id);
        let mut weighed = Vec::with_capacity(parts.len());
        let segments = segments(text);
        for (part, segment) in parts.iter().zip(segments) {
            let tokens = match part {
                DeliveredPart::Words(words) => self.weigher.count(words),
                DeliveredPart::Line(line) => self.weigher.count(line),
                DeliveredPart::Token { written, .. } => self.weigher.count(written),
                DeliveredPart::Enclosed(file) => self.enclosed_tokens(file),
                DeliveredPart::Block { file, text } => match file_cache.block(file.id) {
                    Some(tokens) => tokens,
                    None => {
                        let tokens = self.weigher.count(text);
                        file_cache.note_block(file.id, text, tokens);
                        tokens
                    }
                },
            };
            weighed.push((matches!(segment.body, SegmentBody::Token(_)), tokens));
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
        resolved: &[Resolved],
        known: impl Fn(&File) -> Option<String>,
    ) -> Result<Vec<Option<String>>, AppError> {
        let mut texts = Vec::with_capacity(resolved.len());
        for one in resolved {
            let text = match &one.file {
                Ok(file) if file.is_text => {
                    let inline = effective_delivery(file, one.delivery, self.capabilities)
                        == Delivery::Inline;
                    match known(file).filter(|_| inline) {
                        Some(text) => Some(text),
                        None if inline => self.read(file).await?,
                        None => None,
                    }
                }
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
        Ok(bytes.ok().map(words))
    }

    /// The message as it goes out. `loaded` keeps the bytes of files that several messages hold.
    pub(crate) async fn render(
        &self,
        file_cache: &mut FileCache,
        loaded: &mut HashMap<FileId, FilePart>,
        text: &str,
        attachments: &[Attachment],
    ) -> Result<Vec<Part>, AppError> {
        let resolved = self.resolve(file_cache, text, attachments).await?;
        let texts = self.texts(&resolved, |_| None).await?;
        let tokens = tokens_of(&resolved, &texts);
        let parts = deliver(text, &tokens, self.capabilities, &self.model.id);
        let enclosed = parts.iter().filter_map(|part| match part {
            DeliveredPart::Enclosed(file) => Some(file.id),
            _ => None,
        });
        for id in enclosed {
            let files = resolved.iter().filter_map(|one| one.file.as_ref().ok());
            if let (Entry::Vacant(place), Some(file)) =
                (loaded.entry(id), files.into_iter().find(|file| file.id == id))
            {
                place.insert(load(self.blobs, file).await?);
            }
        }
        let path_token = |file: &File| {
            let name = blob_name(file).ok().filter(|_| self.capabilities.paths)?;
            Some(print_token(file.context_kind(), &self.blobs.path(&name).to_string_lossy()))
        };
        Ok(rendered(&parts, path_token, |file| loaded.get(&file.id).cloned()))
    }

    /// Each token of a message as it would go out, for people.
    pub(crate) async fn look(
        &self,
        file_cache: &mut FileCache,
        text: &str,
        attachments: &[Attachment],
        limits: &AttachLimits,
        correction: Correction,
    ) -> Result<Vec<AttachedFile>, AppError> {
        if !text.contains("<<") {
            return Ok(Vec::new());
        }
        let resolved = self.resolve(file_cache, text, attachments).await?;
        let weighed = self.weigh_parts(file_cache, text, &resolved).await?;
        let tokens = weighed.into_iter().filter(|(token, _)| *token).map(|(_, tokens)| tokens);
        let one = |(one, tokens): (Resolved, u64)| {
            let tokens = correction.apply(tokens);
            let Ok(file) = &one.file else {
                let (delivery, deliveries) = (Delivery::OnDemand, &[][..]);
                let (note, too_large) = (None, None);
                return AttachedFile {
                    file: one.file,
                    delivery,
                    deliveries,
                    instead: None,
                    tokens,
                    on_demand_tokens: None,
                    note,
                    too_large,
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
                file: one.file,
            }
        };
        Ok(resolved.into_iter().zip(tokens).map(one).collect())
    }

    /// What a file that stands in the message would weigh as a reference.
    fn on_demand_tokens(
        &self,
        file: &File,
        delivery: Delivery,
        correction: Correction,
    ) -> Option<u64> {
        let could = self.capabilities.tools && delivery == Delivery::Inline;
        could.then(|| correction.apply(self.weigher.count(&reference(file))))
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
                Some(format!("{id} calls no tools, so it gets the name of {name} and nothing else"))
            }
            _ => None,
        }
    }
}

fn tokens_of<'a>(resolved: &'a [Resolved], texts: &'a [Option<String>]) -> Vec<Token<'a>> {
    let token = |(one, text): (&'a Resolved, &'a Option<String>)| match &one.file {
        Err(broken) => Token::Broken(broken),
        Ok(file) => Token::File { file, delivery: one.delivery, text: text.as_deref() },
    };
    resolved.iter().zip(texts).map(token).collect()
}
