//! What a filter says, once it is parsed.

use plimsoll_domain::{ColorFlag, Star};

use crate::{Date, Pattern, TopicPattern};

/// A stretch of the source, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// `=`, which is also meant when nothing is written.
    Equal,
    /// `>`
    Greater,
    /// `<`
    Less,
    /// `>=`
    GreaterOrEqual,
    /// `<=`
    LessOrEqual,
}

impl Comparator {
    /// All of them, in the order of the spec.
    pub const ALL: [Self; 5] =
        [Self::Equal, Self::Greater, Self::Less, Self::GreaterOrEqual, Self::LessOrEqual];

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Greater => ">",
            Self::Less => "<",
            Self::GreaterOrEqual => ">=",
            Self::LessOrEqual => "<=",
        }
    }

    /// Whether `left` stands in this relation to `right`.
    pub fn holds<T: Ord>(self, left: T, right: T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::Greater => left > right,
            Self::Less => left < right,
            Self::GreaterOrEqual => left >= right,
            Self::LessOrEqual => left <= right,
        }
    }
}

/// The unit of an age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AgeUnit {
    /// `min`
    Minute,
    /// `h`
    Hour,
    /// `d`, which is also meant when no unit is written.
    Day,
    /// `w`
    Week,
    /// `mo`, thirty days.
    Month,
    /// `y`, 365 days.
    Year,
}

impl AgeUnit {
    /// All of them, the shortest first.
    pub const ALL: [Self; 6] =
        [Self::Minute, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minute => "min",
            Self::Hour => "h",
            Self::Day => "d",
            Self::Week => "w",
            Self::Month => "mo",
            Self::Year => "y",
        }
    }

    /// How long it is.
    pub fn millis(self) -> i64 {
        const MINUTE: i64 = 60_000;
        const DAY: i64 = 24 * 60 * MINUTE;
        match self {
            Self::Minute => MINUTE,
            Self::Hour => 60 * MINUTE,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => 30 * DAY,
            Self::Year => 365 * DAY,
        }
    }
}

/// A length of time, as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Age {
    /// How many units.
    pub count: u32,
    pub unit: AgeUnit,
}

impl Age {
    /// How long it is; an age too long for the clock is the longest that fits.
    pub fn millis(self) -> i64 {
        i64::from(self.count).saturating_mul(self.unit.millis())
    }
}

/// One row of the table of FLT-3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// `t` and `t...`: the topic selected in the input zone.
    SelectedTopic {
        /// Whether the topics below it count too.
        descendants: bool,
    },
    /// `tN`: the newest pairs of the selected topic.
    SelectedTopicNewest(u32),
    /// `t'Name'`, `t'/A/B'`, with or without `...`.
    Topic(TopicPattern),
    /// `s3`, `s>=2`.
    Star(Comparator, Star),
    /// `rN`: the newest pairs of the workspace.
    Newest(u32),
    /// `b` and `g`.
    Flag(ColorFlag),
    /// `m`: the model selected in the input zone.
    SelectedModel,
    /// `m'gpt-4*'`.
    Model(Pattern),
    /// `c'text'`.
    Text(Pattern),
    /// `d<7d`. The parser never makes one with [`Comparator::Equal`].
    Age(Comparator, Age),
    /// `d2025-09-01`.
    Day(Comparator, Date),
    /// `e`: pairs in error.
    Failed,
    /// `x`: left out by hand (HIS-10).
    LeftOut,
    /// `p`: pinned (HIS-10).
    Pinned,
    /// `y`: a summary (HIS-11).
    Summary,
    /// `i`
    Image,
    /// `a`
    Attachment,
    /// `o` and `oN`: included pairs and the newest N excluded ones; zero for `o`.
    Included(u32),
    /// `k>500`.
    Tokens(Comparator, u32),
    /// `@name`: a saved filter.
    Saved(String),
}

impl Atom {
    /// Whether the same text means other pairs tomorrow, so that `:delete` refuses it
    /// (FLT-5). A saved filter has to be expanded first.
    pub fn moves(&self) -> bool {
        matches!(
            self,
            Self::SelectedTopic { .. }
                | Self::SelectedTopicNewest(_)
                | Self::Newest(_)
                | Self::Included(_)
        )
    }
}

/// A filter: atoms and how they are joined.
///
/// The parser gives `And` and `Or` at least two children, none of which is of the same
/// kind as its parent. Where an atom stood in the source takes no part in equality.
#[derive(Clone, Debug, Eq)]
pub enum Expr {
    /// All of these.
    And(Vec<Expr>),
    /// Any of these.
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// One condition, and where it stands in the source.
    Atom(Atom, Span),
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::And(a), Self::And(b)) | (Self::Or(a), Self::Or(b)) => a == b,
            (Self::Not(a), Self::Not(b)) => a == b,
            (Self::Atom(a, _), Self::Atom(b, _)) => a == b,
            _ => false,
        }
    }
}

impl Expr {
    /// All of these, with conjunctions inside them dissolved.
    pub(crate) fn all(children: Vec<Expr>) -> Self {
        let mut flat = Vec::with_capacity(children.len());
        for child in children {
            match child {
                Self::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        single(flat).unwrap_or_else(Self::And)
    }

    /// Any of these, with disjunctions inside them dissolved.
    pub(crate) fn any(children: Vec<Expr>) -> Self {
        let mut flat = Vec::with_capacity(children.len());
        for child in children {
            match child {
                Self::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        single(flat).unwrap_or_else(Self::Or)
    }
}

/// The only child, or all of them back.
fn single(mut children: Vec<Expr>) -> Result<Expr, Vec<Expr>> {
    match children.pop() {
        Some(only) if children.is_empty() => Ok(only),
        Some(last) => {
            children.push(last);
            Err(children)
        }
        None => Err(children),
    }
}
