//! One message to several models (HIS-12): the same pairs go to each of them.

use plimsoll_domain::PairId;
use plimsoll_send::{Hash, Plan, Seen};
use plimsoll_store::Workspace;

use crate::{App, AppError, Draft, HistoryChoice, Prepared, View};

/// At most so many models answer one message.
pub const MOST_COMPARED: usize = 3;

/// What a message to several models would be sent with.
pub struct ComparedPlan {
    /// The plan of the model that holds the least; the line is drawn for it.
    pub smallest: Plan,
    /// What each model is sent, in the order in which they were named: the same pairs.
    pub sides: Vec<Plan>,
    /// What a page that shows this holds (PAY-6).
    pub seen: Seen,
    /// The digests of its system message and of what is said about files.
    pub instructions: [Option<Hash>; 2],
}

impl App {
    /// Plans a message to several models over the pairs that a view shows: what goes along is what
    /// fits the one that holds the least of them.
    pub async fn plan_compared(
        &self,
        workspace: &Workspace,
        view: &View,
        models: &[String],
        draft: &Draft,
    ) -> Result<ComparedPlan, AppError> {
        check(models)?;
        let mut smallest: Option<(Plan, Seen, [Option<Hash>; 2])> = None;
        for model in models {
            let view = View { model: Some(model.clone()), ..view.clone() };
            let mut workspace_view = self.workspace_view(workspace, view).await?;
            let (plan, seen) = workspace_view.planned_and_seen(self, draft).await?;
            let instructions = workspace_view.instructions(self);
            let key = |plan: &Plan| (plan.counter().predicted, plan.limit().tokens);
            if smallest.as_ref().is_none_or(|(least, ..)| key(&plan) < key(least)) {
                smallest = Some((plan, seen, instructions));
            }
        }
        let (smallest, seen, instructions) = smallest.ok_or(AppError::NotToCompare)?;
        let pairs: Vec<PairId> = seen.pairs.iter().map(|pair| pair.id).collect();
        let mut sides = Vec::with_capacity(models.len());
        for model in models {
            let view = side(view, model, &pairs);
            sides.push(self.workspace_view(workspace, view).await?.plan(self, draft).await?);
        }
        let seen = Seen { model: models.join("\n"), ..seen };
        Ok(ComparedPlan { smallest, sides, seen, instructions })
    }

    /// The sides of a comparison, ready to go.
    pub async fn prepare_compared(
        &self,
        workspace: &Workspace,
        view: &View,
        models: &[String],
        draft: &Draft,
    ) -> Result<Vec<Prepared>, AppError> {
        let planned = self.plan_compared(workspace, view, models, draft).await?;
        let pairs: Vec<PairId> = planned.seen.pairs.iter().map(|pair| pair.id).collect();
        let mut sides = Vec::with_capacity(models.len());
        for model in models {
            let mut prepared = self.prepare(workspace, side(view, model, &pairs), draft).await?;
            if prepared.included_ids() != pairs {
                // Somebody deleted one of them, or a model that was reached holds less.
                return Err(AppError::ViewChanged);
            }
            prepared.shown_as_sent = prepared.seen.instructions == planned.seen.instructions
                && prepared.seen.files == planned.seen.files;
            prepared.seen = planned.seen.clone();
            sides.push(prepared);
        }
        Ok(sides)
    }
}

fn check(models: &[String]) -> Result<(), AppError> {
    let different = models.iter().enumerate().all(|(at, model)| !models[..at].contains(model));
    match (2..=MOST_COMPARED).contains(&models.len()) && different {
        true => Ok(()),
        false => Err(AppError::NotToCompare),
    }
}

fn side(view: &View, model: &str, pairs: &[PairId]) -> View {
    let history = HistoryChoice::These(pairs.to_vec());
    View { history, model: Some(model.to_owned()), ..view.clone() }
}
