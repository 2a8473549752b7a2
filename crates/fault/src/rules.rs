//! The rules in their order (FAU-2): the request that is bigger than a minute's
//! tokens, then the guards, then overflow by code and phrase, then the failures that
//! name themselves, then the concept of overflow, then general words, and only at
//! the very end the status.

use crate::{
    Label, Subkind,
    evidence::Evidence,
    numbers, output,
    phrases::{self, contains_any, find_any},
    window,
};

/// A decision and the code, phrase or rule that it rests on.
pub(crate) struct Verdict {
    pub(crate) label: Label,
    pub(crate) subkind: Option<Subkind>,
    pub(crate) matched: Option<String>,
}

impl Verdict {
    pub(crate) fn new(label: Label, matched: &str) -> Self {
        Self { label, subkind: None, matched: Some(matched.to_owned()) }
    }

    pub(crate) fn of(self, subkind: Subkind) -> Self {
        Self { subkind: Some(subkind), ..self }
    }
}

/// Decides what a failure is.
pub(crate) fn classify_evidence(evidence: &Evidence) -> Verdict {
    request_beyond_rate(evidence)
        .or_else(|| guard(evidence))
        .or_else(|| overflow(evidence))
        .or_else(|| named(evidence))
        .or_else(|| concept(evidence))
        .or_else(|| general(evidence))
        .unwrap_or_else(|| hint(evidence))
}

/// The first code of a table that was given, as a verdict.
fn by_code(evidence: &Evidence, label: Label, table: &'static str) -> Option<Verdict> {
    evidence.code(table).map(|code| Verdict::new(label, code))
}

/// The first phrase of a table that was said, as a verdict.
fn by_phrase(evidence: &Evidence, label: Label, table: &'static str) -> Option<Verdict> {
    find_any(&evidence.flat, table).map(|phrase| Verdict::new(label, phrase))
}

/// FAU-5: a single request above the tokens of a whole minute. Waiting does not help
/// it and a smaller one passes, so this comes before the rate words are heard.
fn request_beyond_rate(evidence: &Evidence) -> Option<Verdict> {
    let says = |table| contains_any(&evidence.flat, table);
    let too_large = says("request too large; request is too large");
    // A current sum against a daily limit is not the size of one request.
    if !says("tokens per min; tokens per day; tokens per hour; tpm$; tpd$")
        || says("used$")
        || !(too_large || says("requested$"))
    {
        return None;
    }
    let figures = numbers::read(&evidence.statement);
    let beyond = match (figures.limit, figures.requested) {
        (Some(limit), Some(requested)) => requested > limit,
        _ => too_large,
    };
    let matched = "request above tokens per minute";
    beyond.then(|| Verdict::new(Label::Overflow, matched).of(Subkind::Tpm))
}

/// What is never overflow, however much it speaks of tokens and limits.
fn guard(evidence: &Evidence) -> Option<Verdict> {
    // gRPC reports its own message size under the code of a rate limit.
    by_phrase(evidence, Label::Invalid, "message larger than max")
        .or_else(|| account(evidence))
        .or_else(|| match evidence.status {
            Some(status @ (401..=404 | 408)) => {
                // Only these may replace the meaning of a status that speaks of the account.
                let replaces = |v: &Verdict| matches!(v.label, Label::Model | Label::Server);
                Some(named(evidence).filter(replaces).unwrap_or_else(|| by_status(status)))
            }
            _ => None,
        })
}

/// Money, identity, time and content.
fn account(evidence: &Evidence) -> Option<Verdict> {
    let code = |label, table| by_code(evidence, label, table);
    let phrase = |label, table| by_phrase(evidence, label, table);
    let missing = || contains_any(&evidence.flat, phrases::MISSING);
    code(Label::ContentFilter, phrases::FILTER_CODES)
        .or_else(|| code(Label::Quota, phrases::QUOTA_CODES))
        .or_else(|| quota_or_rate(evidence))
        .or_else(|| phrase(Label::ContentFilter, phrases::FILTER))
        .or_else(|| phrase(Label::Quota, phrases::QUOTA))
        .or_else(|| phrase(Label::Rate, phrases::RATE))
        .or_else(|| phrase(Label::Quota, phrases::OWN_LIMIT))
        .or_else(|| phrase(Label::Server, phrases::BUSY))
        .or_else(|| code(Label::Rate, phrases::RATE_CODES))
        .or_else(|| code(Label::Model, phrases::MODEL_CODES))
        // Whoever just made a deployment may wait for it; what is wrong is that it is missing.
        .or_else(|| phrase(Label::Rate, phrases::WAIT).filter(|_| !missing()))
        .or_else(|| match code(Label::Auth, phrases::AUTH_CODES) {
            Some(auth) => Some(model(evidence).unwrap_or(auth)),
            None => model(evidence),
        })
        .or_else(|| phrase(Label::Auth, phrases::AUTH))
}

