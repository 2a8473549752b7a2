//! What the page shows, so that nothing else is sent (PAY-6).

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use axum::{Json, extract::State};
use plimsoll_app::{Board, Draft, HistoryChoice, Planned, Purpose, View, topic_path};
use plimsoll_domain::{Delivery, PairId, file_label};
use plimsoll_send::{BLOCK, Seen, SeenFile, SeenPair};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{At, AtQuery, pair_id, state::BoundaryDto};
use crate::{
    Web,
    boards::Desk,
    problem::{Body, Problem},
};

/// So many views are remembered, to say what came and went since one of them.
const REMEMBERED: usize = 16;

/// What a page must know to make the digest of what it shows.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ShownDto {
    /// The number of this view.
    view: u64,
    /// Grows when visible pairs change their places; those added at the end leave it alone.
    pub(crate) shape: u64,
    /// Positions of a block.
    block: usize,
    /// The blocks with a pair that is sent, by their number, and their digests.
    #[schema(value_type = Vec<(usize, String)>)]
    blocks: Vec<(usize, String)>,
    /// The digest of the system message, where one is sent.
    system: Option<String>,
    /// The digest of what is said about files, where something is.
    files: Option<String>,
}

impl ShownDto {
    pub(crate) fn of(web: &Web, desk: &mut Desk, seen: &Seen) -> Self {
        let view = desk.views.number(seen);
        Self::with(view, desk.board.shape(), &desk.board, web, seen)
    }

    fn with(view: u64, shape: u64, board: &Board, web: &Web, seen: &Seen) -> Self {
        let [system, files] = board.instructions(&web.app).map(|part| part.map(|h| h.to_string()));
        let blocks = seen.blocks().into_iter().map(|(at, hash)| (at, hash.to_string()));
        Self { view, shape, block: BLOCK, blocks: blocks.collect(), system, files }
    }
}

/// The views that pages were told of lately.
pub(crate) struct Views {
    next: u64,
    told: VecDeque<(u64, Vec<SeenPair>)>,
}

impl Views {
    /// None yet. Numbers grow over restarts, because they start at the time.
    pub(crate) fn starting_at(now: i64) -> Self {
        Self { next: now.unsigned_abs(), told: VecDeque::new() }
    }

    /// The number of a view: a new one where other pairs are sent than in the last.
    fn number(&mut self, seen: &Seen) -> u64 {
        if let Some((number, pairs)) = self.told.back()
            && *pairs == seen.pairs
        {
            return *number;
        }
        let number = self.next;
        self.next += 1;
        self.told.push_back((number, seen.pairs.clone()));
        if self.told.len() > REMEMBERED {
            self.told.pop_front();
        }
        number
    }

    /// What is sent now and was not in a view, and the other way round.
    pub(crate) fn changes(&self, view: u64, now: &[SeenPair]) -> Changes {
        let then = self.told.iter().find(|(number, _)| *number == view);
        let Some((_, then)) = then else { return Changes::default() };
        let by_id = |pairs: &[SeenPair]| -> HashMap<PairId, u64> {
            pairs.iter().map(|pair| (pair.id, pair.revision)).collect()
        };
        let (then_by_id, now_by_id) = (by_id(then), by_id(now));
        let without = |a: &[SeenPair], b: &HashMap<PairId, u64>| -> Vec<String> {
            let missing = |pair: &&SeenPair| !b.contains_key(&pair.id);
            a.iter().filter(missing).map(|pair| pair.id.to_string()).collect()
        };
        let edited = |pair: &&SeenPair| {
            then_by_id.get(&pair.id).is_some_and(|revision| *revision != pair.revision)
        };
        Changes {
            came: without(now, &then_by_id),
            went: without(then, &now_by_id),
            edited: now.iter().filter(edited).map(|pair| pair.id.to_string()).collect(),
        }
    }
}

