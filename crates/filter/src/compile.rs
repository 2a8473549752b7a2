//! From an expression to a [`Filter`]: names become indices, ages and days become
//! times, and the boundary terms are set apart.

use std::collections::{HashMap, HashSet};

use plimsoll_domain::{ColorFlag, PairUse};

use crate::{
    Scope, TextTerm,
    ast::{Atom, Expr, Span},
    bits::Bits,
    boundary::BoundaryTerm,
    error::{ErrorKind, FilterError, quoted},
    evaluate::{Filter, Leaf, Node},
    pattern::{Pattern, fold},
    ranges::{on_day, since, tokens},
    saved::expand,
    text::MAX_TEXT_TERMS,
    topics::add_descendants,
};

/// Makes a filter ready for evaluation; no expression means everything (FLT-1).
///
/// A name that no topic or model has is no error: it matches nothing.
pub fn compile(expr: Option<&Expr>, scope: &dyn Scope) -> Result<Filter, FilterError> {
    let terms = match expr.map(|expr| expand(expr, scope)).transpose()? {
        None => Vec::new(),
        Some(Expr::And(terms)) => terms,
        Some(other) => vec![other],
    };
    let mut compiler = Compiler::new(scope);
    let mut boundary = Vec::new();
    let mut nodes = Vec::new();
    for term in &terms {
        match boundary_term(term, false) {
            Some((boundary_term, atom, span)) => {
                boundary.push(boundary_term);
                compiler.note_moving(atom, span);
            }
            None => nodes.push(compiler.lower(term)?),
        }
    }
    let Compiler { text_terms, needs_tokens, moving, has_ages, newest_of_topic, .. } = compiler;
    let root = Node::And(in_order(nodes));
    Ok(Filter { root, boundary, text_terms, needs_tokens, moving, has_ages, newest_of_topic })
}

/// The boundary term that an expression is, once its negations are counted.
fn boundary_term(expr: &Expr, negated: bool) -> Option<(BoundaryTerm, &Atom, Span)> {
    match expr {
        Expr::Not(child) => boundary_term(child, !negated),
        Expr::Atom(atom @ Atom::Included(newest), span) => {
            Some((BoundaryTerm { negated, newest: *newest }, atom, *span))
        }
        _ => None,
    }
}

/// A node and how much work it is, in arbitrary units per row.
type Weighed = (Node, u64);

/// The work of a text term: far above any sum of others.
const TEXT_WORK: u64 = 1 << 32;

/// The children, cheap ones first, so that the costly ones see fewer rows. The same
/// condition twice changes nothing and is left out.
fn in_order(mut children: Vec<Weighed>) -> Vec<Node> {
    children.sort_by_key(|(_, work)| *work);
    let mut seen: HashSet<Leaf> = HashSet::new();
    let mut nodes = Vec::with_capacity(children.len());
    for (node, _) in children {
        let repeated = matches!(&node, Node::Leaf(leaf) if !seen.insert(leaf.clone()));
        if !repeated {
            nodes.push(node);
        }
    }
    nodes
}

struct Compiler<'a> {
    scope: &'a dyn Scope,
    /// The names of the topics and models without case, made when first needed.
    topic_names: Option<Vec<String>>,
    model_names: Option<Vec<String>>,
    text_terms: Vec<TextTerm>,
    text_index: HashMap<Pattern, usize>,
    needs_tokens: bool,
    moving: Option<FilterError>,
    has_ages: bool,
    newest_of_topic: Option<(u32, u32)>,
}

impl<'a> Compiler<'a> {
    fn new(scope: &'a dyn Scope) -> Self {
        Self {
            scope,
            topic_names: None,
            model_names: None,
            text_terms: Vec::new(),
            text_index: HashMap::new(),
            needs_tokens: false,
            moving: None,
            has_ages: false,
            newest_of_topic: None,
        }
    }

    fn lower(&mut self, expr: &Expr) -> Result<Weighed, FilterError> {
        match expr {
            Expr::And(children) => self.lower_all(children, Node::And),
            Expr::Or(children) => self.lower_all(children, Node::Or),
            Expr::Not(child) => {
                let (node, work) = self.lower(child)?;
                Ok((Node::Not(Box::new(node)), work))
            }
            Expr::Atom(atom, span) => {
                self.note_moving(atom, *span);
                let leaf = self.leaf(atom, *span)?;
                let work = match &leaf {
                    Leaf::Text(_) => TEXT_WORK,
                    Leaf::Newest(_) | Leaf::Time { .. } => 1,
                    _ => 16,
                };
                Ok((Node::Leaf(leaf), work))
            }
        }
    }

    fn lower_all(
        &mut self,
        children: &[Expr],
        join: fn(Vec<Node>) -> Node,
    ) -> Result<Weighed, FilterError> {
        let children: Vec<Weighed> =
            children.iter().map(|child| self.lower(child)).collect::<Result<_, _>>()?;
        let work = children.iter().fold(0u64, |sum, (_, work)| sum.saturating_add(*work));
        Ok((join(in_order(children)), work))
    }

