//! What would help where a request does not fit (VAL-1, OVF-3).

use plimsoll_budget::{Binds, Catalog, Validation, Verdict, Weights, larger_models};
use plimsoll_domain::PairId;
use plimsoll_tokens::RawTokens;

use crate::{AttachedFile, Selection, Snapshot};

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
    /// Let go of what is pinned (BND-8): it alone does not fit beside the message.
    Unpin {
        /// The pinned pairs, oldest first.
        pairs: Vec<PairId>,
        frees: u64,
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
    /// Begin a new context, pins aside.
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
    if matches!(validation.verdict, Verdict::Ok | Verdict::Warn) {
        return out;
    }
    let (pins, pinned) = pinned(snapshot);
    match validation.verdict {
        Verdict::Over if alone > weights.limit => out.push(Suggestion::SendAnyway),
        // What fits for certain comes first: trimming relies on a server that refuses.
        Verdict::Over => {
            match alone.saturating_add(pinned) > weights.limit {
                true => out.push(Suggestion::Unpin { pairs: pins, frees: pinned }),
                false => out.push(Suggestion::FitFirst { pairs: pairs_to_drop }),
            }
            out.push(Suggestion::TrimAsNeeded);
        }
        Verdict::Ok | Verdict::Warn | Verdict::TooLarge => {}
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
    let unpinned = weights.history.saturating_sub(pinned);
    if validation.verdict == Verdict::Over && unpinned > 0 {
        out.push(Suggestion::ClearHistory { frees: unpinned });
    }
    out.extend(shorten(weights, attached));
    out
}

/// The pinned pairs that go along, and what they weigh.
fn pinned(snapshot: &Snapshot) -> (Vec<PairId>, u64) {
    let Selection { included, loads, .. } = &*snapshot.selection;
    let pins = included.iter().zip(loads).filter(|(_, load)| load.pinned);
    let tokens: RawTokens = pins.clone().map(|(_, load)| load.tokens).sum();
    (pins.map(|(pair, _)| pair.id).collect(), snapshot.input.correction.apply(tokens))
}

/// What helps after an overflow that trimming could not mend (OVF-3). `weights.limit` is the
/// window as it turned out; `requested` is what the provider counted, where it said so; `snapshot`
/// is what the send started from.
pub fn overflow_suggestions(
    weights: &Weights,
    requested: Option<u64>,
    snapshot: &Snapshot,
) -> Vec<Suggestion> {
    let (attached, catalog) = (&snapshot.message.attached, &snapshot.catalog);
    let model = &snapshot.target.model.id;
    let needed = weights.total().max(requested.unwrap_or(0)).max(weights.limit.saturating_add(1));
    // Everything else was left out on the way; what is pinned goes again whatever is cleared.
    let (pairs, pinned) = pinned(snapshot);
    let unpinned = weights.history.saturating_sub(pinned);
    let ways = [
        detach(attached),
        (!pairs.is_empty()).then_some(Suggestion::Unpin { pairs, frees: pinned }),
        switch(catalog, needed, model),
        (unpinned > 0).then_some(Suggestion::ClearHistory { frees: unpinned }),
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
