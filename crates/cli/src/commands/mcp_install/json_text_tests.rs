use proptest::prelude::*;
use serde_json::json;

use super::*;

fn entry() -> Vec<(&'static str, Value)> {
    vec![("command", json!("plimsoll")), ("args", json!(["mcp"]))]
}

fn object() -> Value {
    json!({"command": "plimsoll", "args": ["mcp"]})
}

const PATH: [&str; 2] = ["mcpServers", "plimsoll"];

fn installed(text: &str) -> String {
    let done = set(text, &PATH, &entry()).unwrap();
    assert_eq!(get(&done, &PATH).unwrap(), Some(object()), "{done}");
    assert_eq!(set(&done, &PATH, &entry()).unwrap(), done, "twice is once");
    done
}

#[test]
fn a_new_file_is_made() {
    let wanted = "{\n  \"mcpServers\": {\n    \"plimsoll\": {\n      \"command\": \"plimsoll\",\n      \
        \"args\": [\"mcp\"]\n    }\n  }\n}\n";
    assert_eq!(installed(""), wanted);
    assert!(is_blank(&remove(wanted, &PATH).unwrap()));
}

#[test]
fn comments_commas_and_the_rest_stay() {
    let text = "// mine\n{\n\t\"theme\": \"dark\", // at night\n\t/* servers */\n\t\"mcpServers\": {\n\
        \t\t\"other\": { \"command\": \"x\", }, // keep\n\t},\n\t\"last\": [1, 2,], // end\n}\n";
    let done = installed(text);
    assert!(done.contains("// keep\n\t\t\"plimsoll\": {\n\t\t\t\"command\""), "{done}");
    for kept in ["// mine\n", "// at night", "/* servers */", "// keep", "[1, 2,], // end"] {
        assert!(done.contains(kept), "{done}");
    }
    assert_eq!(remove(&done, &PATH).unwrap(), text);
}

#[test]
fn a_comment_behind_the_last_member_stays_with_it() {
    let text = "{\n    \"a\": 1 // one\n}\n";
    let done = installed(text);
    assert!(done.starts_with("{\n    \"a\": 1, // one\n    \"mcpServers\": {\n"), "{done}");
    assert_eq!(remove(&done, &PATH).unwrap(), text);
}

#[test]
fn one_line_stays_one_line() {
    let done = installed("{\"mcpServers\": {\"a\": {}}}");
    assert_eq!(done.lines().count(), 1, "{done}");
    assert_eq!(remove(&done, &PATH).unwrap(), "{\"mcpServers\": {\"a\": {}}}");
}

#[test]
fn what_else_an_entry_has_stays() {
    let text = "{\r\n  \"mcpServers\": {\r\n    \"plimsoll\": {\r\n      \"command\": \"old\",\r\n      \
        \"env\": {\"A\": \"1\"} // mine\r\n    }\r\n  }\r\n}\r\n";
    let done = set(text, &PATH, &entry()).unwrap();
    assert!(done.contains("\"command\": \"plimsoll\",\r\n"), "{done}");
    assert!(
        done.contains("\"env\": {\"A\": \"1\"}, // mine\r\n      \"args\": [\"mcp\"]\r\n"),
        "{done}"
    );
    assert!(!done.replace("\r\n", "").contains('\n'));
}

#[test]
fn what_cannot_be_read_is_refused_with_its_line() {
    for (text, line) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", 3),
        ("{\n  \"a\": nope\n}", 2),
        ("{\n  a: 1\n}", 2),
        ("{\n  \"a\": \"1\n}", 2),
        ("{} x", 1),
        ("/* no end", 1),
        ("{\"mcpServers\": []}", 1),
        ("[]", 1),
    ] {
        let error = set(text, &PATH, &entry()).unwrap_err();
        assert_eq!(error.line, line, "{text}: {}", error.problem);
    }
    assert!(root(&"[".repeat(100_000)).is_err());
}

/// A settings file as people have them.
fn settings() -> impl Strategy<Value = String> {
    let gap = || prop_oneof![Just(""), Just(" "), Just("\n  "), Just(" // c\n\t"), Just("/* } */")];
    let value = prop_oneof![
        Just("1".to_owned()),
        Just("\"a\\\"b}\"".to_owned()),
        Just("{}".to_owned()),
        Just("[1, {\"x\": null,}]".to_owned()),
        Just("{\"other\": {\"command\": \"c\"}}".to_owned()),
    ];
    let key = prop_oneof![Just("a"), Just("mcp"), Just("é")];
    let member = (gap(), key, gap(), value, gap())
        .prop_map(|(a, key, b, value, c)| format!("{a}\"{key}\":{b}{value}{c}"));
    let servers = (gap(), gap(), prop_oneof![Just(""), Just("\"o\": {}"), Just("\"o\": 1,")])
        .prop_map(|(a, b, inside)| format!("{a}\"mcpServers\": {{{b}{inside}}}"));
    (proptest::collection::vec(member, 0..4), proptest::option::of(servers), any::<bool>())
        .prop_map(|(mut members, servers, trailing)| {
            members.extend(servers);
            let comma = if trailing && !members.is_empty() { "," } else { "" };
            format!("{{{}{comma}\n}}\n", members.join(","))
        })
}

proptest! {
    #[test]
    fn installing_changes_one_member_and_removing_takes_it_back(text in settings()) {
        let before = get(&text, &[]).unwrap().unwrap();
        let done = installed(&text);
        let mut wanted = before.clone();
        wanted["mcpServers"]["plimsoll"] = object();
        prop_assert_eq!(get(&done, &[]).unwrap().unwrap(), wanted);
        prop_assert_eq!(text.matches("// c").count(), done.matches("// c").count());
        let back = remove(&done, &PATH).unwrap();
        let mut after = get(&back, &[]).unwrap().unwrap();
        // An object that held nothing else goes with it.
        if after.get("mcpServers").is_none() && before.get("mcpServers") == Some(&json!({})) {
            after["mcpServers"] = json!({});
        }
        prop_assert_eq!(after, before);
        prop_assert_eq!(text.matches("// c").count(), back.matches("// c").count());
    }

    #[test]
    fn any_text_is_changed_or_refused(text in "[{}\\[\\]\",:/*a1\\\\ \n]{0,40}") {
        if let Ok(done) = set(&text, &PATH, &entry()) {
            prop_assert_eq!(get(&done, &PATH).unwrap(), Some(object()));
        }
    }
}
