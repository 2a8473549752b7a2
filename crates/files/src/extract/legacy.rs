//! Texts that are not UTF-8: Latin-1, and Windows-1252, which is the same with a few letters
//! more.

use encoding_rs::WINDOWS_1252;

use super::{NoText, lasting, out::Out};

/// One byte in so many may be one that no text has.
const ODD: usize = 500;

pub(super) fn read(bytes: &[u8]) -> Result<Out, NoText> {
    let odd = |byte: &&u8| matches!(**byte, 0..=8 | 11 | 14..=26 | 28..=31 | 127 | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
    let odd = bytes.iter().filter(odd).count();
    if bytes.contains(&0) || odd > bytes.len() / ODD {
        return Err(lasting(
            "it is neither UTF-8 nor Windows-1252 (Latin-1); save it as UTF-8 and attach it again",
        ));
    }
    let (text, _, _) = WINDOWS_1252.decode(bytes);
    let mut out = Out::default();
    // Empty lines are part of a text, so it is taken line by line as it is.
    text.lines().for_each(|line| out.verbatim(line));
    out.missing("read as Windows-1252".to_owned());
    Ok(out)
}
