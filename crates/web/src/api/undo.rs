//! Taking a command back (FLT-5): what stood before is remembered for a while.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{Json, extract::State, http::StatusCode};
use plimsoll_app::Label;
use plimsoll_domain::{ColorFlag, PairId, Star, TopicId};
use plimsoll_store::Workspace;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{At, AtQuery};
use crate::{
    Web,
    problem::{Body, Problem},
};

/// So many commands can be taken back.
const KEPT: usize = 20;

/// How things were before a command.
pub(super) enum Before {
    /// The labels of pairs.
    Stars(Vec<(PairId, Star)>),
    Flags(Vec<(PairId, ColorFlag)>),
    Topics(Vec<(PairId, TopicId)>),
    /// A saved filter; none if there was none.
    Filter(String, Option<String>),
}

struct Step {
    token: u64,
    workspace: Workspace,
    before: Before,
}

/// What can be taken back.
#[derive(Default)]
pub(crate) struct Undo(Mutex<(u64, VecDeque<Step>)>);

impl Undo {
    /// Remembers; gives the token to come back with.
    pub(super) fn keep(&self, workspace: &Workspace, before: Before) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0 += 1;
        let token = kept.0;
        kept.1.push_back(Step { token, workspace: workspace.clone(), before });
        if kept.1.len() > KEPT {
            kept.1.pop_front();
        }
        token.to_string()
    }

    fn take(&self, workspace: &Workspace, token: &str) -> Option<Before> {
        let token: u64 = token.parse().ok()?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at =
            kept.1.iter().position(|step| step.token == token && step.workspace == *workspace)?;
        kept.1.remove(at).map(|step| step.before)
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UndoAsk {
    /// What the command gave.
    token: String,
}

#[derive(Serialize, ToSchema)]
pub(super) struct Undone {
    /// What was done, in words.
    done: &'static str,
}

/// Take a command back
#[utoipa::path(post, path = "/api/undo", tag = "pairs", params(AtQuery), request_body = UndoAsk,
    responses((status = 200, body = Undone)))]
pub(super) async fn undo(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(ask): Body<UndoAsk>,
) -> Result<Json<Undone>, Problem> {
    let gone = || {
        let detail = "this cannot be taken back any more";
        Problem::new(StatusCode::CONFLICT, "nothing_to_undo", detail)
    };
    match web.undo.take(&at, &ask.token).ok_or_else(gone)? {
        Before::Stars(pairs) => {
            relabel(&web, &at, pairs, Label::Star, |star| u64::from(star.count())).await?;
        }
        Before::Flags(pairs) => {
            relabel(&web, &at, pairs, Label::Flag, |flag| *flag as u64).await?;
        }
        Before::Topics(mut pairs) => {
            // Pairs that go to the same place go together.
            pairs.sort_by_key(|(_, topic)| *topic);
            for same in pairs.chunk_by(|a, b| a.1 == b.1) {
                let ids: Vec<PairId> = same.iter().map(|(id, _)| *id).collect();
                web.app.label(&at, &ids, Label::Topic(same[0].1)).await?;
            }
        }
        Before::Filter(name, text) => web.app.save_filter(&at, &name, text.as_deref()).await?,
    }
    Ok(Json(Undone { done: "taken back" }))
}

async fn relabel<T: Copy>(
    web: &Web,
    at: &Workspace,
    mut pairs: Vec<(PairId, T)>,
    label: impl Fn(T) -> Label,
    key: impl Fn(&T) -> u64,
) -> Result<(), Problem> {
    pairs.sort_by_key(|(_, value)| key(value));
    for same in pairs.chunk_by(|a, b| key(&a.1) == key(&b.1)) {
        let ids: Vec<PairId> = same.iter().map(|(id, _)| *id).collect();
        web.app.label(at, &ids, label(same[0].1)).await?;
    }
    Ok(())
}