/// What changed between what a page showed and what would be sent.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct Changes {
    /// Pairs that would be sent and were not marked so.
    came: Vec<String>,
    /// Pairs that were marked as sent and would not be.
    went: Vec<String>,
    /// Pairs whose text is another.
    edited: Vec<String>,
}

impl Changes {
    /// In words; none where only something else than pairs changed.
    pub(crate) fn words(&self) -> Option<String> {
        let pairs = |ids: &[String], done: &str| match ids.len() {
            0 => None,
            1 => Some(format!("1 pair {done}")),
            more => Some(format!("{more} pairs {done}")),
        };
        let told = [
            pairs(&self.came, "more would be sent"),
            pairs(&self.went, "would not be sent any more"),
            pairs(&self.edited, "changed"),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        (!told.is_empty()).then(|| told.join(", "))
    }
}

/// What a page showed when somebody sent from it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SeenDto {
    /// The number of the view, as `/api/state` told it.
    pub(super) view: u64,
    /// The digest that the page made of what it shows.
    #[schema(max_length = 64)]
    pub(super) digest: String,
}

/// What is to be answered again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Again {
    /// The failed or stopped pair that would be asked again.
    reask: Option<String>,
    /// The newest complete pair, to be answered anew.
    regenerate: Option<String>,
    /// The model, for this send alone.
    model: Option<String>,
}

/// What would be sent for a pair that is answered again.
#[derive(Serialize, ToSchema)]
pub(super) struct Preview {
    /// Where the line would be.
    boundary: BoundaryDto,
    /// From this position on nothing would be sent.
    end: usize,
    /// The model that it would go to.
    model: String,
    /// What a page that shows this holds.
    shown: ShownDto,
    /// The files of the pair's own message, as they would be delivered.
    files: Vec<PreviewFile>,
    /// The question that would be answered anew.
    question: Option<PreviewQuestion>,
}

/// A question that would be answered anew.
#[derive(Serialize, ToSchema)]
struct PreviewQuestion {
    /// Its pair.
    pair: String,
    /// The revision of its texts.
    revision: u64,
}

/// A file of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PreviewFile {
    /// Its id; none if it is broken.
    file_id: Option<String>,
    /// How it would be delivered.
    delivery: Option<&'static str>,
}

/// What would be sent if a pair were asked again or answered anew; nothing is sent
#[utoipa::path(post, path = "/api/preview", tag = "sending", params(AtQuery), request_body = Again,
    responses((status = 200, body = Preview)))]
pub(super) async fn preview(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(again): Body<Again>,
) -> Result<Json<Preview>, Problem> {
    let purpose = purpose(again.reask.as_deref(), again.regenerate.as_deref())?;
    let (Purpose::ReAsk(id) | Purpose::Regenerate(id)) = purpose else {
        return Err(Problem::bad_request("say which pair: reask or regenerate"));
    };
    let pair = web.app.store().get(id).await?.pair;
    let (text, attachments) = (pair.user_text, pair.attachments);
    let draft = Draft { text, attachments, purpose, ..Draft::default() };
    let desk = web.boards.desk(&web.app, &at).await?;
    let mut desk = desk.lock().await;
    desk.board.boundary(&web.app).await?;
    let mut other = match &again.model {
        None => None,
        Some(model) => Some(beside(&web, &desk, model).await?),
    };
    let board = other.as_mut().unwrap_or(&mut desk.board);
    let planned = board.planned(&web.app, &draft).await?;
    let Planned { outlook, seen, start, end } = planned;
    let model = outlook.model.id.clone();
    let boundary = BoundaryDto::of(&outlook, start);
    let (shape, view) = (desk.board.shape(), desk.views.number(&seen));
    let board = other.as_ref().unwrap_or(&desk.board);
    let shown = ShownDto::with(view, shape, board, &web, &seen);
    let file = |file: &SeenFile| PreviewFile {
        file_id: file.id.map(file_label),
        delivery: file.delivery.map(Delivery::name),
    };
    let files = seen.files.iter().map(file).collect();
    let question = seen.question.map(|question| PreviewQuestion {
        pair: question.id.to_string(),
        revision: question.revision,
    });
    Ok(Json(Preview { boundary, end, model, shown, files, question }))
}

