use super::*;

fn check(chord: &str, key: &str, code: &str, number: u16, text: Option<&str>, modifiers: u8) {
    let text = text.map(ToOwned::to_owned);
    let want = Stroke { key: key.into(), code: code.into(), number, text, modifiers };
    assert_eq!(strokes(chord).unwrap(), [want], "{chord}");
}

#[test]
fn chords_are_what_people_mean() {
    check("j", "j", "KeyJ", 74, Some("j"), 0);
    check("O", "O", "KeyO", 79, Some("O"), SHIFT);
    check("Shift+O", "O", "KeyO", 79, Some("O"), SHIFT);
    check("Shift+o", "O", "KeyO", 79, Some("O"), SHIFT);
    check("Ctrl+c", "c", "KeyC", 67, None, CTRL);
    check("Ctrl+C", "c", "KeyC", 67, None, CTRL);
    check("Ctrl+Shift+c", "C", "KeyC", 67, None, CTRL | SHIFT);
    check("*", "*", "Digit8", 56, Some("*"), SHIFT);
    check("?", "?", "Slash", 191, Some("?"), SHIFT);
    check("/", "/", "Slash", 191, Some("/"), 0);
    check("Shift+/", "?", "Slash", 191, Some("?"), SHIFT);
    check("0", "0", "Digit0", 48, Some("0"), 0);
    check("+", "+", "Equal", 187, Some("+"), SHIFT);
    check("Ctrl++", "+", "Equal", 187, None, CTRL | SHIFT);
    check("Ctrl+-", "-", "Minus", 189, None, CTRL);
    check("Space", " ", "Space", 32, Some(" "), 0);
    check("Enter", "Enter", "Enter", 13, Some("\r"), 0);
    check("Shift+Enter", "Enter", "Enter", 13, Some("\r"), SHIFT);
    check("Ctrl+Enter", "Enter", "Enter", 13, None, CTRL);
    check("Esc", "Escape", "Escape", 27, None, 0);
    check("Alt+Left", "ArrowLeft", "ArrowLeft", 37, None, ALT);
    check("Meta+k", "k", "KeyK", 75, None, META);
    check("F1", "F1", "F1", 112, None, 0);
    check("F12", "F12", "F12", 123, None, 0);
    check("Shift", "Shift", "ShiftLeft", 16, None, SHIFT);
    check("é", "é", "", 0, Some("é"), 0);
}

#[test]
fn several_chords_keep_their_order() {
    let keys: Vec<String> =
        strokes(" j j  k\nEscape /").unwrap().into_iter().map(|stroke| stroke.key).collect();
    assert_eq!(keys, ["j", "j", "k", "Escape", "/"]);
}

#[test]
fn a_key_that_does_not_exist_is_named() {
    for chord in ["Entr", "Ctrl+", "F13", "F0", "Hyper+x", "jj"] {
        let error = strokes(chord).unwrap_err().to_string();
        assert!(error.contains(&format!("'{chord}'")), "{error}");
    }
}

#[test]
fn every_printable_ascii_sign_has_a_key_that_types_it() {
    for sign in ' '..='~' {
        let stroke = typing(sign).unwrap();
        assert_eq!(stroke.text, Some(sign.to_string()));
        assert_eq!(stroke.key, sign.to_string());
    }
    assert_eq!(typing('世'), None);
}
