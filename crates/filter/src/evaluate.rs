//! A compiled filter and its evaluation over all rows at once (FLT-7).
//!
//! Each step narrows a set of candidate rows, so that what is costly, searching texts,
//! is asked of few of them. Rows are taken in blocks that stay in the cache of the
//! processor while all terms look at them, so that time grows in step with the rows.

use plimsoll_domain::{ColorFlag, Lifecycle, PairKind, PairUse, Timestamp};

use crate::{Row, Rows, TextTerm, bits::Bits, boundary::BoundaryTerm, error::FilterError};

/// How many rows are looked at together: about 64 KB of them.
const BLOCK: usize = 2048;

/// A filter that is ready to be evaluated. It holds what it needs of the scope, so it is
/// as old as the scope it was compiled with: ages do not move on by themselves.
#[derive(Clone, Debug)]
pub struct Filter {
    pub(crate) root: Node,
    pub(crate) boundary: Vec<BoundaryTerm>,
    pub(crate) text_terms: Vec<TextTerm>,
    pub(crate) needs_tokens: bool,
    pub(crate) moving: Option<FilterError>,
    pub(crate) has_ages: bool,
    /// The topic of `tN` and the largest N, if there is one.
    pub(crate) newest_of_topic: Option<(u32, u32)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Leaf(Leaf),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Leaf {
    Topics(Bits),
    TopicNewest {
        topic: u32,
        count: u32,
    },
    /// Bit n says whether n stars match.
    Star {
        mask: u8,
    },
    Newest(u32),
    Blue(bool),
    Models(Bits),
    Text(usize),
    /// From an instant on, and up to one that is not included.
    Time {
        from: Option<Timestamp>,
        until: Option<Timestamp>,
    },
    Failed,
    Use(PairUse),
    Summary,
    Image,
    Attachment,
    /// Both ends included.
    Tokens {
        low: u32,
        high: u32,
    },
}

impl Filter {
    /// The texts that rows are searched for; [`Rows::contains`] gets an index into this.
    pub fn text_terms(&self) -> &[TextTerm] {
        &self.text_terms
    }

    /// Whether [`Row::tokens`] is looked at.
    pub fn needs_tokens(&self) -> bool {
        self.needs_tokens
    }

    /// Whether it shows other pairs as time goes by: it looks at ages, which were reckoned
    /// from the moment of compiling.
    pub fn has_ages(&self) -> bool {
        self.has_ages
    }

    /// Why `:delete` refuses this filter, if it does (FLT-5): an atom whose meaning
    /// moves, in the text itself or in a saved filter that it uses.
    pub fn delete_refusal(&self) -> Option<&FilterError> {
        self.moving.as_ref()
    }

    /// The rows that match all terms but the boundary ones, in ascending order.
    pub fn visible(&self, rows: &impl Rows) -> Vec<u32> {
        self.visible_in_blocks(rows, BLOCK)
    }

    pub(crate) fn visible_in_blocks(&self, source: &impl Rows, length: usize) -> Vec<u32> {
        let newest_of_topic = self.newest_of_topic(source.rows());
        let mut visible = Vec::new();
        for (number, rows) in source.rows().chunks(length).enumerate() {
            let newest_of_topic = &newest_of_topic;
            let block = Block { source, rows, start: number * length, newest_of_topic };
            let kept = block.keep(&self.root, Bits::all(rows.len()));
            kept.append_to(block.start, &mut visible);
        }
        visible
    }

    /// The rows that `tN` can mean, the newest first. A filter has one selected topic,
    /// so that one scan serves all of its `tN`.
    fn newest_of_topic(&self, rows: &[Row]) -> Vec<usize> {
        let Some((topic, count)) = self.newest_of_topic else { return Vec::new() };
        let newest_first = rows.iter().enumerate().rev();
        let of_topic = newest_first.filter(|(_, row)| row.topic == Some(topic));
        of_topic.map(|(index, _)| index).take(count as usize).collect()
    }
}

/// Some consecutive rows of all, and what is known of the rest.
struct Block<'a, R> {
    source: &'a R,
    rows: &'a [Row],
    /// The number of the first row.
    start: usize,
    newest_of_topic: &'a [usize],
}

impl<R: Rows> Block<'_, R> {
    /// Those of the candidates that match.
    fn keep(&self, node: &Node, mut candidates: Bits) -> Bits {
        match node {
            Node::And(children) => {
                for child in children {
                    if candidates.is_empty() {
                        break;
                    }
                    candidates = self.keep(child, candidates);
                }
                candidates
            }
            Node::Or(children) => {
                let mut found = Bits::none(self.rows.len());
                for child in children {
                    if candidates.is_empty() {
                        break;
                    }
                    let matched = self.keep(child, candidates.clone());
                    candidates.remove(&matched);
                    found.add(&matched);
                }
                found
            }
            Node::Not(child) => {
                let matched = self.keep(child, candidates.clone());
                candidates.remove(&matched);
                candidates
            }
            Node::Leaf(leaf) => {
                self.keep_leaf(leaf, &mut candidates);
                candidates
            }
        }
    }

    fn keep_leaf(&self, leaf: &Leaf, candidates: &mut Bits) {
        let rows = self.rows;
        match leaf {
            Leaf::Topics(topics) => candidates
                .retain_rows(rows, |row| row.topic.is_some_and(|topic| topics.get(topic as usize))),
            Leaf::Models(models) => {
                candidates.retain_rows(rows, |row| models.get(row.model as usize));
            }
            Leaf::TopicNewest { topic, count } => {
                let newest = &self.newest_of_topic;
                let oldest = match (*count as usize).min(newest.len()).checked_sub(1) {
                    Some(last) => newest[last],
                    None => usize::MAX,
                };
                self.keep_from(oldest, candidates);
                candidates.retain_rows(rows, |row| row.topic == Some(*topic));
            }
            Leaf::Star { mask } => {
                candidates.retain_rows(rows, |row| mask >> row.star.count() & 1 == 1);
            }
            Leaf::Newest(count) => {
                let total = self.source.rows().len();
                self.keep_from(total.saturating_sub(*count as usize), candidates);
            }
            Leaf::Blue(blue) => {
                candidates.retain_rows(rows, |row| (row.flag == ColorFlag::Blue) == *blue);
            }
            Leaf::Text(term) => {
                candidates.retain(|row| self.source.contains(self.start + row, *term));
            }
            Leaf::Time { from, until } => {
                let first_at =
                    |time: Timestamp| rows.partition_point(|row: &Row| row.created_at < time);
                candidates.keep_range(from.map_or(0, first_at), until.map_or(rows.len(), first_at));
            }
            Leaf::Failed => candidates.retain_rows(rows, |row| row.lifecycle == Lifecycle::Error),
            Leaf::Summary => candidates.retain_rows(rows, |row| row.kind == PairKind::Summary),
            Leaf::Use(wanted) => candidates.retain_rows(rows, |row| row.pair_use == *wanted),
            Leaf::Image => candidates.retain_rows(rows, |row| row.has_image),
            Leaf::Attachment => candidates.retain_rows(rows, |row| row.has_attachment),
            Leaf::Tokens { low, high } => {
                candidates.retain_rows(rows, |row| (*low..=*high).contains(&row.tokens));
            }
        }
    }

    /// Keeps the rows from this number on, counted over all blocks.
    fn keep_from(&self, first: usize, candidates: &mut Bits) {
        candidates.keep_range(first.saturating_sub(self.start), self.rows.len());
    }
}
