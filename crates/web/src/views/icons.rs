//! Small drawings of our own.

use std::{collections::HashMap, sync::LazyLock};

use maud::{Markup, PreEscaped, html};

use crate::assets;

pub(crate) fn mark(class: &str) -> Markup {
    html! {
        svg class=(class) viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2"
            aria-hidden="true" {
            circle cx="12" cy="12" r="7.5" {}
            path d="M1 12h22" {}
        }
    }
}

static DRAWINGS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let table = assets::table(include_str!("../../ui/base/drawings.js"));
    serde_json::from_str(table).unwrap_or_default()
});

/// An icon by its name, in lines of the text's colour; the page draws the same.
pub(super) fn icon(name: &str) -> Markup {
    let path = DRAWINGS.get(name).map_or("", String::as_str);
    html! {
        svg.icon viewBox="0 0 16 16" aria-hidden="true" { path d=(path) {} }
    }
}

/// HTML that `prose` made.
pub(super) fn rendered(html: String) -> Markup {
    PreEscaped(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_icon_that_is_asked_for_is_drawn() {
        for name in
            ["star", "copy", "request", "attach", "theme", "reask", "pin", "out", "context-here"]
        {
            assert!(DRAWINGS.contains_key(name), "{name}");
        }
    }
}
