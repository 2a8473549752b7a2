//! A door for the fuzz targets of this repository, and for nothing else.

use plimsoll_domain::Timestamp;

use crate::state::State;

/// Reads the text of an `sdd.json`. What can be read is written and read again: gives both
/// states in words, which are to be the same.
pub fn sdd_json(text: &str) -> Option<(String, Option<String>)> {
    let state = State::parse(text).ok()?;
    let written = state.text(Timestamp::from_millis(0)).ok();
    let again = written.and_then(|text| State::parse(&text).ok());
    Some((format!("{state:?}"), again.map(|state| format!("{state:?}"))))
}
