//! From a plan to a receipt: the payload, the attempt machine, receipts.
//!
//! Nothing here touches a network, a clock or a store. The machine takes events and
//! gives effects; `app` carries them out. The payload borrows the pairs that it is
//! made of. Providers' own wire formats, apart from the OpenAI-style one that is
//! the common tongue, live in `provider`.

mod actions;
mod attempt;
mod counter;
mod delivery;
mod json;
mod json_doc;
mod payload;
mod plan;
mod receipt;
mod seen;
mod tools;

pub use actions::{Action, actions};
pub use attempt::{AttemptMachine, Effect, Event, Outcome, SendError, short_label};
pub use counter::{Counter, LeftOutBecause, trim_notice};
pub use delivery::{
    DeliveredPart, INLINE_BELOW, Target, Token, Unseeable, allowed_deliveries, default_delivery,
    deliver, effective_delivery, reference, sent_instead, sent_mime, unseeable, words_of,
};
pub use json_doc::{DocEnclosed, DocMessage, DocTools, JsonDoc, RequestParameters};
pub use payload::{
    Enclosure, HistoryPair, Message, Payload, PreludePart, PreludeParts, Role, WireRules, Words,
    compose,
};
pub use plan::{IncludedPair, SendPlan, TrimStep};
pub use receipt::{AttemptRecord, MessageRecord, Stage, TruncationSeen, silent_truncation};
pub use seen::{BLOCK, Hash, Seen, SeenFile, SeenPair, SeenQuestion};
pub use tools::{MAX_TOOL_ROUNDS, ToolCall, ToolDefinition, ToolResult, ToolRound};
