//! Very long strings of an answer are cut before it is read as a tree. A few megabytes of a text
//! are kept, and reading it whole would copy it several times (REL-7).

use super::MAX_TEXT;

/// As many bytes of a string are left, as it is written: escapes make it longer than its text.
const MAX_WRITTEN: usize = 2 * MAX_TEXT;

/// Cuts the strings of a JSON text in place; says whether one was too long. A string ends before
/// a plain character, so that no escape and no pair of them is torn.
pub(crate) fn cut_long_strings(json: &mut Vec<u8>) -> bool {
    if json.len() <= MAX_WRITTEN {
        return false;
    }
    let (mut kept, mut length, mut escape) = (0, 0usize, 0u8);
    let (mut in_string, mut cut, mut any) = (false, false, false);
    for at in 0..json.len() {
        let byte = json[at];
        if !in_string {
            (in_string, cut, length) = (byte == b'"', false, 0);
        } else if escape > 0 {
            escape -= 1;
        } else if byte == b'"' {
            (in_string, cut) = (false, false);
        } else if byte == b'\\' {
            escape = if json.get(at + 1) == Some(&b'u') { 5 } else { 1 };
        } else if length > MAX_WRITTEN && byte & 0xc0 != 0x80 {
            (cut, any) = (true, true);
        }
        length += 1;
        if !cut {
            json[kept] = byte;
            kept += 1;
        }
    }
    json.truncate(kept);
    if any {
        json.shrink_to_fit();
    }
    any
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn cut(text: String) -> (bool, Value) {
        let mut json = text.into_bytes();
        let any = cut_long_strings(&mut json);
        (any, serde_json::from_slice(&json).unwrap())
    }

    #[test]
    fn rel_7_long_strings_are_cut_and_nothing_else_changes() {
        let small = "\"s\":\"a \\\"quote\\\" é \\\\\",\"n\":[1,{\"t\":null}]";
        let many = format!("{{\"all\":[{}]}}", vec![format!("{{{small}}}"); 200_000].join(","));
        let whole: Value = serde_json::from_str(&many).unwrap();
        assert_eq!(cut(many), (false, whole));
        for piece in ["word ", "é", "x\\n", "x\\ud83d\\ude00", "\\\"x", "x\\\\"] {
            let long = piece.repeat(3 * MAX_WRITTEN / piece.len());
            let (any, value) = cut(format!("{{\"text\":\"{long}\",{small}}}"));
            let kept = value["text"].as_str().unwrap();
            let text: String = serde_json::from_str(&format!("\"{long}\"")).unwrap();
            assert!(any && text.starts_with(kept) && !kept.is_empty(), "{piece}");
            assert!(kept.len() <= MAX_WRITTEN + 8, "{piece}: {}", kept.len());
            assert_eq!(value["s"], "a \"quote\" é \\", "{piece}");
        }
        // A text of escapes alone has no place to be cut.
        let (any, value) = cut(format!("[\"{}\"]", "\\n".repeat(MAX_WRITTEN)));
        assert!(!any && value[0].as_str().unwrap().len() == MAX_WRITTEN);
    }
}
