//! How much memory a JSON text may take once it is read (REL-7).
//!
//! Eight bytes such as `{"a":1},` become several hundred when they are read as a tree. So what
//! comes from others is looked through first: one pass over the bytes, without any memory.

/// As many values may a text of others hold. Lists of models and answers have a tenth of it;
/// as a tree so many take some ten megabytes.
pub const MOST_JSON_VALUES: usize = 200_000;

/// Counts the values of a JSON text, in any split; texts that are no JSON have a count too.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonValues {
    count: usize,
    in_string: bool,
    escaped: bool,
}

impl JsonValues {
    /// Takes a byte in; says whether there are too many values by now.
    pub fn take(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.in_string = true,
                // Each of these begins a value, or a name with one.
                b'{' | b'[' | b',' | b':' => self.count += 1,
                _ => {}
            }
        }
        self.count > MOST_JSON_VALUES
    }
}

/// Whether a JSON text holds few enough values to be read as a tree.
pub fn json_is_bounded(text: &[u8]) -> bool {
    // Most texts are too short for it.
    let mut values = JsonValues::default();
    text.len() <= MOST_JSON_VALUES || !text.iter().any(|byte| values.take(*byte))
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
        assert!(json_is_bounded(objects(MOST_JSON_VALUES / 4).as_bytes()));
        assert!(!json_is_bounded(objects(MOST_JSON_VALUES).as_bytes()));
        assert!(!json_is_bounded("[".repeat(MOST_JSON_VALUES + 1).as_bytes()));
    }
}
