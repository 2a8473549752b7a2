//! Codex's own configuration, in TOML: comments and order stay as they are.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::client::Fields;

/// A text that is no TOML, and why.
pub(super) fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        format!("line {line}: {}", error.message().lines().next().unwrap_or_default())
    })
}

/// All that a text says.
pub(super) fn whole(text: &str) -> Result<Value, String> {
    parse(text)?;
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Gives a table these values; what else it has stays.
pub(super) fn set(text: &str, path: [&str; 2], fields: &Fields) -> Result<String, String> {
    let mut document = parse(text)?;
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let servers = document.entry(path[0]).or_insert(Item::Table(implicit));
    let inline = servers.is_inline_table();
    let name = path[0];
    let servers = servers.as_table_like_mut().ok_or_else(|| format!("{name} is no table"))?;
    if servers.get(path[1]).is_none() {
        let mut entry = Table::new();
        put(&mut entry, fields);
        if !text.trim().is_empty() {
            entry.decor_mut().set_prefix("\n");
        }
        let entry = match inline {
            true => value(entry.into_inline_table()),
            false => Item::Table(entry),
        };
        servers.insert(path[1], entry);
    } else {
        let entry = servers.get_mut(path[1]).and_then(Item::as_table_like_mut);
        put(entry.ok_or_else(|| format!("{name}.{} is no table", path[1]))?, fields);
    }
    Ok(lines_as_in(text, document.to_string()))
}

/// Takes a table away, and the one around it if it is empty then and was never written down.
pub(super) fn remove(text: &str, path: [&str; 2]) -> Result<String, String> {
    let mut document = parse(text)?;
    if let Some(servers) = document.get_mut(path[0]).and_then(Item::as_table_like_mut) {
        servers.remove(path[1]);
    }
    Ok(lines_as_in(text, document.to_string()))
}

/// New lines end as the others do.
fn lines_as_in(text: &str, done: String) -> String {
    if text.contains("\r\n") { done.replace("\r\n", "\n").replace('\n', "\r\n") } else { done }
}

fn put(entry: &mut dyn TableLike, fields: &Fields) {
    for (key, wanted) in fields {
        if entry.get(key).is_none_or(|item| read(item) != *wanted) {
            entry.insert(key, written(wanted));
        }
    }
}

fn written(wanted: &Value) -> Item {
    match wanted {
        Value::Array(items) => value(items.iter().filter_map(Value::as_str).collect::<Array>()),
        other => value(other.as_str().unwrap_or_default()),
    }
}

fn read(item: &Item) -> Value {
    if let Some(items) = item.as_array() {
        return items.iter().map(|item| item.as_str().map_or(Value::Null, Value::from)).collect();
    }
    item.as_str().map_or(Value::Null, Value::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PATH: [&str; 2] = ["mcp_servers", "plimsoll"];

    fn entry() -> Vec<(&'static str, Value)> {
        vec![("command", json!("plimsoll")), ("args", json!(["mcp"]))]
    }

    #[track_caller]
    fn installed(text: &str) -> String {
        let done = set(text, PATH, &entry()).unwrap();
        let found = &whole(&done).unwrap()[PATH[0]][PATH[1]];
        assert_eq!((&found["command"], &found["args"]), (&json!("plimsoll"), &json!(["mcp"])));
        assert_eq!(set(&done, PATH, &entry()).unwrap(), done, "twice is once");
        done
    }

    #[test]
    fn a_table_comes_and_goes_and_the_rest_stays() {
        let wanted = "[mcp_servers.plimsoll]\ncommand = \"plimsoll\"\nargs = [\"mcp\"]\n";
        assert_eq!(installed(""), wanted);
        assert_eq!(remove(wanted, PATH).unwrap(), "");
        let text = "# mine\nmodel = \"x\" # why\n\n[mcp_servers.other] # keep\ncommand = 'o'\n\n\
            [tui]\nnotifications = true\n";
        let done = installed(text);
        for kept in
            ["# mine\n", "model = \"x\" # why\n", "[mcp_servers.other] # keep\ncommand = 'o'\n"]
        {
            assert!(done.contains(kept), "{done}");
        }
        assert_eq!(remove(&done, PATH).unwrap(), text);
    }

    #[test]
    fn what_else_the_table_has_stays() {
        let text = "[mcp_servers.plimsoll]\ncommand = \"old\" # path\nstartup_timeout_sec = 20\n";
        let done = installed(text);
        assert!(done.contains("startup_timeout_sec = 20\n"), "{done}");
        let inline = "mcp_servers = { other = { command = \"o\" } }\n";
        assert!(installed(inline).contains("other = { command = \"o\" }"));
    }

    #[test]
    fn line_ends_stay() {
        let done = installed("model = \"x\"\r\n");
        assert!(!done.replace("\r\n", "").contains('\n'), "{done:?}");
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        assert!(set("a = 1\nb = \n", PATH, &entry()).unwrap_err().starts_with("line 2: "));
        assert!(set("mcp_servers = 1\n", PATH, &entry()).unwrap_err().contains("no table"));
    }
}
