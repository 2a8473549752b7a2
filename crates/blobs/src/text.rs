//! What is text, told from bytes that arrive in parts of any size.

/// Follows a stream and knows whether it is text in UTF-8 so far.
///
/// A zero byte makes it binary: it is valid UTF-8, but no text has one, and UTF-16 without
/// its mark would pass for text otherwise.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The beginning of a character whose end has not come yet.
    open: Vec<u8>,
    broken: bool,
}

impl Utf8 {
    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        while !self.open.is_empty() && !self.broken {
            let Some((first, rest)) = bytes.split_first() else { return };
            self.open.push(*first);
            bytes = rest;
            match std::str::from_utf8(&self.open) {
                Ok(_) => self.open.clear(),
                Err(error) => self.broken = error.error_len().is_some(),
            }
        }
        if self.broken || bytes.contains(&0) {
            self.broken = true;
            return;
        }
        if let Err(error) = std::str::from_utf8(bytes) {
            self.broken = error.error_len().is_some();
            if !self.broken {
                self.open.extend_from_slice(bytes.get(error.valid_up_to()..).unwrap_or_default());
            }
        }
    }

    /// Whether all that came is text, if nothing more comes.
    pub(crate) fn is_text(&self) -> bool {
        !self.broken && self.open.is_empty()
    }
}

/// The text that bytes are: UTF-8 or marked UTF-16, without the mark. It is the text that a
/// file with these bytes is once it was taken in.
pub fn text_of(bytes: &[u8]) -> Option<String> {
    if !Utf16::begins(bytes) {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        return std::str::from_utf8(bytes).ok().map(str::to_owned);
    }
    let (mut utf16, mut text) = (Utf16::default(), String::new());
    utf16.push(bytes, &mut text);
    utf16.is_text().then_some(text)
}

/// The two orders of bytes of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// Turns UTF-16 that begins with its mark into UTF-8, part by part.
#[derive(Debug, Default)]
pub(crate) struct Utf16 {
    order: Option<Order>,
    /// The first byte of a unit whose second has not come yet.
    half: Option<u8>,
    /// The first half of a pair of surrogates.
    high: Option<u16>,
    broken: bool,
}

impl Utf16 {
    /// Whether a stream that begins so is marked as UTF-16. The mark of UTF-32 begins with
    /// that of UTF-16.
    pub(crate) fn begins(head: &[u8]) -> bool {
        (head.starts_with(&[0xff, 0xfe]) && !head.starts_with(&[0xff, 0xfe, 0, 0]))
            || head.starts_with(&[0xfe, 0xff])
    }

