//! Which of the visible pairs go along with a message, and what that looks like on a page.

use plimsoll_budget::{Boundary, ExcludedBecause, LoadSums};
use plimsoll_domain::PairId;
use plimsoll_send::{Hash, Seen, SeenFile, SeenPair, SeenQuestion};
use plimsoll_tokens::RawTokens;

use super::WorkspaceView;
use crate::{App, AppError, Purpose, SendPreview, history::LoadRules};

/// Which of the visible pairs go along, and which do not.
pub(super) struct Choice {
    pub(super) boundary: Boundary,
    /// The visible position of the line.
    pub(super) start: usize,
    /// From this visible position on nothing goes along.
    pub(super) end: usize,
    pub(super) aboard: Vec<SeenPair>,
    pub(super) raw_tokens: Vec<RawTokens>,
    pub(super) ashore: Vec<(PairId, ExcludedBecause)>,
    /// Whether any of the candidates could be sent, if there were room.
    pub(super) sendable: bool,
}

impl WorkspaceView {
    /// The pairs that go along. A pair that is asked again is not its own history, and
    /// nothing that came after a regenerated pair is either.
    pub(super) async fn choice(&mut self, app: &App, purpose: Purpose) -> Result<Choice, AppError> {
        let drawn = self.boundary(app).await?;
        let rules = self.rules(app);
        let visible = || self.visible.iter().copied().enumerate();
        let id = |row: u32| self.history.pairs[row as usize].id;
        let candidates: Vec<(usize, u32)> = match purpose {
            Purpose::New => {
                let all: Vec<(usize, u32)> = visible().collect();
                return Ok(self.split(drawn, &all, &rules));
            }
            Purpose::ReAsk(old) => visible().filter(|(_, row)| id(*row) != old).collect(),
            Purpose::Regenerate(old) => {
                let place = self.history.pairs.iter().position(|pair| pair.id == old);
                let before = |(_, row): &(usize, u32)| place.is_none_or(|at| (*row as usize) < at);
                visible().filter(before).collect()
            }
        };
        let rows: Vec<u32> = candidates.iter().map(|(_, row)| *row).collect();
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let (input, file_cache) = (*self.cache.input(), &mut self.file_cache);
        self.history.weigh_aboard(&rows, &renderer, file_cache, &rules, &input).await?;
        let load = |at: usize| self.history.load(rows[at], &rules);
        let mut sums = LoadSums::new(rows.len());
        let drawn = if app.settings().boundary_step() {
            let id = |row: u32| self.history.pairs[row as usize].id;
            let previous = rows.iter().position(|row| Some(id(*row)) == self.line);
            Boundary::compute_stepped(&mut sums, load, &input, previous)
        } else {
            Boundary::compute(&mut sums, load, &input)
        };
        Ok(self.split(drawn, &candidates, &rules))
    }

    /// Parts candidates, each with its visible position, at a boundary over them.
    fn split(&self, boundary: Boundary, candidates: &[(usize, u32)], rules: &LoadRules) -> Choice {
        let end = candidates.last().map_or(0, |(position, _)| position + 1);
        let mut choice = Choice {
            boundary,
            start: candidates.get(boundary.start).map_or(end, |(position, _)| *position),
            end,
            aboard: Vec::with_capacity(boundary.x),
            raw_tokens: Vec::with_capacity(boundary.x),
            ashore: Vec::new(),
            sendable: false,
        };
        for (at, (position, row)) in candidates.iter().enumerate() {
            let id = self.history.pairs[*row as usize].id;
            let load = self.history.load(*row, rules);
            choice.sendable |= load.sendable;
            if boundary.includes(at, load.sendable) {
                let revision = self.history.revision(*row);
                choice.aboard.push(SeenPair { at: *position, id, revision });
                choice.raw_tokens.push(load.tokens);
            } else {
                choice.ashore.push((id, self.history.ashore_because(*row, rules)));
            }
        }
        choice
    }

    /// Everything that is sent besides the words, as a page shows it (PAY-6).
    pub(super) fn seen(
        &self,
        app: &App,
        preview: &SendPreview,
        pairs: Vec<SeenPair>,
        question: Option<SeenQuestion>,
    ) -> Seen {
        let file = |one: &crate::AttachedFile| {
            let file = one.file.as_ref().ok();
            SeenFile { id: file.map(|file| file.id), delivery: file.map(|_| one.delivery) }
        };
        Seen {
            model: preview.model.id.clone(),
            instructions: self.instructions(app).into_iter().flatten().collect(),
            pairs,
            files: preview.attached.iter().map(file).collect(),
            question,
        }
    }

    /// The digests of the system message and of what is said about files.
    pub fn instructions(&self, app: &App) -> [Option<Hash>; 2] {
        let system = app.system_message(&self.topic).map(Hash::of);
        [system, self.target.files.digest()]
    }
}
