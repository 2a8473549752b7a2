//! The real client against the scripted server, and Codex against scripts.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod answers;
mod canary;
mod cancel;
// The stand-ins are shell scripts.
#[cfg(unix)]
mod codex;
#[cfg(unix)]
mod codex_real;
mod downloads;
mod faults;
mod files;
mod lists;
mod misbehaviour;

use std::time::Duration;

use futures_util::StreamExt;
use plimsoll_domain::Usage;
use plimsoll_provider::{
    AnswerStream, Delta, Endpoint, Finish, OpenAiStyle, Provider, ProviderFailure, Timeouts,
};
use plimsoll_send::{Message, Request, Role};
use plimsoll_testkit::scripted::{Reply, ScriptedServer};

/// Patience that no test of a good answer exhausts.
const PATIENT: Timeouts = Timeouts {
    connect: Duration::from_secs(20),
    first_byte: Duration::from_secs(20),
    idle: Duration::from_secs(20),
    loading: Duration::from_secs(20),
};

/// Patience that every test of a bad answer exhausts soon.
const HASTY: Timeouts = Timeouts {
    connect: Duration::from_secs(1),
    first_byte: Duration::from_secs(1),
    idle: Duration::from_secs(1),
    loading: Duration::from_secs(20),
};

fn request() -> Request {
    let messages = vec![
        Message::new(Role::System, "Be brief."),
        Message::new(Role::User, "What is a load line?"),
    ];
    let request = Request::new("model-1", messages);
    Request { temperature: Some(0.5), max_output: Some(64), ..request }
}

fn endpoint(server: &ScriptedServer, timeouts: Timeouts) -> Endpoint {
    Endpoint::new("scripted", &server.base_url()).unwrap().with_timeouts(timeouts)
}

fn provider(server: &ScriptedServer, timeouts: Timeouts) -> OpenAiStyle {
    OpenAiStyle::new(endpoint(server, timeouts)).unwrap()
}

/// A server with one reply for everything, and a provider that asks it.
fn scripted(reply: Reply, timeouts: Timeouts) -> (ScriptedServer, OpenAiStyle) {
    let server = ScriptedServer::always(reply).unwrap();
    let provider = provider(&server, timeouts);
    (server, provider)
}

/// An answer, read to its end.
#[derive(Debug, Default)]
struct Heard {
    text: String,
    reasoning: String,
    usage: Option<Usage>,
    finish: Option<Finish>,
    loading: usize,
    calls: Vec<plimsoll_send::ToolCall>,
    failure: Option<ProviderFailure>,
}

async fn hear(mut answer: AnswerStream) -> Heard {
    let mut heard = Heard::default();
    while let Some(step) = answer.next().await {
        assert!(heard.failure.is_none(), "something came after a failure");
        match step {
            Ok(Delta::Loading) => heard.loading += 1,
            Ok(Delta::Text(text)) => heard.text.push_str(&text),
            Ok(Delta::Reasoning(text)) => heard.reasoning.push_str(&text),
            Ok(Delta::Usage(usage)) => heard.usage = Some(usage),
            Ok(Delta::Finished(finish)) => heard.finish = Some(finish),
            Ok(Delta::ToolCall(call)) => heard.calls.push(call),
            Err(failure) => heard.failure = Some(failure),
        }
    }
    heard
}

/// What a provider answers to the usual request.
async fn heard(provider: &dyn Provider) -> Heard {
    hear(provider.ask(&request())).await
}
