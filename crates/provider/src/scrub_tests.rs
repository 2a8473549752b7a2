use proptest::prelude::*;

use super::*;

const CANARY: &str = "sk-canary-0123456789abcdef";

fn key() -> Secret {
    Secret::new(CANARY)
}

/// All that comes out of pieces.
fn pieces(all: &[&str]) -> String {
    let (key, mut pieces) = (key(), Pieces::default());
    let mut out: String = all.iter().map(|piece| pieces.push(&key, piece)).collect();
    out.push_str(&pieces.flush(&key));
    out
}

fn json(text: &str) -> String {
    text.bytes().map(|byte| format!("\\u{byte:04x}")).collect()
}

#[test]
fn sec_9_a_key_is_found_however_it_is_written() {
    let doubled = json(CANARY).replace('\\', "\\\\");
    let address: String = CANARY.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let html: String = CANARY.bytes().map(|byte| format!("&#{byte};")).collect();
    let html_too: String = CANARY.bytes().map(|byte| format!("&#x{byte:04x};")).collect();
    let mixed = CANARY.replace('a', "\\u0061").replace('-', "%2d");
    for written in [CANARY, &json(CANARY), &doubled, &address, &html, &html_too, &mixed] {
        let text = format!("a {written}, {written}.");
        assert_eq!(whole(&key(), &text).as_deref(), Some("a [key], [key]."), "{written}");
        assert_eq!(pieces(&[&text]), "a [key], [key].", "{written}");
    }
    for innocent in ["", "sk-canary", "100% \\o/ & \\u0073k-canary", "sk-canary-0123456789abcdeX"] {
        assert_eq!(whole(&key(), innocent), None, "{innocent}");
    }
    assert_eq!(whole(&Secret::new("50%25"), "50%25!").as_deref(), Some("[key]!"));
}

#[test]
fn sec_9_a_key_is_found_over_all_pieces() {
    let each: Vec<String> = CANARY.chars().map(String::from).collect();
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    assert_eq!(pieces(&each), MARK);
    assert_eq!(pieces(&["It is sk-canary-01234", "56789abcdef."]), "It is [key].");
    assert_eq!(pieces(&["sk-sk-can", "ary-0123456789abcdefs"]), "sk-[key]s");
    assert_eq!(pieces(&["ask ", "sk-canada", " twice \\"]), "ask sk-canada twice \\");
}

#[test]
fn sec_9_only_what_could_begin_a_key_is_held_back() {
    let (key, mut pieces) = (key(), Pieces::default());
    assert_eq!(pieces.push(&key, "It is sk-c"), "It is ");
    assert_eq!(pieces.push(&key, "old. Ask"), "sk-cold. A");
    assert_eq!(pieces.push(&key, " me"), "sk me");
    assert_eq!(pieces.push(&key, "  s"), "  ");
    assert_eq!(pieces.flush(&key), "s");
    assert_eq!(pieces.push(&key, "k-canary-0123456789abcdef!"), "[key]!", "even after the end");
    assert_eq!(pieces.flush(&key), "");
}

#[test]
fn sec_9_most_of_a_key_at_the_end_is_not_shown() {
    assert_eq!(pieces(&["It is sk-canary-0123456789abcde"]), "It is [key]");
    assert_eq!(whole(&key(), &format!("cut: {}", &CANARY[..25])).unwrap(), "cut: [key]");
    assert_eq!(pieces(&["It is sk-can"]), "It is sk-can");
    assert_eq!(pieces(&[&json(&CANARY[..25])]), MARK);
    assert_eq!(pieces(&[&json("sk-can")]), json("sk-can"));
}

#[test]
fn sec_9_hostile_texts_take_no_time() {
    for hostile in ["\\", "%", "&#", "&#x0", "s", "\\u0073", "sk-canary-"] {
        let text = hostile.repeat(1 << 20);
        let safe = whole(&key(), &text).unwrap_or(text);
        assert!(!safe.is_empty(), "{hostile}");
    }
}

proptest! {
    #[test]
    fn sec_9_the_cuts_do_not_matter(
        before in "[sk\\\\%&a-c -]{0,12}", after in "[sk\\\\%&a-c -]{0,12}",
        escaped in proptest::collection::vec(any::<bool>(), CANARY.len()),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
    ) {
        let letters = CANARY.bytes().zip(escaped);
        let written: String = letters
            .map(|(byte, escaped)| if escaped { format!("\\u{byte:04X}") } else { (byte as char).into() })
            .collect();
        let text = format!("{before}{written}{after}");
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        at.sort_unstable();
        let mut from = 0;
        let mut parts = Vec::new();
        for cut in at {
            parts.push(&text[from..cut]);
            from = cut;
        }
        parts.push(&text[from..]);
        let out = pieces(&parts);
        prop_assert_eq!(&out, &pieces(&[&text]));
        prop_assert!(out.contains(MARK) && !out.contains("0123456789"), "{}", out);
    }

    #[test]
    fn sec_9_other_texts_stay_as_they_are(text in "\\PC{0,60}", cut in any::<proptest::sample::Index>()) {
        prop_assume!(!text.contains("sk-canary-012"));
        let mut at = cut.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        prop_assert_eq!(pieces(&[&text[..at], &text[at..]]), text);
    }
}
