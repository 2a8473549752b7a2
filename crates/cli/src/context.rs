//! What every command starts from: settings and models.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use plimsoll_budget::{Catalog, Model};
use plimsoll_config::{Settings, Sources, merge_catalog, shipped_catalog};
use plimsoll_tokens::{Estimator, Method, Tokenizer};

use crate::{failure::Failure, input::unreadable};

pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) catalog: Catalog,
}

impl Context {
    /// Reads `config.toml` and `models.toml`, where they are, and the environment.
    pub(crate) fn load() -> Result<Self, Failure> {
        let environment = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(key, _)| key.starts_with("PLIMSOLL_"))
            .collect();
        let sources = Sources { file: read_config("config.toml")?, environment };
        let settings = Settings::resolve(&sources).map_err(|error| {
            Failure::usage(error.to_string()).hint("docs/settings.md lists them")
        })?;
        let mut catalog = shipped_catalog()
            .map_err(|error| Failure::failed(format!("the shipped model list: {error}")))?;
        if let Some(own) = read_config("models.toml")? {
            merge_catalog(&mut catalog, &own)
                .map_err(|error| Failure::usage(format!("models.toml: {error}")))?;
        }
        let named = catalog.models().iter().filter_map(|model| model.key_env.clone());
        let openid = settings.openid_secret_variable().to_owned();
        plimsoll_provider::keep_private(named.chain([openid]));
        Ok(Self { settings, catalog })
    }

    /// The estimator for a model, by the flag, else the settings.
    pub(crate) fn estimator(
        &self,
        model: Option<&Model>,
        method: Option<Method>,
        cpt: Option<f64>,
    ) -> Result<Estimator, Failure> {
        let method = method.unwrap_or_else(|| self.settings.estimator());
        let chars_per_token = cpt
            .or_else(|| model.and_then(|model| model.chars_per_token))
            .unwrap_or_else(|| self.settings.chars_per_token());
        let tokenizer = model.and_then(|model| model.tokenizer);
        Estimator::resolve(method, tokenizer, Some(chars_per_token)).ok_or_else(|| {
            let families: Vec<String> =
                Tokenizer::ALL.iter().map(|one| self.family(*one)).collect();
            let what = match model {
                Some(model) => format!("the tokenizer of '{}' is not known", model.id),
                None => "exact counting needs a model".to_owned(),
            };
            Failure::usage(format!("{what}; known families: {}", families.join("; ")))
                .hint("use -m with a model of a known family, or --method fast")
        })
    }

    /// A tokenizer with some models that use it.
    fn family(&self, tokenizer: Tokenizer) -> String {
        let models: Vec<&str> = self
            .catalog
            .models()
            .iter()
            .filter(|model| model.tokenizer == Some(tokenizer))
            .map(|model| model.id.as_str())
            .take(4)
            .collect();
        match &models[..] {
            [] => tokenizer.name().to_owned(),
            _ => format!("{} ({}, …)", tokenizer.name(), models.join(", ")),
        }
    }
}

/// A file of the configuration directory; none if it is not there.
fn read_config(name: &str) -> Result<Option<String>, Failure> {
    let Some(path) = config_dir().map(|dir| dir.join(name)) else { return Ok(None) };
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(unreadable(&path, &error).hint("it should be a file of settings, or absent"))
        }
    }
}

/// Changes a file of the configuration directory by what stands in it. Nobody else of ours
/// changes one meanwhile, be it another tab or another process, so that two who change
/// different things both keep theirs. Says whether there was anything to change.
pub(crate) fn change_config<E>(
    path: &Path,
    failed: impl Fn(std::io::Error) -> E,
    edit: impl Fn(&str) -> Result<String, E>,
) -> Result<bool, E> {
    let dir = path.parent().unwrap_or(Path::new("."));
    if !dir.exists() {
        if edit("")?.is_empty() {
            return Ok(false);
        }
        std::fs::create_dir_all(dir).map_err(&failed)?;
    }
    let mut options = std::fs::File::options();
    options.create(true).truncate(false).write(true);
    let lock = options.open(dir.join("config.lock")).map_err(&failed)?;
    // Where the file system knows no locks, tabs of one server still take turns.
    let _ = lock.lock();
    let before = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let after = edit(&before)?;
    if after == before {
        return Ok(false);
    }
    write_config(path, &after).map_err(&failed)?;
    Ok(true)
}

/// Writes a file of the configuration directory: beside it first and renamed then, so
/// that a crash leaves the old file or the new.
fn write_config(path: &Path, text: &str) -> std::io::Result<()> {
    // The file may be a link to where its owner keeps such files; the link stays.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    if let Ok(before) = std::fs::metadata(path) {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The name is on the disk only with its directory.
    if cfg!(unix) {
        std::fs::File::open(dir)?.sync_all()?;
    }
    Ok(())
}

/// Where settings, models and keys are.
pub(crate) fn config_dir() -> Option<PathBuf> {
    match std::env::var_os("PLIMSOLL_CONFIG_DIR") {
        Some(dir) => Some(PathBuf::from(dir)),
        None => directories::ProjectDirs::from("", "", "plimsoll")
            .map(|dirs| dirs.config_dir().to_owned()),
    }
}
