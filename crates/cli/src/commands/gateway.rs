//! `plimsoll gateway`: calls of other people's programs, and keys for them (GWY-9, GWY-15).

use clap::{Args, Subcommand};
use plimsoll_app::{KEY_PREFIX, key_hash};
use plimsoll_budget::ClientOverBudget;
use plimsoll_store::{ClientKey, ClientUse, GatewayCall};
use plimsoll_tokens::{commas, dollars};

use crate::{
    args::Location,
    context::Context,
    failure::{Failure, note},
    machine,
    output::{Output, printable},
};

/// Calls of other programs through Plimsoll, and keys for them
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll gateway calls\n  \
    plimsoll gateway key add laptop\n  \
    plimsoll gateway key add ci --models qwen2.5-coder --tokens-per-day 2000000\n  \
    plimsoll gateway key list\n  \
    plimsoll gateway key rm ci\n\n\
    A key is printed once and kept as a hash. Programs send it as they send any key: as a bearer\n\
    token or as x-api-key. Programs of your own account on this machine need none.")]
pub(crate) struct GatewayArgs {
    #[command(subcommand)]
    command: GatewayCommand,
}

#[derive(Subcommand, Debug)]
enum GatewayCommand {
    /// List the newest calls of other programs
    Calls {
        /// At most so many
        #[arg(short = 'n', long, default_value_t = 20)]
        limit: u64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make, list or take back keys
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
}

#[derive(Subcommand, Debug)]
enum KeyCommand {
    /// Make a key and print it once
    Add(AddArgs),
    /// List keys, what they may do and what they used
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a key back; from then on it opens nothing
    Rm { name: String },
}

#[derive(Args, Debug)]
struct AddArgs {
    /// Whose key it is: letters, digits, - and _
    name: String,
    /// Models that it may ask, with commas between them; else all
    #[arg(long, value_delimiter = ',')]
    models: Vec<String>,
    /// Tokens a day that it may use
    #[arg(long, value_name = "N")]
    tokens_per_day: Option<u64>,
    /// US dollars that it may cost in thirty days
    #[arg(long, value_name = "X")]
    cost_per_month: Option<f64>,
    /// Requests a minute that it may make
    #[arg(long, value_name = "N")]
    requests_per_minute: Option<u64>,
    /// Requests that it may make at the same time
    #[arg(long, value_name = "N")]
    concurrent: Option<u64>,
    /// What happens to requests that are too large: pass, trim, fit or block
    #[arg(long, value_name = "POLICY", value_parser = ClientOverBudget::NAMES)]
    over_budget: Option<String>,
}

pub(crate) fn run(
    args: &GatewayArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = &opened.app;
        let command = match &args.command {
            GatewayCommand::Key { command } => command,
            GatewayCommand::Calls { limit, json } => {
                calls(&app.store().gateway_calls(*limit).await?, *json, output)?;
                return Ok(0);
            }
        };
        match command {
            KeyCommand::Add(args) => {
                check(args)?;
                let key = new_key()?;
                let kept = ClientKey {
                    name: args.name.clone(),
                    hash: key_hash(&key),
                    created_at: app.clock().now(),
                    models: args.models.iter().map(|name| name.trim().to_owned()).collect(),
                    tokens_per_day: args.tokens_per_day,
                    cost_per_month: args.cost_per_month,
                    requests_per_minute: args.requests_per_minute,
                    concurrent: args.concurrent,
                    over_budget: args.over_budget.clone(),
                };
                if !app.store().add_client_key(&kept).await? {
                    let words = format!("there is a key '{}' already", args.name);
                    let hint = format!("take it back first: plimsoll gateway key rm {}", args.name);
                    return Err(Failure::usage(words).hint(hint));
                }
                output.text(&format!("{key}\n"))?;
                note("it is shown this once; keep it where the program finds it");
            }
            KeyCommand::List { json } => {
                let now = app.clock().now();
                let mut rows = Vec::new();
                for key in app.store().client_keys().await? {
                    let used = app.store().client_use(&key.name, now).await?;
                    rows.push((key, used));
                }
                list(&rows, *json, output)?;
            }
            KeyCommand::Rm { name } => {
                if !app.store().remove_client_key(name).await? {
                    let hint = "plimsoll gateway key list names those that are there";
                    return Err(Failure::usage(format!("there is no key '{name}'")).hint(hint));
                }
                note(&format!("the key '{name}' opens nothing any more"));
            }
        }
        Ok(0)
    })
}

