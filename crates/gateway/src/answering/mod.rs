//! An answer in the words of the client's protocol, whoever gave it (GWY-4): as events while it
//! arrives, or as one body when it is complete.

mod chat;
mod messages;
mod responses;

use plimsoll_domain::Usage;
use plimsoll_provider::{Delta, Finish};
use plimsoll_send::ToolCall;
use serde_json::{Map, Value};

use crate::{
    errors::Problem,
    json::Json,
    reading::{ClientRequest, Protocol},
    splice::Changes,
};

/// What is known of an answer before it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its id, in the protocol's own form.
    pub id: String,
    /// The model as the client named it.
    pub model: String,
    /// Seconds since 1970.
    pub created: u64,
    /// What the request was estimated to weigh: some clients read it at the beginning, or never.
    pub estimate: u64,
    /// Whether the client wants the usage of a streamed chat.
    pub include_usage: bool,
    /// What a response repeats of its request; clients read the form of the answer there.
    pub repeated: Map<String, Value>,
}

/// Members of a request that a response repeats.
const REPEATED: [&str; 13] = [
    "instructions",
    "max_output_tokens",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "reasoning",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "truncation",
];

impl Head {
    /// What is known of the answer to a request; `id` is what makes its id unlike all others.
    pub fn of(request: &ClientRequest<'_>, id: &str, created: u64, estimate: u64) -> Self {
        let start = match request.protocol {
            Protocol::Chat => "chatcmpl-",
            Protocol::Responses => "resp_",
            Protocol::Messages => "msg_",
        };
        let mut repeated = Map::new();
        if request.protocol == Protocol::Responses {
            // What every client of a response wants to find.
            repeated.insert("tools".to_owned(), Value::Array(Vec::new()));
            repeated.insert("tool_choice".to_owned(), "auto".into());
            repeated.insert("parallel_tool_calls".to_owned(), true.into());
            let members = Json::parse(request.text).ok().and_then(Json::members);
            for name in REPEATED {
                let value = members.as_ref().and_then(|members| members.given(name));
                let value = value.and_then(|value| serde_json::from_str(value.text()).ok());
                repeated.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
        Self {
            id: format!("{start}{}", id.replace('-', "")),
            model: request.model.clone().into_owned(),
            created,
            estimate,
            include_usage: Changes::default().ask_for_usage(request),
            repeated,
        }
    }
}

/// A run of what a model gave.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Block {
    Text(String),
    Thought(String),
    Call(ToolCall),
}

/// What a piece did to the blocks.
enum Change<'a> {
    /// A new last block, with nothing in it yet; the one before is complete.
    Begins,
    /// The last block grew by this.
    Grows(&'a str),
}

/// An answer that is being written for a client.
#[derive(Clone, Debug)]
pub struct AnswerWriter {
    protocol: Protocol,
    head: Head,
    blocks: Vec<Block>,
    finish: Option<Finish>,
    usage: Option<Usage>,
    /// The number of the next event, where they are numbered.
    sequence: u64,
}

impl AnswerWriter {
    pub fn new(protocol: Protocol, head: Head) -> Self {
        Self { protocol, head, blocks: Vec::new(), finish: None, usage: None, sequence: 0 }
    }

    /// What is said before anything arrived.
    pub fn begin(&mut self) -> String {
        match self.protocol {
            Protocol::Chat => chat::begin(self),
            Protocol::Messages => messages::begin(self),
            Protocol::Responses => responses::begin(self),
        }
    }

    /// What is said about something that arrived; often nothing.
    pub fn piece(&mut self, delta: &Delta) -> String {
        let mut said = String::new();
        match delta {
            Delta::Loading => {}
            Delta::Text(text) => {
                if !matches!(self.blocks.last(), Some(Block::Text(_))) {
                    said = self.open(Block::Text(String::new()));
                }
                said.push_str(&self.grow(text));
            }
            Delta::Reasoning(text) => {
                if !matches!(self.blocks.last(), Some(Block::Thought(_))) {
                    said = self.open(Block::Thought(String::new()));
                }
                said.push_str(&self.grow(text));
            }
            Delta::ToolCall(call) => {
                let empty = ToolCall { arguments: String::new(), ..call.clone() };
                said = self.open(Block::Call(empty));
                said.push_str(&self.grow(&call.arguments));
            }
            Delta::Usage(usage) => self.usage = Some(*usage),
            Delta::Finished(finish) => self.finish = Some(finish.clone()),
        }
        said
    }

    /// What is said when nothing more comes.
    pub fn end(&mut self) -> String {
        match self.protocol {
            Protocol::Chat => chat::end(self),
            Protocol::Messages => messages::end(self),
            Protocol::Responses => responses::end(self),
        }
    }

