//! Which role a number plays in a sentence.

use crate::{lex::Token, phrases::*, status::is_status};

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The most that is allowed.
    Limit,
    /// The first that is not allowed.
    Below,
    /// Everything that was asked for.
    Total,
    /// What was asked for.
    Requested,
    /// The share of the input.
    Input,
    /// The share of the output.
    Output,
    /// Something else.
    None,
}

/// The role of the number at `at`.
pub(crate) fn role(tokens: &[Token<'_>], at: usize) -> Role {
    if is_status(tokens, at) || is_named(tokens, at) {
        return Role::None;
    }
    let right = Right::read(tokens, at);
    if right.other_unit || right.excess {
        return Role::None;
    }
    if let Some(role) = by_sign(tokens, at) {
        return role;
    }
    if right.says_limit {
        return Role::Limit;
    }
    if right.exclusive {
        return Role::Below;
    }
    if right.per_time && follows_limit(tokens, at) {
        return Role::Limit;
    }
    let left = from_left(tokens, at);
    match left {
        Left::Excess => Role::None,
        // `max_tokens (384000) exceeds …`: a share stays a share.
        Left::Role(Role::Output) if right.exceeds => Role::Output,
        _ if right.exceeds => Role::Requested,
        Left::Role(Role::Limit) => Role::Limit,
        Left::Role(Role::Total) => Role::Total,
        _ if right.share.is_some() => right.share.unwrap_or(Role::None),
        Left::Role(role) => role,
        Left::Nothing => Role::None,
    }
}

/// `rate limit for your organization (…) of 20,000 input tokens per minute`.
fn follows_limit(tokens: &[Token<'_>], at: usize) -> bool {
    let before = tokens[..at].iter().rev().take(16);
    before
        .take_while(|token| !matches!(token, Token::Number(_) | Token::Stop))
        .any(|token| matches!(token, Token::Word("limit" | "limits")))
}

/// `task id = 2017`, `code: 1261`. With a unit it is a count after all.
fn is_named(tokens: &[Token<'_>], at: usize) -> bool {
    let counts = matches!(tokens.get(at + 1), Some(Token::Word("tokens" | "token")));
    let mut before = tokens[..at].iter().rev();
    let last = before.find(|token| !matches!(token, Token::Sign(":" | "=" | "(" | "[")));
    !counts && matches!(last, Some(Token::Word(word)) if lists(NAMES, word))
}

/// `N > M`, `<= M`, `[1, M]`, `1..M`, `between 1 and M`, `from 1 to M`.
fn by_sign(tokens: &[Token<'_>], at: usize) -> Option<Role> {
    let back = |n: usize| at.checked_sub(n).map(|i| tokens[i]);
    let is_number = |token: Option<Token<'_>>| matches!(token, Some(Token::Number(_)));
    match back(1) {
        Some(Token::Word("from" | "between")) => return Some(Role::None),
        Some(Token::Sign("<=" | "<")) => {
            return Some(if is_number(back(2)) { Role::Requested } else { Role::Limit });
        }
        Some(Token::Sign(">" | ">=")) => return Some(Role::Limit),
        // `9000/8192` is a comparison only if the first is larger.
        Some(Token::Sign("/")) if back(2) > Some(tokens[at]) && is_number(back(2)) => {
            return Some(Role::Limit);
        }
        Some(Token::Sign("..")) if is_number(back(2)) => return Some(Role::Limit),
        Some(Token::Sign(",")) if is_number(back(2)) && back(3) == Some(Token::Sign("[")) => {
            return Some(Role::Limit);
        }
        Some(Token::Word("and" | "to")) if is_number(back(2)) => {
            if matches!(back(3), Some(Token::Word("between" | "from"))) {
                return Some(Role::Limit);
            }
        }
        _ => {}
    }
    // The words `tokens` may stand between the number and the sign.
    let ahead = tokens[at + 1..].iter().filter(|t| !matches!(t, Token::Word("tokens" | "token")));
    let mut ahead = ahead.take(4);
    match (ahead.next(), ahead.next(), ahead.next()) {
        // `(20000 > 16384 - 9000)` repeats in signs what the words said before.
        (Some(Token::Sign(">")), Some(Token::Number(_)), Some(Token::Sign("-"))) => {
            Some(Role::None)
        }
        (Some(Token::Sign(">" | ">=")), Some(Token::Number(_)), _) => Some(Role::Requested),
        // `10247 >= n_ctx: 4096`: the limit goes by its name.
        (Some(Token::Sign(">=")), Some(Token::Word(_)), _) => Some(Role::Requested),
        (Some(Token::Sign("<" | "<=")), Some(Token::Number(_)), _) => Some(Role::Limit),
        (Some(Token::Sign("/")), Some(next @ Token::Number(Some(_))), _) if tokens[at] > *next => {
            Some(Role::Requested)
        }
        (Some(Token::Sign("..")), Some(Token::Number(_)), _) => Some(Role::None),
        (Some(Token::Sign(",")), Some(Token::Number(_)), Some(Token::Sign("]"))) => {
            Some(Role::None)
        }
        _ => None,
    }
}

/// What is said right after a number.
#[derive(Default)]
struct Right {
    other_unit: bool,
    excess: bool,
    says_limit: bool,
    exclusive: bool,
    exceeds: bool,
    aside: bool,
    per_time: bool,
    share: Option<Role>,
}

impl Right {
    fn read(tokens: &[Token<'_>], at: usize) -> Self {
        let mut right = Self::default();
        let mut words = 0;
        let mut closed = false;
        let mut previous = "";
        for (step, token) in tokens[at + 1..].iter().take(14).enumerate() {
            match token {
                Token::Word(word) => {
                    if step == 0 && (lists(OTHER_UNITS, word) || lists(TEXT_UNITS, word)) {
                        right.other_unit = true;
                    }
                    if !matches!(*word, "token" | "tokens" | "个" | "个token") {
                        words += 1;
                    }
                    right.hear(word, previous, words, closed);
                    previous = word;
                }
                Token::Sign(")") => closed = true,
                Token::Sign("%") if step == 0 => right.other_unit = true,
                Token::Sign("," | "(" | "+" | "-" | "[" | "]" | ":") => closed = true,
                Token::Sign(_) => {}
                Token::Number(_) | Token::Negative | Token::Stop => break,
            }
        }
        right
    }

    fn hear(&mut self, word: &str, previous: &str, words: usize, closed: bool) {
        let first = words == 1;
        match word {
            "maximum" | "max" | "limit" if first && !closed => self.says_limit = true,
            "exclusive" if first => self.exclusive = true,
            "provided" | "given" | "received" | "requested" | "sent" if first && !closed => {
                self.exceeds = true;
            }
            "over" | "above" | "more" | "excess" | "extra" if first && !closed => {
                self.excess = true
            }
            "many" if previous == "too" && words <= 2 => self.excess = true,
            "long" | "large" | "big" if previous == "too" && words == 2 && !closed => {
                self.excess = true;
            }
            "long" | "large" | "big" if previous == "too" && words <= 3 => self.exceeds = true,
            "exceeds" | "exceed" | "surpasses" | "exceeding" if words <= 5 => self.exceeds = true,
            "exceeded" if first => self.exceeds = true,
            // `limit of 8192 exceeded by the prompt` speaks of the limit after all.
            "by" if previous == "exceeded" => self.exceeds = false,
            "less" | "fewer" | "lower" if previous == "or" && words <= 2 => self.says_limit = true,
            "minute" | "min" | "hour" | "day" | "second" if previous == "per" && words <= 3 => {
                self.per_time = true;
            }
            "greater" | "larger" | "longer" | "bigger" | "than" | "less" if words <= 4 => {
                self.exceeds = true
            }
            _ => {}
        }
        if exceeds_in_chinese(word) && words <= 3 {
            self.exceeds = true;
        }
        // What follows these says something about the number, not what it counts.
        self.aside |= matches!(word, "including" | "which" | "but" | "however" | "while" | "so");
        if closed || self.aside || words > 5 || self.share.is_some() {
            return;
        }
        self.share = share(word);
    }
}

/// What the nearest telling word on the left says.
enum Left {
    Role(Role),
    Excess,
    Nothing,
}

fn from_left(tokens: &[Token<'_>], at: usize) -> Left {
    let mut found: Option<Role> = None;
    let mut words = 0;
    for token in tokens[..at].iter().rev().take(16) {
        let word = match token {
            Token::Word(word) => *word,
            Token::Number(_) | Token::Negative | Token::Stop => break,
            Token::Sign("," | ":") if found.is_some() => break,
            Token::Sign(_) => continue,
        };
        words += 1;
        match found {
            None if word == "by" && words <= 3 => return Left::Excess,
            // `exceeded by a prompt of 9000`: the verb belongs to what stands before.
            Some(_) if word == "by" => break,
            _ => {}
        }
        match (found, announced(word)) {
            (None, Some((role, sure))) => {
                if sure {
                    return Left::Role(role);
                }
                found = Some(role);
                words = 0;
            }
            // A vague word is overruled by a sure one close before it: the `maximum`
            // of `maximum input length is 8192`, the `your` of `your context is 9000`.
            (Some(vague), Some((role, true))) if words <= 3 && role != Role::None => {
                let out = matches!((vague, role), (Role::Output, Role::Requested | Role::Total));
                return Left::Role(if out { vague } else { role });
            }
            (Some(Role::Requested), Some((Role::Output, _))) => return Left::Role(Role::Output),
            _ => {}
        }
    }
    found.map_or(Left::Nothing, Left::Role)
}

/// The role that a word on the left announces, and whether it is sure of it.
fn announced(word: &str) -> Option<(Role, bool)> {
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
    match (last(LIMIT_PARTS), last(REQUESTED_PARTS)) {
        (Some(limit), Some(requested)) if requested > limit => Some((Role::Requested, false)),
        (Some(_), _) => Some((Role::Limit, true)),
        (None, Some(_)) => Some((Role::Requested, true)),
        (None, None) => None,
    }
}

/// Whether a word on the right says which share the number is.
fn share(word: &str) -> Option<Role> {
    if lists(OUTPUT_SHARES, word) || is_output_parameter(word) {
        Some(Role::Output)
    } else {
        lists(INPUT_SHARES, word).then_some(Role::Input)
    }
}

/// Whether a word in another script says that the number before it is too large.
fn exceeds_in_chinese(word: &str) -> bool {
    !word.is_ascii() && entries(EXCESS_PARTS).any(|part| word.contains(part))
}

fn is_output_parameter(word: &str) -> bool {
    let name = word.rsplit(['.', '/', '#']).next().unwrap_or(word);
    lists(OUTPUT_PARAMETERS, name)
}