/// Gemini calls its rate limits a quota and mentions the bill; what tells them apart
/// is that it names a metric or a time to wait.
fn quota_or_rate(evidence: &Evidence) -> Option<Verdict> {
    let phrase = find_any(&evidence.flat, phrases::QUOTA_OR_RATE)?;
    let timed = contains_any(&evidence.flat, phrases::METRICS)
        || evidence.waits
        || evidence.code(phrases::RATE_CODES).is_some();
    Some(Verdict::new(if timed { Label::Rate } else { Label::Quota }, phrase))
}

/// A model that is not there. What a model cannot do is another matter.
fn model(evidence: &Evidence) -> Option<Verdict> {
    let flat = &evidence.flat;
    let ability = "tool; parameter; image; function; system; or it may not exist";
    by_phrase(evidence, Label::Model, phrases::MODEL).or_else(|| {
        let found = window::sentences(flat).any(|sentence| {
            contains_any(sentence, phrases::MODEL_NAMES)
                && (contains_any(sentence, phrases::MISSING)
                    || contains_any(sentence, phrases::WITHHELD))
                && !contains_any(sentence, ability)
        });
        let named = evidence.code("notfounderror").is_some() && contains_any(flat, "model");
        (found || named).then(|| Verdict::new(Label::Model, "model missing"))
    })
}

/// Overflow by the shares of input and output, by code and by phrase.
fn overflow(evidence: &Evidence) -> Option<Verdict> {
    if evidence.waits {
        return None;
    }
    let odd = odd_size(evidence).is_some();
    let output = if odd { None } else { output::too_large(evidence) };
    output.or_else(|| by_code(evidence, Label::Overflow, phrases::OVERFLOW_CODES)).or_else(|| {
        let phrase = window::phrase(evidence).filter(|_| !odd)?;
        Some(Verdict::new(Label::Overflow, phrase))
    })
}

/// Sizes of other things, and limits of the body in bytes.
fn odd_size(evidence: &Evidence) -> Option<Verdict> {
    let flat = &evidence.flat;
    if let Some(code) = evidence.code(phrases::ODD_SIZE_CODES) {
        // A gateway may use a general code for a request that has too many tokens.
        let tokens = code == "requesttoolarge" && flat.contains("token");
        let told_apart = tokens || window::is_named(flat);
        return (!told_apart).then(|| Verdict::new(Label::Invalid, code));
    }
    by_phrase(evidence, Label::Invalid, phrases::ODD_SIZES).or_else(|| {
        window::counts_other_units(flat)
            .then(|| Verdict::new(Label::Invalid, "size in other units"))
    })
}

/// Failures that name themselves.
fn named(evidence: &Evidence) -> Option<Verdict> {
    // Whoever reports a timeout with a status did answer.
    let answered = evidence.status.is_some_and(|status| status >= 400);
    let gateway = contains_any(&evidence.flat, "gateway; upstream");
    let broken = if gateway { Label::Server } else { Label::Network };
    by_phrase(evidence, Label::Server, "unexpected token <; unexpected token '<'; <!doctype")
        .or_else(|| odd_size(evidence))
        .or_else(|| by_phrase(evidence, broken, phrases::NETWORK).filter(|_| !answered))
        .or_else(|| {
            let late = answered && window::took_too_long(evidence);
            late.then(|| Verdict::new(Label::Server, "timed out"))
        })
        .or_else(|| {
            by_code(evidence, Label::Server, phrases::SERVER_CODES)
                .filter(|_| !window::concept(evidence))
        })
}

/// FAU-2: the last rule for an overflow.
fn concept(evidence: &Evidence) -> Option<Verdict> {
    let found = !evidence.waits && window::concept(evidence);
    found.then(|| Verdict::new(Label::Overflow, "input near excess"))
}

/// Words that fit many failures.
fn general(evidence: &Evidence) -> Option<Verdict> {
    let status = evidence.status.unwrap_or(0);
    let phrase = |label, table| by_phrase(evidence, label, table);
    if evidence.waits {
        return None;
    }
    phrase(Label::Invalid, "does not support; not supported; unsupported")
        .filter(|_| status < 500)
        .or_else(|| {
            phrase(Label::Server, phrases::SERVER)
                .filter(|_| !matches!(status, 400 | 413 | 422 | 429))
        })
        .or_else(|| {
            by_code(evidence, Label::Invalid, phrases::INVALID_CODES)
                .or_else(|| phrase(Label::Invalid, phrases::INVALID))
                .filter(|_| !matches!(status, 429 | 500..))
        })
}

/// What is left to go by.
fn hint(evidence: &Evidence) -> Verdict {
    match evidence.status {
        None | Some(400 | 413 | 422 | 429) if evidence.waits => {
            Verdict::new(Label::Rate, "retry-after")
        }
        Some(status @ 400..) => by_status(status),
        _ if evidence.broken => Verdict::new(Label::Network, "transport"),
        _ => Verdict { label: Label::Unknown, subkind: None, matched: None },
    }
}

/// The meaning of a status alone.
fn by_status(status: u16) -> Verdict {
    let label = match status {
        401 | 403 | 407 => Label::Auth,
        402 => Label::Quota,
        404 | 410 => Label::Model,
        429 => Label::Rate,
        408 | 500.. => Label::Server,
        _ => Label::Invalid,
    };
    Verdict::new(label, &format!("status {status}"))
}
