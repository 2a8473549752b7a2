//! `plimsoll receipts`: what was sent, what it used and cost.

use plimsoll_domain::ReceiptId;
use plimsoll_store::{ReceiptFilter, ReceiptRecord};
use plimsoll_tokens::commas;

use crate::{
    args::{Location, ReceiptsArgs},
    context::Context,
    failure::Failure,
    machine,
    output::{Output, columns, printable},
};

pub(crate) fn run(
    args: &ReceiptsArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let store = opened.app.store();
        if let Some(id) = &args.id {
            let unknown = || {
                Failure::failed(format!("'{id}' is not the id of a receipt"))
                    .hint("`plimsoll receipts` lists them")
            };
            let receipt = store.receipt(ReceiptId::parse(id).ok_or_else(unknown)?).await;
            let body = receipt?.body.unwrap_or_else(|| "null".to_owned());
            output.text(&body)?;
            output.text("\n")?;
            return Ok(0);
        }
        opened.app.open_workspace(&location.workspace).await?;
        let filter = ReceiptFilter { limit: Some(args.limit), ..ReceiptFilter::default() };
        for receipt in store.receipts(&location.workspace, &filter).await? {
            if args.json {
                output.json(&row(&receipt))?;
            } else {
                output.text(&line(&receipt))?;
            }
        }
        Ok(0)
    })
}

/// A receipt as its line of numbers.
pub(super) fn row(receipt: &ReceiptRecord) -> serde_json::Value {
    serde_json::json!({
        "id": receipt.id.to_string(),
        "pairId": receipt.pair.map(|id| id.to_string()),
        "model": receipt.model,
        "at": receipt.at.millis(),
        "stage": receipt.stage,
        "estimate": receipt.estimate,
        "prompt": receipt.usage.map(|usage| usage.prompt),
        "completion": receipt.usage.map(|usage| usage.completion),
        "cost": receipt.cost,
        "trimmed": receipt.trimmed,
    })
}

/// A terminal with fewer columns gets four lines a receipt.
const NARROW: usize = 132;

fn line(receipt: &ReceiptRecord) -> String {
    let at = jiff::Timestamp::from_millisecond(receipt.at.millis())
        .map(|at| at.strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default();
    let used = receipt.usage.map_or_else(
        || "–".to_owned(),
        |usage| format!("{} + {}", commas(usage.prompt), commas(usage.completion)),
    );
    let (id, model, stage) = (receipt.id, printable(&receipt.model), &receipt.stage);
    let estimate = commas(receipt.estimate);
    if columns().is_some_and(|columns| columns < NARROW) {
        return format!("{at}  {stage}\n  {model}\n  estimate {estimate}  used {used}\n  {id}\n");
    }
    format!("{id}  {at}  {model:<24} {stage:<18} estimate {estimate:>7}  used {used}\n")
}
