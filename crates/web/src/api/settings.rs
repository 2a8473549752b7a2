//! Settings from the one schema: value, default, source.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_config::{
    Kind, SERVER_SETTINGS, SETTING_GROUPS, SettingSpec, Settings, Source, TEAM_GROUP,
};
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
    /// Its name in plain words.
    pub(crate) title: &'static str,
    /// Where it stands, such as `Context`.
    pub(crate) group: &'static str,
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

/// All settings as they stand, group by group (UI-22).
/// Those of a team are for a team alone (TEA-11).
pub(crate) fn rows(settings: &Settings, team: bool) -> Vec<SettingDto> {
    let row = |group: &'static str, spec: &'static SettingSpec, title: &'static str| {
        let (value, source) = settings.get(spec.key)?;
        Some(SettingDto {
            key: spec.key,
            title,
            group,
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
    let all = SETTING_GROUPS
        .iter()
        .filter(|group| team || group.name != TEAM_GROUP)
        .flat_map(|group| group.settings().map(|(spec, title)| (group.name, spec, title)));
    all.filter_map(|(group, spec, title)| row(group, spec, title)).collect()
}

/// All settings: value, default and where the value comes from
#[utoipa::path(get, path = "/api/settings", tag = "settings",
    responses((status = 200, body = SettingList)))]
pub(super) async fn list(State(web): State<Arc<Web>>) -> Json<SettingList> {
    Json(SettingList { settings: rows(&web.app.settings(), web.team.is_some()) })
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

/// Whether a setting says which files can be read, or which servers be asked or given files (SEC-8). Whoever
/// reaches the page must not be able to open more of them; to close them again is no harm.
pub(crate) fn is_for_the_terminal(spec: &SettingSpec) -> bool {
    matches!(spec.kind, Kind::Paths | Kind::Servers)
}

/// How such a setting is set.
pub(crate) fn terminal_command(spec: &SettingSpec) -> String {
    let what = if spec.kind == Kind::Paths { "FOLDER" } else { "ADDRESS" };
    format!("plimsoll settings set {} {what}", spec.key)
}

pub(super) async fn configure(
    web: &Web,
    key: &str,
    value: Option<&str>,
) -> Result<StatusCode, Problem> {
    let in_page =
        |spec: &&SettingSpec| !SERVER_SETTINGS.settings().any(|(of, _)| of.key == spec.key);
    let spec = SettingSpec::find(key).filter(in_page);
    let spec = spec.ok_or_else(|| Problem::not_found("setting"))?;
    if is_for_the_terminal(spec) && value.is_some() {
        let opens = match spec.kind {
            Kind::Servers => "servers of private networks",
            _ => "folders of this machine",
        };
        let words = format!("{key} opens {opens}, and is set on the terminal alone");
        return Err(Problem::new(StatusCode::FORBIDDEN, "terminal_only", words)
            .hint(format!("{}, then start the server again", terminal_command(spec))));
    }
    let _turn = web.configuring.lock().await;
    let set = web.configurator.set(key, value).await;
    let (settings, catalog) =
        set.map_err(|why| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_value", why))?;
    web.app.configure(settings, catalog);
    Ok(StatusCode::NO_CONTENT)
}
