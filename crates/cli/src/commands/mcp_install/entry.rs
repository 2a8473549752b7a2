//! Our entry among those of others: whose it is, and what a change of it has to come to.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::client::Fields;

/// What only an entry for a server elsewhere has.
const ELSEWHERE: [&str; 5] = ["url", "serverUrl", "headers", "http_headers", "env_http_headers"];

/// Why an entry with our name is not ours; none if it is.
pub(super) fn foreign(entry: &Value) -> Option<String> {
    let Value::Object(entry) = entry else { return Some("it is no set of values".to_owned()) };
    let elsewhere =
        |key: &&String| ELSEWHERE.contains(&key.as_str()) || key.starts_with("bearer_token");
    if let Some(key) = entry.keys().find(elsewhere) {
        return Some(format!("it has '{key}'"));
    }
    if entry.get("type").is_some_and(|kind| kind != "stdio") {
        return Some("its 'type' is not stdio".to_owned());
    }
    match entry.get("command") {
        None => None,
        Some(Value::String(command)) if starts_us(command) => None,
        Some(_) => Some("its 'command' is another program".to_owned()),
    }
}

fn starts_us(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    // A copy of this program may have any name.
    let here = || std::env::current_exe().is_ok_and(|here| here == Path::new(command));
    name.to_lowercase().starts_with("plimsoll") || here()
}

/// Whether a change gave the entry these values, and changed nothing else.
pub(super) fn is_put(before: &Value, after: &Value, path: [&str; 2], fields: &Fields) -> bool {
    let mut wanted = before.clone();
    let entry = wanted
        .as_object_mut()
        .and_then(|whole| whole.entry(path[0]).or_insert(json!({})).as_object_mut())
        .and_then(|servers| servers.entry(path[1]).or_insert(json!({})).as_object_mut());
    let Some(entry) = entry else { return false };
    entry.extend(fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    wanted == *after
}

/// Whether a change took the entry away, and nothing else; an empty object around it may go.
pub(super) fn is_taken(before: &Value, after: &Value, path: [&str; 2]) -> bool {
    let mut wanted = before.clone();
    if let Some(servers) = wanted.get_mut(path[0]).and_then(Value::as_object_mut) {
        servers.remove(path[1]);
    }
    let without_empty = |mut whole: Value| {
        if whole.get(path[0]).and_then(Value::as_object).is_some_and(Map::is_empty)
            && let Some(whole) = whole.as_object_mut()
        {
            whole.remove(path[0]);
        }
        whole
    };
    without_empty(wanted) == without_empty(after.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 2] = ["servers", "plimsoll"];

    #[test]
    fn an_entry_is_ours_by_what_it_starts() {
        for ours in [
            json!({"command": "plimsoll", "args": ["mcp"]}),
            json!({"type": "stdio", "command": "/opt/bin/plimsoll", "env": {"A": "1"}}),
            json!({"command": "C:\\Tools\\Plimsoll.exe"}),
            json!({"command": std::env::current_exe().unwrap()}),
            json!({"startup_timeout_sec": 20}),
        ] {
            assert_eq!(foreign(&ours), None, "{ours}");
        }
        for (other, why) in [
            (json!({"url": "http://127.0.0.1/mcp"}), "'url'"),
            (json!({"command": "plimsoll", "http_headers": {}}), "'http_headers'"),
            (json!({"bearer_token_env_var": "T"}), "'bearer_token_env_var'"),
            (json!({"type": "http"}), "'type'"),
            (json!({"type": "sse"}), "'type'"),
            (json!({"command": "/plimsoll/bin/npx"}), "'command'"),
            (json!({"command": {"path": "plimsoll"}}), "'command'"),
            (json!(1), "no set"),
        ] {
            assert!(foreign(&other).is_some_and(|told| told.contains(why)), "{other}");
        }
    }

    #[test]
    fn a_change_of_anything_else_is_seen() {
        let fields = [("command", json!("plimsoll"))];
        let bare = json!({"a": 1, "servers": {"o": {}}});
        let with = json!({"a": 1, "servers": {"o": {}, "plimsoll": {"command": "plimsoll"}}});
        assert!(is_put(&bare, &with, PATH, &fields));
        assert!(is_taken(&with, &bare, PATH));
        assert!(is_taken(&json!({"servers": {"plimsoll": {}}}), &json!({}), PATH));
        for wrong in [
            json!({"servers": {"o": {}, "plimsoll": {"command": "plimsoll"}}}),
            json!({"a": 1, "servers": {"plimsoll": {"command": "plimsoll"}}}),
            json!({"a": 1, "servers": {"o": {}, "plimsoll": {"command": "other"}}}),
        ] {
            assert!(!is_put(&bare, &wrong, PATH, &fields), "{wrong}");
            assert!(!is_taken(&with, &wrong, PATH), "{wrong}");
        }
        assert!(!is_taken(&with, &json!({"a": 1}), PATH), "the other server is gone");
    }
}