    /// Takes the next bytes and adds what they say to `out`. The mark itself is left out.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut String) {
        for byte in bytes {
            let Some(first) = self.half.take() else {
                self.half = Some(*byte);
                continue;
            };
            match (self.order, first, *byte) {
                (None, 0xff, 0xfe) => self.order = Some(Order::Little),
                (None, 0xfe, 0xff) => self.order = Some(Order::Big),
                (None, ..) => self.broken = true,
                (Some(Order::Little), low, high) => self.unit(u16::from_le_bytes([low, high]), out),
                (Some(Order::Big), high, low) => self.unit(u16::from_be_bytes([high, low]), out),
            }
            if self.broken {
                return;
            }
        }
    }

    fn unit(&mut self, unit: u16, out: &mut String) {
        let character = match self.high.take() {
            None if (0xd800..0xdc00).contains(&unit) => {
                self.high = Some(unit);
                return;
            }
            None => char::decode_utf16([unit]).next(),
            Some(high) => char::decode_utf16([high, unit]).next(),
        };
        match character {
            Some(Ok(character)) if character != '\0' => out.push(character),
            _ => self.broken = true,
        }
    }

    /// Whether all that came is text, if nothing more comes.
    pub(crate) fn is_text(&self) -> bool {
        !self.broken && self.order.is_some() && self.half.is_none() && self.high.is_none()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn in_parts(bytes: &[u8], size: usize) -> impl Iterator<Item = &[u8]> {
        bytes.chunks(size.max(1))
    }

    fn is_utf8(bytes: &[u8], size: usize) -> bool {
        let mut check = Utf8::default();
        in_parts(bytes, size).for_each(|part| check.push(part));
        check.is_text()
    }

    fn from_utf16(bytes: &[u8], size: usize) -> Option<String> {
        let (mut reader, mut out) = (Utf16::default(), String::new());
        in_parts(bytes, size).for_each(|part| reader.push(part, &mut out));
        reader.is_text().then_some(out)
    }

    #[test]
    fn ins_3_a_mark_is_no_part_of_a_text() {
        assert_eq!(text_of(b"\xef\xbb\xbfa,b").as_deref(), Some("a,b"));
        assert_eq!(text_of(b"\xff\xfea\0,\0\xe9\0").as_deref(), Some("a,é"));
        assert_eq!(text_of(b"\xfe\xff\0a").as_deref(), Some("a"));
        assert_eq!(text_of(b"caf\xe9"), None);
        assert_eq!(text_of(b"\xff\xfea"), None, "half a unit");
    }

    #[test]
    fn broken_utf16_is_no_text() {
        let check = |bytes: &[u8], text: Option<&str>| {
            for size in 1..=bytes.len() {
                assert_eq!(from_utf16(bytes, size).as_deref(), text, "{bytes:x?} by {size}");
            }
        };
        check(&[0xff, 0xfe, b'a', 0], Some("a"));
        check(&[0xfe, 0xff, 0, b'a'], Some("a"));
        check(&[0xfe, 0xff, 0xd8, 0x3d, 0xde, 0x00], Some("😀"));
        // A lonely surrogate of either kind, one twice, half a unit, a zero, no mark.
        check(&[0xfe, 0xff, 0xd8, 0x3d], None);
        check(&[0xfe, 0xff, 0xde, 0x00, 0, b'a'], None);
        check(&[0xfe, 0xff, 0xd8, 0x3d, 0xd8, 0x3d], None);
        check(&[0xff, 0xfe, b'a', 0, b'b'], None);
        check(&[0xff, 0xfe, b'a', 0, 0, 0], None);
        check(b"ab", None);
        assert!(!Utf16::begins(&[0xff, 0xfe, 0, 0, b'a', 0, 0, 0]), "UTF-32");
    }

    proptest! {
        #[test]
        fn utf8_is_told_alike_in_any_parts(
            bytes in prop_oneof![
                any::<Vec<u8>>(),
                any::<String>().prop_map(String::into_bytes),
                ("\\PC{0,20}", any::<u8>(), "\\PC{0,20}").prop_map(|(a, b, c)| [a.as_bytes(), &[b], c.as_bytes()].concat()),
            ],
            size in 1_usize..9,
        ) {
            let whole = std::str::from_utf8(&bytes).is_ok() && !bytes.contains(&0);
            prop_assert_eq!(is_utf8(&bytes, size), whole);
        }

        #[test]
        fn utf16_is_read_alike_in_any_parts(text in any::<String>(), big in any::<bool>(), size in 1_usize..9) {
            let order = if big { u16::to_be_bytes } else { u16::to_le_bytes };
            let bytes: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect();
            prop_assert_eq!(from_utf16(&bytes, size), (!text.contains('\0')).then_some(text));
        }

        #[test]
        fn any_units_are_read_as_the_standard_library_reads_them(units in prop::collection::vec(any::<u16>(), 0..20)) {
            let bytes: Vec<u8> = std::iter::once(0xfeff).chain(units.iter().copied()).flat_map(u16::to_be_bytes).collect();
            let whole = String::from_utf16(&units).ok().filter(|text| !text.contains('\0'));
            prop_assert_eq!(from_utf16(&bytes, 3), whole);
        }
    }
}
