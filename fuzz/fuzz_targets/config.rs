//! Any `config.toml`, `models.toml` and variable: read, or refused in one line; what is
//! changed in them can be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_config::{
    SETTINGS, Settings, Sources, edit_model, edit_settings, merge_catalog, shipped_catalog,
};

fuzz_target!(|data: (usize, String, &str)| {
    let (which, value, file) = data;
    let resolved = |file: &str| {
        Settings::resolve(&Sources { file: Some(file.to_owned()), environment: Vec::new() })
    };
    let one_line = |error: String| assert!(!error.contains('\n'), "{error:?}");
    if let Err(error) = resolved(file) {
        one_line(error.to_string());
    }
    let spec = &SETTINGS[which % SETTINGS.len()];
    let environment = vec![(spec.env_var(), value.clone())];
    if let Err(error) = Settings::resolve(&Sources { file: None, environment }) {
        assert!(!error.to_string().is_empty());
    }
    if let Ok(changed) = edit_settings(file, spec.key, Some(&value)) {
        let settings = resolved(&changed).expect("what was changed can be read");
        let _ = (settings.timeouts(), settings.allowed_roots(), settings.file_limits());
        let back = edit_settings(&changed, spec.key, None).expect("it can be taken back");
        assert!(resolved(&back).is_ok());
    }
    let mut catalog = shipped_catalog().expect("ours is right");
    if let Err(error) = merge_catalog(&mut catalog, file) {
        one_line(error.to_string());
    }
    let mut fields = serde_json::Map::new();
    fields.insert("contextWindow".to_owned(), which.into());
    match edit_model(file, &value, &fields) {
        Err(error) => one_line(error),
        Ok(changed) => {
            let mut catalog = shipped_catalog().expect("ours is right");
            merge_catalog(&mut catalog, &changed).expect("what was changed can be read");
        }
    }
});
