//! What a tool is: the schema that clients get, the page that people read, the check of
//! arguments and the ask that they become are all made of one declaration (`tools!`).

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::arguments::Argument;

/// What a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A whole number; digits in a text are taken as well.
    Integer,
    /// Yes or no.
    Flag,
    /// Numbers of observations.
    Ids,
    /// Several texts.
    Texts,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A JSON document, as such or as text.
    Json,
}

/// One parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it must be given.
    pub required: bool,
    /// What the model is told about it, where the name does not say it.
    pub about: &'static str,
    /// Other names under which it is taken: those of the server that these tools were first
    /// known from (MEM-14). They are not in the schema.
    pub aliases: &'static [&'static str],
    /// Whether it is in the schema. What is not is taken all the same, for the same reason.
    pub listed: bool,
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Reads,
    /// It adds something with each call.
    Adds,
    /// It sets something; a second call changes nothing more.
    Sets,
    /// It may take something away.
    Destroys,
}

/// Which part of the server a tool belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Memory.
    Memory,
    /// The spec notebook.
    Specs,
}

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, in as few words as the model needs: they are weighed in every
    /// conversation (MBG-8).
    pub about: &'static str,
    /// Where it belongs.
    pub part: Part,
    /// Whether the profile `core` has it.
    pub core: bool,
    /// What it does to the world.
    pub effect: Effect,
    /// What it takes.
    pub params: &'static [Param],
}

/// The sentence of MBG-2.
pub(crate) const MAX_TOKENS: &str = "Approximate token budget for the response. When set, the tool stops adding content when \
     estimated tokens would exceed this budget.";

/// The same in short, for reads without footers (MBG-9).
pub(crate) const ANSWER_BUDGET: &str = "token budget of the answer";

/// What the levels of detail are.
pub(crate) const DETAIL: &str = "summary: ids and titles; standard (default): snippets; full: all";

/// A parameter that fills this field of an ask; what it holds, and whether it must be given,
/// is what the field's type says.
pub(crate) const fn param<A, T: Argument>(name: &'static str, _field: fn(&A) -> &T) -> Param {
    let (kind, required) = (T::KIND, T::REQUIRED);
    Param { name, kind, required, about: "", aliases: &[], listed: true }
}

impl Param {
    pub(crate) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    pub(crate) const fn holds(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    pub(crate) const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) const fn unlisted(self) -> Self {
        Self { listed: false, ..self }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text | Kind::Json => json!({ "type": "string" }),
            Kind::Integer => json!({ "type": "integer" }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Ids => json!({ "type": "array", "items": { "type": "integer" } }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Kind::Choice(choices) => json!({ "type": "string", "enum": choices }),
        };
        if !self.about.is_empty() {
            schema["description"] = self.about.into();
        }
        schema
    }
}

/// Declares tools: for each an entry of the table, and a function of its name that makes an
/// ask of checked arguments. A parameter has the name of the field that it fills, or another
/// one (`kind as "type"`); `in core` puts a tool into that profile, `: Json` takes a document
/// where the field is a text, `or "…"` is another name that is taken, and `= "…"` is what the
/// model is told. What stands in `+ {…}` is taken without being in the schema.
macro_rules! tools {
    ($table:ident of $part:ident; $(
        $name:ident, $title:literal, $effect:ident $(in $core:ident)?, $about:expr =>
        $ask:ident {$(
            $($field:ident).+ $(as $wire:literal)? $(: $kind:ident)? $(or $alias:literal)*
                $(= $hint:expr)?
        ),* $(,)?} $(+ {$($($unlisted:ident).+),*})?
    )*) => {
        /// The tools, in the order in which they are listed.
        pub const $table: &[ToolSpec] = &[$(ToolSpec {
            name: stringify!($name),
            title: $title,
            about: $about,
            part: Part::$part,
            core: !matches!(stringify!($($core)?).as_bytes(), b""),
            effect: Effect::$effect,
            params: &[$(
                param(tools!(@name $($field).+ $(as $wire)?), |ask: &$ask| &ask.$($field).+)
                    .or(&[$($alias),*]) $(.holds(Kind::$kind))? $(.about($hint))?,
            )* $($(
                param(tools!(@name $($unlisted).+), |ask: &$ask| &ask.$($unlisted).+).unlisted(),
            )*)?],
        }),*];
        $(pub(crate) fn $name(args: &Arguments) -> Result<$ask, String> {
            let mut ask = $ask::default();
            $(ask.$($field).+ = args.read(tools!(@name $($field).+ $(as $wire)?))?;)*
            $($(ask.$($unlisted).+ = args.read(tools!(@name $($unlisted).+))?;)*)?
            Ok(ask)
        })*
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $($field:ident).+ as $wire:literal) => { $wire };
}
pub(crate) use tools;

impl ToolSpec {
    /// The parameter with this name.
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// The parameters that clients are told of.
    pub fn listed(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| param.listed)
    }

    /// Whether its answers can be capped.
    pub fn has_budget(&self) -> bool {
        self.param("max_tokens").is_some()
    }

    /// Whether its answers end with the footers of MBG-4.
    pub fn has_footers(&self) -> bool {
        self.has_budget() && self.param("detail_level").is_some()
    }

    /// Whether a call that names no project is about the client's own (MEM-11).
    pub(crate) fn uses_own_project(&self) -> bool {
        // Who updates a note moves it to a project that is named, and to none else.
        let optional = self.param("project").is_some_and(|project| !project.required);
        let of_session = ["mem_session_end", "mem_session_summary"].contains(&self.name);
        (optional && self.name != "mem_update") || of_session
    }

    /// What clients get.
    pub(crate) fn tool(&self) -> Tool {
        let properties: JsonObject =
            self.listed().map(|param| (param.name.to_owned(), param.schema())).collect();
        let required: Vec<&str> =
            self.listed().filter(|param| param.required).map(|param| param.name).collect();
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        tool(self.name, self.title, self.about, schema, self.effect)
    }
}

/// A tool with its annotations.
pub(crate) fn tool(
    name: impl Into<std::borrow::Cow<'static, str>>,
    title: impl Into<String>,
    about: impl Into<std::borrow::Cow<'static, str>>,
    schema: JsonObject,
    effect: Effect,
) -> Tool {
    // Nothing here reaches beyond this machine, and each hint is said, since clients take
    // what is not said for the worst.
    let hints = ToolAnnotations::new().open_world(false).read_only(effect == Effect::Reads);
    let annotations = match effect {
        Effect::Reads => hints,
        Effect::Adds => hints.destructive(false),
        Effect::Sets => hints.destructive(false).idempotent(true),
        Effect::Destroys => hints.destructive(true),
    };
    Tool::new(name, about, Arc::new(schema)).with_title(title).with_annotations(annotations)
}
