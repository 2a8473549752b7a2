//! A client's request as the text that came, with the places of what matters in it.

mod chat;
mod messages;
mod responses;

use std::{borrow::Cow, ops::Range};

pub use plimsoll_domain::Protocol;

use crate::{
    json::{Json, Members},
    refusal::Refusal,
};

/// What an item of a conversation is, as far as it matters for leaving some out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A system or developer message; it always stays.
    Instructions,
    /// What the person said.
    User,
    /// What the model said, or a call that it made.
    Assistant,
    /// What the model thought, where that is an item of its own.
    Reasoning,
    /// What tools gave.
    Result,
}

/// A picture of a request, as the client gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picture<'a> {
    /// Its bytes in base64.
    Base64(Cow<'a, str>),
    /// Where it is, or its name at the provider.
    Elsewhere(Cow<'a, str>),
}

/// Something that weighs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    Text(Cow<'a, str>),
    Picture(Picture<'a>),
    /// JSON that a model is shown as it is: arguments, results, what we know nothing about.
    Json(&'a str),
}

impl Content<'_> {
    /// As the client wrote it.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Json(json) => json,
            Self::Picture(Picture::Base64(text) | Picture::Elsewhere(text)) => text,
        }
    }
}

/// One message of a conversation, or what is one in its protocol.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// Where it stands in the text.
    pub(crate) at: Range<usize>,
    pub kind: Kind,
    /// The calls that it makes, by their ids.
    pub calls: Vec<Cow<'a, str>>,
    /// The calls whose results it has.
    pub results: Vec<Cow<'a, str>>,
    /// Whether it has thoughts that the provider wants back as they were.
    pub thinking: bool,
    /// Whether the user says something in it besides what tools gave.
    pub says: bool,
    pub content: Vec<Content<'a>>,
}

impl<'a> Item<'a> {
    fn new(at: Range<usize>, kind: Kind) -> Self {
        Self {
            at,
            kind,
            calls: Vec::new(),
            results: Vec::new(),
            thinking: false,
            says: kind == Kind::User,
            content: Vec::new(),
        }
    }

    fn text(&mut self, text: Option<Cow<'a, str>>) {
        self.content.extend(text.map(Content::Text));
    }

    /// A picture by its address, which may hold its bytes.
    fn picture(&mut self, address: Cow<'a, str>) {
        let bytes = address.starts_with("data:").then(|| address.find(";base64,")).flatten();
        self.content.push(Content::Picture(match (bytes, address) {
            (Some(at), Cow::Borrowed(text)) => {
                Picture::Base64(Cow::Borrowed(text.get(at + 8..).unwrap_or_default()))
            }
            (Some(at), Cow::Owned(text)) => {
                Picture::Base64(Cow::Owned(text.get(at + 8..).unwrap_or_default().to_owned()))
            }
            (None, address) => Picture::Elsewhere(address),
        }));
    }
}

/// A tool that is offered to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool<'a> {
    pub name: Cow<'a, str>,
    /// Its definition as the client wrote it.
    pub json: &'a str,
}

/// A request as its client wrote it.
#[derive(Clone, Debug)]
pub struct ClientRequest<'a> {
    pub protocol: Protocol,
    pub text: &'a str,
    /// Empty where none is named.
    pub model: Cow<'a, str>,
    pub(crate) model_at: Option<Range<usize>>,
    /// Whether nothing at all stands in it.
    pub(crate) is_empty: bool,
    pub stream: bool,
    /// `stream_options` of a chat: where it stands, unless it does not.
    pub(crate) stream_options: Option<Json<'a>>,
    /// The largest answer that is asked for.
    pub max_output: Option<u64>,
    /// What is said to the model besides the conversation.
    pub instructions: Vec<Content<'a>>,
    pub tools: Vec<Tool<'a>>,
    /// The conversation, oldest first.
    pub items: Vec<Item<'a>>,
    /// Members by which the provider knows earlier turns that are not in this request.
    pub stateful: Vec<&'static str>,
}

