//! What of a request has no counterpart elsewhere: refused by its name, or passed over and named.

use crate::{
    json::{Json, Members},
    refusal::Refusal,
};

/// The members of an object by what becomes of them. What stands in no list is refused.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Table {
    /// Read elsewhere, or of no meaning to anybody but the client.
    pub(super) known: &'static [&'static str],
    /// They do not change what is asked for: passed over, and named.
    pub(super) hints: &'static [&'static str],
    /// The same, for these values alone.
    pub(super) hint_values: &'static [(&'static str, &'static str)],
    /// Values that ask for nothing.
    pub(super) nothing: &'static [(&'static str, &'static str)],
}

/// What was passed over, and whether what matters may be.
#[derive(Debug)]
pub(super) struct Losses {
    lossy: bool,
    names: Vec<String>,
}

impl Losses {
    pub(super) fn new(lossy: bool) -> Self {
        Self { lossy, names: Vec::new() }
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }

    /// Passes over what changes nothing that is asked for.
    pub(super) fn hint(&mut self, param: &str) {
        let name = without_places(param);
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// Passes over what does matter, where the client allows that; else it is refused.
    pub(super) fn lose(&mut self, param: &str, why: &str) -> Result<(), Refusal> {
        if !self.lossy {
            return Err(refused(param, why));
        }
        self.hint(param);
        Ok(())
    }

    /// Judges every member of an object that stands at a place.
    pub(super) fn rest(
        &mut self,
        members: &Members<'_>,
        at: &str,
        table: &Table,
    ) -> Result<(), Refusal> {
        for (name, value) in members.iter() {
            let is = |(member, text): &(&str, &str)| *member == name && is_written(value, text);
            if value.is_null() || table.known.contains(&name) || table.nothing.iter().any(is) {
                continue;
            }
            let param = within(at, name);
            if table.hints.contains(&name) || table.hint_values.iter().any(is) {
                self.hint(&param);
            } else {
                self.lose(&param, "has no counterpart in the protocol of the model's provider")?;
            }
        }
        Ok(())
    }
}

/// A refusal of something that could be passed over.
pub(super) fn refused(param: &str, why: &str) -> Refusal {
    let words = format!("'{param}' {why}; with the header x-plimsoll-lossy: allow it is left out");
    Refusal::of(param, words)
}

/// The name of a member of an object at a place.
pub(super) fn within(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// Whether a value is written so, blanks aside.
fn is_written(value: Json<'_>, text: &str) -> bool {
    value.text().chars().filter(|letter| !letter.is_whitespace()).eq(text.chars())
}

/// A name for a header: `messages[3].content[1].detail` is told once as `messages.content.detail`.
fn without_places(param: &str) -> String {
    let mut depth = 0usize;
    let mut name = String::with_capacity(param.len());
    for letter in param.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => name.push(letter),
            _ => {}
        }
    }
    name
}
