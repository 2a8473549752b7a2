//! Keys and texts, as real input events.

use serde_json::{Value, json};

use crate::{
    Page, Result,
    keyboard::{MODIFIERS, Stroke, strokes, typing},
};

impl Page {
    /// Presses keys: chords that stand apart by spaces, such as
    /// `j j k Escape Ctrl+c Shift+Enter / ?`. Modifiers go down and up as keys of their
    /// own. A capital or a sign such as `?` brings its Shift along; with Ctrl, Alt or
    /// Meta a letter is its key (`Ctrl+C` is `Ctrl+c`). The layout is that of the US.
    pub fn keys(&self, chords: &str) -> Result<()> {
        strokes(chords)?.iter().try_for_each(|stroke| self.press(stroke, 1))
    }

    /// Holds a chord down, so that it comes so many times, as the keyboard repeats it.
    pub fn hold(&self, chord: &str, times: u32) -> Result<()> {
        strokes(chord)?.iter().try_for_each(|stroke| self.press(stroke, times))
    }

    /// Types a text, sign by sign: with keys where the keyboard has them (a line break
    /// is Enter), and inserted like from an emoji picker where it has not.
    pub fn type_text(&self, text: &str) -> Result<()> {
        text.chars().try_for_each(|sign| match typing(sign) {
            Some(stroke) => self.press(&stroke, 1),
            None => self.insert_text(&sign.to_string()),
        })
    }

    /// Inserts a text at once without any key, as an emoji picker or dictation does.
    pub fn insert_text(&self, text: &str) -> Result<()> {
        self.call("Input.insertText", json!({ "text": text })).map(|_| ())
    }

    /// Writes with an input method: shows each of the drafts in turn and commits the
    /// text with Enter. The keys arrive as an input method's do: number 229, `isComposing`
    /// after the first.
    pub fn compose(&self, drafts: &[&str], text: &str) -> Result<()> {
        for draft in drafts {
            self.show_draft(draft)?;
        }
        self.method_key("Enter")?;
        self.insert_text(text)
    }

    /// Shows a draft of an input method and leaves it uncommitted.
    pub fn show_draft(&self, draft: &str) -> Result<()> {
        self.method_key("Process")?;
        let end = draft.encode_utf16().count();
        let params = json!({ "text": draft, "selectionStart": end, "selectionEnd": end });
        self.call("Input.imeSetComposition", params).map(|_| ())
    }

    /// A key that the input method keeps for itself.
    fn method_key(&self, key: &str) -> Result<()> {
        let code = if key == "Enter" { "Enter" } else { "" };
        self.key_event(json!({
            "type": "rawKeyDown", "key": key, "code": code, "windowsVirtualKeyCode": 229,
        }))
    }

    fn press(&self, stroke: &Stroke, times: u32) -> Result<()> {
        let held = MODIFIERS
            .iter()
            .filter(|(bit, key, ..)| stroke.modifiers & bit != 0 && stroke.key != *key);
        let mut down = 0;
        for (bit, key, code, number) in held.clone() {
            down |= bit;
            self.key_event(event("rawKeyDown", key, code, *number, down))?;
        }
        let Stroke { key, code, number, text, modifiers } = stroke;
        for time in 0..times {
            let kind = if text.is_some() { "keyDown" } else { "rawKeyDown" };
            // A modifier alone is held when it arrives and no more when it goes up.
            let mut params = event(kind, key, code, *number, *modifiers);
            if let Some(text) = text {
                params["text"] = text.as_str().into();
                params["unmodifiedText"] = text.as_str().into();
            }
            params["autoRepeat"] = (time > 0).into();
            self.key_event(params)?;
        }
        self.key_event(event("keyUp", key, code, *number, down))?;
        for (bit, key, code, number) in held.rev() {
            down &= !bit;
            self.key_event(event("keyUp", key, code, *number, down))?;
        }
        Ok(())
    }

    fn key_event(&self, params: Value) -> Result<()> {
        self.call("Input.dispatchKeyEvent", params).map(|_| ())
    }
}

fn event(kind: &str, key: &str, code: &str, number: u16, modifiers: u8) -> Value {
    json!({
        "type": kind,
        "key": key,
        "code": code,
        "windowsVirtualKeyCode": number,
        "nativeVirtualKeyCode": number,
        "modifiers": modifiers,
    })
}