fn check(args: &AddArgs) -> Result<(), Failure> {
    let good = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if args.name.is_empty() || args.name.len() > 64 || !args.name.chars().all(good) {
        let words = format!("'{}' is no name for a key", args.name.escape_debug());
        return Err(Failure::usage(words).hint("up to 64 letters, digits, - and _"));
    }
    if args.cost_per_month.is_some_and(|cost| !cost.is_finite() || cost < 0.0) {
        return Err(Failure::usage("--cost-per-month takes a number of dollars from 0"));
    }
    Ok(())
}

/// A key of 256 random bits.
fn new_key() -> Result<String, Failure> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::usage(format!("this machine gives no random numbers: {error}"))
    })?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{KEY_PREFIX}{digits}"))
}

fn calls(calls: &[GatewayCall], json: bool, output: &mut Output) -> Result<(), Failure> {
    if json {
        let rows = calls.iter().map(|call| {
            serde_json::json!({
                "id": call.id.to_string(),
                "at": call.at.millis(),
                "client": call.client,
                "protocol": call.protocol,
                "model": call.model,
                "stage": call.stage,
                "estimate": call.estimate,
                "prompt": call.usage.map(|usage| usage.prompt),
                "completion": call.usage.map(|usage| usage.completion),
                "cost": call.cost,
                "leftOut": call.left_out,
            })
        });
        return output.json(&serde_json::json!({ "calls": rows.collect::<Vec<_>>() }));
    }
    if calls.is_empty() {
        note("no other program has asked yet; docs/gateway.md says how they do");
    }
    for call in calls {
        let who = call.client.as_deref().unwrap_or("this account");
        let used = call.usage.map_or_else(
            || call.stage.clone(),
            |usage| format!("used {} + {}", commas(usage.prompt), commas(usage.completion)),
        );
        let left_out = match call.left_out {
            0 => String::new(),
            count => format!(" · {count} left out"),
        };
        output.text(&format!(
            "{}  {} · {} · {} · estimate {} · {used}{left_out}\n",
            call.id,
            printable(who),
            printable(&call.model),
            printable(&call.protocol),
            commas(call.estimate),
        ))?;
    }
    Ok(())
}

fn list(rows: &[(ClientKey, ClientUse)], json: bool, output: &mut Output) -> Result<(), Failure> {
    if json {
        let rows: Vec<serde_json::Value> = rows
            .iter()
            .map(|(key, used)| {
                serde_json::json!({
                    "name": key.name,
                    "models": key.models,
                    "tokensPerDay": key.tokens_per_day,
                    "costPerMonth": key.cost_per_month,
                    "requestsPerMinute": key.requests_per_minute,
                    "concurrent": key.concurrent,
                    "overBudget": key.over_budget,
                    "callsToday": used.calls_today,
                    "tokensToday": used.tokens_today,
                    "costOfMonth": used.cost_of_month,
                })
            })
            .collect();
        return output.json(&serde_json::json!({ "keys": rows }));
    }
    if rows.is_empty() {
        note("there are no keys; programs of your own account need none");
    }
    for (key, used) in rows {
        let mut may = Vec::new();
        if !key.models.is_empty() {
            may.push(key.models.join(", "));
        }
        may.extend(key.tokens_per_day.map(|most| format!("{} tokens a day", commas(most))));
        may.extend(key.cost_per_month.map(|most| format!("{} in thirty days", dollars(most))));
        may.extend(key.requests_per_minute.map(|most| format!("{most} requests a minute")));
        may.extend(key.concurrent.map(|most| format!("{most} at the same time")));
        may.extend(key.over_budget.as_ref().map(|policy| format!("over budget: {policy}")));
        let may = if may.is_empty() { "everything".to_owned() } else { may.join(" · ") };
        let (name, may) = (printable(&key.name), printable(&may));
        output.text(&format!(
            "{name:<20}  {} calls and {} tokens today, {} in thirty days; may: {may}\n",
            commas(used.calls_today),
            commas(used.tokens_today),
            dollars(used.cost_of_month),
        ))?;
    }
    Ok(())
}
