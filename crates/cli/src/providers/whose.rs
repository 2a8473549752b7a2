//! Whose key goes along where somebody of a team asks (TEA-10).

use std::sync::Arc;

use plimsoll_app::{Lack, NoProvider, Payer};
use plimsoll_budget::Model;
use plimsoll_store::{KeyHolder, SealedKey};

use super::{GivenFor, Key, Providers, given_for};
use crate::{
    failure::Failure,
    keys::{self, of_team::TeamKeys},
};

pub(super) fn failed(failure: Failure) -> NoProvider {
    NoProvider {
        message: failure.to_string(),
        hint: failure.hint_text().unwrap_or_default().to_owned(),
    }
}

impl Providers {
    /// The keys in the store of a team.
    pub(crate) fn team_keys(&self) -> Result<&TeamKeys, Failure> {
        self.team.as_ref().ok_or_else(|| Failure::failed("there is no store for keys here"))
    }

    /// The key that goes along: the person's own, else that of the project, else that of the team,
    /// else that of this machine. One that was given for another server, or does not open, is an
    /// error: nobody pays for somebody else unasked.
    pub(super) async fn key_for(
        &self,
        model: &Model,
        payer: Option<&Payer>,
        may_wait: bool,
    ) -> Result<Key, NoProvider> {
        let Some(row) = self.kept_row(model, payer).await? else {
            return self.key(model, may_wait);
        };
        let key = self.team_keys().and_then(|keys| keys.open(&row)).map_err(failed)?;
        let (servers, holder) = (Some(row.servers), Some(row.holder));
        Ok(Key::Known(Arc::new(keys::Found { key, servers, holder })))
    }

    /// The row of the key in the store that goes along, if one does.
    pub(super) async fn kept_row(
        &self,
        model: &Model,
        payer: Option<&Payer>,
    ) -> Result<Option<SealedKey>, NoProvider> {
        match (&self.team, payer) {
            (Some(keys), Some(payer)) => keys.serving(payer, &model.provider).await.map_err(failed),
            _ => Ok(None),
        }
    }
}

/// What a model lacks where a key of the store goes along instead of that of this machine.
pub(crate) fn lacks_with(model: &Model, row: &SealedKey, lacks: Option<Lack>) -> Option<Lack> {
    if !matches!(lacks, None | Some(Lack::Key { .. })) {
        return lacks;
    }
    match given_for(model, Some(&row.servers)) {
        GivenFor::It => None,
        GivenFor::Nobody => lacks,
        GivenFor::Others(server) => {
            Some(Lack::Key { provider: model.provider.clone(), server, refused: false })
        }
    }
}

/// How a key is given for one more server.
pub(super) fn give_for(provider: &str, holder: Option<&KeyHolder>, server: &str) -> String {
    let command = match holder {
        None => format!("plimsoll keys set {provider}"),
        Some(KeyHolder::Person(name)) => format!("plimsoll team key set {provider} --user {name}"),
        Some(KeyHolder::Project(name)) => {
            format!("plimsoll team key set {provider} --project {name}")
        }
        Some(KeyHolder::Team) => format!("plimsoll team key set {provider}"),
    };
    format!("if it should go there: {command} --for {server}")
}
