//! Decisions with their reasons, numbered: `sdd/adrs/001-slug.md`.

use plimsoll_domain::Timestamp;

use crate::{
    Done, Notebook, Remember, SpecsError,
    document::{check, one_line, optional, render, required},
    notebook::memory_text,
    slug,
    stage::choose,
    state::{State, day},
};

/// Where a decision stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AdrStatus {
    /// It is being talked about.
    Proposed,
    /// It holds.
    #[default]
    Accepted,
    /// It was decided against.
    Rejected,
    /// It no longer holds.
    Deprecated,
    /// Another took its place.
    Superseded,
}

impl AdrStatus {
    /// The choices.
    pub const ALL: [Self; 5] =
        [Self::Proposed, Self::Accepted, Self::Rejected, Self::Deprecated, Self::Superseded];

    pub fn name(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Deprecated => "deprecated",
            Self::Superseded => "superseded",
        }
    }

    /// The status with this name.
    pub fn parse(name: &str) -> Result<Self, SpecsError> {
        choose("status", name, Self::ALL, Self::name)
    }
}

/// What `sdd_adr` takes.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Adr {
    pub title: String,
    pub context: String,
    pub decision: String,
    pub rationale: String,
    pub alternatives_rejected: Option<String>,
    pub status: AdrStatus,
}

impl Notebook {
    /// `sdd_adr`. A project without a notebook may have decisions too.
    pub fn adr(&self, args: &Adr, now: Timestamp) -> Result<Done, SpecsError> {
        let fields = [
            required("context", "Context", &args.context),
            required("decision", "Decision", &args.decision),
            required("rationale", "Rationale", &args.rationale),
            optional("alternatives_rejected", "Alternatives rejected", &args.alternatives_rejected),
        ];
        check(&[required("title", "Title", &args.title)])?;
        check(&fields)?;
        let _held = self.files.hold()?;
        let number = self.next_number()?;
        let title = one_line(&args.title);
        let name = format!("{number:03}-{}", slug(&args.title));
        let change = self.active_change().ok().flatten();
        let change = change.map(|change| format!("\nChange: {}", change.id)).unwrap_or_default();
        let document = render(&format!("{number:03} {title}"), &fields);
        let (head, rest) = document.split_once('\n').unwrap_or((&document, ""));
        let (status, day) = (args.status.name(), day(now));
        let text = format!("{head}\n\nStatus: {status}\nDate: {day}{change}\n{rest}");
        let file = format!("adrs/{name}.md");
        self.files.write_new(&file, &text)?;
        let project = match State::find(&self.files) {
            Ok(Some(state)) => slug(&state.name),
            _ => slug(&self.folder()),
        };
        Ok(Done {
            text: format!("Saved decision {number:03} ({status}) as sdd/{file}."),
            remember: Some(Remember {
                kind: "decision",
                title: format!("ADR {number:03}: {title}"),
                content: memory_text(&text, &format!("sdd/{file}")),
                topic_key: format!("sdd/{project}/adr/{name}"),
                project: self.folder(),
            }),
        })
    }

    /// One more than the highest there is, so that no number is used twice.
    fn next_number(&self) -> Result<u32, SpecsError> {
        let names = self.files.names("adrs")?;
        let numbers = names.iter().filter_map(|name| name.split_once('-')?.0.parse::<u32>().ok());
        Ok(numbers.max().unwrap_or(0).saturating_add(1))
    }
}
