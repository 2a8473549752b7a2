//! `plimsoll classify`: what a provider's error means.

use plimsoll_fault::{Fault, ProviderFailure, headline};
use plimsoll_tokens::commas;
use serde::Serialize;

use crate::{
    args::ClassifyArgs,
    failure::Failure,
    input,
    output::{Output, printable},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    label: &'static str,
    subkind: Option<&'static str>,
    short: &'static str,
    limit: Option<u64>,
    requested: Option<u64>,
    retryable: bool,
    shrink_helps: bool,
    matched: Option<&'a str>,
}

pub(crate) fn run(args: &ClassifyArgs, output: &mut Output) -> Result<u8, Failure> {
    let body = input::standard_input()?;
    if body.text.trim().is_empty() {
        return Err(Failure::usage("there is no error to classify: standard input is empty").hint(
            "pipe the provider's error body in, as in: plimsoll classify --status 400 < body",
        ));
    }
    let failure = ProviderFailure {
        status: args.status,
        code: args.code.clone(),
        headers: args.headers.clone(),
        body: body.text,
        ..ProviderFailure::default()
    };
    let fault = failure.fault();
    if args.json {
        output.json(&Report {
            label: fault.label.name(),
            subkind: fault.subkind.map(|subkind| subkind.name()),
            short: fault.short(),
            limit: fault.limit,
            requested: fault.requested,
            retryable: fault.retryable(),
            shrink_helps: fault.shrink_helps(),
            matched: fault.matched.as_deref(),
        })?;
    } else {
        print(&fault, output)?;
    }
    Ok(0)
}

fn print(fault: &Fault, output: &mut Output) -> Result<(), Failure> {
    let subkind = fault.subkind.map(|subkind| format!(" ({})", subkind.name()));
    let number = |number: Option<u64>| number.map_or("not stated".to_owned(), commas);
    let yes = |value: bool| if value { "yes" } else { "no" };
    let rows = [
        ("label", format!("{}{}", fault.label.name(), subkind.unwrap_or_default())),
        ("short", fault.short().to_owned()),
        ("limit", number(fault.limit)),
        ("requested", number(fault.requested)),
        ("retry", yes(fault.retryable()).to_owned()),
        ("drop history", yes(fault.shrink_helps()).to_owned()),
        ("matched", fault.matched.clone().unwrap_or_else(|| "nothing".to_owned())),
    ];
    output.text(&format!("{}\n\n", printable(&headline(fault))))?;
    for (name, value) in rows {
        output.text(&format!("{name:<13} {}\n", printable(&value)))?;
    }
    Ok(())
}
