//! A streamed chat without the usage that only we asked for (GWY-3). All else passes as it came.

use serde_json::Value;

/// An event that is longer passes without being looked at.
const LONGEST: usize = 1 << 20;

/// Takes one event out of a stream. An event is held back until it is complete, and no longer.
#[derive(Debug, Default)]
pub struct UsageHider {
    held: Vec<u8>,
    /// Up to here no end of an event was found.
    searched: usize,
}

impl UsageHider {
    /// Takes bytes, and hands on the events that are complete with them.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::with_capacity(self.held.len());
        let mut from = 0;
        while let Some(end) = end_of_event(&self.held, self.searched.max(from)) {
            let event = &self.held[from..end];
            if !is_usage(event) {
                out.extend_from_slice(event);
            }
            from = end;
            self.searched = end;
        }
        self.held.drain(..from);
        self.searched = self.held.len().saturating_sub(3);
        if self.held.len() > LONGEST {
            out.append(&mut self.held);
            self.searched = 0;
        }
        out
    }

    /// What is left when nothing more comes.
    pub fn rest(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.held);
        if is_usage(&rest) { Vec::new() } else { rest }
    }
}

/// Where the first event ends: behind a blank line, however lines are ended.
fn end_of_event(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find_map(|at| {
        let rest = &bytes[at..];
        let blank = [&b"\r\n\r\n"[..], b"\n\n", b"\r\r"].into_iter();
        blank.into_iter().find(|end| rest.starts_with(end)).map(|end| at + end.len())
    })
}

/// Whether an event says nothing but the usage.
fn is_usage(event: &[u8]) -> bool {
    // Nearly all events are pieces of an answer, and are not read for this.
    let Ok(text) = std::str::from_utf8(event) else { return false };
    if !text.contains("\"usage\"") {
        return false;
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let data: String = data.collect();
    let Ok(value) = serde_json::from_str::<Value>(&data) else { return false };
    let empty = value.get("choices").and_then(Value::as_array).is_some_and(Vec::is_empty);
    empty && value.get("usage").is_some_and(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gwy_3_the_usage_goes_and_nothing_else() {
        let pieces = [
            ": comment\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"usage\\\"\"}}],\"usage\":null}\r\n\r\n",
            "data: {\"choices\":[{\"delta\":{}}],\"usage\":{\"prompt_tokens\":1}}\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n",
            "data: [DONE]\n\n",
            "data: without an end",
        ];
        let (all, expected) =
            (pieces.concat(), [pieces[0], pieces[1], pieces[2], pieces[4], pieces[5]].concat());
        for size in 1..all.len() {
            let mut hider = UsageHider::default();
            let mut out: Vec<u8> =
                all.as_bytes().chunks(size).flat_map(|piece| hider.push(piece)).collect();
            out.extend(hider.rest());
            assert_eq!(String::from_utf8(out).unwrap(), expected, "in pieces of {size}");
        }
        // A complete event is not held back.
        assert_eq!(UsageHider::default().push(b"data: {}\n\n"), b"data: {}\n\n");
    }

    #[test]
    fn rel_7_an_event_without_an_end_is_not_kept() {
        let mut hider = UsageHider::default();
        let passed: usize = (0..40).map(|_| hider.push(&[b'x'; 1 << 16]).len()).sum();
        assert!(passed > 1 << 20 && hider.held.len() <= LONGEST);
    }
}