    /// What is said when it failed in the middle.
    pub fn fail(&self, problem: &Problem) -> String {
        problem.event(self.protocol, &self.head.id, self.sequence)
    }

    /// The whole answer as one body.
    pub fn body(&self) -> Value {
        match self.protocol {
            Protocol::Chat => chat::body(self),
            Protocol::Messages => messages::body(self),
            Protocol::Responses => responses::body(self),
        }
    }

    fn open(&mut self, block: Block) -> String {
        let closed = self.blocks.len().checked_sub(1).map(|last| self.closed(last));
        self.blocks.push(block);
        closed.unwrap_or_default() + &self.changed(&Change::Begins)
    }

    fn grow(&mut self, more: &str) -> String {
        match self.blocks.last_mut() {
            Some(Block::Text(text) | Block::Thought(text)) => text.push_str(more),
            Some(Block::Call(call)) => call.arguments.push_str(more),
            None => return String::new(),
        }
        if more.is_empty() { String::new() } else { self.changed(&Change::Grows(more)) }
    }

    fn changed(&mut self, change: &Change<'_>) -> String {
        match self.protocol {
            Protocol::Chat => chat::changed(self, change),
            Protocol::Messages => messages::changed(self, change),
            Protocol::Responses => responses::changed(self, change),
        }
    }

    fn closed(&mut self, at: usize) -> String {
        match self.protocol {
            Protocol::Chat => String::new(),
            Protocol::Messages => messages::closed(at),
            Protocol::Responses => responses::closed(self, at),
        }
    }

    /// What was used, as far as anybody said it.
    fn used(&self) -> Usage {
        self.usage.unwrap_or(Usage { prompt: self.head.estimate, ..Usage::default() })
    }

    fn has_calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Call(_)))
    }

    /// Why it ended. Some providers say "stop" where the model waits for its tools.
    fn ended(&self) -> Finish {
        match &self.finish {
            None | Some(Finish::Stop) if self.has_calls() => Finish::ToolCalls,
            Some(finish) => finish.clone(),
            None => Finish::Stop,
        }
    }
}

