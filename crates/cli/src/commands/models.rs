//! `plimsoll models`: the catalog with its limits.

use plimsoll_budget::{Api, Binds, Catalog, Model, ModelLimit, WindowSource};
use plimsoll_config::edit_model;
use plimsoll_domain::Timestamp;
use plimsoll_provider::{MOST_MODELS, Reach, server_of};
use plimsoll_tokens::{commas, compact_size};
use serde::Serialize;

use crate::{
    args::{Location, ModelsArgs},
    configuration::change,
    context::Context,
    failure::{Failure, note, say},
    keys, machine,
    output::{Output, columns, printable},
    providers::Providers,
    supply::{Refused, Where, name_of, try_server, whole_address},
    survey::Survey,
    table::Table,
    words::similar_models,
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
    /// What it needs, if not (UI-19).
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<String>,
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
            needs: survey.lacks(model).map(|lack| lack.words()),
        }
    }
}

pub(crate) fn run(
    args: &ModelsArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    if let Some(address) = &args.add {
        return add(args, address);
    }
    if let Some(window) = args.window {
        return set_window(args, window);
    }
    let context = Context::load()?;
    if args.forget {
        return forget(args, location, context);
    }
    let mut models = context.catalog.models().to_vec();
    let survey =
        machine::block_on(async { Ok(Survey::of(&context, &models, location.data_dir()).await) })?;
    for server in &survey.servers {
        if server.models.as_ref().is_some_and(|models| models.len() >= MOST_MODELS) {
            let (name, most) = (printable(&server.name), commas(MOST_MODELS as u64));
            note(&format!("{name} lists more than {most} models; only the first are taken"));
        }
    }
    models.extend(survey.others(&models));
    if !args.names.is_empty() {
        models = named(&args.names, &context.catalog, &models)?;
    }
    models.sort_by_key(|model| !survey.is_available(model));
    if args.json {
        let row = |model: &Model| Row::of(model, &survey);
        output.json(&Report { models: models.iter().map(row).collect() })?;
        return Ok(0);
    }
    let mut table = Table::new([0, 10, 6, 0, 0]);
    for model in &models {
        let limit = ModelLimit::of(model, survey.facts(model));
        let why = match limit.binds {
            Binds::Assumed => "assumed: not known".to_owned(),
            Binds::Learned(at) => format!("learned from the provider on {}", day(at)),
            other => other.name().to_owned(),
        };
        let lack = survey.lacks(model);
        let abilities: Vec<&str> = [
            (lack.is_none(), "ready"),
            (model.vision, "vision"),
            (model.tools, "tools"),
            (model.audio, "audio"),
            (!model.enabled, "disabled"),
        ]
        .into_iter()
        .filter_map(|(has, name)| has.then_some(name))
        .collect();
        let needs = lack.map(|lack| format!("needs {}", printable(&lack.words())));
        let told = abilities.into_iter().map(str::to_owned).chain(needs).collect::<Vec<_>>();
        table.row([
            printable(&model.id),
            printable(&model.provider),
            format!("{:>6}", compact_size(limit.tokens)),
            format!("({why})"),
            told.join(", "),
        ]);
    }
    output.text(&table.text(columns()))?;
    Ok(0)
}

/// The models that some names mean: each its own, else all whose names hold it. A name that means
/// nothing is a mistake; no model is made up for it.
fn named(names: &[String], catalog: &Catalog, all: &[Model]) -> Result<Vec<Model>, Failure> {
    let mut found: Vec<Model> = Vec::new();
    for name in names {
        let own = all.iter().find(|model| model.id.eq_ignore_ascii_case(name.trim()));
        if let Some(model) = own.or_else(|| catalog.find(name).map(|(model, _)| model)) {
            found.push(model.clone());
            continue;
        }
        let part = name.trim().to_lowercase();
        let holds = |text: &String| text.to_lowercase().contains(&part);
        let before = found.len();
        let like = all.iter().filter(|model| {
            !part.is_empty() && (holds(&model.id) || model.aliases.iter().any(holds))
        });
        found.extend(like.cloned());
        if found.len() == before {
            let failure = Failure::failed(format!("no model is called '{}'", printable(name)));
            let similar = similar_models(catalog, name);
            return Err(match similar.is_empty() {
                true => failure.hint("`plimsoll models` lists them; --window adds one of yours"),
                false => failure.hint(format!("did you mean {}?", similar.join(", "))),
            });
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|model| seen.insert(model.id.clone()));
    Ok(found)
}

/// Asks a server for its models, and keeps those that are named, or all.
fn add(args: &ModelsArgs, address: &str) -> Result<u8, Failure> {
    let context = Context::load()?;
    let api = match args.api.as_deref() {
        None => Api::OpenAi,
        Some(name) => Api::parse(name).ok_or_else(|| {
            Failure::usage(format!("--api is one of {}", Api::ALL.map(Api::name).join(", ")))
        })?,
    };
    let refused = |refused: Refused| Failure::failed(refused.to_string());
    let url = whole_address(address, api).map_err(refused)?;
    let provider = args.provider.clone().unwrap_or_else(|| name_of(&url));
    if !keys::is_name(&provider) {
        return Err(Failure::usage(Refused::Name(provider).to_string()));
    }
    let server = server_of(&url).unwrap_or_default();
    let given = keys::find(&provider, None)?
        .filter(|found| found.servers.as_ref().is_none_or(|servers| servers.contains(&server)));
    let data_dir = machine::data_path(None).unwrap_or_default();
    let providers = Providers::new(&data_dir, &context.settings);
    let listed = machine::block_on(async {
        let place = Where { provider: &provider, api, url: &url, reach: Reach::Anywhere };
        let key = given.map(|found| found.key);
        try_server(&providers, &place, key.as_ref()).await.map_err(|error| match error {
            Refused::WantsKey(_) => Failure::failed(error.to_string())
                .hint(format!("plimsoll keys set {provider} --for {server}, then this again")),
            other => refused(other),
        })
    })?;
    let listed = listed.models.unwrap_or_default();
    let ids: Vec<String> = match args.names.is_empty() {
        true => listed.iter().map(|model| model.id.clone()).collect(),
        false => args.names.clone(),
    };
    if ids.is_empty() {
        return Err(Failure::failed(format!("{server} answers, and lists no models"))
            .hint("name those to keep: plimsoll models --add ADDRESS MODEL"));
    }
    let mut fields = serde_json::Map::from_iter([
        ("provider".to_owned(), provider.clone().into()),
        ("baseUrl".to_owned(), url.into()),
    ]);
    if api != Api::OpenAi {
        fields.insert("api".to_owned(), api.name().into());
    }
    change("models.toml", |text| {
        ids.iter().try_fold(text.to_owned(), |text, id| edit_model(&text, id, &fields))
    })
    .map_err(Failure::failed)?;
    let count = if ids.len() == 1 { "1 model".to_owned() } else { format!("{} models", ids.len()) };
    say(&format!("{count} of {provider} at {server} can be used now"));
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
        let opened = machine::open(context, location).await?;
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
