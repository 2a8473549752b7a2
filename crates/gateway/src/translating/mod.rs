//! A client's request for a provider of another protocol (GWY-4). What both sides have words for
//! is translated. What does not change the question is passed over and named. What does change it
//! is refused by its name, or passed over and named where the client allows that.

mod chat;
mod conversation;
mod fields;
mod losses;
mod messages;
mod response_items;
mod responses;

use std::collections::BTreeSet;

use plimsoll_provider::Provider;
use plimsoll_send::Request;

use self::{
    conversation::Conversation,
    losses::{Losses, refused},
};
use crate::{
    json::{Json, Members},
    reading::{ClientRequest, Protocol},
    refusal::Refusal,
};

/// A client's request as every provider's encoder takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Translated {
    pub request: Request,
    /// What was passed over, by the client's names for it, each once.
    pub passed_over: Vec<String>,
}

/// Translates a request, without the items at these places, for a model. `lossy`: the client
/// allows to pass over what matters.
pub fn translate(
    client: &ClientRequest<'_>,
    without: &BTreeSet<usize>,
    model: &str,
    lossy: bool,
) -> Result<Translated, Refusal> {
    let json = Json::parse(client.text).ok().and_then(Json::members);
    let members = json.ok_or_else(|| Refusal::whole("the body is not a JSON object"))?;
    let mut draft = Draft {
        request: Request::new(model, Vec::new()),
        conversation: Conversation::default(),
        losses: Losses::new(lossy),
    };
    draft.request.max_output = client.max_output;
    let items = Items { client, without };
    match client.protocol {
        Protocol::Chat => chat::translate(&members, &items, &mut draft)?,
        Protocol::Responses => responses::translate(&members, &items, &mut draft)?,
        Protocol::Messages => messages::translate(&members, &items, &mut draft)?,
    }
    let Draft { mut request, conversation, losses } = draft;
    request.messages = conversation.into_messages();
    Ok(Translated { request, passed_over: losses.into_names() })
}

impl Translated {
    /// The same for one provider, whose protocol may have no words for some of it.
    pub fn told_to(mut self, provider: &dyn Provider, lossy: bool) -> Result<Self, Refusal> {
        for unsayable in provider.unsayable(&self.request) {
            if !unsayable.is_hint && !lossy {
                let why = format!("cannot be told to the provider '{}'", provider.name());
                return Err(refused(unsayable.name, &why));
            }
            if !self.passed_over.iter().any(|name| name == unsayable.name) {
                self.passed_over.push(unsayable.name.to_owned());
            }
        }
        Ok(self)
    }
}

/// A request that is being translated.
struct Draft {
    request: Request,
    conversation: Conversation,
    losses: Losses,
}

/// The items of a conversation that are sent.
struct Items<'a, 'b> {
    client: &'b ClientRequest<'a>,
    without: &'b BTreeSet<usize>,
}

impl<'a> Items<'a, '_> {
    /// Each with its place among all.
    fn sent(&self) -> impl Iterator<Item = (usize, Json<'a>)> {
        let items = self.client.items.iter().enumerate();
        items.filter(|(at, _)| !self.without.contains(at)).filter_map(|(at, item)| {
            let text: &'a str = self.client.text;
            Some((at, Json::parse(text.get(item.at.clone())?).ok()?))
        })
    }
}

/// One element of a list: its type, its place, and what it holds.
struct Element<'a> {
    kind: String,
    at: String,
    members: Members<'a>,
}

/// The elements of a list.
fn elements<'a>(list: Json<'a>, at: &str) -> Result<Vec<Element<'a>>, Refusal> {
    let words = format!("'{at}' must be a list of objects");
    let all = list.elements().ok_or_else(|| Refusal::of(at, &words))?;
    let element = |(number, one): (usize, Json<'a>)| {
        let members = one.members().ok_or_else(|| Refusal::of(at, &words))?;
        let kind = members.string("type").unwrap_or_default().into_owned();
        Ok(Element { kind, at: format!("{at}[{number}]"), members })
    };
    all.into_iter().enumerate().map(element).collect()
}

#[cfg(test)]
#[path = "refused_tests.rs"]
mod refused_tests;

#[cfg(test)]
#[path = "translate_tests.rs"]
mod translate_tests;

#[cfg(test)]
#[path = "there_and_back_tests.rs"]
mod there_and_back_tests;
