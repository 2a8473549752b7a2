//! A formula as MathML, or as its source where that cannot be.
//!
//! The converter is another's, so what it writes is read tag by tag and only what is on
//! the lists below is written again: whatever it does with a hostile formula, no other
//! element and no other attribute comes out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pulldown_latex::{
    Parser, Storage,
    config::{DisplayMode, RenderConfig},
    push_mathml,
};

use super::{Formula, aliases};
use crate::{
    limits::{MAX_MATH_BYTES, MAX_MATH_COMMANDS, MAX_MATH_DEPTH, MAX_MATHML_BYTES},
    text::{self, Place},
};

/// The elements of a formula.
const ELEMENTS: [&str; 24] = [
    "math",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
];

/// The attributes of a formula's elements, except `class`. There is no `style`: the page
/// forbids it, and colours and sizes are its own.
const ATTRIBUTES: [&str; 14] = [
    "accent",
    "depth",
    "display",
    "displaystyle",
    "height",
    "largeop",
    "linethickness",
    "lspace",
    "mathvariant",
    "movablelimits",
    "rspace",
    "scriptlevel",
    "stretchy",
    "width",
];

/// The classes of a formula's elements: how a table's cells are set.
const CLASSES: [&str; 20] = [
    "cell-left",
    "cell-right",
    "menv-align",
    "menv-alignlike",
    "menv-arraylike",
    "menv-border-only",
    "menv-cases",
    "menv-cells-left",
    "menv-cells-right",
    "menv-hdashline",
    "menv-hline",
    "menv-left-dashed",
    "menv-left-solid",
    "menv-matrix",
    "menv-multline",
    "menv-nonumber",
    "menv-right-dashed",
    "menv-right-solid",
    "mop-negated",
    "small",
];

/// Whether a formula may have such an element.
pub(crate) fn is_element(name: &str) -> bool {
    ELEMENTS.contains(&name)
}

/// Whether an element of a formula may have such an attribute.
pub(crate) fn is_attribute(name: &str, value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " .-+%".contains(c);
    ATTRIBUTES.contains(&name) && value.chars().all(plain)
}

/// Whether an element of a formula may have such a class.
pub(crate) fn is_class(class: &str) -> bool {
    CLASSES.contains(&class)
}

/// Commands that define commands: with them a line of text can become a gigabyte.
const DEFINE: [&str; 10] = [
    "\\def",
    "\\edef",
    "\\gdef",
    "\\xdef",
    "\\let",
    "\\futurelet",
    "\\newcommand",
    "\\renewcommand",
    "\\providecommand",
    "\\global",
];

pub(crate) fn push(out: &mut String, formula: &Formula) {
    let start = out.len();
    if convert(out, formula).is_none() {
        out.truncate(start);
        out.push_str("<code class=\"math-error\">");
        text::push(out, &formula.source, Place::Code);
        out.push_str("</code>");
    }
}

fn convert(out: &mut String, formula: &Formula) -> Option<()> {
    let body = formula.body.trim();
    if body.len() > MAX_MATH_BYTES || DEFINE.iter().any(|command| body.contains(command)) {
        return None;
    }
    if memchr::memchr_iter(b'\\', body.as_bytes()).count() > MAX_MATH_COMMANDS {
        return None;
    }
    if body.chars().any(|c| text::unseen(c, Place::Code) || (c.is_control() && !c.is_whitespace()))
    {
        return None;
    }
    let mode = if formula.display { DisplayMode::Block } else { DisplayMode::Inline };
    // The converter has places that it believes to be unreachable. Should a formula
    // reach one, it is shown as its source, and nothing else is lost.
    let ready = aliases::ready(body);
    let mathml = catch_unwind(AssertUnwindSafe(|| mathml(&ready.body, mode))).ok()??;
    if ready.boxed {
        out.push_str("<span class=\"boxed\">");
    }
    rewrite(out, &mathml)?;
    if ready.boxed {
        out.push_str("</span>");
    }
    Some(())
}

fn mathml(body: &str, display_mode: DisplayMode) -> Option<String> {
    let storage = Storage::new();
    let events: Vec<_> = Parser::new(body, &storage).collect::<Result<_, _>>().ok()?;
    let events = events.into_iter().map(Ok::<_, std::fmt::Error>);
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let mut mathml = String::new();
    push_mathml(&mut mathml, events, config).ok()?;
    (mathml.len() <= MAX_MATHML_BYTES).then_some(mathml)
}

/// Writes the elements and attributes of the lists again, and nothing else.
fn rewrite(out: &mut String, mathml: &str) -> Option<()> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = mathml;
    while let Some(at) = rest.find('<') {
        push_text(out, &rest[..at]);
        rest = &rest[at + 1..];
        if let Some(closing) = rest.strip_prefix('/') {
            let (name, after) = closing.split_once('>')?;
            if open.pop() != Some(name) {
                return None;
            }
            out.push_str("</");
            out.push_str(name);
            out.push('>');
            rest = after;
        } else if rest.starts_with(|c: char| c.is_ascii_lowercase()) {
            let (tag, after) = rest.split_once('>')?;
            let (tag, empty) = match tag.strip_suffix('/') {
                Some(tag) => (tag, true),
                None => (tag, false),
            };
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            if !is_element(name) || (open.is_empty() != (name == "math")) {
                return None;
            }
            out.push('<');
            out.push_str(name);
            push_attributes(out, attributes.trim())?;
            out.push('>');
            if empty {
                out.push_str("</");
                out.push_str(name);
                out.push('>');
            } else {
                open.push(name);
            }
            rest = after;
        } else {
            // The sign of an inequality, which the converter leaves as it is.
            out.push_str("&lt;");
        }
        if open.len() > MAX_MATH_DEPTH {
            return None;
        }
    }
    (open.is_empty() && rest.trim().is_empty()).then_some(())
}

/// The text of an element: what is escaped already is not escaped again.
fn push_text(out: &mut String, escaped: &str) {
    if !escaped.contains('&') {
        return text::push(out, escaped, Place::Attribute);
    }
    let plain = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    text::push(out, &plain, Place::Attribute);
}

/// The attributes in a tag, each as `name="value"`.
fn push_attributes(out: &mut String, mut rest: &str) -> Option<()> {
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"")?;
        let (value, after) = after.split_once('"')?;
        rest = after.trim_start();
        if name == "class" {
            let classes: Vec<&str> = value.split(' ').filter(|class| is_class(class)).collect();
            push_attribute(out, name, &classes.join(" "));
        } else if is_attribute(name, value) {
            push_attribute(out, name, value);
        }
    }
    Some(())
}

fn push_attribute(out: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        out.push_str(value);
        out.push('"');
    }
}

#[cfg(test)]
#[path = "mathml_tests.rs"]
mod tests;
