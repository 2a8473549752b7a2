//! The keys of the page, from the table that its own scripts read: `ui/keys/table.js`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::assets;

#[derive(Deserialize)]
pub(crate) struct Key {
    /// `VIEW`, `INPUT` or `COMMAND`.
    pub(crate) mode: String,
    /// As the browser calls it.
    key: String,
    pub(crate) action: Option<String>,
    pub(crate) help: String,
    /// What a button with this action says.
    label: Option<String>,
}

static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    serde_json::from_str(assets::table(include_str!("../ui/keys/table.js"))).unwrap_or_default()
});

/// All keys, in the order of the help.
pub(crate) fn keys() -> &'static [Key] {
    &KEYS
}

impl Key {
    /// The key as people call it.
    pub(crate) fn name(&self) -> &str {
        match self.key.as_str() {
            "Escape" => "Esc",
            "ArrowUp" => "Up",
            "ArrowDown" => "Down",
            other => other,
        }
    }
}

/// The tooltip of a button, with the key that does the same: `Star (*)`.
pub(crate) fn tooltip(action: &str) -> String {
    let found = KEYS.iter().find(|key| key.action.as_deref() == Some(action));
    found.map_or_else(String::new, |key| {
        format!("{} ({})", key.label.as_deref().unwrap_or(&key.help), key.name())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_2_the_table_of_keys_is_read() {
        let of = |mode: &str| keys().iter().filter(|key| key.mode == mode).count();
        assert!(of("VIEW") > 30 && of("INPUT") > 5 && of("COMMAND") > 3);
        assert_eq!(of("VIEW") + of("INPUT") + of("COMMAND"), keys().len());
        assert_eq!(tooltip("star"), "Star (*)");
        assert_eq!(tooltip("panel-help"), "Help (?)");
    }
}
