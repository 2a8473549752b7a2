//! From a plan to a receipt: the payload, the attempt machine, receipts.
//!
//! Nothing here touches a network, a clock or a store. The machine takes events and
//! gives effects; `app` carries them out. How a request is written for a provider is in
//! `provider`.

mod actions;
mod attached;
mod attempt;
mod attempt_plan;
mod compose;
mod cost;
mod counter;
mod delivery;
mod options;
mod plan;
mod receipt;
mod request;
mod seen;
mod snapshot;
mod suggestions;
mod tools;

pub use actions::{Action, actions};
pub use attached::{AttachLimits, AttachedFile, TooLarge};
pub use attempt::{AttemptMachine, Effect, Event, Outcome, SendError, short_label};
pub use attempt_plan::{AttemptPlan, IncludedPair, TrimStep};
pub use compose::{IncludedTexts, Instructions, WireRules, compose};
pub use cost::SendCost;
pub use counter::{Counter, LeftOutBecause, trim_notice};
pub use delivery::{
    Capabilities, DeliveredPart, INLINE_BELOW, Reference, Unseeable, allowed_deliveries,
    default_delivery, deliver, effective_delivery, on_demand_line, rendered, sent_instead,
    sent_mime, unseeable,
};
pub use options::{AnswerFormat, AnswerOptions, AnswerSchema, Effort, ToolChoice};
pub use plan::{AttachmentPreview, Plan, plan};
pub use receipt::{
    AttemptBudget, AttemptRecord, Comparison, MessageRecord, Receipt, Stage, Timings,
    TruncationSeen, error_percent, silent_truncation,
};
pub use request::{FilePart, Message, Part, Request, Role, largest_answer};
pub use seen::{BLOCK, Hash, Seen, SeenFile, SeenPair, SeenQuestion};
pub use snapshot::{Candidate, FilesTold, Selection, Snapshot, Target, WeighedMessage};
pub use suggestions::{Suggestion, overflow_suggestions};
pub use tools::{MAX_TOOL_ROUNDS, ToolCall, ToolDefinition, ToolResult};