/// An event with a name.
fn named(event: &str, data: &Value) -> String {
    format!("event: {event}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(id: &str) -> Head {
        let (id, model) = (id.to_owned(), "m".to_owned());
        let repeated = Map::new();
        Head { id, model, created: 7, estimate: 40, include_usage: true, repeated }
    }

    /// A thought, a text in two pieces, two calls, and how it ended.
    fn pieces() -> Vec<Delta> {
        let call = |id: &str, arguments: &str| {
            Delta::ToolCall(ToolCall {
                id: id.to_owned(),
                name: "look".to_owned(),
                arguments: arguments.to_owned(),
                signature: None,
            })
        };
        vec![
            Delta::Loading,
            Delta::Reasoning("hm".to_owned()),
            Delta::Text("Hel".to_owned()),
            Delta::Text("lo".to_owned()),
            call("c1", "{\"at\":1}"),
            call("c2", "{}"),
            Delta::Usage(Usage { prompt: 42, cached: 10, completion: 9, reasoning: 2 }),
            Delta::Finished(Finish::ToolCalls),
        ]
    }

    fn streamed(protocol: Protocol) -> (AnswerWriter, Vec<(String, Value)>) {
        let mut writer = AnswerWriter::new(protocol, head("id_1"));
        let mut text = writer.begin();
        for piece in pieces() {
            text.push_str(&writer.piece(&piece));
        }
        text.push_str(&writer.end());
        let events = text.split("\n\n").filter(|event| !event.is_empty()).map(|event| {
            let (name, data) = event.rsplit_once("data: ").unwrap();
            let name = name.trim().trim_start_matches("event: ").to_owned();
            (name, serde_json::from_str(data).unwrap_or(Value::Null))
        });
        (writer, events.collect())
    }

    /// All that events of a kind hold at a place, joined.
    fn joined(events: &[(String, Value)], pointer: &str) -> String {
        events.iter().filter_map(|(_, data)| data.pointer(pointer)?.as_str()).collect()
    }

    #[test]
    fn gwy_4_an_answer_is_streamed_as_a_chat() {
        let (writer, events) = streamed(Protocol::Chat);
        assert_eq!(events[0].1["choices"][0]["delta"]["role"], "assistant");
        assert_eq!(joined(&events, "/choices/0/delta/content"), "Hello");
        assert_eq!(joined(&events, "/choices/0/delta/reasoning_content"), "hm");
        let calls = |at: &str| joined(&events, &format!("/choices/0/delta/tool_calls/0/{at}"));
        assert_eq!(calls("id"), "c1c2");
        assert_eq!(calls("function/arguments"), "{\"at\":1}{}");
        assert_eq!(joined(&events, "/choices/0/finish_reason"), "tool_calls");
        let usage = &events[events.len() - 2].1;
        assert_eq!(usage["choices"], Value::Array(Vec::new()));
        assert_eq!(
            (&usage["usage"]["prompt_tokens"], &usage["usage"]["total_tokens"]),
            (&42.into(), &51.into())
        );
        assert_eq!(events.last().unwrap().1, Value::Null, "[DONE] is no JSON");
        let body = writer.body();
        assert_eq!(body["choices"][0]["message"]["content"], "Hello");
        assert_eq!(body["choices"][0]["message"]["tool_calls"][1]["id"], "c2");
        assert_eq!(body["usage"]["prompt_tokens_details"]["cached_tokens"], 10);
    }

    #[test]
    fn gwy_4_an_answer_is_streamed_as_messages() {
        let (writer, events) = streamed(Protocol::Messages);
        let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[0], "message_start");
        assert_eq!(events[0].1["message"]["usage"]["input_tokens"], 40, "the estimate, at once");
        let count = |name: &str| names.iter().filter(|one| **one == name).count();
        assert_eq!((count("content_block_start"), count("content_block_stop")), (4, 4));
        assert_eq!(joined(&events, "/delta/text"), "Hello");
        assert_eq!(joined(&events, "/delta/partial_json"), "{\"at\":1}{}");
        assert_eq!(joined(&events, "/delta/stop_reason"), "tool_use");
        assert_eq!(names[names.len() - 2..], ["message_delta", "message_stop"]);
        // Each event says its own name, and blocks come one after the other.
        let mut open = None;
        for (name, data) in &events {
            assert_eq!(data["type"], name.as_str());
            match name.as_str() {
                "content_block_start" => assert_eq!(open.replace(data["index"].clone()), None),
                "content_block_delta" => assert_eq!(open.as_ref(), Some(&data["index"])),
                "content_block_stop" => assert_eq!(open.take(), Some(data["index"].clone())),
                _ => assert_eq!(open, None),
            }
        }
        let body = writer.body();
        assert_eq!(body["content"][2]["input"]["at"], 1);
        assert_eq!(
            (&body["usage"]["input_tokens"], &body["usage"]["cache_read_input_tokens"]),
            (&32.into(), &10.into())
        );
    }

    #[test]
    fn gwy_4_an_answer_is_streamed_as_responses() {
        let (writer, events) = streamed(Protocol::Responses);
        for (number, (name, data)) in events.iter().enumerate() {
            assert_eq!(data["type"], name.as_str());
            assert_eq!(data["sequence_number"], number as u64);
        }
        assert_eq!(events[0].0, "response.created");
        let of = |name: &str| -> Vec<&Value> {
            events.iter().filter(|(one, _)| one == name).map(|(_, data)| data).collect()
        };
        let text: String = of("response.output_text.delta")
            .iter()
            .map(|data| data["delta"].as_str().unwrap())
            .collect();
        assert_eq!(text, "Hello");
        let done = of("response.output_item.done");
        let kinds: Vec<&str> =
            done.iter().map(|data| data["item"]["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["reasoning", "message", "function_call", "function_call"]);
        assert_eq!(done[2]["item"]["arguments"], "{\"at\":1}");
        assert_eq!(of("response.output_item.added").len(), done.len());
        let (last, data) = events.last().unwrap();
        assert_eq!(last, "response.completed");
        assert_eq!(data["response"], writer.body());
        let usage = &data["response"]["usage"];
        assert_eq!(
            (&usage["input_tokens"], &usage["input_tokens_details"]["cached_tokens"]),
            (&42.into(), &10.into())
        );
    }

    #[test]
    fn gwy_4_every_end_has_the_protocols_own_word() {
        for (finish, chat, messages, responses) in [
            (Some(Finish::Stop), "stop", "end_turn", "completed"),
            (Some(Finish::Length), "length", "max_tokens", "incomplete"),
            (Some(Finish::ContentFilter), "content_filter", "refusal", "incomplete"),
            (Some(Finish::Other("odd".to_owned())), "stop", "end_turn", "completed"),
            (None, "stop", "end_turn", "completed"),
        ] {
            let body = |protocol| {
                let mut writer = AnswerWriter::new(protocol, head("id_1"));
                writer.begin();
                writer.piece(&Delta::Text("x".to_owned()));
                if let Some(finish) = &finish {
                    writer.piece(&Delta::Finished(finish.clone()));
                }
                let end = writer.end();
                assert!(end.ends_with("\n\n"), "{end}");
                writer.body()
            };
            assert_eq!(body(Protocol::Chat)["choices"][0]["finish_reason"], chat, "{finish:?}");
            assert_eq!(body(Protocol::Messages)["stop_reason"], messages, "{finish:?}");
            assert_eq!(body(Protocol::Responses)["status"], responses, "{finish:?}");
        }
    }
}
