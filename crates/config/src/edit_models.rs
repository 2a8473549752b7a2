//! One model of `models.toml` is changed; everything else stays as its owner wrote it.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

use crate::{merge_catalog, shipped_catalog};

/// The content of `models.toml` with fields of a model set; a field that is null is taken
/// out. What comes out is checked as a whole, and a mistake is told in one line.
pub fn edit_model(
    file: &str,
    id: &str,
    fields: &serde_json::Map<String, Json>,
) -> Result<String, String> {
    let mut document: DocumentMut =
        file.parse().map_err(|error: toml_edit::TomlError| error.message().replace('\n', " "))?;
    if fields.contains_key("id") {
        return Err("the id of a model cannot be changed".to_owned());
    }
    let models = document.entry("model").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let models = models.as_array_of_tables_mut().ok_or("'model' is not a list of tables")?;
    let has_id = |table: &Table| {
        let known = table.get("id").and_then(Item::as_str);
        known.is_some_and(|known| known.eq_ignore_ascii_case(id))
    };
    if !models.iter().any(&has_id) {
        let mut table = Table::new();
        table.insert("id", value(id));
        models.push(table);
    }
    let table = models.iter_mut().find(|table| has_id(table)).ok_or("the model was not added")?;
    for (key, field) in fields {
        match written(field)? {
            Some(new) => {
                table.insert(key, Item::Value(new));
            }
            None => {
                table.remove(key);
            }
        }
    }
    let text = document.to_string();
    let mut catalog = shipped_catalog().map_err(|error| error.to_string())?;
    merge_catalog(&mut catalog, &text).map_err(|error| error.to_string())?;
    Ok(text)
}

/// A JSON value as TOML has it; null is none.
fn written(field: &Json) -> Result<Option<Value>, String> {
    Ok(match field {
        Json::Null => None,
        Json::Bool(truth) => Some(Value::from(*truth)),
        Json::String(text) => Some(Value::from(text)),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Some(Value::from(whole)),
            (None, Some(real)) => Some(Value::from(real)),
            (None, None) => return Err(format!("{number} is too large")),
        },
        Json::Array(items) => {
            let mut array = Array::new();
            for item in items {
                match item {
                    Json::String(text) => array.push(text.as_str()),
                    _ => return Err("a list holds texts".to_owned()),
                }
            }
            Some(Value::Array(array))
        }
        Json::Object(_) => return Err("a field is one value, or a list of texts".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edited(file: &str, id: &str, fields: Json) -> Result<String, String> {
        edit_model(file, id, fields.as_object().unwrap())
    }

    #[test]
    fn a_model_is_added_changed_and_taken_back() {
        let added = edited("", "mine", json!({"contextWindow": 2048, "aliases": ["m"]})).unwrap();
        assert!(added.starts_with("[[model]]\nid = \"mine\"\n"), "{added}");
        assert!(added.contains("\ncontextWindow = 2048\n"), "{added}");
        assert!(added.contains("\naliases = [\"m\"]\n"), "{added}");
        let changed = edited(&added, "MINE", json!({"contextWindow": 4096})).unwrap();
        assert!(changed.contains("contextWindow = 4096") && !changed.contains("2048"));
        let back = edited(&changed, "mine", json!({"contextWindow": null})).unwrap();
        assert!(!back.contains("contextWindow"), "{back}");
    }

    #[test]
    fn comments_and_other_models_stay() {
        let file =
            "# mine\n[[model]]\nid = \"a\" # first\ncontextWindow = 1\n\n[[model]]\nid = \"b\"\n";
        let changed = edited(file, "b", json!({"contextWindow": 7})).unwrap();
        assert!(changed.starts_with("# mine\n[[model]]\nid = \"a\" # first\ncontextWindow = 1\n"));
        assert!(changed.ends_with("id = \"b\"\ncontextWindow = 7\n"), "{changed}");
    }

    #[test]
    fn mistakes_change_nothing_and_say_why() {
        for fields in [
            json!({"nope": 1}),
            json!({"contextWindow": "large"}),
            json!({"contextWindow": {"a": 1}}),
            json!({"id": "other"}),
            json!({"aliases": [1]}),
        ] {
            assert!(edited("", "m", fields.clone()).is_err(), "{fields}");
        }
        assert!(edited("model = 3", "m", json!({})).is_err());
        assert!(edited("[[", "m", json!({})).is_err());
    }
}
