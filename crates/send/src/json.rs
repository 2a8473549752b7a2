//! Writing JSON text. A request is mostly long strings, and they are copied in runs.

/// Appends `text` as a JSON string, quotes included.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !NEEDS_ESCAPE[usize::from(byte)] {
            continue;
        }
        out.push_str(&text[copied..at]);
        copied = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(control >> 4)]));
                out.push(char::from(HEX[usize::from(control & 15)]));
            }
        }
    }
    out.push_str(&text[copied..]);
    out.push('"');
}

/// Only ASCII needs escapes, so an escaped byte is never inside a character.
static NEEDS_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut out = String::new();
        push_string(&mut out, text);
        out
    }

    #[test]
    fn the_usual_escapes() {
        assert_eq!(written("a\"b\\c\n\t\r\u{1}é"), r#""a\"b\\c\n\t\r\u0001é""#);
        assert_eq!(written(""), "\"\"");
    }

    proptest! {
        #[test]
        fn every_string_reads_back(text in any::<String>()) {
            let back: String = serde_json::from_str(&written(&text)).unwrap();
            prop_assert_eq!(back, text);
        }
    }
}
