//! Exact tokenizers (EST-3). A vocabulary is unpacked when it is first used.

/// A tokenizer that Plimsoll knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tokenizer {
    /// OpenAI's vocabulary since GPT-4o.
    O200k,
    /// OpenAI's vocabulary of GPT-4 and GPT-3.5.
    Cl100k,
}

impl Tokenizer {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::O200k, Self::Cl100k];

    /// The name used in the catalog.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
        }
    }

    /// The tokenizer with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tokenizer| tokenizer.name() == name)
    }

    /// The exact number of tokens.
    pub fn count(self, text: &str) -> u64 {
        self.vocabulary().count(text) as u64
    }

    /// The byte length of each token of a text, in order.
    pub fn token_lengths(self, text: &str) -> Vec<usize> {
        let vocabulary = self.vocabulary();
        let tokens = vocabulary.encode(text);
        tokens.into_iter().map(|token| vocabulary.bpe.token_len(token)).collect()
    }

    fn vocabulary(self) -> &'static bpe_openai::Tokenizer {
        match self {
            Self::O200k => bpe_openai::o200k_base(),
            Self::Cl100k => bpe_openai::cl100k_base(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn est_3_counts_what_the_vocabulary_says() {
        assert_eq!(Tokenizer::O200k.count(""), 0);
        assert_eq!(Tokenizer::O200k.count("hello world"), 2);
        assert_eq!(Tokenizer::Cl100k.count("hello world"), 2);
        let japanese = "船の喫水線は積荷の限度を示す";
        assert!(Tokenizer::O200k.count(japanese) < Tokenizer::Cl100k.count(japanese));
    }

    #[test]
    fn token_lengths_cover_the_text() {
        let text = "Loaded to her marks: 12,345 tons, 日本語 and 🚢.\n\n  fn main() {}";
        for tokenizer in Tokenizer::ALL {
            let lengths = tokenizer.token_lengths(text);
            assert_eq!(lengths.iter().sum::<usize>(), text.len());
            assert_eq!(lengths.len() as u64, tokenizer.count(text));
        }
    }

    #[test]
    fn names_round_trip() {
        for tokenizer in Tokenizer::ALL {
            assert_eq!(Tokenizer::parse(tokenizer.name()), Some(tokenizer));
        }
        assert_eq!(Tokenizer::parse("smollm2"), None);
    }
}
