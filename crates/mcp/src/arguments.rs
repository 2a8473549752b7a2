//! Arguments as models send them: checked against the table, with errors that say what
//! would be right.

use plimsoll_budget::{InvalidBudget, parse_max_tokens};
use rmcp::model::JsonObject;
use serde_json::Value;
use thiserror::Error;

use crate::table::{Kind, ToolSpec};

/// The longest text of one argument. Memory and notebook keep no longer ones.
pub const LONGEST_ARGUMENT: usize = 64 * 1024;

/// The most numbers in one list.
const MOST_IDS: usize = 1_000;

/// What is wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadArgument {
    /// A required argument is not there.
    #[error("{tool} needs {name}")]
    Missing {
        /// The tool.
        tool: &'static str,
        /// The argument.
        name: &'static str,
    },
    /// The tool knows no such argument.
    #[error("{tool} takes no \"{name}\"; it takes {takes}")]
    Unknown {
        /// The tool.
        tool: &'static str,
        /// The argument.
        name: String,
        /// What it takes.
        takes: String,
    },
    /// It is there, but not what it should be.
    #[error("{name} must be {wanted}, not {given}")]
    Wrong {
        /// The argument.
        name: &'static str,
        /// What it should be.
        wanted: String,
        /// What came.
        given: String,
    },
    /// It is too long.
    #[error(
        "{name} has {bytes} bytes; at most {LONGEST_ARGUMENT} are taken, so shorten or split it"
    )]
    TooLong {
        /// The argument.
        name: &'static str,
        /// Its size.
        bytes: usize,
    },
    /// The budget is none.
    #[error(transparent)]
    Budget(#[from] InvalidBudget),
}

/// Checked arguments: every value is of its kind, and nothing required is missing.
#[derive(Debug)]
pub(crate) struct Arguments {
    tool: &'static ToolSpec,
    values: JsonObject,
}

impl Arguments {
    pub(crate) fn check(
        tool: &'static ToolSpec,
        given: Option<JsonObject>,
    ) -> Result<Self, BadArgument> {
        let mut values = JsonObject::new();
        for (name, value) in given.unwrap_or_default() {
            let Some(param) = tool.param(&name) else {
                let takes: Vec<&str> = tool.params.iter().map(|param| param.name).collect();
                let name = name.chars().take(60).collect();
                return Err(BadArgument::Unknown {
                    tool: tool.name,
                    name,
                    takes: takes.join(", "),
                });
            };
            // Some clients send every argument and mean nothing by null.
            if !value.is_null() {
                values.insert(name, checked(param.name, param.kind, value)?);
            }
        }
        let missing = tool.params.iter().find(|one| one.required && !values.contains_key(one.name));
        match missing {
            Some(param) => Err(BadArgument::Missing { tool: tool.name, name: param.name }),
            None => Ok(Self { tool, values }),
        }
    }

    /// A text; empty if it was not given.
    pub(crate) fn text(&self, name: &str) -> String {
        self.given(name).unwrap_or_default()
    }

    /// A text that may be absent.
    pub(crate) fn given(&self, name: &str) -> Option<String> {
        debug_assert!(self.tool.param(name).is_some(), "{} has no {name}", self.tool.name);
        self.values.get(name).and_then(Value::as_str).map(ToOwned::to_owned)
    }

    /// A number that may be absent.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        debug_assert!(self.tool.param(name).is_some(), "{} has no {name}", self.tool.name);
        self.values.get(name).and_then(Value::as_u64)
    }

    /// The same as a size.
    pub(crate) fn size(&self, name: &str) -> Option<usize> {
        self.number(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn ids(&self, name: &str) -> Vec<u64> {
        let list = self.values.get(name).and_then(Value::as_array);
        list.map(|list| list.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
    }
}

/// A value in the form of its kind.
fn checked(name: &'static str, kind: Kind, value: Value) -> Result<Value, BadArgument> {
    let wrong = |wanted: &str, value: &Value| {
        Err(BadArgument::Wrong { name, wanted: wanted.to_owned(), given: described(value) })
    };
    match (kind, value) {
        (Kind::Text | Kind::Json, Value::String(text)) => match text.len() {
            bytes if bytes > LONGEST_ARGUMENT => Err(BadArgument::TooLong { name, bytes }),
            _ => Ok(Value::String(text)),
        },
        (Kind::Text, value) => wrong("a text", &value),
        (Kind::Json, value) => checked(name, Kind::Text, Value::String(value.to_string())),
        (Kind::Integer, value) if name == "max_tokens" => Ok(budget(&value)?.into()),
        (Kind::Integer, value) => match whole(&value) {
            Some(number) => Ok(number.into()),
            None => wrong("a whole number of at least 0", &value),
        },
        (Kind::Flag, Value::Bool(flag)) => Ok(flag.into()),
        (Kind::Flag, Value::String(text)) if text == "true" || text == "false" => {
            Ok((text == "true").into())
        }
        (Kind::Flag, value) => wrong("true or false", &value),
        (Kind::Ids, value) => match numbers(&value) {
            Some(numbers) => Ok(numbers.into()),
            None => wrong("a list of ids such as [41, 42]", &value),
        },
        (Kind::Choice(choices), Value::String(text)) => {
            match choices.iter().find(|choice| choice.eq_ignore_ascii_case(text.trim())) {
                Some(choice) => Ok((*choice).into()),
                None => wrong(&format!("one of {}", choices.join(", ")), &Value::String(text)),
            }
        }
        (Kind::Choice(choices), value) => wrong(&format!("one of {}", choices.join(", ")), &value),
    }
}

fn budget(value: &Value) -> Result<u64, InvalidBudget> {
    match value {
        Value::Number(number) => parse_max_tokens(&number.to_string()),
        Value::String(text) => parse_max_tokens(text).map_err(|_| InvalidBudget(described(value))),
        other => Err(InvalidBudget(described(other))),
    }
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            // JSON of some languages writes 5 as 5.0.
            let float = number.as_f64()?;
            (float.fract() == 0.0 && (0.0..9e15).contains(&float)).then_some(float as u64)
        }),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    }
}

fn numbers(value: &Value) -> Option<Vec<u64>> {
    match value {
        Value::Array(list) if list.len() <= MOST_IDS => list.iter().map(whole).collect(),
        Value::String(text) if text.len() <= 20 * MOST_IDS => {
            let text = text.trim().trim_start_matches('[').trim_end_matches(']');
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(|part| whole(&Value::String(part.to_owned()))).collect()
        }
        Value::Number(_) => Some(vec![whole(value)?]),
        _ => None,
    }
}

/// What came, short enough for a message.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() > 40 => {
            format!("\"{}…\"", text.chars().take(40).collect::<String>())
        }
        Value::String(text) => format!("\"{text}\""),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
