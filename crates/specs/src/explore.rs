//! Thinking aloud before a change: nothing is written down here, only remembered. What is
//! explored under one title grows from call to call (MEM-12).

use crate::{
    Done, LONGEST_FIELD, Notebook, Remember, SpecsError,
    document::{Field, body, check, one_line, optional, render, required},
    slug,
};

/// What `sdd_explore` takes.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Explore {
    pub title: String,
    pub goals: Option<String>,
    pub constraints: Option<String>,
    pub preferences: Option<String>,
    pub unknowns: Option<String>,
    pub decisions: Option<String>,
    pub project: Option<String>,
}

impl Explore {
    /// What the note of this title is found by.
    pub fn topic_key(&self) -> String {
        format!("explore/{}", slug(&self.title))
    }

    fn fields(&self) -> [Field<'_>; 5] {
        [
            optional("goals", "Goals", &self.goals),
            optional("constraints", "Constraints", &self.constraints),
            optional("preferences", "Preferences", &self.preferences),
            optional("unknowns", "Unknowns", &self.unknowns),
            optional("decisions", "Decisions", &self.decisions),
        ]
    }
}

impl Notebook {
    /// `sdd_explore`, added to what was explored under this title before.
    pub fn explore(&self, args: &Explore, earlier: Option<&str>) -> Result<Done, SpecsError> {
        let fields = args.fields();
        check(&[required("title", "Title", &args.title)])?;
        check(&fields)?;
        let title = one_line(&args.title);
        let content = match earlier {
            None => render(&title, &fields),
            Some(earlier) => fields.iter().fold(earlier.to_owned(), |text, field| {
                if field.text.trim().is_empty() { text } else { added(&text, field, &fields) }
            }),
        };
        let content = content.trim_end().to_owned();
        if content.len() > LONGEST_FIELD {
            return Err(SpecsError::TooLong {
                field: "what was explored under this title",
                bytes: content.len(),
                limit: LONGEST_FIELD,
            });
        }
        let empty: Vec<&str> = fields
            .iter()
            .filter(|field| section(&lines(&content), field, &fields).is_none())
            .map(|field| field.name)
            .collect();
        let still = match empty.as_slice() {
            [] => "Nothing is missing. ".to_owned(),
            empty => format!("Still empty: {}. Call again to add them. ", empty.join(", ")),
        };
        let done = if earlier.is_some() { "Added to" } else { "Explored" };
        let given = args.project.as_deref().map(one_line).filter(|name| !name.is_empty());
        Ok(Done {
            text: format!(
                "{done} \"{title}\". {still}sdd_context_check will find it; sdd_change starts \
                 the work."
            ),
            remember: Some(Remember {
                kind: "explore",
                content,
                topic_key: args.topic_key(),
                title,
                project: given.unwrap_or_else(|| self.folder()),
            }),
        })
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// Where the text of a field stands: from the line behind its heading to the next heading.
fn section(
    lines: &[&str],
    field: &Field<'_>,
    fields: &[Field<'_>],
) -> Option<std::ops::Range<usize>> {
    let is = |line: &str, field: &Field<'_>| line.trim_end() == format!("## {}", field.heading);
    let start = lines.iter().position(|line| is(line, field))? + 1;
    let rest = lines[start..].iter();
    let length = rest.take_while(|line| !fields.iter().any(|other| is(line, other))).count();
    Some(start..start + length)
}

/// The text with what a field says put behind what stands there already. No line is lost or
/// moved before another; items of a list that are there already are not said twice.
fn added(text: &str, field: &Field<'_>, fields: &[Field<'_>]) -> String {
    let all = lines(text);
    let said = body(field.text);
    let Some(range) = section(&all, field, fields) else {
        // Behind the nearest section that comes before it, in the order of the document.
        let before = fields.iter().take_while(|other| other.heading != field.heading);
        let at = before.filter_map(|other| section(&all, other, fields)).map(|range| range.end);
        let first = fields.iter().filter_map(|other| section(&all, other, fields));
        let first = first.map(|range| range.start - 1).min();
        let at = at.max().or(first).unwrap_or(all.len());
        let new = format!("## {}\n\n{said}", field.heading);
        return joined(&all[..at], &new, &all[at..]);
    };
    let there = &all[range.clone()];
    let known = |line: &str| there.iter().any(|one| one.trim() == line.trim());
    let whole: Vec<&str> = said.lines().collect();
    if there.windows(whole.len()).any(|lines| lines == whole) {
        return text.to_owned();
    }
    let filled = || said.lines().filter(|line| !line.trim().is_empty());
    if !filled().all(is_item) {
        return joined(&all[..range.end], &said, &all[range.end..]);
    }
    let fresh: Vec<&str> = filled().filter(|line| !known(line)).collect();
    let kept = there.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |at| at + 1);
    let end = range.start + kept;
    let goes_on = kept > 0 && is_item(all[end - 1]);
    match (fresh.is_empty(), goes_on) {
        (true, _) => text.to_owned(),
        (false, false) => joined(&all[..end], &fresh.join("\n"), &all[range.end..]),
        (false, true) => {
            let head = [&all[..end], &fresh].concat().join("\n");
            joined(&[&head], "", &all[range.end..])
        }
    }
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = numbered.len() < line.len() && numbered.starts_with(['.', ')']);
    numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// Three parts with an empty line between those that are not empty.
fn joined(before: &[&str], new: &str, after: &[&str]) -> String {
    let parts = [before.join("\n"), new.to_owned(), after.join("\n")];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_matches('\n')).collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n") + "\n"
}

#[cfg(test)]
#[path = "explore_tests.rs"]
mod tests;
