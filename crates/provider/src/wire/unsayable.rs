//! What of a request each protocol has no words for (GWY-4). Its encoder leaves that out, and
//! whoever sends for somebody else has to say so first.

use plimsoll_domain::json_is_bounded;
use plimsoll_send::{
    AnswerFormat, AnswerOptions, FilePart, Message, Part, Request, Role, ToolChoice, ToolResult,
};
use serde_json::Value;

use super::{anthropic_body, openai_options};

/// Something that a provider cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unsayable {
    /// The parameter, by the name that most protocols have for it.
    pub name: &'static str,
    /// Whether it only helps: without it nothing else is asked for.
    pub is_hint: bool,
}

impl Unsayable {
    /// For a provider that takes words alone.
    pub fn of_words(request: &Request) -> Vec<Self> {
        words(request, false)
    }
}

/// Names, each once, of what is true of a request.
#[derive(Default)]
struct Names(Vec<Unsayable>);

impl Names {
    fn add(&mut self, name: &'static str, is_hint: bool, is_there: bool) {
        let one = Unsayable { name, is_hint };
        if is_there && !self.0.contains(&one) {
            self.0.push(one);
        }
    }

    fn must(&mut self, name: &'static str, is_there: bool) {
        self.add(name, false, is_there);
    }

    fn hint(&mut self, name: &'static str, is_there: bool) {
        self.add(name, true, is_there);
    }
}

/// `takes_reasoning`: whether the server wants thoughts of earlier turns back.
pub(crate) fn openai(request: &Request, takes_reasoning: bool) -> Vec<Unsayable> {
    let options = &request.options;
    let mut names = Names::default();
    names.must("top_k", options.top_k.is_some());
    names
        .hint("reasoning_effort", options.effort.is_some_and(|one| !openai_options::is_known(one)));
    names.must("files that are no PDF", files(request).any(|file| !is_document(file)));
    names.must("images in tool results", results(request).any(|result| !result.parts.is_empty()));
    names.hint("is_error", results(request).any(|result| result.failed));
    names.hint("reasoning", !takes_reasoning && thinks(request));
    names.0
}

pub(crate) fn anthropic(request: &Request) -> Vec<Unsayable> {
    let options = &request.options;
    let mut names = Names::default();
    names.must("seed", options.seed.is_some());
    names.must("frequency_penalty", options.frequency_penalty.is_some_and(|value| value != 0.0));
    names.must("presence_penalty", options.presence_penalty.is_some_and(|value| value != 0.0));
    // Only a schema can be asked for.
    names.must("response_format", options.format == Some(AnswerFormat::JsonObject));
    names
        .hint("reasoning_effort", options.effort.is_some_and(|one| !anthropic_body::is_known(one)));
    names.must("files that are no PDF", files(request).any(|file| !is_document(file)));
    apart_from_the_turns(request, &mut names);
    names.0
}

pub(crate) fn gemini(request: &Request) -> Vec<Unsayable> {
    let options = &request.options;
    let mut names = Names::default();
    let one_by_one = options.parallel_tool_calls == Some(false) && !request.tools.is_empty();
    names.must("parallel_tool_calls", one_by_one);
    names.must("image_url", parts(request).any(|part| matches!(part, Part::PictureAt(_))));
    // Which of its two settings a model knows differs from model to model.
    names.hint("reasoning_effort", options.effort.is_some());
    names.hint("strict", request.tools.iter().any(|tool| tool.strict == Some(true)));
    apart_from_the_turns(request, &mut names);
    names.0
}

/// For a program that reads a prompt and looks at pictures.
pub(crate) fn prompt(request: &Request) -> Vec<Unsayable> {
    let mut names = Names(words(request, true));
    names.must("temperature", request.temperature.is_some());
    names.must("max_tokens", request.max_output.is_some());
    names.0
}

/// For those who take a conversation of words, and pictures where they say so.
fn words(request: &Request, takes_pictures: bool) -> Vec<Unsayable> {
    let AnswerOptions { tool_choice, parallel_tool_calls, format, .. } = &request.options;
    let options = &request.options;
    let mut names = Names::default();
    let uses_tools = |part: &Part| matches!(part, Part::ToolCall(_) | Part::ToolResult(_));
    names.must("tools", !request.tools.is_empty() || parts(request).any(uses_tools));
    names.must("tool_choice", matches!(tool_choice, ToolChoice::Required | ToolChoice::Named(_)));
    names.hint("parallel_tool_calls", parallel_tool_calls.is_some());
    names.must("image_url", parts(request).any(|part| matches!(part, Part::PictureAt(_))));
    let taken = |file: &FilePart| takes_pictures && file.is_picture();
    names.must("files", files(request).any(|file| !taken(file)));
    names.must("top_p", options.top_p.is_some_and(|value| value < 1.0));
    names.must("top_k", options.top_k.is_some());
    names.must("stop", !options.stop.is_empty());
    names.must("response_format", format.is_some());
    names.hint("reasoning_effort", options.effort.is_some());
    names.must("seed", options.seed.is_some());
    names.must("frequency_penalty", options.frequency_penalty.is_some_and(|value| value != 0.0));
    names.must("presence_penalty", options.presence_penalty.is_some_and(|value| value != 0.0));
    names.hint("reasoning", thinks(request));
    names.0
}

/// What both protocols with a system apart and with calls as objects have in common.
fn apart_from_the_turns(request: &Request, names: &mut Names) {
    let late = request.messages.iter().skip_while(|message| message.role == Role::System);
    names.hint("the place of later system messages", late.into_iter().any(is_system));
    names.hint("reasoning", thinks(request));
    let odd = |part: &Part| matches!(part, Part::ToolCall(call) if !is_object(&call.arguments));
    names.hint("arguments that are no JSON object", parts(request).any(odd));
}

fn is_system(message: &Message) -> bool {
    message.role == Role::System
}

/// No arguments at all are as good as an empty object.
fn is_object(arguments: &str) -> bool {
    arguments.trim().is_empty()
        || json_is_bounded(arguments.as_bytes())
            && serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object())
}

fn is_document(file: &FilePart) -> bool {
    file.is_picture() || file.mime == "application/pdf"
}

/// Every part, those in results of tools too.
fn parts(request: &Request) -> impl Iterator<Item = &Part> {
    let outer = request.messages.iter().flat_map(|message| &message.parts);
    outer.chain(results(request).flat_map(|result| &result.parts))
}

fn results(request: &Request) -> impl Iterator<Item = &ToolResult> {
    let outer = request.messages.iter().flat_map(|message| &message.parts);
    outer.filter_map(|part| match part {
        Part::ToolResult(result) => Some(result),
        _ => None,
    })
}

fn files(request: &Request) -> impl Iterator<Item = &FilePart> {
    parts(request).filter_map(|part| match part {
        Part::File(file) => Some(file),
        _ => None,
    })
}

pub(crate) fn thinks(request: &Request) -> bool {
    parts(request).any(|part| matches!(part, Part::Reasoning(_)))
}
