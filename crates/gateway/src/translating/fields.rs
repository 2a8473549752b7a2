//! Members whose values have one meaning in all three protocols.

use base64::{
    Engine as _,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use plimsoll_send::{
    AnswerFormat, AnswerSchema, Effort, FilePart, Part, ToolChoice, ToolDefinition,
};

use super::losses::{Losses, Table, within};
use crate::{json::Members, refusal::Refusal};

/// Clients differ in whether they fill up the end.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A tool without parameters.
const NO_PARAMETERS: &str = r#"{"type":"object","properties":{}}"#;

pub(super) fn number(members: &Members<'_>, name: &str) -> Result<Option<f32>, Refusal> {
    let Some(value) = members.given(name) else { return Ok(None) };
    let number = value.read::<f32>().filter(|number| number.is_finite());
    number.map(Some).ok_or_else(|| Refusal::of(name, format!("'{name}' must be a number")))
}

pub(super) fn whole<T: serde::de::DeserializeOwned>(
    members: &Members<'_>,
    name: &str,
) -> Result<Option<T>, Refusal> {
    let Some(value) = members.given(name) else { return Ok(None) };
    let number = value.read();
    number.map(Some).ok_or_else(|| Refusal::of(name, format!("'{name}' must be a whole number")))
}

pub(super) fn flag(members: &Members<'_>, at: &str, name: &str) -> Result<Option<bool>, Refusal> {
    let Some(value) = members.given(name) else { return Ok(None) };
    let param = within(at, name);
    let words = format!("'{param}' must be true or false");
    value.bool().map(Some).ok_or_else(|| Refusal::of(param, words))
}

/// An object that must be one where it is given.
pub(super) fn object<'a>(
    members: &Members<'a>,
    at: &str,
    name: &str,
) -> Result<Option<Members<'a>>, Refusal> {
    let Some(value) = members.given(name) else { return Ok(None) };
    let param = within(at, name);
    let words = format!("'{param}' must be an object");
    value.members().map(Some).ok_or_else(|| Refusal::of(param, words))
}

/// A text; what is none is the JSON that stands there.
pub(super) fn text(members: &Members<'_>, name: &str) -> String {
    let given = members.given(name);
    given
        .map(|one| one.string().map_or_else(|| one.text().to_owned(), Into::into))
        .unwrap_or_default()
}

/// Where an answer ends: one text or several.
pub(super) fn stop(members: &Members<'_>, name: &str) -> Result<Vec<String>, Refusal> {
    let Some(value) = members.given(name) else { return Ok(Vec::new()) };
    if let Some(one) = value.string() {
        return Ok(vec![one.into_owned()]);
    }
    let texts = value.elements().unwrap_or_default();
    let all: Option<Vec<String>> = texts.iter().map(|text| text.string().map(Into::into)).collect();
    all.filter(|_| value.text().starts_with('['))
        .ok_or_else(|| Refusal::of(name, format!("'{name}' must be a text or a list of texts")))
}

/// An effort that nobody here knows is a hint that nobody can follow.
pub(super) fn effort(
    members: &Members<'_>,
    at: &str,
    name: &str,
    losses: &mut Losses,
) -> Option<Effort> {
    let given = members.given(name)?;
    let effort = given.string().and_then(|effort| Effort::of_name(&effort));
    if effort.is_none() {
        losses.hint(&within(at, name));
    }
    effort
}

/// A form of the answer, whose schema stands under `json_schema` or right there.
pub(super) fn format(
    format: &Members<'_>,
    at: &str,
    losses: &mut Losses,
) -> Result<Option<AnswerFormat>, Refusal> {
    match format.string("type").as_deref() {
        Some("text") => Ok(None),
        Some("json_object") => Ok(Some(AnswerFormat::JsonObject)),
        Some("json_schema") => {
            let inner = object(format, at, "json_schema")?;
            let members = inner.as_ref().unwrap_or(format);
            let known = &["type", "name", "description", "strict", "schema"];
            losses.rest(members, at, &Table { known, ..Table::default() })?;
            let schema = schema(members, at, "schema")?;
            let param = within(at, "schema");
            let schema = schema.ok_or_else(|| Refusal::of(param, "the schema is missing"))?;
            Ok(Some(AnswerFormat::JsonSchema(AnswerSchema {
                name: members.string("name").map(Into::into),
                description: members.string("description").map(Into::into),
                strict: flag(members, at, "strict")?,
                schema: schema.to_owned(),
            })))
        }
        other => {
            losses.lose(at, &format!("asks for '{}'", other.unwrap_or_default())).map(|()| None)
        }
    }
}

/// A schema that every encoder can read: an object, and not nested without end.
fn schema<'a>(members: &Members<'a>, at: &str, name: &str) -> Result<Option<&'a str>, Refusal> {
    let Some(value) = members.given(name) else { return Ok(None) };
    let is_object = value.read::<serde_json::Value>().is_some_and(|read| read.is_object());
    let param = within(at, name);
    let words = format!("'{param}' must be a JSON schema");
    is_object.then_some(Some(value.text())).ok_or_else(|| Refusal::of(param, words))
}

/// A tool; its schema stands under a name of the protocol's own.
pub(super) fn definition(
    members: &Members<'_>,
    at: &str,
    parameters: &str,
) -> Result<ToolDefinition, Refusal> {
    let name = members.string("name").filter(|name| !name.is_empty());
    let parameters = schema(members, at, parameters)?.unwrap_or(NO_PARAMETERS);
    Ok(ToolDefinition {
        name: name
            .ok_or_else(|| Refusal::of(within(at, "name"), "a tool must have a name"))?
            .into_owned(),
        description: members.string("description").unwrap_or_default().into_owned(),
        parameters: parameters.to_owned(),
        strict: flag(members, at, "strict")?,
    })
}

/// A choice that can be made among the tools that are offered. One that forces what is not
/// offered cannot be obeyed.
pub(super) fn choose(
    choice: ToolChoice,
    tools: &[ToolDefinition],
    losses: &mut Losses,
) -> Result<ToolChoice, Refusal> {
    let possible = match &choice {
        ToolChoice::Auto | ToolChoice::None => true,
        ToolChoice::Required => !tools.is_empty(),
        ToolChoice::Named(name) => tools.iter().any(|tool| tool.name == *name),
    };
    if possible {
        return Ok(choice);
    }
    losses.lose("tool_choice", "forces a tool that is not offered")?;
    Ok(ToolChoice::Auto)
}

/// A picture by its address, which may hold its bytes.
pub(super) fn picture(address: &str, at: &str) -> Result<Part, Refusal> {
    if address.starts_with("data:") {
        return data_url(address, at);
    }
    if address.starts_with("https://") || address.starts_with("http://") {
        return Ok(Part::PictureAt(address.to_owned()));
    }
    Err(Refusal::of(at, "a picture must be a data: or an https: address"))
}

/// The bytes of an address that holds them.
pub(super) fn data_url(address: &str, at: &str) -> Result<Part, Refusal> {
    let inner = address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let (kind, data) = inner.ok_or_else(|| Refusal::of(at, "it must be data in base64"))?;
    let mime = kind.split(';').next().unwrap_or_default();
    bytes(mime, data, at)
}

/// A file that goes along as bytes.
pub(super) fn bytes(mime: &str, data: &str, at: &str) -> Result<Part, Refusal> {
    let bytes = BASE64.decode(data).map_err(|_| Refusal::of(at, "it is not base64"))?;
    Ok(Part::File(FilePart {
        file: None,
        mime: mime.to_owned(),
        bytes: bytes.into(),
        path: std::path::PathBuf::new(),
        remote: None,
    }))
}
