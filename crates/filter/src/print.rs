//! The canonical text of a filter. It parses to the same filter again.

use std::fmt;

use plimsoll_domain::ColorFlag;

use crate::{Atom, Comparator, Expr};

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A space is enough: no atom starts with what could continue another one.
            Self::And(children) => {
                join(f, children, " ", |child| matches!(child, Self::And(_) | Self::Or(_)))
            }
            Self::Or(children) => join(f, children, " | ", |child| matches!(child, Self::Or(_))),
            Self::Not(child) => {
                f.write_str("!")?;
                nested(f, child, matches!(**child, Self::And(_) | Self::Or(_)))
            }
            Self::Atom(atom, _) => write!(f, "{atom}"),
        }
    }
}

fn join(
    f: &mut fmt::Formatter<'_>,
    children: &[Expr],
    operator: &str,
    needs_parentheses: impl Fn(&Expr) -> bool,
) -> fmt::Result {
    for (index, child) in children.iter().enumerate() {
        if index > 0 {
            f.write_str(operator)?;
        }
        nested(f, child, needs_parentheses(child))?;
    }
    Ok(())
}

fn nested(f: &mut fmt::Formatter<'_>, child: &Expr, parentheses: bool) -> fmt::Result {
    if parentheses { write!(f, "({child})") } else { write!(f, "{child}") }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SelectedTopic { descendants: false } => f.write_str("t"),
            Self::SelectedTopic { descendants: true } => f.write_str("t..."),
            Self::SelectedTopicNewest(count) => write!(f, "t{count}"),
            Self::Topic(topic) => write!(f, "t{topic}"),
            Self::Star(comparator, star) => {
                write!(f, "s{}{}", written(*comparator), star.count())
            }
            Self::Newest(count) => write!(f, "r{count}"),
            Self::Flag(ColorFlag::Blue) => f.write_str("b"),
            Self::Flag(ColorFlag::Grey) => f.write_str("g"),
            Self::SelectedModel => f.write_str("m"),
            Self::Model(pattern) => write!(f, "m'{pattern}'"),
            Self::Text(pattern) => write!(f, "c'{pattern}'"),
            Self::Age(comparator, age) => {
                write!(f, "d{}{}{}", comparator.symbol(), age.count, age.unit.name())
            }
            Self::Day(comparator, date) => write!(f, "d{}{date}", written(*comparator)),
            Self::Failed => f.write_str("e"),
            Self::LeftOut => f.write_str("x"),
            Self::Pinned => f.write_str("p"),
            Self::Summary => f.write_str("y"),
            Self::Image => f.write_str("i"),
            Self::Attachment => f.write_str("a"),
            Self::Included(0) => f.write_str("o"),
            Self::Included(count) => write!(f, "o{count}"),
            Self::Tokens(comparator, count) => write!(f, "k{}{count}", written(*comparator)),
            Self::Saved(name) => write!(f, "@{name}"),
        }
    }
}

/// The comparator, where writing nothing does not mean the same.
fn written(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Equal => "",
        other => other.symbol(),
    }
}
