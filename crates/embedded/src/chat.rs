//! Messages as the model was taught to read them: ChatML.
//!
//! The template in the file would add a system message of its own when there is none.
//! That is not done here: nothing hidden is sent (PRV-4).

use plimsoll_provider::ChatFormat;
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
            prompt.append(&mut self.opening(tokenizer, message.role)?);
            // Apart from the line before it, so that a text that begins with blanks does not
            // merge with it, and weighs the same wherever it stands (EST-5).
            prompt.append(&mut tokenizer.encode(&message.text())?);
            prompt.push(self.close);
            prompt.extend_from_slice(&line_end);
        }
        prompt.append(&mut self.opening(tokenizer, Role::Assistant)?);
        Ok(prompt)
    }

    /// What it adds to texts.
    pub(crate) fn format(self, tokenizer: &Tokenizer) -> Result<ChatFormat, GgufError> {
        let opening = |role| Ok::<_, GgufError>(self.opening(tokenizer, role)?.len() as u64);
        let closing = 1 + tokenizer.encode("\n")?.len() as u64;
        let (user, answer) = (opening(Role::User)?, opening(Role::Assistant)?);
        Ok(ChatFormat {
            message: user + closing,
            answer: answer.saturating_sub(user),
            request: answer,
        })
    }

    fn opening(self, tokenizer: &Tokenizer, role: Role) -> Result<Vec<u32>, GgufError> {
        let mut opening = vec![self.open];
        opening.append(&mut tokenizer.encode(&format!("{}\n", role.name()))?);
        Ok(opening)
    }
}
