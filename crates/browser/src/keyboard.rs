//! A keyboard with the US layout: chords such as `Ctrl+c` as the strokes of its keys.

use crate::{Error, Result};

/// Modifiers, with the bits of the protocol.
pub(crate) const ALT: u8 = 1;
pub(crate) const CTRL: u8 = 2;
pub(crate) const META: u8 = 4;
pub(crate) const SHIFT: u8 = 8;

/// Names of modifiers as people write them.
const PREFIXES: [(&str, u8); 7] = [
    ("Ctrl+", CTRL),
    ("Control+", CTRL),
    ("Shift+", SHIFT),
    ("Alt+", ALT),
    ("Meta+", META),
    ("Cmd+", META),
    ("Option+", ALT),
];

/// The keys of the modifiers, in the order in which they go down.
pub(crate) const MODIFIERS: [(u8, &str, &str, u16); 4] = [
    (CTRL, "Control", "ControlLeft", 17),
    (ALT, "Alt", "AltLeft", 18),
    (META, "Meta", "MetaLeft", 91),
    (SHIFT, "Shift", "ShiftLeft", 16),
];

/// Keys with names: the name, the number that Windows gave the key, and its text.
const NAMED: [(&str, u16, &str); 15] = [
    ("Enter", 13, "\r"),
    ("Tab", 9, ""),
    ("Escape", 27, ""),
    ("Backspace", 8, ""),
    ("Delete", 46, ""),
    ("Insert", 45, ""),
    ("Home", 36, ""),
    ("End", 35, ""),
    ("PageUp", 33, ""),
    ("PageDown", 34, ""),
    ("ArrowLeft", 37, ""),
    ("ArrowUp", 38, ""),
    ("ArrowRight", 39, ""),
    ("ArrowDown", 40, ""),
    ("ContextMenu", 93, ""),
];

/// Short names for the same.
const SHORT: [(&str, &str); 7] = [
    ("Esc", "Escape"),
    ("Del", "Delete"),
    ("Return", "Enter"),
    ("Left", "ArrowLeft"),
    ("Up", "ArrowUp"),
    ("Right", "ArrowRight"),
    ("Down", "ArrowDown"),
];

/// Keys with signs: without and with Shift, the code, and the number.
const SIGNS: [(char, char, &str, u16); 22] = [
    ('`', '~', "Backquote", 192),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    (' ', ' ', "Space", 32),
];

/// One key that goes down and up while modifiers are held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stroke {
    pub(crate) key: String,
    pub(crate) code: String,
    pub(crate) number: u16,
    /// What it types; none for keys that type nothing.
    pub(crate) text: Option<String>,
    pub(crate) modifiers: u8,
}

/// The strokes of chords that stand apart by spaces.
pub(crate) fn strokes(chords: &str) -> Result<Vec<Stroke>> {
    chords.split_whitespace().map(stroke).collect()
}

/// The stroke of one chord.
fn stroke(chord: &str) -> Result<Stroke> {
    let mut modifiers = 0;
    let mut key = chord;
    // The plus sign is a key too: in "Ctrl++" something is left after the modifier.
    while let Some((rest, bit)) = PREFIXES.iter().find_map(|(prefix, bit)| {
        key.strip_prefix(prefix).filter(|rest| !rest.is_empty()).map(|rest| (rest, bit))
    }) {
        modifiers |= bit;
        key = rest;
    }
    let mut letters = key.chars();
    let mut stroke = match (letters.next(), letters.next()) {
        (Some(sign), None) => sign_key(sign, modifiers),
        _ if key == "Space" => sign_key(' ', modifiers),
        _ => named_key(key).ok_or_else(|| Error::Key(chord.to_owned()))?,
    };
    stroke.modifiers |= modifiers;
    // With these held a key commands and types nothing.
    if stroke.modifiers & (CTRL | ALT | META) != 0 {
        stroke.text = None;
    }
    Ok(stroke)
}

/// The stroke that types a sign, if there is a key for it.
pub(crate) fn typing(sign: char) -> Option<Stroke> {
    match sign {
        '\n' => named_key("Enter"),
        sign => Some(sign_key(sign, 0)).filter(|stroke| !stroke.code.is_empty()),
    }
}

fn sign_key(sign: char, held: u8) -> Stroke {
    // People write Ctrl+C for the key c; an O alone is what Shift makes of the key o.
    let commands = held & (CTRL | ALT | META) != 0;
    let shifted = held & SHIFT != 0 || (!commands && sign.is_ascii_uppercase());
    let (key, code, number) = if sign.is_ascii_alphabetic() {
        let upper = sign.to_ascii_uppercase();
        let key = if shifted { upper } else { sign.to_ascii_lowercase() };
        (key, format!("Key{upper}"), upper as u16)
    } else if let Some(&(plain, with_shift, code, number)) =
        SIGNS.iter().find(|(plain, with_shift, ..)| sign == *plain || sign == *with_shift)
    {
        let shifted = held & SHIFT != 0 || sign != plain;
        let key = if shifted { with_shift } else { plain };
        return of(key.to_string(), code.to_owned(), number, if shifted { SHIFT } else { 0 });
    } else {
        // Some other keyboard has it; which key that is nobody knows.
        (sign, String::new(), 0)
    };
    of(key.to_string(), code, number, if shifted { SHIFT } else { 0 })
}

fn of(key: String, code: String, number: u16, modifiers: u8) -> Stroke {
    Stroke { text: Some(key.clone()), key, code, number, modifiers }
}

fn named_key(name: &str) -> Option<Stroke> {
    let name = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, name)| name);
    let stroke = |key: &str, code: &str, number: u16, text: Option<String>| Stroke {
        key: key.to_owned(),
        code: code.to_owned(),
        number,
        text,
        modifiers: 0,
    };
    if let Some(&(key, number, text)) = NAMED.iter().find(|(key, ..)| *key == name) {
        return Some(stroke(
            key,
            key,
            number,
            Some(text.to_owned()).filter(|text| !text.is_empty()),
        ));
    }
    if let Some(&(bit, key, code, number)) = MODIFIERS.iter().find(|(_, key, ..)| *key == name) {
        return Some(Stroke { modifiers: bit, ..stroke(key, code, number, None) });
    }
    let function: u16 = name.strip_prefix('F')?.parse().ok().filter(|n| (1..=12).contains(n))?;
    Some(stroke(name, name, 111 + function, None))
}

#[cfg(test)]
#[path = "keyboard_tests.rs"]
mod tests;
