//! Characters out of bytes that arrive in pieces.

/// Holds back the bytes of a character until all of them are there.
#[derive(Debug, Default)]
pub(crate) struct Characters {
    waiting: Vec<u8>,
}

impl Characters {
    /// Takes bytes in and gives all characters that are complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.waiting.extend_from_slice(bytes);
        let mut out = String::new();
        let mut done = 0;
        for chunk in self.waiting.utf8_chunks() {
            out.push_str(chunk.valid());
            done += chunk.valid().len();
            let invalid = chunk.invalid();
            // Only what stands at the very end can still become a character.
            if done + invalid.len() == self.waiting.len() && may_continue(invalid) {
                break;
            }
            if !invalid.is_empty() {
                out.push(char::REPLACEMENT_CHARACTER);
                done += invalid.len();
            }
        }
        self.waiting.drain(..done);
        out
    }

    /// What is left at the end; half a character becomes the replacement character.
    pub(crate) fn finish(&mut self) -> String {
        let rest = String::from_utf8_lossy(&self.waiting).into_owned();
        self.waiting.clear();
        rest
    }
}

/// Whether more bytes could make a character of these.
fn may_continue(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => false,
        Err(error) => error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_half_characters_leave() {
        let mut characters = Characters::default();
        assert_eq!(characters.push(&[0xe2, 0x82]), "");
        assert_eq!(characters.push(&[0xac, b'a']), "€a");
        assert_eq!(characters.push(&[0xff, b'b', 0xc3]), "\u{fffd}b");
        assert_eq!(characters.finish(), "\u{fffd}");
        assert_eq!(characters.finish(), "");
    }

    proptest! {
        #[test]
        fn pieces_add_up_to_the_whole(bytes in any::<Vec<u8>>(), text in any::<String>(), step in 1usize..5) {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                let mut characters = Characters::default();
                let mut out = String::new();
                for piece in bytes.chunks(step) {
                    out.push_str(&characters.push(piece));
                }
                out.push_str(&characters.finish());
                prop_assert_eq!(out, String::from_utf8_lossy(bytes).into_owned());
            }
        }
    }
}
