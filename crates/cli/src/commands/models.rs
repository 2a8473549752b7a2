//! `plimsoll models`: the catalog with its limits.

use plimsoll_budget::{Binds, Model, ModelLimit, WindowSource};
use plimsoll_config::edit_model;
use plimsoll_domain::Timestamp;
use plimsoll_provider::MOST_MODELS;
use plimsoll_tokens::{commas, compact_size};
use serde::Serialize;

use crate::{
    args::{Location, ModelsArgs},
    configuration::change,
    context::Context,
    failure::{Failure, note, say},
    machine,
    output::{Output, printable},
    survey::Survey,
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
    /// Whether a message could be sent to it now: its key is there, its weights are, or
    /// a server at home lists it (PRV-2).
    available: bool,
}

impl Row {
    fn of(model: &Model, survey: &Survey) -> Self {
        let facts = survey.facts(model);
        let limit = ModelLimit::of(model, facts);
        let told = facts.server_window.filter(|_| model.window_source != WindowSource::User);
        Self {
            id: model.id.clone(),
            provider: model.provider.clone(),
            context_window: told.or(model.context_window),
            tpm: model.tpm,
            ml: limit.tokens,
            bind: limit.binds.name(),
            vision: model.vision,
            tools: model.tools,
            enabled: model.enabled,
            available: survey.is_available(model),
        }
    }
}

pub(crate) fn run(
    args: &ModelsArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    if let Some(window) = args.window {
        return set_window(args, window);
    }
    let context = Context::load()?;
    if args.forget {
        return forget(args, location, context);
    }
    let mut models: Vec<Model> = if args.names.is_empty() {
        context.catalog.models().to_vec()
    } else {
        args.names.iter().map(|name| context.catalog.model(name)).collect()
    };
    let survey =
        machine::block_on(async { Ok(Survey::of(&context, &models, location.data_dir()).await) })?;
    for server in &survey.servers {
        if server.models.as_ref().is_some_and(|models| models.len() >= MOST_MODELS) {
            let (name, most) = (printable(&server.name), commas(MOST_MODELS as u64));
            note(&format!("{name} lists more than {most} models; only the first are taken"));
        }
    }
    if args.names.is_empty() {
        models.extend(survey.others(&models));
    }
    if args.json {
        let row = |model: &Model| Row::of(model, &survey);
        output.json(&Report { models: models.iter().map(row).collect() })?;
        return Ok(0);
    }
    let width = models.iter().map(|model| model.id.chars().count()).max().unwrap_or(0);
    for model in &models {
        let limit = ModelLimit::of(model, survey.facts(model));
        let why = match limit.binds {
            Binds::Assumed => "assumed: not known".to_owned(),
            Binds::Learned(at) => format!("learned from the provider on {}", day(at)),
            other => other.name().to_owned(),
        };
        let abilities: Vec<&str> = [
            (survey.is_available(model), "available"),
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

fn set_window(args: &ModelsArgs, window: u64) -> Result<u8, Failure> {
    let [name] = args.names.as_slice() else {
        return Err(Failure::usage("--window is about one model")
            .hint("as in: plimsoll models my-model --window 32768"));
    };
    let id = Context::load()?.catalog.model(name).id;
    let fields = serde_json::Map::from_iter([("contextWindow".to_owned(), window.into())]);
    change("models.toml", |text| edit_model(text, &id, &fields)).map_err(Failure::failed)?;
    say(&format!("{id} has a window of {} tokens from now on", commas(window)));
    Ok(0)
}

/// CAT-3: what an error taught can be forgotten here as well.
fn forget(args: &ModelsArgs, location: &Location, context: Context) -> Result<u8, Failure> {
    if args.names.is_empty() {
        return Err(Failure::usage("--forget is about models that are named")
            .hint("as in: plimsoll models my-model --forget"));
    }
    let ids: Vec<String> = args.names.iter().map(|name| context.catalog.model(name).id).collect();
    machine::block_on(async {
        let opened = machine::open(context, location.data_dir()).await?;
        for id in &ids {
            let known = opened.app.learned(id).await?;
            opened.app.forget_learned(id).await?;
            let told = if known { "what was learned is forgotten" } else { "nothing was learned" };
            say(&format!("{id}: {told}"));
        }
        Ok(0)
    })
}

fn day(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.millis());
    at.map(|at| at.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}
