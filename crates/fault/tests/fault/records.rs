//! FAU-5: every error of the fixture is classified right.

use serde_json::Value;

use super::*;

const RECORDS: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/provider_errors.jsonl"));

pub(super) fn records() -> Vec<Value> {
    RECORDS.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

pub(super) fn text<'a>(record: &'a Value, key: &str) -> Option<&'a str> {
    record[key].as_str()
}

/// Label, subkind, limit and request in one line.
pub(super) fn outcome(fault: &Fault) -> String {
    let subkind = fault.subkind.map(Subkind::name);
    format!("{} {subkind:?} {:?} {:?}", fault.label.name(), fault.limit, fault.requested)
}

fn expected(record: &Value) -> String {
    format!(
        "{} {:?} {:?} {:?}",
        text(record, "label").unwrap_or_default(),
        text(record, "subkind"),
        record["limit_tokens"].as_u64(),
        record["requested_tokens"].as_u64(),
    )
}

/// The records for which a failure made of them has another outcome.
fn misses(failure: impl Fn(&Value) -> ProviderFailure) -> Vec<String> {
    let mut misses = Vec::new();
    for record in records() {
        let fault = failure(&record).fault();
        let (found, expected) = (outcome(&fault), expected(&record));
        if found != expected {
            let id = text(&record, "id").unwrap_or_default();
            misses.push(format!("{id}: {found}, not {expected}; by {:?}", fault.matched));
        }
    }
    misses
}

pub(super) fn body(record: &Value) -> &str {
    text(record, "body").unwrap_or_default()
}

#[test]
fn fau_5_every_record_is_classified_right() {
    let misses = misses(|record| ProviderFailure {
        status: record["status"].as_u64().and_then(|status| u16::try_from(status).ok()),
        code: text(record, "code").map(str::to_owned),
        ..of_body(body(record))
    });
    assert!(misses.is_empty(), "{} misses:\n{}", misses.len(), misses.join("\n"));
}

#[test]
fn fau_2_the_body_alone_is_enough_for_every_record() {
    let misses = misses(|record| of_body(body(record)));
    assert!(misses.is_empty(), "{} misses:\n{}", misses.len(), misses.join("\n"));
}

/// FAU-2: status alone decides nothing, neither for an overflow nor against one.
#[test]
fn fau_2_an_overflow_is_one_under_any_of_its_statuses() {
    for record in records() {
        let plain = classify(None, body(&record));
        for status in [200, 400, 413, 422, 500, 502] {
            let status = Some(status);
            let fault = classify(status, body(&record));
            assert_eq!(fault.shrink_helps(), plain.shrink_helps(), "{status:?} {record}");
        }
        for status in [401, 402, 403, 404] {
            let status = Some(status);
            let fault = classify(status, body(&record));
            let helps = fault.shrink_helps() && fault.subkind != Some(Subkind::Tpm);
            assert!(!helps, "{status:?} {record}");
        }
    }
}