/// What a send is for.
pub(super) fn purpose(reask: Option<&str>, regenerate: Option<&str>) -> Result<Purpose, Problem> {
    match (reask, regenerate) {
        (None, None) => Ok(Purpose::New),
        (Some(id), None) => Ok(Purpose::ReAsk(pair_id(id)?)),
        (None, Some(id)) => Ok(Purpose::Regenerate(pair_id(id)?)),
        (Some(_), Some(_)) => Err(Problem::bad_request("either reask or regenerate, not both")),
    }
}

/// A board for another model, with the pairs that the desk shows: what its filter would mean
/// for the other model is not what people see.
pub(super) async fn beside(web: &Web, desk: &Desk, model: &str) -> Result<Board, Problem> {
    let topic = topic_path(desk.board.topics(), desk.board.topic().id);
    let history = HistoryChoice::These(desk.board.visible_ids());
    let view = View { history, topic: Some(topic), model: Some(model.to_owned()) };
    Ok(web.app.board(desk.board.workspace(), view).await?)
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::Timestamp;
    use plimsoll_send::SeenQuestion;

    use super::*;

    fn pair(at: usize, revision: u64) -> SeenPair {
        let id = PairId::new(Timestamp::from_millis(at as i64), [1; 10]);
        SeenPair { at, id, revision }
    }

    /// The same cases are read by `ui/tests/seen.test.js`: both sides make the same digests.
    const CASES: &str = include_str!("../../ui/tests/seen.json");

    #[test]
    fn pay_6_page_and_server_make_the_same_digest() {
        let cases: Vec<serde_json::Value> = serde_json::from_str(CASES).unwrap();
        assert!(cases.len() >= 3);
        for case in cases {
            let list = |name: &str| case[name].as_array().unwrap().clone();
            let number = |value: &serde_json::Value| value.as_u64().unwrap();
            let pair = |pair: &serde_json::Value| SeenPair {
                at: usize::try_from(number(&pair["at"])).unwrap(),
                id: PairId::parse(pair["id"].as_str().unwrap()).unwrap(),
                revision: number(&pair["revision"]),
            };
            let file = |file: &serde_json::Value| SeenFile {
                id: file["fileId"].as_str().and_then(plimsoll_domain::parse_file_id),
                delivery: file["delivery"].as_str().and_then(Delivery::parse),
            };
            let seen = Seen {
                model: case["model"].as_str().unwrap().to_owned(),
                instructions: list("instructions")
                    .iter()
                    .map(|text| plimsoll_send::Hash::of(text.as_str().unwrap()))
                    .collect(),
                pairs: list("pairs").iter().map(pair).collect(),
                files: list("files").iter().map(file).collect(),
                question: case.get("question").map(|question| SeenQuestion {
                    id: PairId::parse(question["pair"].as_str().unwrap()).unwrap(),
                    revision: number(&question["revision"]),
                }),
            };
            assert_eq!(seen.digest().to_string(), case["digest"].as_str().unwrap(), "{case}");
        }
    }

    #[test]
    fn pay_6_what_came_and_went_is_told() {
        let mut views = Views::starting_at(100);
        let seen = |pairs: Vec<SeenPair>| Seen { pairs, ..Seen::default() };
        let first = views.number(&seen(vec![pair(0, 1), pair(1, 1)]));
        assert_eq!(views.number(&seen(vec![pair(0, 1), pair(1, 1)])), first, "the same view");
        let changes = views.changes(first, &[pair(1, 2), pair(2, 1), pair(3, 1)]);
        let words = "2 pairs more would be sent, 1 pair would not be sent any more, 1 pair changed";
        assert_eq!(changes.words().as_deref(), Some(words));
        assert_eq!(views.changes(first + 7, &[]).words(), None, "nobody knows that view");
    }
}
