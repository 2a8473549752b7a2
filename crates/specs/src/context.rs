//! `sdd_get_context`: the notebook as a model reads it, within a budget.

use plimsoll_budget::{Answer, AnswerSpec, DetailLevel, Piece};
use plimsoll_tokens::{bytes4, commas};

use crate::{
    Notebook, Reading, SpecsError, Stage, detail::excerpt, document::one_line,
    notebook::next_words, state::State,
};

/// Headings that a summary names of one document.
const MOST_HEADINGS: usize = 12;

/// What `sdd_get_context` takes.
#[derive(Clone, Debug, Default)]
pub struct GetContext {
    /// One stage; all of them if none is named.
    pub stage: Option<Stage>,
    /// How to answer. Without a level it is a summary.
    pub reading: Reading,
}

/// A budgeted answer and the memories that it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRead {
    /// The text and its true counts.
    pub answer: Answer,
    /// The ids of the shown observations, worthiest first.
    pub ids: Vec<u64>,
}

impl Notebook {
    /// `sdd_get_context`.
    pub fn get_context(&self, args: &GetContext) -> Result<ContextRead, SpecsError> {
        let state = State::load(&self.files)?;
        let detail = args.reading.detail.unwrap_or(DetailLevel::Summary);
        let mut pieces = Vec::new();
        match args.stage {
            Some(Stage::Init) => pieces.push(overview(&state, detail)),
            Some(stage) => {
                pieces.push(self.document(&state, stage, detail, true)?.unwrap_or_else(|| {
                    let status = state.status(stage);
                    let text = format!("{} ({stage}, {status}): not written yet", stage.file());
                    piece(text, own_call(stage))
                }))
            }
            None => {
                pieces.push(overview(&state, detail));
                for stage in Stage::ALL.into_iter().skip(1) {
                    pieces.extend(self.document(&state, stage, detail, false)?);
                }
                pieces.extend(self.changes_section()?);
                pieces.extend(self.decisions_section()?);
            }
        }
        number(&mut pieces);
        let allowance = args.reading.allowance();
        let answer = AnswerSpec {
            head: "",
            intro: "",
            total: pieces.len(),
            uncounted: false,
            pieces: &pieces,
            noun: "sections",
            others: "",
            footers: true,
            summary_hint: detail.hint(),
            next_call: Some("Name one with stage, or read the files in sdd/."),
            shortened: false,
            more: &allowance.more(),
            max_tokens: allowance.max_tokens(),
            counter: args.reading.counter,
        };
        Ok(ContextRead { answer: answer.build(), ids: Vec::new() })
    }

    /// The section of a stage's document; none if it was not written yet.
    fn document(
        &self,
        state: &State,
        stage: Stage,
        detail: DetailLevel,
        alone: bool,
    ) -> Result<Option<Piece>, SpecsError> {
        let Some(text) = self.files.read_leniently(stage.file())? else { return Ok(None) };
        let head = format!("{} ({stage}, {})", stage.file(), state.status(stage));
        let text = section(&head, &text, detail);
        // Who asks for all of one document and gets a part finds the rest in its file.
        let full_text = match (alone, detail) {
            (true, DetailLevel::Full) => format!("sdd/{}", stage.file()),
            _ => own_call(stage),
        };
        Ok(Some(piece(text, full_text)))
    }

    fn changes_section(&self) -> Result<Option<Piece>, SpecsError> {
        let changes = self.changes()?;
        let Some(latest) = changes.first() else { return Ok(None) };
        let shown = changes.iter().find(|change| change.status == "active").unwrap_or(latest);
        let text = format!("changes ({}): {}", changes.len(), shown.line());
        Ok(Some(piece(text, "sdd_change_status".to_owned())))
    }

    fn decisions_section(&self) -> Result<Option<Piece>, SpecsError> {
        let names = self.files.names("adrs")?;
        let names: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(".md")).collect();
        if names.is_empty() {
            return Ok(None);
        }
        let text = format!("adrs ({}): {}", names.len(), one_line(&names.join(", ")));
        Ok(Some(piece(text, "the files in sdd/adrs/".to_owned())))
    }
}

/// What the project is and where it stands.
fn overview(state: &State, detail: DetailLevel) -> Piece {
    let mut text = format!(
        "Project \"{}\", {} mode, at stage {}. {}",
        one_line(&state.name),
        state.mode.name(),
        state.stage,
        next_words(state),
    );
    let stages: Vec<String> =
        Stage::ALL.iter().map(|stage| format!("{stage} {}", state.status(*stage))).collect();
    text.push_str(&format!("\nStages: {}", stages.join(", ")));
    if let Some(description) = excerpt(detail, &state.description) {
        text.push_str(&format!("\n{description}"));
    }
    piece(text, own_call(Stage::Init))
}

fn piece(text: String, full_text: String) -> Piece {
    Piece { text, place: 0, heading: None, full_text, lines_from: None }
}

/// A document below a line that names it, its weight and, in a summary, its headings.
pub(crate) fn section(head: &str, text: &str, detail: DetailLevel) -> String {
    let head = format!("{head}, ~{} tokens", commas(bytes4(text)));
    match excerpt(detail, text) {
        Some(excerpt) => format!("{head}\n{excerpt}"),
        None => {
            let headings: Vec<String> = text
                .lines()
                .filter_map(|line| line.strip_prefix("## "))
                .map(one_line)
                .take(MOST_HEADINGS)
                .collect();
            let colon = if headings.is_empty() { "" } else { ": " };
            format!("{head}{colon}{}", headings.join("; "))
        }
    }
}

/// The pieces stand in the order in which they are worth something.
pub(crate) fn number(pieces: &mut [Piece]) {
    for (at, piece) in pieces.iter_mut().enumerate() {
        piece.place = at;
    }
}

fn own_call(stage: Stage) -> String {
    format!("sdd_get_context stage={stage} detail_level=full")
}
