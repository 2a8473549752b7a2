//! Messages as the model was taught to read them: ChatML.
//!
//! The template in the file would add a system message of its own when there is none.
//! That is not done here: nothing hidden is sent (PRV-4).

use plimsoll_send::Message;
use plimsoll_send::Role;

use crate::{
    gguf::{Gguf, GgufError, Value},
    tokenizer::Tokenizer,
};

const OPEN: &str = "<|im_start|>";
const CLOSE: &str = "<|im_end|>";

/// The marks around messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChatMl {
    open: u32,
    close: u32,
}

impl ChatMl {
    /// Finds the marks; a file with a template of another kind is refused.
    pub(crate) fn new(gguf: &Gguf, tokenizer: &Tokenizer) -> Result<Self, GgufError> {
        let template = gguf.value("tokenizer.chat_template", Value::text)?;
        if !(template.contains(OPEN) && template.contains(CLOSE)) {
            return Err(GgufError::Unsupported("its chat template is not ChatML".to_owned()));
        }
        Ok(Self { open: tokenizer.control(OPEN)?, close: tokenizer.control(CLOSE)? })
    }

    /// The tokens of the messages and of the opening of the answer.
    pub(crate) fn prompt(
        self,
        tokenizer: &Tokenizer,
        messages: &[Message],
    ) -> Result<Vec<u32>, GgufError> {
        let mut prompt = Vec::new();
        let line_end = tokenizer.encode("\n")?;
        for message in messages {
            prompt.push(self.open);
            let text = format!("{}\n{}", message.role.name(), message.text());
            prompt.append(&mut tokenizer.encode(&text)?);
            prompt.push(self.close);
            prompt.extend_from_slice(&line_end);
        }
        prompt.push(self.open);
        prompt.append(&mut tokenizer.encode(&format!("{}\n", Role::Assistant.name()))?);
        Ok(prompt)
    }
}
