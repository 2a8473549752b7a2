//! Changes in a text that is otherwise left alone (GWY-3).

use std::{collections::BTreeSet, ops::Range};

use crate::{
    json::Json,
    reading::{ClientRequest, Protocol},
};

/// What is written in place of what, in any order; no two places overlap.
#[derive(Clone, Debug, Default)]
pub struct Changes(Vec<(Range<usize>, String)>);

impl Changes {
    /// Names another model.
    pub fn model(&mut self, request: &ClientRequest<'_>, name: &str) {
        let quoted = serde_json::Value::from(name).to_string();
        match &request.model_at {
            Some(at) => self.0.push((at.clone(), quoted)),
            None => {
                let at = request.text.find('{').map_or(0, |at| at + 1);
                let comma = if request.is_empty { "" } else { "," };
                self.0.push((at..at, format!("\"model\":{quoted}{comma}")));
            }
        }
    }

    /// Leaves items out, with the commas that belong to them.
    pub fn without(&mut self, request: &ClientRequest<'_>, dropped: &BTreeSet<usize>) {
        let items = &request.items;
        let mut at = 0;
        while at < items.len() {
            let run = (at..items.len()).take_while(|at| dropped.contains(at)).count();
            let (first, end) = (at, at + run);
            at = end + 1;
            if run == 0 {
                continue;
            }
            let (from, to) = match (items.get(end), first.checked_sub(1)) {
                (Some(next), _) => (items[first].at.start, next.at.start),
                (None, Some(before)) => (items[before].at.end, items[end - 1].at.end),
                (None, None) => (items[first].at.start, items[end - 1].at.end),
            };
            self.0.push((from..to, String::new()));
        }
    }

    /// Asks for the usage at the end of a streamed chat. Whether the client had asked itself.
    pub fn ask_for_usage(&mut self, request: &ClientRequest<'_>) -> bool {
        if request.protocol != Protocol::Chat || !request.stream {
            return true;
        }
        const ASK: &str = "\"include_usage\":true";
        let Some(options) = request.stream_options else {
            // The object holds a model at least.
            let at = request.text.find('{').map_or(0, |at| at + 1);
            self.0.push((at..at, format!("\"stream_options\":{{{ASK}}},")));
            return false;
        };
        let place = options.place(request.text);
        let Some(members) = options.members() else {
            self.0.push((place, format!("{{{ASK}}}")));
            return false;
        };
        match members.get("include_usage") {
            Some(asked) if asked.bool() == Some(true) => return true,
            Some(other) => self.0.push((Json::place(other, request.text), "true".to_owned())),
            None => {
                let comma = if members.is_empty() { "" } else { "," };
                self.0.push((place.start + 1..place.start + 1, format!("{ASK}{comma}")));
            }
        }
        false
    }

    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with all changes made.
    pub fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(place, _)| place.start);
        let mut out = String::with_capacity(text.len() + 64);
        let mut done = 0;
        for (place, written) in &self.0 {
            out.push_str(text.get(done..place.start).unwrap_or_default());
            out.push_str(written);
            done = place.end.max(done);
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::read;

    fn changed(text: &str, change: impl FnOnce(&mut Changes, &ClientRequest<'_>)) -> String {
        let request = read(Protocol::Chat, text).unwrap();
        let mut changes = Changes::default();
        change(&mut changes, &request);
        changes.apply(text)
    }

    #[test]
    fn gwy_3_only_what_must_change_changes() {
        let text = "{ \"odd\" : 1.50e3,\"model\"  :\"a\",\n\t\"messages\":[ ]\u{20}, \"z\":[{}] } ";
        assert_eq!(changed(text, |_, _| {}), text);
        let aliased = changed(text, |changes, request| changes.model(request, "b\"c"));
        assert_eq!(aliased, text.replace("\"a\"", "\"b\\\"c\""));
        for (text, named) in [
            ("{}", "{\"model\":\"m\"}"),
            (" { \"input\":\"hi\"}", " {\"model\":\"m\", \"input\":\"hi\"}"),
            ("{\"model\":null}", "{\"model\":\"m\"}"),
        ] {
            let request = read(Protocol::Responses, text).unwrap();
            let mut changes = Changes::default();
            changes.model(&request, "m");
            assert_eq!((request.model.as_ref(), changes.apply(text)), ("", named.to_owned()));
        }
    }

    #[test]
    fn gwy_3_usage_is_asked_for_once() {
        let asked = |text: &str| {
            let mut had = false;
            let out = changed(text, |changes, request| had = changes.ask_for_usage(request));
            (out, had)
        };
        let chat = |more: &str| format!(r#"{{"model":"a","messages":[]{more}}}"#);
        for (more, expected, had) in [
            ("", "", true),
            (r#","stream":true,"stream_options":{"include_usage": true}"#, "", true),
            (
                r#","stream":true,"stream_options":{"include_usage": false}"#,
                r#","stream":true,"stream_options":{"include_usage": true}"#,
                false,
            ),
            (
                r#","stream":true,"stream_options":{ }"#,
                r#","stream":true,"stream_options":{"include_usage":true }"#,
                false,
            ),
            (
                r#","stream":true,"stream_options":{"a":1}"#,
                r#","stream":true,"stream_options":{"include_usage":true,"a":1}"#,
                false,
            ),
            (
                r#","stream":true,"stream_options":null"#,
                r#","stream":true,"stream_options":{"include_usage":true}"#,
                false,
            ),
        ] {
            let expected = if expected.is_empty() { more } else { expected };
            assert_eq!(asked(&chat(more)), (chat(expected), had), "{more}");
        }
        let (out, had) = asked(&chat(r#","stream":true"#));
        assert_eq!(
            out,
            r#"{"stream_options":{"include_usage":true},"model":"a","messages":[],"stream":true}"#
        );
        assert!(!had && read(Protocol::Chat, &out).is_ok());
    }

    #[test]
    fn gwy_3_items_go_with_their_commas_and_nothing_else() {
        let text = r#"{"model":"m","messages":[ {"role":"user","content":"0"} ,
          {"role":"user","content":"1"},{"role":"user","content":"2"} , {"role":"user","content":"3"} ]}"#;
        for (out, left) in [
            (vec![], "0123"),
            (vec![0], "123"),
            (vec![3], "012"),
            (vec![1, 2], "03"),
            (vec![0, 2], "13"),
            (vec![1, 3], "02"),
            (vec![0, 1, 2], "3"),
            (vec![2, 3], "01"),
            (vec![0, 1, 2, 3], ""),
        ] {
            let dropped = out.iter().copied().collect();
            let shorter = changed(text, |changes, request| changes.without(request, &dropped));
            let request = read(Protocol::Chat, &shorter).unwrap();
            let said: String = request.items.iter().map(|item| &shorter[item.at.clone()]).collect();
            let said: String = said.chars().filter(char::is_ascii_digit).collect();
            assert_eq!(said, left, "{out:?}: {shorter}");
            assert!(
                shorter.starts_with("{\"model\":\"m\",\"messages\":[ ") && shorter.ends_with(" ]}")
            );
        }
    }
}
