//! Thinking aloud before a change: nothing is written down here, only remembered.

use crate::{
    Done, Notebook, Remember, SpecsError,
    document::{check, one_line, optional, render, required},
    notebook::memory_text,
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

impl Notebook {
    /// `sdd_explore`. The same title replaces what was explored before.
    pub fn explore(&self, args: &Explore) -> Result<Done, SpecsError> {
        let fields = [
            optional("goals", "Goals", &args.goals),
            optional("constraints", "Constraints", &args.constraints),
            optional("preferences", "Preferences", &args.preferences),
            optional("unknowns", "Unknowns", &args.unknowns),
            optional("decisions", "Decisions", &args.decisions),
        ];
        check(&[required("title", "Title", &args.title)])?;
        check(&fields)?;
        let title = one_line(&args.title);
        let empty: Vec<&str> = fields
            .iter()
            .filter(|field| field.text.trim().is_empty())
            .map(|field| field.name)
            .collect();
        let still = match empty.as_slice() {
            [] => "Nothing is missing. ".to_owned(),
            empty => format!("Still empty: {}. Call again to add them. ", empty.join(", ")),
        };
        let given = args.project.as_deref().map(one_line).filter(|name| !name.is_empty());
        Ok(Done {
            text: format!(
                "Explored \"{title}\". {still}sdd_context_check will find it; sdd_change starts \
                 the work."
            ),
            remember: Some(Remember {
                kind: "explore",
                content: memory_text(&render(&title, &fields), "the call of sdd_explore"),
                topic_key: format!("explore/{}", slug(&args.title)),
                title,
                project: given.unwrap_or_else(|| self.folder()),
            }),
        })
    }
}
