//! The rules in their order (FAU-2): the request that is bigger than a minute's
//! tokens, then the guards, then overflow by code and phrase, then the failures that
//! name themselves, then the concept of overflow, then general words, and only at
//! the very end the status.

use super::{Label, Subkind, evidence::Evidence, numbers, output, window, words};
use words::{contains_any, find_any};

/// A decision and what it rests on.
pub(super) struct Verdict {
    /// The kind of failure.
    pub(super) label: Label,
    /// The sort of overflow.
    pub(super) subkind: Option<Subkind>,
    /// The code, phrase or rule.
    pub(super) matched: Option<String>,
}

impl Verdict {
    fn new(label: Label, matched: &str) -> Self {
        Self { label, subkind: None, matched: Some(matched.to_owned()) }
    }
}

/// Decides what a failure is.
pub(super) fn judge(evidence: &Evidence) -> Verdict {
    request_beyond_rate(evidence)
        .or_else(|| guard(evidence))
        .or_else(|| overflow(evidence))
        .or_else(|| named(evidence))
        .or_else(|| concept(evidence))
        .or_else(|| general(evidence))
        .unwrap_or_else(|| hint(evidence))
}

/// FAU-5: a single request above the tokens of a whole minute. Waiting does not help
/// it and a smaller one passes, so this comes before the rate words are heard.
fn request_beyond_rate(evidence: &Evidence) -> Option<Verdict> {
    let flat = &evidence.flat;
    let per_time =
        contains_any(flat, "tokens per min; tokens per day; tokens per hour; tpm$; tpd$");
    if !per_time || contains_any(flat, "used$") {
        return None;
    }
    let figures = numbers::read(&evidence.statement);
    let too_large = contains_any(flat, "request too large; request is too large");
    // A current sum against a daily limit is not the size of one request.
    if !too_large && !contains_any(flat, "requested$") {
        return None;
    }
    let beyond = match (figures.limit, figures.requested) {
        (Some(limit), Some(requested)) => requested > limit,
        _ => too_large,
    };
    beyond.then(|| Verdict {
        label: Label::Overflow,
        subkind: Some(Subkind::Tpm),
        matched: Some("request above tokens per minute".to_owned()),
    })
}

/// What is never overflow, however much it speaks of tokens and limits.
fn guard(evidence: &Evidence) -> Option<Verdict> {
    // gRPC reports its own message size under the code of a rate limit.
    if let Some(phrase) = find_any(&evidence.flat, "message larger than max") {
        return Some(Verdict::new(Label::Invalid, phrase));
    }
    account(evidence).or_else(|| match evidence.status {
        Some(status @ (401..=404 | 408)) => Some(
            named(evidence).filter(|v| keeps_status(v.label)).unwrap_or_else(|| by_status(status)),
        ),
        _ => None,
    })
}

/// With a status that speaks of the account only these may replace its meaning.
fn keeps_status(label: Label) -> bool {
    matches!(label, Label::Model | Label::Server)
}

/// Money, identity, time and content.
fn account(evidence: &Evidence) -> Option<Verdict> {
    let flat = &evidence.flat;
    let by_code = |codes, label| evidence.code(codes).map(|code| Verdict::new(label, code));
    let by_phrase =
        |phrases, label| find_any(flat, phrases).map(|phrase| Verdict::new(label, phrase));
    by_code(words::FILTER_CODES, Label::ContentFilter)
        .or_else(|| by_code(words::QUOTA_CODES, Label::Quota))
        .or_else(|| quota_or_rate(evidence))
        .or_else(|| by_phrase(words::FILTER, Label::ContentFilter))
        .or_else(|| by_phrase(words::QUOTA, Label::Quota))
        .or_else(|| by_phrase(words::RATE, Label::Rate))
        .or_else(|| by_phrase(words::OWN_LIMIT, Label::Quota))
        .or_else(|| by_phrase(words::BUSY, Label::Server))
        .or_else(|| by_code(words::RATE_CODES, Label::Rate))
        .or_else(|| by_code(words::MODEL_CODES, Label::Model))
        // Whoever just made a deployment may wait for it; what is wrong is that it is missing.
        .or_else(|| by_phrase(words::WAIT, Label::Rate).filter(|_| !contains_any(flat, MISSING)))
        .or_else(|| model(evidence).filter(|_| evidence.code(words::AUTH_CODES).is_some()))
        .or_else(|| by_code(words::AUTH_CODES, Label::Auth))
        .or_else(|| model(evidence))
        .or_else(|| by_phrase(words::AUTH, Label::Auth))
}

/// Gemini calls its rate limits a quota and mentions the bill; what tells them apart
/// is that it names a metric or a time to wait.
fn quota_or_rate(evidence: &Evidence) -> Option<Verdict> {
    let phrase = find_any(&evidence.flat, words::QUOTA_OR_RATE)?;
    let metric = contains_any(
        &evidence.flat,
        "metric; rate limits page; per minute; per day; \
            requests per; tokens per; quota increase; rate limit; throttl",
    );
    let timed = metric || evidence.waits || evidence.code(words::RATE_CODES).is_some();
    Some(Verdict::new(if timed { Label::Rate } else { Label::Quota }, phrase))
}

