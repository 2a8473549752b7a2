//! How much memory a JSON text may take once it is read (REL-7).
//!
//! Eight bytes such as `{"a":1},` become several hundred when they are read as a tree. So what
//! comes from others is looked through first: one pass over the bytes, without any memory.

/// What a text of others may take as a tree, in bytes. Lists of models and answers take a
/// tenth of it.
pub const MAX_JSON_TREE_BYTES: usize = 32 << 20;

/// What a tree needs for each object: the first node of its map.
const OBJECT_BYTES: usize = 640;
/// For each list: room for its first four values.
const LIST_BYTES: usize = 160;
/// For each name with its value, in a map that is half full.
const NAMED_VALUE_BYTES: usize = 112;
/// For each further value of a list, while the list doubles its room.
const VALUE_BYTES: usize = 64;
/// For each string, beside its letters.
const STRING_BYTES: usize = 32;

/// Adds up what a JSON text takes as a tree, in any split; texts that are no JSON have a sum too.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonTreeSize {
    bytes: usize,
    in_string: bool,
    escaped: bool,
}

impl JsonTreeSize {
    /// Takes a byte in; says whether the tree is too large by now. The letters of strings are
    /// not counted: they take what they took as text.
    pub fn take(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
        } else {
            self.bytes += match byte {
                b'"' => {
                    self.in_string = true;
                    STRING_BYTES
                }
                b'{' => OBJECT_BYTES,
                b'[' => LIST_BYTES,
                b':' => NAMED_VALUE_BYTES,
                b',' => VALUE_BYTES,
                _ => 0,
            };
        }
        self.bytes > MAX_JSON_TREE_BYTES
    }
}

/// Whether a JSON text can be read as a tree without taking much more memory than it has.
pub fn json_is_bounded(text: &[u8]) -> bool {
    json_tree_fits(text, MAX_JSON_TREE_BYTES)
}

/// Whether what a JSON text takes as a tree, beside the letters of its strings, is no more than
/// so many bytes.
pub fn json_tree_fits(text: &[u8], most: usize) -> bool {
    // Most texts are too short to be too large.
    if text.len() <= most / OBJECT_BYTES {
        return true;
    }
    let mut size = JsonTreeSize::default();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        size.take(byte);
        if size.bytes > most {
            return false;
        }
        at += 1;
        // Most of a text is the letters of its strings, of which only the end matters.
        if size.in_string && !size.escaped {
            let rest = text.get(at..).unwrap_or_default();
            at += memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rel_7_small_values_are_counted_and_long_texts_are_one() {
        assert!(json_is_bounded(b"{}"));
        assert!(json_is_bounded(format!("[\"{}\"]", "{,[:".repeat(1 << 20)).as_bytes()));
        assert!(json_is_bounded(format!("[\"{}\"]", "\\\",".repeat(1 << 20)).as_bytes()));
        let objects = |count: usize| format!("[{}]", vec!["{\"a\":1}"; count].join(","));
        assert!(json_is_bounded(objects(30_000).as_bytes()));
        assert!(!json_is_bounded(objects(50_000).as_bytes()));
        assert!(!json_is_bounded("[".repeat(1 << 20).as_bytes()));
    }

    /// A list of more models than anybody offers, each with what the longest lists say of one.
    #[test]
    fn rel_7_a_long_list_of_models_is_read() {
        let nested = "\"p\":{\"a\":\"0.1\",\"b\":\"0.2\"},\"q\":[\"text\",\"image\",\"file\"],";
        let model = format!("{{{}\"id\":\"x\"}}", nested.repeat(6));
        assert!(json_is_bounded(format!("[{}]", vec![model; 2_000].join(",")).as_bytes()));
    }
}
