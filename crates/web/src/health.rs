//! Whether we live, whether we can work, and how much (API-5).

use std::sync::Arc;

use axum::{Router, extract::State, http::header, response::IntoResponse, routing::get};

use crate::{Web, problem::Problem};

pub(crate) fn router() -> Router<Arc<Web>> {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

/// Ready is who can read the store, and does not end (TEA-8): a balancer sends nobody here any more
/// before anything else is refused.
async fn ready(State(web): State<Arc<Web>>) -> Result<&'static str, Problem> {
    if web.is_ending() {
        return Err(crate::draining());
    }
    web.app.store().workspaces().await?;
    Ok("ready\n")
}

/// The text format of Prometheus.
async fn metrics(State(web): State<Arc<Web>>) -> Result<impl IntoResponse, Problem> {
    use plimsoll_store::{GroupBy, ReceiptFilter};
    let store = web.app.store();
    let mut text =
        String::from("# HELP plimsoll_pairs Pairs that are kept.\n# TYPE plimsoll_pairs gauge\n");
    let workspaces = store.workspaces().await?;
    for workspace in &workspaces {
        let count = store.count(workspace).await?;
        text.push_str(&format!(
            "plimsoll_pairs{{workspace=\"{}\"}} {count}\n",
            label(workspace.as_str())
        ));
    }
    let mut sends = String::from(
        "# HELP plimsoll_sends_total Sends with a receipt.\n# TYPE plimsoll_sends_total counter\n",
    );
    let mut tokens = String::from(
        "# HELP plimsoll_tokens_total Tokens that providers reported.\n\
         # TYPE plimsoll_tokens_total counter\n",
    );
    for workspace in &workspaces {
        let filter = ReceiptFilter::default();
        for sum in store.totals(workspace, &filter, GroupBy::Model).await? {
            let plimsoll_store::TotalsKey::Model(model) = &sum.key else { continue };
            let labels =
                format!("workspace=\"{}\",model=\"{}\"", label(workspace.as_str()), label(model));
            sends.push_str(&format!("plimsoll_sends_total{{{labels}}} {}\n", sum.sends));
            for (kind, count) in [
                ("prompt", sum.usage.prompt),
                ("cached", sum.usage.cached),
                ("completion", sum.usage.completion),
            ] {
                tokens.push_str(&format!(
                    "plimsoll_tokens_total{{{labels},kind=\"{kind}\"}} {count}\n"
                ));
            }
        }
    }
    text.push_str(&sends);
    text.push_str(&tokens);
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text))
}

/// A text as the value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