/// Reads a request. What it does not know it leaves alone; what it must know and cannot read is
/// refused by its name.
pub fn read(protocol: Protocol, text: &str) -> Result<ClientRequest<'_>, Refusal> {
    let json = Json::parse(text)
        .map_err(|error| Refusal::whole(format!("the body is not JSON: {error}")))?;
    let members = json.members().ok_or_else(|| Refusal::whole("the body is not a JSON object"))?;
    if let Some(name) = members.twice() {
        // Which one counts differs from reader to reader: nobody could say what was sent.
        return Err(Refusal::of(name, format!("'{name}' stands there twice")));
    }
    let model_json = members.given("model");
    // A response may be asked for without naming a model; then the usual one answers.
    let optional = protocol == Protocol::Responses && model_json.is_none();
    if !(optional || model_json.is_some_and(Json::is_string)) {
        return Err(Refusal::of("model", "you must name a model"));
    }
    let mut request = ClientRequest {
        protocol,
        text,
        model: model_json.and_then(Json::string).unwrap_or_default(),
        model_at: members.get("model").map(|model| model.place(text)),
        is_empty: members.is_empty(),
        stream: flag(&members, "stream")?,
        stream_options: None,
        max_output: None,
        instructions: Vec::new(),
        tools: tools(&members)?,
        items: Vec::new(),
        stateful: Vec::new(),
    };
    match protocol {
        Protocol::Chat => chat::read(&members, &mut request)?,
        Protocol::Responses => responses::read(&members, &mut request)?,
        Protocol::Messages => messages::read(&members, &mut request)?,
    }
    Ok(request)
}

fn flag(members: &Members<'_>, name: &str) -> Result<bool, Refusal> {
    let Some(value) = members.given(name) else { return Ok(false) };
    value.bool().ok_or_else(|| Refusal::of(name, format!("'{name}' must be true or false")))
}

fn tools<'a>(members: &Members<'a>) -> Result<Vec<Tool<'a>>, Refusal> {
    let Some(tools) = members.given("tools") else { return Ok(Vec::new()) };
    let tools = tools.elements().ok_or_else(|| Refusal::of("tools", "'tools' must be a list"))?;
    Ok(tools.into_iter().map(tool).collect())
}

/// The name of a tool stands in one of two places; one that the provider has is named by its type.
fn tool(json: Json<'_>) -> Tool<'_> {
    let members = json.members().unwrap_or_default();
    let function = members.get("function").and_then(Json::members);
    let name = function.and_then(|function| function.string("name"));
    let name = name.or_else(|| members.string("name")).or_else(|| members.string("type"));
    Tool { name: name.unwrap_or_default(), json: json.text() }
}

/// The elements of a list that must be there.
fn listed<'a>(members: &Members<'a>, name: &str) -> Result<Vec<Json<'a>>, Refusal> {
    let list = members.given(name).and_then(Json::elements);
    list.ok_or_else(|| Refusal::of(name, format!("'{name}' must be a list")))
}

/// An object in a list.
fn object<'a>(json: Json<'a>, list: &str, at: usize) -> Result<Members<'a>, Refusal> {
    json.members()
        .ok_or_else(|| Refusal::of(format!("{list}[{at}]"), "each element must be an object"))
}

/// A limit that must be a number where it is given.
fn limit(members: &Members<'_>, name: &str) -> Result<Option<u64>, Refusal> {
    let Some(value) = members.given(name) else { return Ok(None) };
    let count = value.count();
    count.map(Some).ok_or_else(|| Refusal::of(name, format!("'{name}' must be a whole number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(protocol: Protocol, text: &str) -> (Option<String>, String) {
        let refusal = read(protocol, text).unwrap_err();
        (refusal.param, refusal.message)
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_its_name() {
        use Protocol::{Chat, Messages, Responses};
        for (protocol, text, param, words) in [
            (Chat, "{", None, "not JSON"),
            (Chat, "[]", None, "not a JSON object"),
            (Chat, r#"{"messages":[]}"#, Some("model"), "name a model"),
            (Chat, r#"{"model":7}"#, Some("model"), "name a model"),
            (Chat, r#"{"model":"a","model":"b"}"#, Some("model"), "twice"),
            (Chat, r#"{"model":"a"}"#, Some("messages"), "must be a list"),
            (Chat, r#"{"model":"a","stream":"yes"}"#, Some("stream"), "true or false"),
            (Chat, r#"{"model":"a","messages":[7]}"#, Some("messages[0]"), "an object"),
            (Chat, r#"{"model":"a","messages":[{"role":"bot"}]}"#, Some("messages[0].role"), "bot"),
            (Responses, r#"{"model":"a","input":7}"#, Some("input"), "a text or a list"),
            (Messages, r#"{"model":"a","messages":[],"tools":7}"#, Some("tools"), "a list"),
            (Messages, r#"{"model":"a","messages":[{}]}"#, Some("messages[0].role"), "missing"),
        ] {
            let (named, message) = refused(protocol, text);
            assert_eq!(named.as_deref(), param, "{text}: {message}");
            assert!(message.contains(words), "{text}: {message}");
        }
    }
}
