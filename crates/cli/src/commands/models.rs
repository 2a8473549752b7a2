//! `plimsoll models`: the catalog with its limits.

use plimsoll_budget::{Binds, Model, ModelLimit};
use plimsoll_tokens::compact_size;
use serde::Serialize;

use crate::{
    args::ModelsArgs,
    context::Context,
    embedded::Embedded,
    failure::Failure,
    keys, machine,
    output::{Output, printable},
};

#[derive(Serialize)]
struct Report {
    models: Vec<Row>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    provider: String,
    context_window: Option<u64>,
    tpm: Option<u64>,
    ml: u64,
    bind: &'static str,
    vision: bool,
    tools: bool,
    enabled: bool,
    /// Whether a message could be sent to it now, as far as this machine can tell
    /// without asking anybody: its key is there, or its weights are.
    available: bool,
}

impl Row {
    fn of(model: &Model, limit: ModelLimit) -> Self {
        Self {
            id: model.id.clone(),
            provider: model.provider.clone(),
            context_window: model.context_window,
            tpm: model.tpm,
            ml: limit.tokens,
            bind: limit.binds.name(),
            vision: model.vision,
            tools: model.tools,
            enabled: model.enabled,
            available: is_available(model),
        }
    }
}

fn is_available(model: &Model) -> bool {
    if model.provider == "embedded" {
        return machine::data_path(None).is_some_and(|dir| Embedded::is_there(&dir));
    }
    keys::find(&model.provider, model.key_env.as_deref()).is_ok_and(|key| key.is_some())
}

pub(crate) fn run(args: &ModelsArgs, output: &mut Output) -> Result<u8, Failure> {
    let context = Context::load()?;
    let models: Vec<Model> = if args.names.is_empty() {
        context.catalog.models().to_vec()
    } else {
        args.names.iter().map(|name| context.model(name)).collect()
    };
    if args.json {
        let row = |model: &Model| Row::of(model, context.limit(model));
        output.json(&Report { models: models.iter().map(row).collect() })?;
        return Ok(0);
    }
    let width = models.iter().map(|model| model.id.chars().count()).max().unwrap_or(0);
    for model in &models {
        let limit = context.limit(model);
        let why = match limit.binds {
            Binds::Assumed => "assumed: not known",
            other => other.name(),
        };
        let abilities: Vec<&str> = [
            (model.vision, "vision"),
            (model.tools, "tools"),
            (model.audio, "audio"),
            (!model.enabled, "disabled"),
        ]
        .into_iter()
        .filter_map(|(has, name)| has.then_some(name))
        .collect();
        let line = format!(
            "{:<width$}  {:<10} {:>6} ({why})  {}",
            printable(&model.id),
            printable(&model.provider),
            compact_size(limit.tokens),
            abilities.join(", "),
        );
        output.text(line.trim_end())?;
        output.text("\n")?;
    }
    Ok(0)
}
