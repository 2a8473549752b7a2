//! Any body of a client's request: what is left out leaves the rest byte for byte, and what was
//! valid stays valid.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_budget::BoundaryInput;
use plimsoll_gateway::{Changes, Droppable, Protocol, Scale, check, read};
use plimsoll_tokens::{Correction, Estimator, ImagePricing, RawTokens};

const SCALE: Scale = Scale {
    estimator: Estimator::Bytes4,
    message_overhead: 3,
    pictures: ImagePricing::OpenAi,
};

fuzz_target!(|data: (u8, u16, &str)| {
    let (protocol, limit, text) = data;
    let protocol = [Protocol::Chat, Protocol::Responses, Protocol::Messages][usize::from(protocol % 3)];
    let Ok(request) = read(protocol, text) else { return };
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
    let shorter = changes.apply(text);
    let left = read(protocol, &shorter).expect("it is still a request");
    assert_eq!(left.items.len(), request.items.len() - dropped.items.len());
    assert!(SCALE.weigh(&left).total().total() <= limit.into());
    if check(&request).is_ok() {
        assert_eq!(check(&left), Ok(()), "{shorter}");
    }
});
