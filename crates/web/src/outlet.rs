//! Where events go: to all whom they concern, by the log, or to one client that catches up.

use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_domain::PairId;
use plimsoll_store::Workspace;
use serde_json::{Value, json};

use crate::{
    Web,
    event_log::{Audience, TextStep},
    place::Place,
};

/// An event that is told to one client.
pub(crate) struct Private {
    pub(crate) name: &'static str,
    pub(crate) data: String,
    pub(crate) text: TextStep,
}

/// Where events go.
pub(crate) struct Outlet<'w> {
    pub(crate) web: &'w Arc<Web>,
    /// Where the one client looks, and what it is told.
    alone: Option<(Place, Mutex<Vec<Private>>)>,
}

impl<'w> Outlet<'w> {
    pub(crate) fn to_all(web: &'w Arc<Web>) -> Self {
        Self { web, alone: None }
    }

    pub(crate) fn to_one(web: &'w Arc<Web>, place: Place) -> Self {
        Self { web, alone: Some((place, Mutex::default())) }
    }

    pub(crate) fn is_for_all(&self) -> bool {
        self.alone.is_none()
    }

    /// What was told to the one client.
    pub(crate) fn into_told(self) -> Vec<Private> {
        let told = self.alone.map(|(_, told)| told.into_inner());
        told.map(|told| told.unwrap_or_else(PoisonError::into_inner)).unwrap_or_default()
    }

    pub(crate) fn tell(&self, audience: impl Into<Audience>, name: &'static str, data: &Value) {
        self.tell_of_text(audience, name, data, TextStep::None);
    }

    pub(crate) fn tell_of_text(
        &self,
        audience: impl Into<Audience>,
        name: &'static str,
        data: &Value,
        text: TextStep,
    ) {
        let audience = audience.into();
        match &self.alone {
            None => drop(self.web.event_log.tell_of_text(audience, name, data, text)),
            Some((place, told)) if audience.includes(place) => {
                let private = Private { name, data: data.to_string(), text };
                told.lock().unwrap_or_else(PoisonError::into_inner).push(private);
            }
            Some(_) => {}
        }
    }

    /// The open places of a workspace, or of all, that are told of it.
    pub(crate) fn places(&self, workspace: Option<&Workspace>) -> Vec<Place> {
        match &self.alone {
            None => self.web.sessions.places(workspace),
            Some((place, _)) if workspace.is_none_or(|at| *at == place.workspace) => {
                vec![place.clone()]
            }
            Some(_) => Vec::new(),
        }
    }

    /// The open places that are part of an audience.
    pub(crate) fn seen_from(&self, audience: &Audience) -> Vec<Place> {
        let places = self.places(None).into_iter();
        places.filter(|place| audience.includes(place)).collect()
    }

    /// The end of an answer: what of it was not told yet is told first. Gives the epoch of its
    /// send. One client that catches up is told the rest by who knows how much it has.
    pub(crate) fn end_text(&self, audience: &Audience, pair: PairId, text: &str) -> u64 {
        let answers = &self.web.answers;
        let arrived = answers.arrived(pair);
        if self.alone.is_some() {
            return arrived.map_or(0, |(epoch, _)| epoch);
        }
        if let Some((_, told)) = arrived
            && let Some(rest) = text.get(told..).filter(|rest| !rest.is_empty())
        {
            let step = answers.push(pair, rest);
            let data = json!({ "pair": pair.to_string(), "text": rest });
            self.tell_of_text(audience.clone(), "delta", &data, step);
        }
        answers.end(pair);
        arrived.map_or(0, |(epoch, _)| epoch)
    }
}
