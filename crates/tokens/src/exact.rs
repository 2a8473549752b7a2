//! Exact tokenizers (EST-3). A vocabulary is unpacked when it is first used.

use std::{borrow::Cow, sync::LazyLock};

use tiktoken::{CoreBpe, encoding};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A tokenizer that Plimsoll knows. Models of one family share one, as their publishers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tokenizer {
    /// OpenAI's vocabulary since GPT-4o.
    O200k,
    /// OpenAI's vocabulary of GPT-4 and GPT-3.5.
    Cl100k,
    /// Meta's vocabulary since Llama 3.
    Llama3,
    /// Alibaba's vocabulary of Qwen 2, 2.5 and 3.
    Qwen2,
    /// The vocabulary of DeepSeek since V3.
    Deepseek,
    /// Mistral's vocabulary since NeMo.
    Tekken,
    /// Moonshot's vocabulary since Kimi K2.
    Kimi,
    /// The vocabulary of GLM 4.5, 4.6 and 4.7.
    Glm4,
    /// The vocabulary of GLM 4.7 Flash and since GLM 5.
    Glm5,
    /// The vocabulary of MiniMax since M2.
    Minimax,
}

impl Tokenizer {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::O200k,
        Self::Cl100k,
        Self::Llama3,
        Self::Qwen2,
        Self::Deepseek,
        Self::Tekken,
        Self::Kimi,
        Self::Glm4,
        Self::Glm5,
        Self::Minimax,
    ];

    /// The name used in the catalog.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::Llama3 => "llama3",
            Self::Qwen2 => "qwen2",
            Self::Deepseek => "deepseek",
            Self::Tekken => "tekken",
            Self::Kimi => "kimi",
            Self::Glm4 => "glm4",
            Self::Glm5 => "glm5",
            Self::Minimax => "minimax",
        }
    }

    /// The tokenizer with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tokenizer| tokenizer.name() == name)
    }

    /// All names, for those who asked for another.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// The exact number of tokens. What looks like a special token is ordinary text, as it is
    /// for providers: a message cannot end itself.
    pub fn count(self, text: &str) -> u64 {
        self.vocabulary().count(&self.normalised(text)) as u64
    }

    /// The ids of the tokens of a text, in order.
    pub fn ids(self, text: &str) -> Vec<u32> {
        self.vocabulary().encode(&self.normalised(text))
    }

    /// The byte length of each token of a text, in order. They add up to the text's length
    /// wherever the tokenizer takes the text as it is (all but Qwen's do).
    pub fn token_lengths(self, text: &str) -> Vec<usize> {
        let vocabulary = self.vocabulary();
        self.ids(text).into_iter().map(|token| vocabulary.decode(&[token]).len()).collect()
    }

    /// The text as the tokenizer reads it: Qwen's composes letters and their accents first.
    fn normalised(self, text: &str) -> Cow<'_, str> {
        if self != Self::Qwen2 || is_nfc_quick(text.chars()) == IsNormalized::Yes {
            return Cow::Borrowed(text);
        }
        Cow::Owned(text.nfc().collect())
    }

    fn vocabulary(self) -> &'static CoreBpe {
        static O200K: LazyLock<CoreBpe> = LazyLock::new(encoding::o200k_base);
        static CL100K: LazyLock<CoreBpe> = LazyLock::new(encoding::cl100k_base);
        static LLAMA3: LazyLock<CoreBpe> = LazyLock::new(encoding::llama3);
        static QWEN2: LazyLock<CoreBpe> = LazyLock::new(encoding::qwen2);
        static DEEPSEEK: LazyLock<CoreBpe> = LazyLock::new(encoding::deepseek_v3);
        static TEKKEN: LazyLock<CoreBpe> = LazyLock::new(encoding::mistral_v3);
        static KIMI: LazyLock<CoreBpe> = LazyLock::new(encoding::kimi_k2);
        static GLM4: LazyLock<CoreBpe> = LazyLock::new(encoding::glm4);
        static GLM5: LazyLock<CoreBpe> = LazyLock::new(encoding::glm5);
        static MINIMAX: LazyLock<CoreBpe> = LazyLock::new(encoding::minimax_m2);
        match self {
            Self::O200k => &O200K,
            Self::Cl100k => &CL100K,
            Self::Llama3 => &LLAMA3,
            Self::Qwen2 => &QWEN2,
            Self::Deepseek => &DEEPSEEK,
            Self::Tekken => &TEKKEN,
            Self::Kimi => &KIMI,
            Self::Glm4 => &GLM4,
            Self::Glm5 => &GLM5,
            Self::Minimax => &MINIMAX,
        }
    }
}

#[cfg(test)]
#[path = "exact_tests.rs"]
mod tests;
