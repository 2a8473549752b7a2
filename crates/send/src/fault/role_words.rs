//! The words that give a number its role.

use super::{roles::Role, words::entries};

/// The parameter that asks for an amount of output, under its many names.
pub(super) const OUTPUT_PARAMETERS: &str = "\
    max_tokens$; max_completion_tokens; max_new_tokens; max_output_tokens; maxoutputtokens;
    maxtokens$; max_tokens_to_sample; max_tokens_to_generate; max_gen_len; maxtokencount;
    num_predict; n_predict; maxnewtokens; maxcompletiontokens";

/// Units in which a text may be measured other than tokens.
const TEXT_UNITS: &str = "\
    char; chars; character; characters; byte; bytes; kb; mb; gb; kib; mib; 个字符; 字符; 字节";
/// Units of other things.
const OTHER_UNITS: &str = "\
    b; words; images; image; pages; page; px; pixels; seconds; second; secs; s; ms;
    milliseconds; minutes; minute; min; hours; hour; days; day; requests; messages; items;
    tools; files; times; retries; attempts; usd; 秒";

/// Sure words for what is allowed.
const LIMIT: &str = "\
    maximum; max; limit; limits; limited; most; allowed; allows; supports; supported; capacity;
    exceed; exceeds; exceeded; exceeding; than; equal; only; just; threshold; cap; ceiling;
    beyond; below; under; within; afford; n_ctx; n_ctx_train; n_ctx_slot; num_ctx; max_seq_len;
    max_model_len; max_position_embeddings; max_context_length; context_length; context_window;
    max_input_tokens; max_prompt_tokens; model_max_length; max_seq_length; maxlength";
/// Vague words for it.
const LIMIT_VAGUE: &str = "context; window; available; up; with; max_length";

/// Words for everything together.
const TOTAL_VAGUE: &str = "total; totals; totaling; requires; require; required";

/// Sure words for what was asked for.
const REQUESTED: &str = "\
    requested; resulted; contains; contain; contained; given; got; received; has; have; had;
    provided; actual; sent; current; currently; your; keep; n_prompt_tokens; input_ids;
    estimated; consists; projected; passed";
/// Vague words for it.
const REQUESTED_VAGUE: &str = "\
    prompt; prompts; input; inputs; messages; request; long; large; count; conversation; needs;
    was; prompt_tokens; input_tokens; requesttokens; text";

/// Words for the share of the output.
const OUTPUT_VAGUE: &str = "generating; generation; completion; output";

/// Words for numbers that are neither.
const NEITHER: &str = "\
    used; remaining; left; error; rpm; rpd; n_keep; n_past";
/// Words for numbers that name something rather than count it.
const NAMES: &str = "code; status; http; id; task; port; index; position; line";

/// The role that a word on the left announces, and whether it is sure of it.
pub(super) fn announced(word: &str) -> Option<(Role, bool)> {
    let tables = [
        (LIMIT, (Role::Limit, true)),
        (LIMIT_VAGUE, (Role::Limit, false)),
        (TOTAL_VAGUE, (Role::Total, false)),
        (REQUESTED, (Role::Requested, true)),
        (REQUESTED_VAGUE, (Role::Requested, false)),
        (OUTPUT_VAGUE, (Role::Output, false)),
        (NEITHER, (Role::None, true)),
        (NAMES, (Role::None, true)),
    ];
    let found = tables.iter().find(|(table, _)| lists(table, word)).map(|(_, role)| *role);
    found
        .or_else(|| is_output_parameter(word).then_some((Role::Output, false)))
        .or_else(|| foreign_role(word))
}

/// The last telling part of a word in another script.
fn foreign_role(word: &str) -> Option<(Role, bool)> {
    if word.is_ascii() {
        return None;
    }
    let last = |table| entries(table).filter_map(|part| word.rfind(part)).max();
    let limit = last("最大; 上限; 限制; 最多; 超过; 超出; 大于; 最长; 仅支持; 范围");
    let requested = last("当前; 实际; 请求; 输入; 已使用; 您的; 共");
    match (limit, requested) {
        (Some(limit), Some(requested)) if requested > limit => Some((Role::Requested, false)),
        (Some(_), _) => Some((Role::Limit, true)),
        (None, Some(_)) => Some((Role::Requested, true)),
        (None, None) => None,
    }
}

/// Whether a word on the right says which share the number is.
pub(super) fn share(word: &str) -> Option<Role> {
    const OUTPUT: &str = "completion; output; response; generation; generated; reply";
    const INPUT: &str = "prompt; messages; message; input; inputs; text; functions; tools";
    if lists(OUTPUT, word) || is_output_parameter(word) {
        Some(Role::Output)
    } else {
        lists(INPUT, word).then_some(Role::Input)
    }
}

/// Whether the number after a word is a name: `task id = 2017`.
pub(super) fn is_name(word: &str) -> bool {
    lists(NAMES, word)
}

/// Whether a number with this unit counts something other than tokens.
pub(super) fn is_other_unit(word: &str) -> bool {
    lists(OTHER_UNITS, word) || measures_text(word)
}

/// Whether a word is a unit of text, but not the token.
pub(super) fn measures_text(word: &str) -> bool {
    lists(TEXT_UNITS, word)
}

/// Whether a word in another script says that the number before it is too large.
pub(super) fn exceeds_in_chinese(word: &str) -> bool {
    !word.is_ascii() && entries("超过; 超出; 大于; 超了").any(|part| word.contains(part))
}

fn is_output_parameter(word: &str) -> bool {
    let name = word.rsplit(['.', '/', '#']).next().unwrap_or(word);
    lists(OUTPUT_PARAMETERS, name)
}

fn lists(table: &str, word: &str) -> bool {
    entries(table).any(|entry| entry.trim_end_matches('$') == word)
}
