//! What can be typed to weigh texts and to plan a send.

use std::path::PathBuf;

use clap::Args;

/// Count the tokens of files or of standard input, like `wc`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll tokens src/*.rs\n  \
    git diff | plimsoll tokens -m gpt-4o\n  \
    plimsoll tokens --method fast --json notes.md | jq .total\n\n\
    Methods: auto is exact where the model's tokenizer is known, else fast.")]
pub(crate) struct TokensArgs {
    /// Files to weigh; `-` or none is standard input
    pub(crate) files: Vec<PathBuf>,

    /// The model that the texts are for
    #[arg(short, long)]
    pub(crate) model: Option<String>,

    /// How to count: auto, fast, heuristic, bytes4 or exact
    #[arg(long, value_parser = parse_method)]
    pub(crate) method: Option<plimsoll_tokens::Method>,

    /// Characters to a token, for the heuristic
    #[arg(long, value_name = "N", value_parser = parse_ratio)]
    pub(crate) cpt: Option<f64>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Predict what would be sent from a history, and what stays ashore
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll plan --pairs history.jsonl -m phi-3-mini-4k --draft 'And today?'\n  \
    plimsoll plan --pairs history.jsonl --filter \"t'Ships' & s>=2\" --limit 8192\n  \
    plimsoll plan --pairs history.jsonl --filter 'd<7d & !e' --json\n\n\
    A history is one JSON object a line: id, userText and createdAt are required;\n\
    assistantText, star, colorFlag, use, kind, model, topic and lifecycleState may be\n\
    there.")]
pub(crate) struct PlanArgs {
    /// The history, one pair a line; `-` is standard input
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) pairs: Option<PathBuf>,

    /// Which pairs are visible, in the filter language
    #[arg(long, short, default_value = "")]
    pub(crate) filter: String,

    /// The model to plan for; else the newest pair's
    #[arg(short, long)]
    pub(crate) model: Option<String>,

    /// The topic that a bare `t` means, as a path /A/B
    #[arg(long)]
    pub(crate) topic: Option<String>,

    /// The message that would be sent
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) draft: String,

    /// The model limit ML, whatever the model says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,

    /// The user request allowance URA
    #[arg(long, value_name = "N")]
    pub(crate) ura: Option<u64>,

    /// Characters to a token, for the heuristic
    #[arg(long, value_name = "N", value_parser = parse_ratio)]
    pub(crate) cpt: Option<f64>,

    /// Tokens of the prelude
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) prelude: u64,

    /// Tokens kept for the answer; else by the settings
    #[arg(long, value_name = "N")]
    pub(crate) reply_reserve: Option<u64>,

    /// Tokens that each message costs beyond its text
    #[arg(long, value_name = "N")]
    pub(crate) message_overhead: Option<u64>,

    /// How to count: auto, fast, heuristic, bytes4 or exact
    #[arg(long, value_parser = parse_method)]
    pub(crate) method: Option<plimsoll_tokens::Method>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_method(text: &str) -> Result<plimsoll_tokens::Method, String> {
    use plimsoll_tokens::Method;
    Method::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
        format!("it is one of {}", names.join(", "))
    })
}

fn parse_ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ratio) if ratio.is_finite() && ratio > 0.0 => Ok(ratio),
        _ => Err("it is a number above 0, such as 3.5".to_owned()),
    }
}
