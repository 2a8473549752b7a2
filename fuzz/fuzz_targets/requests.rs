//! Any body of a client's request: what is left out leaves the rest byte for byte, and what was
//! valid stays valid. Whatever is left out, it is translated or refused, and what is translated
//! can be written for every provider.
#![no_main]

use std::{collections::BTreeSet, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use plimsoll_budget::BoundaryInput;
use plimsoll_gateway::{Changes, ClientRequest, Droppable, Protocol, Scale, check, read, translate};
use plimsoll_provider::{Anthropic, Endpoint, Gemini, OpenAiStyle, Provider};
use plimsoll_tokens::{Correction, Estimator, ImagePricing, RawTokens};

const SCALE: Scale = Scale {
    estimator: Estimator::Bytes4,
    message_overhead: 3,
    pictures: ImagePricing::OpenAi,
};

static OPENAI: LazyLock<OpenAiStyle> =
    LazyLock::new(|| OpenAiStyle::new(nowhere()).expect("a provider"));
static ANTHROPIC: LazyLock<Anthropic> =
    LazyLock::new(|| Anthropic::new(nowhere()).expect("a provider"));
static GEMINI: LazyLock<Gemini> = LazyLock::new(|| Gemini::new(nowhere()).expect("a provider"));

fn nowhere() -> Endpoint {
    Endpoint::new("x", "http://localhost:1/v1").expect("an address")
}

/// What is written for a provider is JSON that its protocol's reader takes.
fn judge(request: &ClientRequest<'_>, without: &BTreeSet<usize>) {
    let strict = translate(request, without, "m", false);
    let Ok(translated) = translate(request, without, "m", true) else {
        return assert!(strict.is_err(), "what is refused with leave to lose is refused without");
    };
    if let Ok(strict) = strict {
        assert_eq!(strict, translated, "leave to lose changes nothing that can be said");
    }
    let chat = OPENAI.encode(&translated.request).into_body();
    read(Protocol::Chat, &chat).expect("it is a chat");
    let messages = ANTHROPIC.encode(&translated.request).into_body();
    read(Protocol::Messages, &messages).expect("these are messages");
    let gemini = GEMINI.encode(&translated.request).into_body();
    serde_json::from_str::<serde_json::Value>(&gemini).expect("it is JSON");
    for provider in [&*OPENAI as &dyn Provider, &*ANTHROPIC, &*GEMINI] {
        assert!(translated.clone().told_to(provider, true).is_ok());
    }
}

fuzz_target!(|data: (u8, u16, &str)| {
    let (protocol, limit, text) = data;
    let protocol = [Protocol::Chat, Protocol::Responses, Protocol::Messages][usize::from(protocol % 3)];
    let Ok(request) = read(protocol, text) else { return };
    judge(&request, &BTreeSet::new());
    let mut usage = Changes::default();
    usage.ask_for_usage(&request);
    usage.model(&request, "another");
    let asked = usage.apply(text);
    assert_eq!(read(protocol, &asked).map(|request| request.model.into_owned()).as_deref(), Ok("another"));
    let room = BoundaryInput {
        limit: limit.into(),
        allowance: 0,
        raw_prelude: RawTokens::ZERO,
        reply_reserve: 0,
        correction: Correction::default(),
    };
    let weight = SCALE.weigh(&request);
    let droppable = Droppable::of(&request);
    let Some(count @ 1..) = droppable.to_fit(&weight, &room) else { return };
    let dropped = droppable.without_first(count, &weight);
    let mut changes = Changes::default();
    changes.without(&request, &dropped.items);
    judge(&request, &dropped.items);
    let shorter = changes.apply(text);
    let left = read(protocol, &shorter).expect("it is still a request");
    assert_eq!(left.items.len(), request.items.len() - dropped.items.len());
    assert!(SCALE.weigh(&left).total().total() <= limit.into());
    if check(&request).is_ok() {
        assert_eq!(check(&left), Ok(()), "{shorter}");
    }
});
