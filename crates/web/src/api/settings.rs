//! Settings from the one schema: value, default, source.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_config::{Kind, SETTINGS, SettingSpec, Settings, Source};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    Web,
    problem::{Body, Problem},
};

/// A setting.
#[derive(Serialize, ToSchema)]
pub(crate) struct SettingDto {
    pub(crate) key: &'static str,
    pub(crate) value: String,
    pub(crate) default: &'static str,
    /// `default`, `file`, `environment` or `flag`.
    pub(crate) source: &'static str,
    /// What it is for.
    pub(crate) help: &'static str,
}

/// All settings.
#[derive(Serialize, ToSchema)]
pub(super) struct SettingList {
    settings: Vec<SettingDto>,
}

/// All settings as they stand.
pub(crate) fn rows(settings: &Settings) -> Vec<SettingDto> {
    let row = |spec: &'static SettingSpec| {
        let (value, source) = settings.get(spec.key)?;
        Some(SettingDto {
            key: spec.key,
            value: value.to_owned(),
            default: spec.default,
            source: match source {
                Source::Default => "default",
                Source::File => "file",
                Source::Environment => "environment",
                Source::Flag => "flag",
            },
            help: spec.help,
        })
    };
    SETTINGS.iter().filter_map(row).collect()
}

/// All settings: value, default and where the value comes from
#[utoipa::path(get, path = "/api/settings", tag = "settings",
    responses((status = 200, body = SettingList)))]
pub(super) async fn list(State(web): State<Arc<Web>>) -> Json<SettingList> {
    Json(SettingList { settings: rows(&web.app.settings()) })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Value {
    /// The value, as it would stand in the file.
    #[schema(max_length = 4096)]
    value: String,
}

/// Set a setting in your config.toml
#[utoipa::path(put, path = "/api/settings/{key}", tag = "settings", request_body = Value,
    params(("key" = String, Path)), responses((status = 204)))]
pub(super) async fn set(
    State(web): State<Arc<Web>>,
    Path(key): Path<String>,
    Body(Value { value }): Body<Value>,
) -> Result<StatusCode, Problem> {
    configure(&web, &key, Some(&value)).await
}

/// Go back to the default
#[utoipa::path(delete, path = "/api/settings/{key}", tag = "settings",
    params(("key" = String, Path)), responses((status = 204)))]
pub(super) async fn unset(
    State(web): State<Arc<Web>>,
    Path(key): Path<String>,
) -> Result<StatusCode, Problem> {
    configure(&web, &key, None).await
}

/// Whether a setting says which files can be read (SEC-8). Whoever reaches the page must not be
/// able to open more of them; to close them again is no harm.
pub(crate) fn is_for_the_terminal(spec: &SettingSpec) -> bool {
    spec.kind == Kind::Paths
}

/// How such a setting is set.
pub(crate) fn terminal_command(key: &str) -> String {
    format!("plimsoll settings set {key} FOLDER")
}

pub(super) async fn configure(
    web: &Web,
    key: &str,
    value: Option<&str>,
) -> Result<StatusCode, Problem> {
    let spec = SettingSpec::find(key).ok_or_else(|| Problem::not_found("setting"))?;
    if is_for_the_terminal(spec) && value.is_some() {
        let words =
            format!("{key} opens folders of this machine, and is set on the terminal alone");
        return Err(Problem::new(StatusCode::FORBIDDEN, "terminal_only", words)
            .hint(format!("{}, then start the server again", terminal_command(key))));
    }
    let _turn = web.configuring.lock().await;
    let set = web.configurator.set(key, value).await;
    let (settings, catalog) =
        set.map_err(|why| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_value", why))?;
    web.app.configure(settings, catalog);
    Ok(StatusCode::NO_CONTENT)
}
