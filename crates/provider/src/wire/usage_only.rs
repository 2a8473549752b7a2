//! Answers of which nobody here knows what they are, such as embeddings and pictures: only what they
//! used is read.

use plimsoll_domain::Usage;
use serde_json::Value;

use super::{Decode, Deltas, Read, Refused, number};

#[derive(Debug)]
pub(crate) struct Decoder;

impl Decode for Decoder {
    fn object(&mut self, object: &Value, out: &mut Deltas) -> Result<Read, Refused> {
        if let Some(usage) = object.get("usage") {
            let first = |names: [&str; 2]| names.iter().find_map(|name| number(usage, &[name]));
            if let Some(prompt) = first(["prompt_tokens", "input_tokens"]) {
                let completion = first(["completion_tokens", "output_tokens"]).unwrap_or(0);
                out.usage(Usage { prompt, completion, ..Usage::default() });
            }
        }
        Ok(Read::Part)
    }
}
