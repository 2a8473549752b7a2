//! What is asked of every page, frame and worker, so that their notes are complete.

use serde_json::{Value, json};

use crate::wire::Order;

/// Attach to whatever the page starts, and let it wait until we listen: not one request
/// of a worker is missed.
fn auto_attach() -> Value {
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })
}

/// The commands, in their order. A worker refuses those that make no sense for it, which
/// does no harm.
pub(crate) fn orders() -> Vec<Order> {
    let plain = |method| Order { method, params: json!({}) };
    vec![
        plain("Network.enable"),
        plain("Runtime.enable"),
        plain("Log.enable"),
        plain("Audits.enable"),
        Order { method: "Target.setAutoAttach", params: auto_attach() },
        plain("Runtime.runIfWaitingForDebugger"),
    ]
}
