//! What would help where a request does not fit (VAL-1, OVF-3).

use plimsoll_budget::{Binds, Catalog, Validation, Verdict, Weights, larger_models};

use crate::{AttachedFile, Snapshot};

/// Something that would help, with its numbers; surfaces make it an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// Send the predicted set and trim on overflow.
    TrimAsNeeded,
    /// Send it although the message alone is estimated above the limit: nobody knows for sure.
    SendAnyway,
    /// Drop this many oldest pairs before the first call.
    FitFirst {
        /// How many.
        pairs: usize,
    },
    /// Take a file out or make it smaller.
    DetachFile {
        /// The largest file.
        name: String,
        /// What it weighs.
        tokens: u64,
    },
    /// Attach a file on demand instead.
    AttachOnDemand {
        /// The largest such file.
        name: String,
        frees: u64,
    },
    /// Use a model with a larger window.
    SwitchModel {
        /// Enabled models that it would fit, smallest window first.
        models: Vec<String>,
    },
    /// Set a filter that leaves the history out.
    ClearHistory { frees: u64 },
    /// Say how large the model's window is.
    SetWindow {
        model: String,
        /// What it would have to be at least.
        needed: u64,
    },
    /// Forget the limit that was learned.
    ForgetLearned { model: String },
    /// Make the message itself shorter.
    ShortenMessage {
        /// By at least this much.
        tokens: u64,
    },
}

/// What would help against a verdict of over or too large; empty for the others.
/// `pairs_to_drop` of the oldest must go until a request that is over fits.
pub(crate) fn suggestions(
    snapshot: &Snapshot,
    weights: &Weights,
    validation: &Validation,
    pairs_to_drop: usize,
) -> Vec<Suggestion> {
    let (limit, model) = (&snapshot.target.limit, &snapshot.target.model.id);
    let attached = &snapshot.message.attached;
    let mut out = Vec::new();
    let alone = weights.alone();
    let doubtful = !limit.binds.is_stated();
    match validation.verdict {
        Verdict::Ok | Verdict::Warn => return out,
        Verdict::Over if alone > weights.limit => out.push(Suggestion::SendAnyway),
        Verdict::Over => {
            out.push(Suggestion::TrimAsNeeded);
            out.push(Suggestion::FitFirst { pairs: pairs_to_drop });
        }
        Verdict::TooLarge => {}
    }
    if matches!(limit.binds, Binds::Learned(_)) {
        out.push(Suggestion::ForgetLearned { model: model.clone() });
    }
    // Tokens a minute are no window, and a limit that the caller gave is nobody's to keep.
    let window = !matches!(limit.binds, Binds::Tpm | Binds::Given);
    if window && (doubtful || alone > weights.limit) {
        out.push(Suggestion::SetWindow { model: model.clone(), needed: validation.total });
    }
    out.extend(detach(attached));
    let convertible = files(attached).filter_map(|(name, file)| {
        let frees = file.tokens.checked_sub(file.on_demand_tokens?)?;
        (frees > 0).then_some((frees, name))
    });
    if let Some((frees, name)) = convertible.max_by_key(|(frees, _)| *frees) {
        out.push(Suggestion::AttachOnDemand { name: name.to_owned(), frees });
    }
    out.extend(switch(&snapshot.catalog, validation.total, model));
    if validation.verdict == Verdict::Over && weights.history > 0 {
        out.push(Suggestion::ClearHistory { frees: weights.history });
    }
    out.extend(shorten(weights, attached));
    out
}

/// What helps after an overflow that trimming could not mend (OVF-3). `weights.limit` is the
/// window as it turned out; `requested` is what the provider counted, where it said so.
pub fn overflow_suggestions(
    weights: &Weights,
    requested: Option<u64>,
    attached: &[AttachedFile],
    catalog: &Catalog,
    model: &str,
) -> Vec<Suggestion> {
    let needed = weights.total().max(requested.unwrap_or(0)).max(weights.limit.saturating_add(1));
    let history = (weights.history > 0).then_some(weights.history);
    let ways = [
        detach(attached),
        switch(catalog, needed, model),
        history.map(|frees| Suggestion::ClearHistory { frees }),
        shorten(weights, attached),
    ];
    ways.into_iter().flatten().collect()
}

/// The files that are there, by name.
fn files(attached: &[AttachedFile]) -> impl Iterator<Item = (&str, &AttachedFile)> {
    attached.iter().filter_map(|one| Some((one.file.as_ref().ok()?.name.as_str(), one)))
}

fn detach(attached: &[AttachedFile]) -> Option<Suggestion> {
    let (name, largest) = files(attached).max_by_key(|(_, file)| file.tokens)?;
    Some(Suggestion::DetachFile { name: name.to_owned(), tokens: largest.tokens })
}

fn switch(catalog: &Catalog, needed: u64, model: &str) -> Option<Suggestion> {
    let models = larger_models(catalog.with_limits(), needed, model);
    (!models.is_empty()).then_some(Suggestion::SwitchModel { models })
}

/// Shortening helps only where the message has so many words of its own; files are detached.
fn shorten(weights: &Weights, attached: &[AttachedFile]) -> Option<Suggestion> {
    let tokens = weights.alone().checked_sub(weights.limit).filter(|tokens| *tokens > 0)?;
    let files = files(attached).map(|(_, file)| file.tokens).fold(0, u64::saturating_add);
    let words = weights.message.saturating_sub(files);
    (words > tokens).then_some(Suggestion::ShortenMessage { tokens })
}

#[cfg(test)]
#[path = "suggestions_tests.rs"]
mod tests;
