//! The settings, drawn from their schema: in groups, with plain titles, to be searched (UI-22).

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_config::{Kind, SettingSpec};

use crate::{
    Web,
    api::{SettingDto, is_for_the_terminal, setting_rows, terminal_command},
};

pub(super) fn panel(web: &Arc<Web>) -> Markup {
    html! {
        h2 { "Settings" }
        p.muted { "They go into " code { "config.toml" } " in " (web.configurator.place()) "." }
        label {
            "Find a setting"
            input type="search" data-narrow=".setting" placeholder="words, or a key" autocomplete="off";
        }
        p.muted data-narrow-none hidden { "No setting has these words." }
        @for group in setting_rows(&web.app.settings(), web.team.is_some()).chunk_by(|a, b| a.group == b.group) {
            section.group {
                h3 { (group[0].group) }
                @for row in group { (setting(row)) }
            }
        }
    }
}

fn setting(row: &SettingDto) -> Markup {
    let spec = SettingSpec::find(row.key);
    let terminal = spec.filter(|spec| is_for_the_terminal(spec));
    let fixed = terminal.is_some() || matches!(row.source, "environment" | "flag");
    html! {
        form.setting data-call={ "PUT /api/settings/" (row.key) } data-then="panel:settings" {
            label {
                span.key { (row.title) }
                @match spec.map(|spec| spec.kind) {
                    Some(Kind::Choice(choices)) => (choice(choices, &row.value, fixed)),
                    Some(Kind::Switch) => (choice(&["on", "off"], &row.value, fixed)),
                    _ => input name="value" value=(row.value) disabled[fixed] data-submit="change"
                        placeholder=(row.default);,
                }
            }
            p.muted {
                (row.help)
                @if let Some(spec) = terminal {
                    " Set it on the terminal: " code { (terminal_command(spec)) } "."
                }
            }
            p.muted.source {
                code { (row.key) } " · "
                @match row.source {
                    "default" => { "as by default" },
                    "file" => { "set in config.toml" },
                    source => { "set by the " (source) },
                }
                " · default: "
                @if row.default.is_empty() { "empty" } @else { code { (row.default) } }
                @if row.source == "file" {
                    " · "
                    button.link type="button" data-call={ "DELETE /api/settings/" (row.key) }
                        data-then="panel:settings" { "Back to the default" }
                }
            }
            p.problem role="alert" hidden {}
        }
    }
}

fn choice(words: &[&str], now: &str, fixed: bool) -> Markup {
    html! {
        select name="value" disabled[fixed] data-submit="change" {
            @for word in words { option value=(word) selected[*word == now] { (word) } }
        }
    }
}
