use proptest::prelude::*;

use super::*;

/// The peer that the ids are held against: another author's code, with other tables.
fn peers() -> [(Tokenizer, &'static bpe_openai::Tokenizer); 2] {
    [(Tokenizer::O200k, bpe_openai::o200k_base()), (Tokenizer::Cl100k, bpe_openai::cl100k_base())]
}

fn agree(text: &str) -> Result<(), TestCaseError> {
    for (ours, peer) in peers() {
        let ids = ours.ids(text);
        prop_assert_eq!(&ids, &peer.encode(text), "{} of {:?}", ours.name(), text);
        prop_assert_eq!(ids.len() as u64, ours.count(text));
    }
    Ok(())
}

#[test]
fn est_3_counts_what_the_vocabulary_says() {
    for tokenizer in Tokenizer::ALL {
        assert_eq!(tokenizer.count(""), 0, "{}", tokenizer.name());
        assert_eq!(tokenizer.count("hello world"), 2, "{}", tokenizer.name());
    }
    let japanese = "船の喫水線は積荷の限度を示す";
    assert!(Tokenizer::O200k.count(japanese) < Tokenizer::Cl100k.count(japanese));
}

/// What tells the families apart most: whether digits are read one by one or by threes.
#[test]
fn est_3_families_read_numbers_as_their_publishers_say() {
    use Tokenizer::{Cl100k, Deepseek, Llama3, O200k, Qwen2, Tekken};
    for (tokenizer, tokens) in
        [(O200k, 2), (Cl100k, 2), (Llama3, 2), (Deepseek, 2), (Qwen2, 6), (Tekken, 6)]
    {
        assert_eq!(tokenizer.count("123456"), tokens, "{}", tokenizer.name());
    }
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

/// Qwen's tokenizer composes first, so both spellings of one word weigh the same.
#[test]
fn est_3_qwen_reads_composed_letters() {
    let (apart, composed) = ("cafe\u{301} du Nord", "caf\u{e9} du Nord");
    assert_eq!(Tokenizer::Qwen2.ids(apart), Tokenizer::Qwen2.ids(composed));
    assert_ne!(Tokenizer::O200k.ids(apart), Tokenizer::O200k.ids(composed));
}

/// Special tokens in a user's text are ordinary text.
#[test]
fn est_3_what_looks_like_a_special_token_is_text() {
    for (tokenizer, special) in [
        (Tokenizer::O200k, "<|endoftext|>"),
        (Tokenizer::Cl100k, "<|endofprompt|>"),
        (Tokenizer::Llama3, "<|eot_id|>"),
        (Tokenizer::Qwen2, "<|im_end|>"),
        (Tokenizer::Deepseek, "<｜Assistant｜>"),
        (Tokenizer::Tekken, "[/INST]"),
        (Tokenizer::Kimi, "<|im_end|>"),
        (Tokenizer::Glm4, "<|assistant|>"),
        (Tokenizer::Glm5, "<|assistant|>"),
        (Tokenizer::Minimax, "]~!b["),
    ] {
        assert!(tokenizer.count(special) > 1, "{} {special}", tokenizer.name());
    }
}

/// Ten times the text must take about ten times the work, whatever the text is. A quadratic
/// one would not come back: 4 MB of one letter are 16 million million steps.
#[test]
fn est_3_one_endless_word_is_not_quadratic() {
    let base64: String = (0..100_000_u64)
        .map(|at| {
            let digit = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
            char::from(
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[digit as usize],
            )
        })
        .collect();
    let endless = ["a".repeat(100_000), " ".repeat(100_000), "船".repeat(30_000), base64];
    for tokenizer in Tokenizer::ALL {
        for text in &endless {
            assert!(tokenizer.count(text) > 100, "{}", tokenizer.name());
        }
    }
    let long = "a".repeat(4_000_000);
    assert!(Tokenizer::O200k.count(&long) > 100_000);
}

/// Threads that count at once, each on the small stack that threads have by default.
#[test]
fn est_3_threads_count_alike() {
    let text = "The mark on her side says how deep she may lie. 載貨は線まで。 1234567".repeat(50);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let text = text.clone();
            std::thread::spawn(move || Tokenizer::ALL.map(|tokenizer| tokenizer.count(&text)))
        })
        .collect();
    let counts: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(counts.windows(2).all(|pair| pair[0] == pair[1]));
}

const SPECIAL_LIKE: [&str; 12] = [
    "<|endoftext|>",
    "<|endofprompt|>",
    "<|im_start|>",
    "<|",
    "|>",
    "'ll",
    "'S",
    "\r\n\r\n/",
    " \u{a0}\u{3000}",
    "\u{200d}🏴‍☠️",
    "e\u{301}\u{301}",
    "  \n \t",
];

fn scraps() -> impl Strategy<Value = String> {
    let scrap = prop_oneof![
        any::<String>(),
        "[ -~]{0,20}",
        "[\\p{L}\\p{M}]{0,12}",
        "[\\p{Han}\\p{Hiragana}\\p{Hangul}]{0,20}",
        "[\\p{Arabic}\\p{Hebrew}\\p{Devanagari}\\p{Thai}\\p{Cyrillic}\\p{Greek}]{0,20}",
        "[\\p{N}]{0,12}",
        "[\\s]{0,6}",
        "\\PC{0,20}",
        prop::sample::select(&SPECIAL_LIKE[..]).prop_map(str::to_owned),
    ];
    prop::collection::vec(scrap, 0..12).prop_map(|scraps| scraps.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// EST-3: every id is the one that an independent tokenizer gives.
    #[test]
    fn est_3_every_id_agrees_with_the_peer_on_random_texts(text in scraps()) {
        agree(&text)?;
    }

    /// No vocabulary loses a byte, and none of them panics.
    #[test]
    fn est_3_every_family_reads_every_text(text in scraps()) {
        for tokenizer in Tokenizer::ALL {
            let read = tokenizer.normalised(&text);
            let back = tokenizer.vocabulary().decode(&tokenizer.ids(&text));
            prop_assert_eq!(&back[..], read.as_bytes(), "{}", tokenizer.name());
        }
    }
}
