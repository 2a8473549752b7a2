//! Saved filters are put in place before anything else is looked at, so that the rules
//! hold for what a filter means and not for how it is written.

use crate::{
    Scope,
    ast::{Atom, Expr, Span},
    error::{ErrorKind, FilterError, quoted},
    parser::{MAX_DEPTH, MAX_INPUT, parse},
};

/// How deep an expanded filter may nest. A single text of the largest depth stays below
/// it: each of its levels gives at most a conjunction and a disjunction.
const MAX_EXPANDED_DEPTH: usize = 4 * MAX_DEPTH;

/// The filter with all `@name` replaced. Atoms of a saved filter get the span of the
/// `@name` in the text that the user sees.
pub(crate) fn expand(expr: &Expr, scope: &dyn Scope) -> Result<Expr, FilterError> {
    Expansion { scope, open: Vec::new(), bytes: 0, depth: 0 }.expand(expr, None)
}

struct Expansion<'a> {
    scope: &'a dyn Scope,
    /// The names that are being expanded, to notice one that uses itself.
    open: Vec<String>,
    /// How much saved text was put in place. Names that use others many times over could
    /// otherwise grow without bound.
    bytes: usize,
    depth: usize,
}

impl Expansion<'_> {
    fn expand(&mut self, expr: &Expr, outer: Option<Span>) -> Result<Expr, FilterError> {
        self.depth += 1;
        let expanded = match expr {
            Expr::And(children) => Expr::all(self.expand_all(children, outer)?),
            Expr::Or(children) => Expr::any(self.expand_all(children, outer)?),
            Expr::Not(child) => Expr::Not(Box::new(self.expand(child, outer)?)),
            Expr::Atom(Atom::Saved(name), span) => self.saved(name, outer.unwrap_or(*span))?,
            Expr::Atom(atom, span) => Expr::Atom(atom.clone(), outer.unwrap_or(*span)),
        };
        self.depth -= 1;
        Ok(expanded)
    }

    fn expand_all(
        &mut self,
        children: &[Expr],
        outer: Option<Span>,
    ) -> Result<Vec<Expr>, FilterError> {
        children.iter().map(|child| self.expand(child, outer)).collect()
    }

    fn saved(&mut self, name: &str, span: Span) -> Result<Expr, FilterError> {
        let found = quoted(&format!("@{name}"));
        let error = |kind, expected: &str| FilterError::new(kind, span, found.clone(), expected);
        if self.open.iter().any(|open| open == name) {
            return Err(error(ErrorKind::BadSavedFilter, "a filter that does not use itself")
                .hint(format!("change one of @{}", self.open.join(", @"))));
        }
        let Some(text) = self.scope.saved(name) else {
            return Err(error(ErrorKind::UnknownSavedFilter, "the name of a saved filter")
                .hint(format!("save one with {}", quoted(&format!(":save {name}")))));
        };
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > MAX_INPUT {
            let expected = format!("at most {MAX_INPUT} bytes of saved filters");
            return Err(error(ErrorKind::TooLong, &expected).hint("use fewer or shorter ones"));
        }
        let query = parse(text).map_err(|inner| {
            error(ErrorKind::BadSavedFilter, "a saved filter without mistakes")
                .hint(inner.to_string())
        })?;
        if query.command.is_some() {
            return Err(error(ErrorKind::BadSavedFilter, "a saved filter without a command")
                .hint("save it again without the `:`"));
        }
        if self.depth > MAX_EXPANDED_DEPTH {
            return Err(error(ErrorKind::TooDeep, "fewer levels")
                .hint("let fewer saved filters use each other"));
        }
        let Some(expr) = query.expr else {
            // An empty filter shows everything, as does a conjunction of nothing.
            return Ok(Expr::And(Vec::new()));
        };
        self.open.push(name.to_owned());
        let expanded = self.expand(&expr, Some(span))?;
        self.open.pop();
        Ok(expanded)
    }
}
