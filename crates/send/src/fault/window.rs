//! How an overflow of the window is known: by codes, by phrases, and by the concept
//! of something about the input near something about exceeding (FAU-2, FAU-5).

use super::{
    evidence::Evidence,
    lex::{Token, lex},
    numbers,
    role_words::measures_text,
    words::{contains_any, find_any},
};

/// Codes that mean overflow and nothing else.
const CODES: &str = "\
    contextlengthexceeded; contextwindowexceeded; exceedcontextsize; exceedscontext;
    contextoverflow; contextlimit; contexttoolong; contextsizeexceeded; contextlengtherror;
    maxcontext; tokenslimitreached; tokenlimitreached; tokenlimitexceeded; tokenslimitexceeded;
    prompttokensexceeded; prompttoolong; promptistoolong; prompttoolarge; inputtoolong;
    inputtoolarge; inputtokensexceeded; inputlengthexceed; inputtokenlimit; tokensexceeded;
    maxtokensexceeded$; conversationtoolong; contextwindow; contextlength";

/// Phrases that mean overflow wherever they stand.
const SURE: &str = "\
    context length exceeded; context window exceeded; contextwindowexceeded;
    contextlengthexceeded; context size exceeded; maximum context length; max context length;
    maximum context size; max context size; exceeds the context; exceed the context;
    exceeded the context; exceeding the context; exceeds context; exceed context;
    exceeded context; exceeds the available context; available context size;
    exceeds the model's context; exceed the model's context; exceeded the model's context;
    exceeds the model context; exceeds model context; exceeds max context;
    exceeds maximum context; exceeds the maximum context; larger than the context;
    longer than the context; longer than the model's context; greater than the context;
    bigger than the context; context too long; context is too long; context too large;
    context is too large; context window is full; context is full; context window full;
    context limit; context length limit; context overflow; room in the model's context;
    context window limit; prompt is too long; prompt too long; prompt was too long;
    prompt is too large; prompt too large; prompt exceeds; prompt exceeded;
    prompt length exceeds; prompt tokens exceed; prompt tokens too long; prompt token count;
    maximum prompt length; max prompt length; maximum prompt size; maximum input length;
    max input length; input length exceeds; input token count; input tokens exceed;
    input tokens exceeds; too many input tokens; too many prompt tokens; range of input length;
    max input tokens; maximum number of input tokens; number of input tokens exceed;
    conversation too long; conversation is too long; model token limit; max message tokens;
    maximum model length; maximum sequence length; max seq len; max model len;
    maximum number of tokens allowed; chat history is too long; 上下文长度; 上下文窗口;
    最大上下文; 上下文过长; 上下文超; 超出上下文; 超过上下文; 输入过长; 输入太长; 输入长度超;
    输入超; 输入内容过长; 提示词过长; 提示过长; 对话过长; 对话内容过长; 内容过长; 文本过长;
    消息过长; prompt 过长; prompt过长; prompt 超长; prompt超长; 超长";

/// Advice that is given for an overflow, and for a request that took too long.
const ADVICE: &str = "\
    reduce the length of the messages; reduce the length of the prompt;
    reduce the length of the input; reduce the length of your; reduce your prompt";

/// Phrases that mean overflow unless the sentence measures something else, or the
/// status says that it is about time.
const LIKELY: &str = "\
    too many tokens; request too large; request is too large; too large for; input is too long;
    input too long; inputs too long; inputs is too long; input was too long;
    token limit exceeded; tokens limit exceeded; maximum number of tokens; maximum tokens;
    max tokens exceeded; token limit; context length; context window; context size;
    message is too long; message too long; message exceeds; text is too long; text too long";

/// Names of the window.
const WINDOWS: &str = "context window; context length; context size";

/// What other limits measure. A sentence about one of these is not about the window.
const OTHERS: &str = "\
    image; file; pdf; pages; byte; mb$; kb$; gb$; mib$; megabyte; pixel; dimension; string;
    tool; function; stop$; stop sequence; temperature; top p; top k; top logprobs; logprobs;
    batch; embedding; recursion; retries; retry limit; concurren; deadline; thinking budget;
    metadata; url$; header; name$; audio; video; duration; depth; array; items; penalty;
    logit bias; csrf; credential; json; schema; enum; property; properties; cookie; ssl;
    attachment; upload; choices; candidate; payload; n must; seed$; candidatecount; bearer;
    database; cache; documents; messages allowed; number of messages; username; seats;
    sessions; jobs; 图片; 文件; 图像";

/// Words about what goes in.
const SUBJECTS: &str = "\
    context; prompt; input; inputs; token; conversation; chat history; history; messages;
    sequence length; query; transcript; n ctx; 上下文; 输入; 提示; 对话; 消息; 文本; 字数;
    令牌数";

