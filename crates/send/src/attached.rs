//! What is attached to a message as it would go out, and the limits of files (LIM-1 to LIM-3).

use std::sync::Arc;

use plimsoll_budget::{FileLimits, Model};
use plimsoll_domain::{ContextKind, Delivery, File, plain_name};
use plimsoll_tokens::{commas, compact_size, size_words};

use crate::{Capabilities, allowed_deliveries};

/// One reference of a message to a file, as it would go out now.
#[derive(Clone, Debug)]
pub struct AttachedFile {
    /// The file, or why there is none.
    pub file: Result<Arc<File>, String>,
    /// How it goes out.
    pub delivery: Delivery,
    /// How it could go out.
    pub deliveries: &'static [Delivery],
    /// What the model gets instead, if it cannot take it in this way: `name only`.
    pub instead: Option<&'static str>,
    /// What it adds to the message, in tokens of the model.
    pub tokens: u64,
    /// What it would add if the model read it by tool; none if it cannot.
    pub on_demand_tokens: Option<u64>,
    /// What people should know about it.
    pub note: Option<String>,
    /// Whether it is over the limit of its kind.
    pub too_large: Option<TooLarge>,
}

/// A file over the limit (LIM-3): what can be done about it, with sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What of the file it is, before its name: nothing, or `the text of `.
    pub what: &'static str,
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// The limit in bytes.
    pub limit: u64,
    /// The model that sets it, and its window, in words.
    pub because: String,
    /// Whether the model could read it by tool instead.
    pub on_demand: bool,
    /// So many bytes of it could be attached instead; none of what is no text.
    pub head: Option<u64>,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { what, name, size, limit, because, .. } = self;
        let (mut shown, mut most) = (size_words(*size), round_size(*limit));
        if round_size(*size) == most {
            // A little too large reads like the limit itself.
            (shown, most) =
                (format!("{} bytes", commas(*size)), format!("{} bytes", commas(*limit)));
        }
        write!(f, "{what}'{}' has {shown}; the limit is {most} {because}", plain_name(name))
    }
}

/// The note about the cut needs room too.
const CUT_NOTE_BYTES: u64 = 256;

/// A size without `.0`: limits are round.
fn round_size(bytes: u64) -> String {
    size_words(bytes).replace(".0 ", " ")
}

/// The limits of files with a model, in bytes and in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachLimits {
    /// The largest text.
    pub text: u64,
    /// The largest picture.
    pub image: u64,
    /// Said where the window makes the limit smaller than usual (LIM-2).
    pub words: Option<String>,
    /// Why the limit is what it is.
    because: String,
}

impl AttachLimits {
    /// The limits with a model of this window.
    pub fn of(limits: FileLimits, model: &Model, window: Option<u64>) -> Self {
        let text = limits.text_for(window);
        let with = match window {
            Some(window) => format!("with {} ({} window)", model.id, compact_size(window)),
            None => "by the settings".to_owned(),
        };
        let small = text < limits.text;
        Self {
            text,
            image: limits.image,
            words: small.then(|| format!("Files up to {} {with}", round_size(text))),
            because: if small { with } else { "by the settings".to_owned() },
        }
    }

    /// Whether a file is over them as it would go out.
    pub fn check(
        &self,
        file: &File,
        delivery: Delivery,
        capabilities: Capabilities,
    ) -> Option<TooLarge> {
        // What was read out of a document is weighed by itself, whatever the document's size.
        let (kind, size) = match (delivery, file.extracted()) {
            (Delivery::Inline, _) => (file.context_kind(), file.size),
            (Delivery::Text, Some(text)) => (ContextKind::Text, text.bytes),
            _ => return None,
        };
        let (limit, because) = match kind {
            ContextKind::Image => (self.image, "by the settings"),
            ContextKind::Text => (self.text, self.because.as_str()),
            ContextKind::File => return None,
        };
        let on_demand = capabilities.tools
            && allowed_deliveries(file, capabilities).contains(&Delivery::OnDemand);
        let what = if delivery == Delivery::Text { "the text of " } else { "" };
        (size > limit).then(|| TooLarge {
            what,
            name: file.name.clone(),
            size,
            limit,
            because: because.to_owned(),
            on_demand,
            head: (kind == ContextKind::Text).then(|| limit.saturating_sub(CUT_NOTE_BYTES).max(1)),
        })
    }
}
