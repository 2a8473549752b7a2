//! Arguments as models send them: checked against the table, with errors that say what
//! would be right.

use plimsoll_budget::{DetailLevel, InvalidBudget, parse_max_tokens};
use plimsoll_specs::{AdrStatus, ChangeSize, ChangeType, Mode, Stage, Verdict};
use plimsoll_store::Scope;
use rmcp::model::JsonObject;
use serde_json::Value;
use thiserror::Error;

use crate::table::{Kind, Param, ToolSpec};

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
    /// It came under two names.
    #[error("{names} are the same argument; give {name} alone")]
    Twice {
        /// All names that it has.
        names: String,
        /// The one to use.
        name: &'static str,
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
    values: JsonObject,
}

impl Arguments {
    pub(crate) fn check(
        tool: &'static ToolSpec,
        given: Option<JsonObject>,
    ) -> Result<Self, BadArgument> {
        let mut values = JsonObject::new();
        for (name, value) in given.unwrap_or_default() {
            let known =
                |param: &&Param| param.name == name || param.aliases.contains(&name.as_str());
            let Some(param) = tool.params.iter().find(known) else {
                let takes: Vec<&str> = tool.listed().map(|param| param.name).collect();
                let name = name.chars().take(60).collect();
                return Err(BadArgument::Unknown {
                    tool: tool.name,
                    name,
                    takes: takes.join(", "),
                });
            };
            // Some clients send every argument and mean nothing by null.
            if value.is_null() {
                continue;
            }
            let value = checked(param.name, param.kind, value)?;
            if values.insert(param.name.to_owned(), value).is_some() {
                let names = [param.name].into_iter().chain(param.aliases.iter().copied());
                let names = names.collect::<Vec<_>>().join(" and ");
                return Err(BadArgument::Twice { names, name: param.name });
            }
        }
        let missing = tool.params.iter().find(|one| one.required && !values.contains_key(one.name));
        match missing {
            Some(param) => Err(BadArgument::Missing { tool: tool.name, name: param.name }),
            None => Ok(Self { values }),
        }
    }

    /// What a parameter came as; the default of its type where it was not given.
    pub(crate) fn read<T: Argument + Default>(&self, name: &str) -> Result<T, String> {
        self.values.get(name).map_or_else(|| Ok(T::default()), T::read)
    }
}

/// What a field of an ask says about the parameter that fills it, by its type.
pub(crate) trait Argument: Sized {
    /// What the parameter holds.
    const KIND: Kind;
    /// Whether it must be given.
    const REQUIRED: bool;
    /// The value, from one that was checked.
    fn read(value: &Value) -> Result<Self, String>;
}

impl<T: Argument> Argument for Option<T> {
    const KIND: Kind = T::KIND;
    const REQUIRED: bool = false;

    fn read(value: &Value) -> Result<Self, String> {
        T::read(value).map(Some)
    }
}

macro_rules! arguments {
    ($($type:ty, $kind:expr, $required:expr, $read:expr;)*) => {
        $(impl Argument for $type {
            const KIND: Kind = $kind;
            const REQUIRED: bool = $required;

            fn read(value: &Value) -> Result<Self, String> {
                let read: fn(&Value) -> Result<Self, String> = $read;
                read(value)
            }
        })*
    };
}

fn number<T: TryFrom<u64>>(value: &Value, most: T) -> Result<T, String> {
    Ok(T::try_from(value.as_u64().unwrap_or_default()).unwrap_or(most))
}

fn chosen<T, E: ToString>(value: &Value, parse: fn(&str) -> Result<T, E>) -> Result<T, String> {
    parse(value.as_str().unwrap_or_default()).map_err(|error| error.to_string())
}

arguments! {
    String, Kind::Text, true, |value| Ok(value.as_str().unwrap_or_default().to_owned());
    u64, Kind::Integer, true, |value| number(value, u64::MAX);
    u32, Kind::Integer, true, |value| number(value, u32::MAX);
    usize, Kind::Integer, true, |value| number(value, usize::MAX);
    bool, Kind::Flag, false, |value| Ok(value.as_bool().unwrap_or_default());
    Vec<u64>, Kind::Ids, false, |value| {
        Ok(value.as_array().into_iter().flatten().filter_map(Value::as_u64).collect())
    };
    Vec<String>, Kind::Texts, false, |value| {
        let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(texts.map(ToOwned::to_owned).collect())
    };
    DetailLevel, Kind::Choice(&["summary", "standard", "full"]), false,
        |value| chosen(value, str::parse);
    Scope, Kind::Choice(&["project", "personal"]), false, |value| chosen(value, str::parse);
    Mode, Kind::Choice(&["guided", "expert"]), false, |value| chosen(value, Mode::parse);
    Stage, Kind::Choice(&[
        "init", "propose", "specify", "business-rules", "clarify", "design", "tasks", "validate",
    ]), true, |value| chosen(value, Stage::parse);
    Verdict, Kind::Choice(&["PASS", "PASS_WITH_WARNINGS", "FAIL"]), true,
        |value| chosen(value, Verdict::parse);
    ChangeType, Kind::Choice(&["feature", "fix", "refactor", "enhancement"]), true,
        |value| chosen(value, ChangeType::parse);
    ChangeSize, Kind::Choice(&["small", "medium", "large"]), true,
        |value| chosen(value, ChangeSize::parse);
    AdrStatus, Kind::Choice(&["proposed", "accepted", "rejected", "deprecated", "superseded"]),
        false, |value| chosen(value, AdrStatus::parse);
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
        (Kind::Texts, value) => match texts(&value) {
            Some(texts) => Ok(texts.into()),
            None => wrong("a list of texts such as [\"src/auth.rs\"]", &value),
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

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(list) if list.len() <= MOST_IDS => {
            list.iter().map(|one| one.as_str().map(ToOwned::to_owned)).collect()
        }
        // Some clients send a list as the text of one.
        Value::String(text) if text.trim_start().starts_with('[') => {
            serde_json::from_str(text).ok()
        }
        Value::String(text) => Some(vec![text.clone()]),
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