/// Words about being too much.
const EXCESSES: &str = "\
    exceed; too long; too large; too big; too many; too lengthy; longer than; larger than;
    greater than; more than; bigger than; over the limit; over the maximum; above the;
    beyond the; overflow; out of room; run out; ran out; not fit; doesn't fit; won't fit;
    can't fit; cannot fit; no room; less than; fewer than; at most; no more than; up to;
    surpass; limit reached; reached the limit; reached its limit; reached the maximum;
    hit the limit; length limit; size limit; maximum length; maximum size; max length; is full;
    not enough; must be <=; must be <; 超过; 超出; 过长; 太长; 超限; 上限; 大于; 过大;
    shorter than; limit your; keep your";

/// The code that means overflow.
pub(super) fn code(evidence: &Evidence) -> Option<&'static str> {
    evidence.code(CODES)
}

/// The phrase that means overflow.
pub(super) fn phrase(evidence: &Evidence) -> Option<&'static str> {
    if let Some(phrase) = find_any(&evidence.flat, SURE) {
        return Some(phrase);
    }
    if let Some(advice) = find_any(&evidence.flat, ADVICE).filter(|_| !took_too_long(evidence)) {
        return Some(advice);
    }
    if evidence.status == Some(429) {
        return None;
    }
    // FAU-5: some servers say the code and nothing else, where others put a sentence. A field
    // of that name that nobody knows is another matter.
    let about_field = |sentence: &str| {
        contains_any(
            sentence,
            "unknown; unrecognized; unexpected; not permitted; parameter; field; argument",
        )
    };
    let bare_code = |sentence: &&str| sentence.contains("context_length") && !about_field(sentence);
    if sentences(&evidence.hay).any(|sentence| bare_code(&sentence)) {
        return Some("context_length");
    }
    // A file or a tool may be what fills the window; where the window is named, it is
    // the window that was too small.
    let named =
        |sentence: &&str| contains_any(sentence, WINDOWS) && contains_any(sentence, EXCESSES);
    if sentences(&evidence.flat).any(|sentence| named(&sentence)) {
        return Some("context window");
    }
    sentences(&evidence.flat).filter(|s| !measures_other(s)).find_map(|sentence| {
        let phrase = find_any(sentence, LIKELY)?;
        // These name a window without saying that it was too small.
        let bare =
            matches!(phrase, "context length" | "context window" | "context size" | "token limit");
        (!bare || contains_any(sentence, EXCESSES) || has_number(sentence)).then_some(phrase)
    })
}

/// Whether one sentence speaks of the input and of too much.
pub(super) fn concept(evidence: &Evidence) -> bool {
    if evidence.status == Some(429) {
        return false;
    }
    sentences(&evidence.flat).any(|sentence| {
        contains_any(sentence, SUBJECTS)
            && (contains_any(sentence, EXCESSES) || states_excess(sentence))
            && !measures_other(sentence)
    })
}

/// Whether the failure is one of time.
pub(super) fn took_too_long(evidence: &Evidence) -> bool {
    let told = "timed out; time out; took too long; request timeout; read timeout; timeout error";
    evidence.status == Some(408) || contains_any(&evidence.flat, told)
}

/// Whether a text speaks of the model's window by name.
pub(super) fn is_named(text: &str) -> bool {
    contains_any(text, WINDOWS) || contains_any(text, "maximum context; max context")
}

/// Whether a limit is stated in bytes or characters. Where tokens are counted too the
/// other unit is an aside, and a whole conversation can be made smaller in any unit.
pub(super) fn counts_other_units(text: &str) -> bool {
    let bounds = "or less; or fewer; maximum; limit";
    let counts = |sentence: &str| {
        let tokens = lex(sentence);
        tokens.windows(2).any(
            |pair| matches!(pair, [Token::Number(_), Token::Word(unit)] if measures_text(unit)),
        )
    };
    !contains_any(text, "token; context; conversation; history")
        && sentences(text).any(|sentence| {
            (contains_any(sentence, EXCESSES) || contains_any(sentence, bounds)) && counts(sentence)
        })
}

/// Whether a sentence is about the size of something other than the window.
pub(super) fn measures_other(sentence: &str) -> bool {
    contains_any(sentence, OTHERS)
}

/// The sentences of a text. A dot inside a number or a name ends none.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split(". ")).filter(|sentence| !sentence.trim().is_empty())
}

/// `current length is 42000 while limit is 40000` needs no verb to be understood.
fn states_excess(sentence: &str) -> bool {
    let figures = numbers::read(sentence);
    matches!((figures.requested, figures.limit), (Some(requested), Some(limit)) if requested > limit)
}

fn has_number(sentence: &str) -> bool {
    sentence.bytes().filter(u8::is_ascii_digit).count() >= 3
}
