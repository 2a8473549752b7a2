//! A model of a few thousand numbers without meaning, for tests that need no weights.

use std::path::PathBuf;

const WIDTH: u64 = 32;
const FEED: u64 = 64;
const CONTROLS: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/// The file of a tiny model with this window.
pub(crate) fn file(window: u32) -> Vec<u8> {
    let mut tokens: Vec<String> = CONTROLS.map(str::to_owned).to_vec();
    tokens.extend((0..=u8::MAX).map(|byte| crate::tokenizer::letter(byte).to_string()));
    tokens.push("ab".to_owned());
    let vocabulary = tokens.len() as u64;

    let mut values = Writer::default();
    values.text_value("general.architecture", "llama");
    values.text_value("general.name", "a name that nobody asks for");
    values.text_value("tokenizer.ggml.model", "gpt2");
    values.text_value("tokenizer.ggml.pre", "smollm");
    values.text_value("tokenizer.chat_template", "<|im_start|> <|im_end|>");
    for (name, value) in [
        ("llama.block_count", 2),
        ("llama.context_length", window),
        ("llama.embedding_length", WIDTH as u32),
        ("llama.feed_forward_length", FEED as u32),
        ("llama.attention.head_count", 2),
        ("llama.attention.head_count_kv", 1),
    ] {
        values.text(name).number(4u32).number(value);
    }
    values.text("tokenizer.ggml.tokens").number(9u32).number(8u32).number(vocabulary);
    for token in &tokens {
        values.text(token);
    }
    values.text("tokenizer.ggml.token_type").number(9u32).number(5u32).number(vocabulary);
    for id in 0..tokens.len() {
        values.number(if id < CONTROLS.len() { 3u32 } else { 1 });
    }
    values.text("tokenizer.ggml.merges").number(9u32).number(8u32).number(1u64).text("a b");

    let mut tensors =
        vec![("token_embd".to_owned(), WIDTH, vocabulary), ("output_norm".to_owned(), WIDTH, 1)];
    for layer in 0..2 {
        for (part, columns, rows) in [
            ("attn_norm", WIDTH, 1),
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", WIDTH, WIDTH / 2),
            ("attn_v", WIDTH, WIDTH / 2),
            ("attn_output", WIDTH, WIDTH),
            ("ffn_norm", WIDTH, 1),
            ("ffn_gate", WIDTH, FEED),
            ("ffn_up", WIDTH, FEED),
            ("ffn_down", FEED, WIDTH),
        ] {
            tensors.push((format!("blk.{layer}.{part}"), columns, rows));
        }
    }
    let mut file = Writer::default();
    file.0.extend(b"GGUF");
    file.number(3u32).number(tensors.len() as u64).number(14u64);
    file.0.append(&mut values.0);
    let mut offset = 0u64;
    for (name, columns, rows) in &tensors {
        file.text(&format!("{name}.weight")).number(2u32).number(*columns).number(*rows);
        file.number(0u32).number(offset);
        offset += columns * rows * 4;
    }
    file.0.resize(file.0.len().next_multiple_of(32), 0);
    let mut state = 1u32;
    for _ in 0..offset / 4 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let value = (state >> 8) as f32 / (1 << 23) as f32 - 1.0;
        file.0.extend(value.to_le_bytes());
    }
    file.0
}

/// Writes a tiny model to a directory.
pub(crate) fn write(directory: &tempfile::TempDir, window: u32) -> PathBuf {
    let path = directory.path().join("tiny.gguf");
    std::fs::write(&path, file(window)).unwrap();
    path
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: impl Little) -> &mut Self {
        number.push(&mut self.0);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64).0.extend(text.bytes());
        self
    }

    fn text_value(&mut self, name: &str, text: &str) {
        self.text(name).number(8u32).text(text);
    }
}

trait Little {
    fn push(&self, out: &mut Vec<u8>);
}

impl Little for u32 {
    fn push(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}

impl Little for u64 {
    fn push(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}
