//! From a request to an answer, token by token.

use std::{
    fs::File,
    io::{BufReader, Read, Seek},
    path::Path,
    sync::Arc,
};

use plimsoll_domain::Usage;
use plimsoll_provider::{ChatFormat, Delta, Finish};
use plimsoll_send::{Message, Request};

use crate::{
    chat::ChatMl,
    circle::Circles,
    gguf::{Gguf, GgufError},
    llama::{Context, Llama, StepError, WINDOW},
    sample::Sampler,
    text::Characters,
    tokenizer::Tokenizer,
};

/// Tokens of the prompt that are read in one go.
const CHUNK: usize = 128;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    /// Prompt and answer do not fit into the window together.
    #[error("{prompt} tokens and {output} of answer do not fit into {window}")]
    Overflow { window: usize, prompt: usize, output: u64 },
    #[error(transparent)]
    Step(#[from] StepError),
    #[error(transparent)]
    Text(#[from] GgufError),
}

/// What can be known without the weights: how texts become tokens.
pub(crate) struct Head {
    tokenizer: Tokenizer,
    chat: ChatMl,
    pub(crate) window: usize,
}

impl Head {
    /// Reads the head of a model file.
    pub(crate) fn load(path: &Path) -> Result<Self, GgufError> {
        Self::read(&mut BufReader::new(File::open(path)?))
    }

    pub(crate) fn read(file: &mut (impl Read + Seek)) -> Result<Self, GgufError> {
        let gguf = Gguf::read(file)?;
        let tokenizer = Tokenizer::new(&gguf)?;
        let chat = ChatMl::new(&gguf, &tokenizer)?;
        let window = gguf.value("llama.context_length", |value| value.count(usize::MAX))?;
        Ok(Self { tokenizer, chat, window: window.min(WINDOW) })
    }

    /// The tokens of a text.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u32>, GgufError> {
        self.tokenizer.encode(text)
    }

    /// What the chat format adds to texts.
    pub(crate) fn format(&self) -> Result<ChatFormat, GgufError> {
        self.chat.format(&self.tokenizer)
    }

    /// The prompt that these messages make.
    pub(crate) fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>, GgufError> {
        self.chat.prompt(&self.tokenizer, messages)
    }
}

/// A loaded model and what it remembers of the last prompt.
pub(crate) struct Engine {
    head: Arc<Head>,
    llama: Llama,
    context: Context,
    /// The tokens of the context that were read in whole chunks. Only these are used
    /// again: their numbers do not depend on what followed, so an answer is the same
    /// whether the prompt was remembered or not.
    remembered: Vec<u32>,
}

impl Engine {
    /// Loads the weights, on the threads of the pool that this is called in.
    pub(crate) fn load(path: &Path, head: Arc<Head>) -> Result<Self, GgufError> {
        Self::read(&mut BufReader::new(File::open(path)?), head)
    }

    pub(crate) fn read(file: &mut (impl Read + Seek), head: Arc<Head>) -> Result<Self, GgufError> {
        let llama = Llama::read(&Gguf::read(file)?, file)?;
        // The file may have been exchanged since its head was read.
        if llama.vocabulary() != head.tokenizer.len() || llama.window() != head.window {
            return Err(GgufError::Damaged("it changed while it was read"));
        }
        let context = llama.context();
        Ok(Self { head, llama, context, remembered: Vec::new() })
    }

    /// Answers, and gives each piece as soon as it is there.
    pub(crate) fn answer(
        &mut self,
        request: &Request,
        seed: u64,
        stop: &dyn Fn() -> bool,
        give: &mut dyn FnMut(Delta),
    ) -> Result<(), AnswerError> {
        let prompt = self.head.prompt(&request.messages)?;
        let window = self.llama.window();
        let output = request.max_output.unwrap_or(1).max(1);
        if prompt.len() as u64 + output > window as u64 {
            return Err(AnswerError::Overflow { window, prompt: prompt.len(), output });
        }
        let (mut state, cached) = self.read_prompt(&prompt, stop)?;

        let room = (window - prompt.len()) as u64;
        let most = request.max_output.map_or(room, |asked| asked.max(1));
        let mut sampler = Sampler::new(request.temperature, seed);
        let mut characters = Characters::default();
        // Dice lead out again.
        let mut circles = sampler.is_greedy().then(Circles::default);
        let mut completion = 0;
        let finish = loop {
            let next = sampler.choose(&mut self.llama.scores(state)?);
            if self.head.tokenizer.is_control(next) {
                break Finish::Stop;
            }
            completion += 1;
            let text = characters.push(self.head.tokenizer.bytes(next));
            if !text.is_empty() {
                give(Delta::Text(text));
            }
            let circle = circles.as_mut().is_some_and(|circles| circles.closed_by(next));
            if completion == most || circle {
                break Finish::Length;
            }
            state = self.llama.read_tokens(&mut self.context, &[next], stop)?;
        };
        let rest = characters.finish();
        if !rest.is_empty() {
            give(Delta::Text(rest));
        }
        give(Delta::Finished(finish));
        let (prompt, cached) = (prompt.len() as u64, cached as u64);
        give(Delta::Usage(Usage { prompt, cached, completion, reasoning: 0 }));
        Ok(())
    }

    /// Reads the prompt, except for what is remembered of it. Gives the state after its
    /// last token and how many tokens were remembered.
    fn read_prompt(
        &mut self,
        prompt: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Result<(Vec<f32>, usize), StepError> {
        let same = prompt.iter().zip(&self.remembered).take_while(|(a, b)| a == b).count();
        // The last token is always read, because its state is asked for.
        let cached = same.min(prompt.len().saturating_sub(1)) / CHUNK * CHUNK;
        self.context.truncate(cached);
        self.remembered.truncate(cached);
        let mut state = Vec::new();
        for chunk in prompt[cached..].chunks(CHUNK) {
            state = self.llama.read_tokens(&mut self.context, chunk, stop)?;
            if chunk.len() == CHUNK {
                self.remembered.extend_from_slice(chunk);
            }
        }
        Ok((state, cached))
    }
}
