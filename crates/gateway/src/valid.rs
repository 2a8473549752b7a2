//! What each protocol demands of a conversation with tools. A request that was good before
//! exchanges were left out must be good afterwards.

use std::collections::{HashMap, HashSet};

use crate::{
    reading::{ClientRequest, Item, Kind, Protocol},
    refusal::Refusal,
};

/// Whether a provider of its protocol takes the order of its items.
pub fn check(request: &ClientRequest<'_>) -> Result<(), Refusal> {
    match request.protocol {
        Protocol::Chat => check_chat(&request.items),
        Protocol::Responses => check_responses(&request.items),
        Protocol::Messages => check_messages(&request.items),
    }
}

/// Results stand right behind the message with their calls, and none is missing.
fn check_chat(items: &[Item<'_>]) -> Result<(), Refusal> {
    let mut open: HashSet<&str> = HashSet::new();
    for (at, item) in items.iter().enumerate() {
        let place = format!("messages[{at}]");
        if item.kind == Kind::Result {
            for result in &item.results {
                if !open.remove(result.as_ref()) {
                    return Err(Refusal::of(
                        place,
                        format!("no call before it has the id {result}"),
                    ));
                }
            }
            continue;
        }
        if let Some(call) = open.iter().next() {
            return Err(Refusal::of(place, format!("the call {call} has no result")));
        }
        open.extend(item.calls.iter().map(AsRef::as_ref));
    }
    Ok(())
}

/// Each result has its call before it, each call its result, each thought what came of it.
fn check_responses(items: &[Item<'_>]) -> Result<(), Refusal> {
    // Ids may come again: each call has a result of its own.
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        let place = || format!("input[{at}]");
        for call in &item.calls {
            open.entry(call).or_default().push(at);
        }
        for result in &item.results {
            if open.get_mut(result.as_ref()).and_then(Vec::pop).is_none() {
                return Err(Refusal::of(place(), format!("no call before it has the id {result}")));
            }
        }
        let next = items.get(at + 1).map(|next| next.kind);
        if item.kind == Kind::Reasoning
            && !matches!(next, Some(Kind::Reasoning | Kind::Assistant) | None)
        {
            return Err(Refusal::of(place(), "nothing came of this reasoning"));
        }
    }
    let waiting = open.iter().find_map(|(call, at)| at.first().map(|at| (call, at)));
    waiting.map_or(Ok(()), |(call, at)| {
        Err(Refusal::of(format!("input[{at}]"), format!("the call {call} has no result")))
    })
}

/// The first message is the user's, and the results stand in the message right behind the calls.
fn check_messages(items: &[Item<'_>]) -> Result<(), Refusal> {
    let mut spoken = items.iter().enumerate().filter(|(_, item)| item.kind != Kind::Instructions);
    let mut before: HashSet<&str> = HashSet::new();
    if let Some((at, first)) = spoken.clone().next()
        && first.kind == Kind::Assistant
    {
        return Err(Refusal::of(format!("messages[{at}]"), "the first message must be the user's"));
    }
    spoken.try_for_each(|(at, item)| {
        let place = format!("messages[{at}]");
        let here: HashSet<&str> = item.results.iter().map(AsRef::as_ref).collect();
        // What the provider carries out itself stands in the message of its call.
        let own: HashSet<&str> = item.calls.iter().map(AsRef::as_ref).collect();
        if let Some(lost) = here.iter().find(|id| !before.contains(*id) && !own.contains(*id)) {
            return Err(Refusal::of(place, format!("no call before it has the id {lost}")));
        }
        if let Some(call) = before.iter().find(|id| !here.contains(*id)) {
            return Err(Refusal::of(place, format!("the call {call} has no result")));
        }
        before = own.difference(&here).copied().collect();
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::read;

    fn judged(protocol: Protocol, list: &str, items: &str) -> Result<(), String> {
        let text = format!(r#"{{"model":"m","{list}":[{items}]}}"#);
        check(&read(protocol, &text).unwrap()).map_err(|refusal| refusal.message)
    }

    #[test]
    fn gwy_8_the_validators_know_what_providers_refuse() {
        let call = r#"{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}]}"#;
        let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"r"}}"#);
        let chat = |items: &str| judged(Protocol::Chat, "messages", items);
        let (a, b) = (result("a"), result("b"));
        assert_eq!(chat(&format!("{call},{b},{a}")), Ok(()));
        assert_eq!(chat(call), Ok(()), "the client asks for the rest itself");
        let user = r#"{"role":"user","content":"u"}"#;
        assert_eq!(chat(&format!("{user},{a}")).unwrap_err(), "no call before it has the id a");
        assert_eq!(chat(&format!("{call},{a},{user}")).unwrap_err(), "the call b has no result");

        let responses = |items: &str| judged(Protocol::Responses, "input", items);
        let call = r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}"#;
        let output = r#"{"type":"function_call_output","call_id":"a","output":"r"}"#;
        let thought = r#"{"type":"reasoning","summary":[]}"#;
        assert_eq!(responses(&format!("{thought},{call},{user},{output}")), Ok(()));
        assert_eq!(responses(output).unwrap_err(), "no call before it has the id a");
        assert_eq!(responses(call).unwrap_err(), "the call a has no result");
        let lonely = responses(&format!("{thought},{user}"));
        assert_eq!(lonely.unwrap_err(), "nothing came of this reasoning");

        let messages = |items: &str| judged(Protocol::Messages, "messages", items);
        let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}"#;
        let result =
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]}"#;
        assert_eq!(messages(&format!("{user},{call},{result}")), Ok(()));
        assert_eq!(messages(call).unwrap_err(), "the first message must be the user's");
        assert_eq!(
            messages(&format!("{user},{result}")).unwrap_err(),
            "no call before it has the id a"
        );
        assert_eq!(
            messages(&format!("{user},{call},{user}")).unwrap_err(),
            "the call a has no result"
        );
    }
}
