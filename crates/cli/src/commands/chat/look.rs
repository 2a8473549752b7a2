//! Commands that show something: the plan, the last receipt, the exact request.

use plimsoll_app::Draft;
use plimsoll_domain::Usage;
use plimsoll_send::{AttemptRecord, Receipt};
use plimsoll_store::ReceiptFilter;
use plimsoll_tokens::commas;

use super::{Chat, load_line::Load};
use crate::{
    failure::{Failure, note},
    output::{neutral, printable},
    plan_picture::{first_words, picture},
};

/// The first words of a message.
pub(super) fn name_of(text: &str) -> String {
    first_words(text, 60)
}

impl Chat<'_> {
    /// What is aboard and what stays ashore, by name, with the line between them.
    pub(super) async fn show_plan(&mut self) -> Result<(), Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        let plan = workspace_view.plan(self.app, &Draft::default()).await?;
        let topic = plimsoll_app::topic_path(workspace_view.topics(), workspace_view.topic().id);
        let line = Load::of(&plan, topic).draw(self.colour);
        let text = picture(self.app, &mut workspace_view, &plan, &line).await?;
        drop(workspace_view);
        self.output.text(&text)
    }

    /// The last receipt, from this chat or an earlier one.
    pub(super) async fn show_receipt(&mut self) -> Result<(), Failure> {
        let workspace = self.workspace_view.lock().await.workspace().clone();
        let newest = ReceiptFilter { limit: Some(1), ..ReceiptFilter::default() };
        let store = self.app.store();
        let receipts = store.receipts(&workspace, &newest).await?;
        let Some(newest) = receipts.first() else {
            return Err(Failure::failed("nothing was sent yet"));
        };
        let kept = store.receipt(newest.id).await?;
        let receipt =
            kept.receipt().ok_or_else(|| Failure::failed("the last receipt cannot be read"))?;
        self.output.text(&table(&receipt))
    }

    /// PAY-5: the request, byte for byte apart from what would steer a terminal.
    pub(super) async fn show_request(&mut self, text: Option<String>) -> Result<(), Failure> {
        let request = match text {
            Some(text) => {
                let draft = Draft { text, ..Draft::default() };
                let prepared = self.workspace_view.lock().await.prepare(self.app, &draft).await;
                let policy = self.over_budget.unwrap_or_else(|| self.app.settings().over_budget());
                prepared?.exact_request(policy).shown().to_owned()
            }
            None => self.last_request.clone().ok_or_else(|| {
                Failure::failed("nothing was sent yet in this chat")
                    .hint("/exact TEXT shows the request that TEXT would make")
            })?,
        };
        let shown = if self.editor.is_some() { neutral(&request) } else { request };
        self.output.text(&format!("{shown}\n"))?;
        if self.editor.is_some() {
            note("this is what goes out; the key travels in a header and is not shown");
        }
        Ok(())
    }
}

/// A receipt as a table: part, estimate, used, and what came with it.
fn table(receipt: &Receipt) -> String {
    let last = receipt.last();
    let of_last = |field: fn(&AttemptRecord) -> u64| last.map(field);
    let total = of_last(|last| last.attempt_total_tokens);
    let history = of_last(|last| last.attempt_history_tokens);
    let message = of_last(|last| last.message_tokens);
    let system = of_last(|last| {
        let rest = last.attempt_total_tokens.saturating_sub(last.attempt_history_tokens);
        rest.saturating_sub(last.message_tokens)
    });
    let used = |field: fn(Usage) -> u64| receipt.usage.map(field);
    let mut text = format!("  {:<12} {:>9} {:>9}  {}\n", "part", "estimate", "used", "error");
    let mut row = |part: &str, estimate: Option<u64>, used: Option<u64>, more: String| {
        let cell = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), commas);
        let line = format!("  {part:<12} {:>9} {:>9}  {more}", cell(estimate), cell(used));
        text.push_str(line.trim_end());
        text.push('\n');
    };
    row("system", system, None, String::new());
    row("history", history, None, String::new());
    row("message", message, None, String::new());
    let error = receipt.estimate_error_percent.map(|percent| format!("{percent:+.1} %"));
    row("prompt", total, used(|usage| usage.prompt), error.unwrap_or_default());
    row("  cached", None, used(|usage| usage.cached), String::new());
    row("answer", None, used(|usage| usage.completion), String::new());
    row("  reasoning", None, used(|usage| usage.reasoning), String::new());
    let seconds = |ms: u64| format!("{:.2} s", ms as f64 / 1000.0);
    let first_text = receipt.timings.first_text_ms.map_or_else(|| "–".to_owned(), seconds);
    let stages: Vec<&str> = receipt.attempts.iter().map(|one| one.stage.name()).collect();
    let calls = last.map_or(0, |last| last.attempts_used);
    let trimmed = last.map_or(0, |last| last.trimmed_count);
    let mut facts = vec![
        ("model", printable(&receipt.model)),
        ("estimator", printable(&receipt.estimator)),
        ("counter", receipt.counter.to_string()),
        ("attempts", format!("{calls} ({}), {trimmed} trimmed", stages.join(", "))),
        ("first text", first_text),
        ("total", seconds(receipt.timings.total_ms)),
        ("history hash", printable(&receipt.history_hash)),
    ];
    if let Some(cost) = receipt.cost {
        facts.push(("cost", format!("${cost:.4}")));
    }
    if let Some(seen) = receipt.truncation {
        facts.push(("truncation", seen.to_string()));
    }
    for (name, value) in facts {
        text.push_str(&format!("  {name:<12} {value}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_receipt_is_a_table_of_parts() {
        let id = "01927a00-0000-7000-8000-000000000001";
        let receipt = json!({
            "id": id, "pairId": id, "model": "test\u{1b}", "estimator": "fast", "counter": "[2-1]/2",
            "attempts": [
                {"stage": "overflow_initial", "attemptsUsed": 1},
                {"stage": "success", "attemptsUsed": 2, "trimmedCount": 1, "AUT": 9,
                 "attemptHistoryTokens": 1200, "attemptTotalTokens": 1216}],
            "usage": {"prompt": 1216, "cached": 0, "completion": 40, "reasoning": 0},
            "estimateErrorPercent": 0.0, "historyHash": "abc",
            "timings": {"firstTextMs": 120, "totalMs": 1500},
        });
        let table = table(&serde_json::from_value(receipt).unwrap());
        for line in [
            "  system               7         –\n",
            "  history          1,200         –\n",
            "  prompt           1,216     1,216  +0.0 %\n",
            "  attempts     2 (overflow_initial, success), 1 trimmed\n",
            "  total        1.50 s\n",
            "  model        test\u{fffd}\n",
        ] {
            assert!(table.contains(line), "{line:?} in\n{table}");
        }
        // A receipt of an earlier version must not break the table.
        let bare = serde_json::from_value(json!({"id": id, "pairId": id, "model": "m"})).unwrap();
        assert!(super::table(&bare).contains("attempts     0 (), 0 trimmed"));
    }
}