/// What is not there.
const MISSING: &str = "\
    not found; does not exist; doesn't exist; not exist$; could not be found";
/// What is there for others, or was.
const WITHHELD: &str = "\
    not available; is not recognized; is not supported$; decommissioned; been deprecated;
    is deprecated; been retired; no longer available; no longer supported; been shut down";

/// A model that is not there. What a model cannot do is another matter.
fn model(evidence: &Evidence) -> Option<Verdict> {
    let flat = &evidence.flat;
    if let Some(phrase) = find_any(flat, words::MODEL) {
        return Some(Verdict::new(Label::Model, phrase));
    }
    // A model may be called by its name alone.
    let models = "model$; models/; models$; deployment; engine$; gpt; claude; gemini; llama; qwen; \
        mistral; deepseek";
    let found = window::sentences(flat).any(|sentence| {
        contains_any(sentence, models)
            && (contains_any(sentence, MISSING) || contains_any(sentence, WITHHELD))
            && !contains_any(
                sentence,
                "tool; parameter; image; function; system; or it may not exist",
            )
    });
    let named = evidence.code("notfounderror").is_some() && contains_any(flat, "model");
    (found || named).then(|| Verdict::new(Label::Model, "model missing"))
}

/// Overflow by code, by the shares of input and output, and by phrase.
fn overflow(evidence: &Evidence) -> Option<Verdict> {
    if evidence.waits {
        return None;
    }
    let odd = odd_size(evidence);
    let code = window::code(evidence);
    let phrase = window::phrase(evidence).filter(|_| odd.is_none());
    let finding = output::finding(evidence).filter(|_| odd.is_none());
    if let Some(finding) = finding {
        let verdict = Verdict::new(finding.label, finding.rule);
        return Some(Verdict { subkind: finding.subkind, ..verdict });
    }
    code.or(phrase).map(|matched| Verdict::new(Label::Overflow, matched))
}

/// Sizes of other things, and limits of the body in bytes.
fn odd_size(evidence: &Evidence) -> Option<Verdict> {
    let flat = &evidence.flat;
    if let Some(code) = evidence.code(words::ODD_SIZE_CODES) {
        // A gateway may use a general code for a request that has too many tokens.
        let tokens = code == "requesttoolarge" && flat.contains("token");
        let told_apart = tokens || window::is_named(flat);
        return (!told_apart).then(|| Verdict::new(Label::Invalid, code));
    }
    if let Some(phrase) = find_any(flat, words::ODD_SIZES) {
        return Some(Verdict::new(Label::Invalid, phrase));
    }
    window::counts_other_units(flat).then(|| Verdict::new(Label::Invalid, "size in other units"))
}

/// Failures that name themselves.
fn named(evidence: &Evidence) -> Option<Verdict> {
    let flat = &evidence.flat;
    let page = find_any(flat, "unexpected token <; unexpected token '<'; <!doctype");
    if let Some(page) = page {
        return Some(Verdict::new(Label::Server, page));
    }
    if let Some(verdict) = odd_size(evidence) {
        return Some(verdict);
    }
    // Whoever reports a timeout with a status did answer.
    let answered = evidence.status.is_some_and(|status| status >= 400);
    let network = find_any(flat, words::NETWORK).filter(|_| !answered);
    let gateway = contains_any(flat, "gateway; upstream");
    if let Some(phrase) = network {
        let label = if gateway { Label::Server } else { Label::Network };
        return Some(Verdict::new(label, phrase));
    }
    if answered && window::took_too_long(evidence) {
        return Some(Verdict::new(Label::Server, "timed out"));
    }
    evidence
        .code(words::SERVER_CODES)
        .filter(|_| !window::concept(evidence))
        .map(|code| Verdict::new(Label::Server, code))
}

/// FAU-2: the last rule for an overflow.
fn concept(evidence: &Evidence) -> Option<Verdict> {
    let found = !evidence.waits && window::concept(evidence);
    found.then(|| Verdict::new(Label::Overflow, "input near excess"))
}

/// Words that fit many failures.
fn general(evidence: &Evidence) -> Option<Verdict> {
    if evidence.waits {
        return None;
    }
    let flat = &evidence.flat;
    let status = evidence.status.unwrap_or(0);
    if status < 500
        && let Some(phrase) = find_any(flat, "does not support; not supported; unsupported")
    {
        return Some(Verdict::new(Label::Invalid, phrase));
    }
    if let Some(phrase) =
        find_any(flat, words::SERVER).filter(|_| !matches!(status, 400 | 413 | 422 | 429))
    {
        return Some(Verdict::new(Label::Server, phrase));
    }
    if matches!(status, 429 | 500..) {
        return None;
    }
    let code = evidence.code(words::INVALID_CODES);
    let matched = code.or_else(|| find_any(flat, words::INVALID))?;
    Some(Verdict::new(Label::Invalid, matched))
}

/// What is left to go by.
fn hint(evidence: &Evidence) -> Verdict {
    match evidence.status {
        Some(status) if status >= 500 => by_status(status),
        None | Some(400 | 413 | 422 | 429) if evidence.waits => {
            Verdict::new(Label::Rate, "retry-after")
        }
        Some(status) if (400..500).contains(&status) => by_status(status),
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
    Verdict { label, subkind: None, matched: Some(format!("status {status}")) }
}
