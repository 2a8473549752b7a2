//! Texts as PostgreSQL takes them: it knows every character but the zero, which therefore stands
//! behind a mark, as does the mark itself.

use std::borrow::Cow;

/// A code point that is no character and never will be.
const MARK: char = '\u{10fffe}';

pub(super) fn written(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', MARK]) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => written.extend([MARK, '0']),
            MARK => written.extend([MARK, '1']),
            other => written.push(other),
        }
    }
    Cow::Owned(written)
}

pub(super) fn read(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let mut read = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            MARK if characters.next() == Some('0') => read.push('\0'),
            other => read.push(other),
        }
    }
    Cow::Owned(read)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn tea_1_every_text_comes_back(text in "[\u{0}\u{10fffe}01a語]{0,12}") {
            let kept = written(&text);
            prop_assert!(!kept.contains('\0'));
            prop_assert_eq!(read(&kept), text.as_str());
        }
    }
}
