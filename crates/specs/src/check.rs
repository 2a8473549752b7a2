//! `sdd_context_check`: what there is to know before a change (SDD-4).

use plimsoll_budget::{AnswerSpec, DetailLevel, Piece, quoted};

use crate::{
    ContextRead, Notebook, Reading, SpecsError, Stage,
    context::{number, section},
    detail::excerpt,
    document::{check, one_line, required},
    kin::{shared, words},
    scan::{Bounds, scan},
    state::State,
};

const MOST_CHANGES: usize = 10;
/// How many explorations a check tells (SDD-4); whoever looks them up needs no more.
pub const MOST_EXPLORATIONS: usize = 5;
const MOST_DECISIONS: usize = 5;

/// What `sdd_context_check` takes.
#[derive(Clone, Debug, Default)]
pub struct ContextCheck {
    /// What is about to change.
    pub change_description: String,
    /// The free name of the project in memory, for whoever looks up what was explored; the
    /// root's folder if none is named.
    pub project_name: Option<String>,
    /// How to answer. Without a level it is standard.
    pub reading: Reading,
}

/// Something that was explored before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    /// Its observation.
    pub id: u64,
    pub title: String,
    /// Its text.
    pub content: String,
}

/// A piece and the observation that it shows.
type Item = (Piece, Option<u64>);

impl Notebook {
    /// `sdd_context_check`, with what was explored before, nearest first. It needs no
    /// notebook: conventions are worth a look anywhere.
    pub fn context_check(
        &self,
        args: &ContextCheck,
        explored: &[Recalled],
    ) -> Result<ContextRead, SpecsError> {
        check(&[required("change_description", "Change", &args.change_description)])?;
        let detail = args.reading.detail.unwrap_or_default();
        let about = args.change_description.trim();
        let mut items: Vec<Item> = Vec::new();
        items.extend(self.artifacts(about, detail)?);
        items.extend(self.earlier_changes(about, detail)?);
        for recalled in explored.iter().take(MOST_EXPLORATIONS) {
            let title = one_line(&recalled.title);
            let head = format!("#{} {title}", recalled.id);
            let call = format!("mem_get_observation id={}", recalled.id);
            let text = below(&head, &recalled.content, detail);
            items.push((piece("## Explored before", text, call), Some(recalled.id)));
        }
        let found = scan(self.root(), about, Bounds::default());
        for convention in found.conventions {
            let text = section(&quoted(&convention.path), &convention.text, detail);
            items.push((piece("## Convention files", text, convention.path), None));
        }
        let intro = match (items.is_empty(), found.stopped) {
            (true, false) => "Nothing was found: no notebook, no changes, no conventions.",
            (_, true) => "The project is large: only a part of it was looked at.",
            (false, false) => "",
        };
        let further = found.further;
        let (mut pieces, ids): (Vec<Piece>, Vec<Option<u64>>) = items.into_iter().unzip();
        number(&mut pieces);
        let allowance = args.reading.allowance();
        let spec = AnswerSpec {
            head: "",
            intro,
            total: pieces.len() + further,
            uncounted: false,
            pieces: &pieces,
            noun: "items",
            others: "",
            footers: true,
            summary_hint: detail.hint(),
            next_call: Some(if further > 0 {
                "The rest are convention files that share fewer words with the change."
            } else {
                "sdd_get_context reads the notebook."
            }),
            shortened: false,
            more: &allowance.more(),
            max_tokens: allowance.max_tokens(),
            counter: args.reading.counter,
        };
        let answer = spec.build();
        let ids = ids.into_iter().take(answer.shown).flatten().collect();
        Ok(ContextRead { answer, ids })
    }

    /// The documents of the stages and the decisions that have to do with the change. A
    /// broken notebook is told, not fatal.
    fn artifacts(&self, about: &str, detail: DetailLevel) -> Result<Vec<Item>, SpecsError> {
        let heading = "## Artifacts";
        let mut items = Vec::new();
        let state = match State::find(&self.files) {
            Ok(state) => state,
            Err(error) => {
                let text = one_line(&error.to_string());
                items.push((piece(heading, text, "sdd/sdd.json".to_owned()), None));
                None
            }
        };
        for stage in Stage::ALL.into_iter().skip(1) {
            let Ok(Some(text)) = self.files.read_leniently(stage.file()) else { continue };
            let status = state.as_ref().map_or("unknown", |state| state.status(stage));
            let text = section(&format!("{} ({stage}, {status})", stage.file()), &text, detail);
            let call = format!("sdd_get_context stage={stage} detail_level=full");
            items.push((piece(heading, text, call), None));
        }
        let wanted = words(about);
        let mut decisions: Vec<(usize, String, String)> = Vec::new();
        for name in self.files.names("adrs")?.into_iter().filter(|name| name.ends_with(".md")) {
            let Ok(Some(text)) = self.files.read_leniently(&format!("adrs/{name}")) else {
                continue;
            };
            let near = shared(&wanted, &text);
            if near > 0 {
                decisions.push((near, name, text));
            }
        }
        decisions.sort_by(|a, b| (b.0, &b.1).cmp(&(a.0, &a.1)));
        for (_, name, text) in decisions.into_iter().take(MOST_DECISIONS) {
            let text = section(&format!("adrs/{}", one_line(&name)), &text, detail);
            items.push((piece(heading, text, format!("sdd/adrs/{}", one_line(&name))), None));
        }
        Ok(items)
    }

    fn earlier_changes(&self, about: &str, detail: DetailLevel) -> Result<Vec<Item>, SpecsError> {
        let wanted = words(about);
        let mut near: Vec<(usize, crate::change::Change)> = self
            .changes()?
            .into_iter()
            .map(|change| {
                (shared(&wanted, &format!("{} {}", change.id, change.description)), change)
            })
            .filter(|(near, _)| *near > 0)
            .collect();
        // The order of the list, newest first, stays among equals.
        near.sort_by_key(|(near, _)| std::cmp::Reverse(*near));
        let items = near.into_iter().take(MOST_CHANGES).map(|(_, change)| {
            let last = change.stages.iter().rev().find_map(|stage| {
                self.files.read_leniently(&format!("changes/{}/{stage}.md", change.id)).ok()?
            });
            let text = below(&change.line(), &last.unwrap_or_default(), detail);
            let call = format!("sdd_change_status change_id={}", change.id);
            (piece("## Earlier changes", text, call), None)
        });
        Ok(items.collect())
    }
}

fn piece(heading: &str, text: String, full_text: String) -> Piece {
    Piece { text, place: 0, heading: Some(heading.to_owned()), full_text, lines_from: None }
}

fn below(head: &str, text: &str, detail: DetailLevel) -> String {
    match excerpt(detail, text) {
        Some(excerpt) => format!("{head}\n{excerpt}"),
        None => head.to_owned(),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