    fn leaf(&mut self, atom: &Atom, span: Span) -> Result<Leaf, FilterError> {
        Ok(match atom {
            Atom::SelectedTopic { descendants } => {
                let topics = self.scope.topics();
                let selected = self.selected_topic(atom, span)?;
                let mut found = Bits::of(topics.len(), [selected].into_iter());
                if *descendants {
                    add_descendants(&mut found, topics);
                }
                Leaf::Topics(found)
            }
            Atom::SelectedTopicNewest(count) => {
                let topic = self.selected_topic(atom, span)?;
                // A topic that no row can name has no rows.
                let topic = u32::try_from(topic).unwrap_or(u32::MAX);
                let most = self.newest_of_topic.map_or(0, |(_, most)| most);
                self.newest_of_topic = Some((topic, most.max(*count)));
                Leaf::TopicNewest { topic, count: *count }
            }
            Atom::Topic(pattern) => {
                let topics = self.scope.topics();
                let names = self
                    .topic_names
                    .get_or_insert_with(|| topics.iter().map(|topic| fold(&topic.name)).collect());
                Leaf::Topics(pattern.resolve_folded(topics, names))
            }
            Atom::Star(comparator, wanted) => Leaf::Star {
                mask: (0..=plimsoll_domain::Star::MAX)
                    .filter(|count| comparator.holds(*count, wanted.count()))
                    .fold(0, |mask, count| mask | 1 << count),
            },
            Atom::Newest(count) => Leaf::Newest(*count),
            Atom::Flag(flag) => Leaf::Blue(*flag == ColorFlag::Blue),
            Atom::SelectedModel => {
                let selected = self.scope.selected_model().filter(|id| !id.is_empty());
                let Some(selected) = selected.map(fold) else {
                    let hint = "choose a model, or name one: `m'gpt-4*'`";
                    return Err(nothing_selected(atom, span, "a selected model", hint));
                };
                self.models(|name| name == selected)
            }
            Atom::Model(pattern) => {
                let pattern = pattern.folded();
                // A pair without a model has a blank one, which is not any model.
                self.models(|name| !name.is_empty() && pattern.matches(name))
            }
            Atom::Text(pattern) => Leaf::Text(self.text_term(pattern, span)?),
            Atom::Age(comparator, age) => {
                self.has_ages = true;
                let then = self.scope.now().millis().saturating_sub(age.millis());
                since(*comparator, then)
            }
            Atom::Day(comparator, date) => on_day(*comparator, self.scope.day(*date)),
            Atom::Failed => Leaf::Failed,
            Atom::LeftOut => Leaf::Use(PairUse::Out),
            Atom::Pinned => Leaf::Use(PairUse::Pinned),
            Atom::Summary => Leaf::Summary,
            Atom::Image => Leaf::Image,
            Atom::Attachment => Leaf::Attachment,
            Atom::Tokens(comparator, count) => {
                self.needs_tokens = true;
                tokens(*comparator, *count)
            }
            Atom::Included(_) => {
                let expected = "`o` as a term of its own, joined with AND";
                let error = FilterError::new(
                    ErrorKind::MisplacedBoundary,
                    span,
                    quoted(&atom.to_string()),
                    expected,
                );
                return Err(error.hint(format!(
                    "`o` can only narrow what all other terms show, so it must stand alone at \
                     the top level: put the rest in parentheses, `(…) {atom}`"
                )));
            }
            // Saved filters have been expanded, so that none is left to show anything.
            Atom::Saved(_) => Leaf::Newest(0),
        })
    }

    /// The models whose names without case match.
    fn models(&mut self, matches: impl Fn(&str) -> bool) -> Leaf {
        let models = self.scope.models();
        let names = self
            .model_names
            .get_or_insert_with(|| models.iter().map(|model| fold(model)).collect());
        let matches = |index: &usize| matches(&names[*index]);
        Leaf::Models(Bits::of(names.len(), (0..names.len()).filter(matches)))
    }

    fn selected_topic(&self, atom: &Atom, span: Span) -> Result<usize, FilterError> {
        let selected = self.scope.selected_topic();
        let hint = "select a topic, or name one: `t'Name'`";
        selected.ok_or_else(|| nothing_selected(atom, span, "a selected topic", hint))
    }

    /// The index of a text term; the same text is searched for once.
    fn text_term(&mut self, pattern: &Pattern, span: Span) -> Result<usize, FilterError> {
        if let Some(index) = self.text_index.get(pattern) {
            return Ok(*index);
        }
        let too_much = |found: String, expected: String| {
            FilterError::new(ErrorKind::TooLong, span, found, expected)
                .hint("look for fewer or shorter texts")
        };
        let index = self.text_terms.len();
        if index == MAX_TEXT_TERMS {
            let expected = format!("at most {MAX_TEXT_TERMS} different texts");
            return Err(too_much(quoted(&format!("c'{pattern}'")), expected));
        }
        let term = TextTerm::new(pattern).ok_or_else(|| {
            too_much(quoted(&format!("c'{pattern}'")), "a text that can be searched for".into())
        })?;
        self.text_terms.push(term);
        self.text_index.insert(pattern.clone(), index);
        Ok(index)
    }

    /// Remembers the first atom that makes `:delete` refuse (FLT-5).
    fn note_moving(&mut self, atom: &Atom, span: Span) {
        if atom.moves() && self.moving.is_none() {
            let found = quoted(&atom.to_string());
            let expected = "a filter that means the same pairs later";
            let error = FilterError::new(ErrorKind::MovingFilter, span, found, expected);
            let hint = "name a topic (`t'Name'`), a day (`d2025-09-01`) or stars instead";
            self.moving = Some(error.hint(hint));
        }
    }
}

fn nothing_selected(atom: &Atom, span: Span, expected: &str, hint: &str) -> FilterError {
    let found = quoted(&atom.to_string());
    FilterError::new(ErrorKind::NothingSelected, span, found, expected).hint(hint)
}

#[cfg(test)]
#[path = "compile_tests.rs"]
mod tests;
