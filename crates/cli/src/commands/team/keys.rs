//! `plimsoll team key` and `plimsoll team secret` (TEA-10). No key is ever printed but a new master
//! key, once.

use plimsoll_app::{AT_THE_TERMINAL, Audited};
use plimsoll_store::{KeyHolder, SealedKey};
use plimsoll_tokens::counted;
use serde_json::json;

use super::{
    super::keys::{checked, named_servers, typed_key},
    args::{HolderArgs, KeyCommand},
    listing::shown,
    people::{unknown_project, unknown_user},
};
use crate::{
    failure::{Failure, note},
    keys::{
        self,
        of_team::whose,
        sealing::{HELP, VARIABLE, new_master},
    },
    machine::Opened,
    output::{Output, columns, printable},
    table::Table,
};

/// Prints a new master key.
pub(super) fn new_secret(output: &mut Output) -> Result<u8, Failure> {
    let mut random = [0; 32];
    getrandom::fill(&mut random)
        .map_err(|error| Failure::failed(format!("this machine gives no random bytes: {error}")))?;
    output.text(&format!("{}\n", new_master(random)))?;
    note(&format!(
        "put it into {VARIABLE} of every node, and keep a copy away from the database: without \
         it no key opens that was sealed with it"
    ));
    Ok(0)
}

pub(super) async fn run(
    opened: &Opened,
    command: &KeyCommand,
    output: &mut Output,
) -> Result<u8, Failure> {
    match command {
        KeyCommand::Set { provider, holder, servers } => {
            set(opened, provider, holder, servers).await?;
        }
        KeyCommand::List { json } => list(opened, *json, output).await?,
        KeyCommand::Rm { provider, holder } => remove(opened, provider, holder).await?,
        KeyCommand::Reseal => return reseal(opened).await,
    }
    Ok(0)
}

impl HolderArgs {
    fn holder(&self) -> KeyHolder {
        match (&self.user, &self.project) {
            (Some(name), _) => KeyHolder::Person(name.clone()),
            (_, Some(name)) => KeyHolder::Project(name.clone()),
            _ => KeyHolder::Team,
        }
    }

    /// The command that takes such a key.
    fn command(&self, provider: &str) -> String {
        let of = match (&self.user, &self.project) {
            (Some(name), _) => format!(" --user {name}"),
            (_, Some(name)) => format!(" --project {name}"),
            _ => String::new(),
        };
        format!("plimsoll team key set {provider}{of}")
    }
}

async fn set(
    opened: &Opened,
    provider: &str,
    args: &HolderArgs,
    servers: &[String],
) -> Result<(), Failure> {
    if !keys::is_name(provider) {
        let words = format!("'{}' is no name for a provider", provider.escape_debug());
        return Err(Failure::usage(words).hint("letters, digits, '-', '_' and '.' are"));
    }
    let (holder, store) = (args.holder(), opened.app.store());
    // Nobody types a key for somebody who is not there.
    match &holder {
        KeyHolder::Person(name) => {
            drop(store.person(name).await?.ok_or_else(|| unknown_user(name))?)
        }
        KeyHolder::Project(name) => {
            drop(store.project(name).await?.ok_or_else(|| unknown_project(name))?);
        }
        KeyHolder::Team => {}
    }
    let team = opened.providers.team_keys()?;
    team.must_seal()?;
    let servers = named_servers(provider, servers)?;
    let typed = zeroize::Zeroizing::new(typed_key(provider)?);
    let key = checked(&typed, &args.command(provider))?;
    team.keep(&holder, provider, key, &servers, opened.app.clock().now()).await?;
    let subject = format!("{provider} {}", whose(&holder));
    opened.app.note_audit(AT_THE_TERMINAL, Audited::KeySet, &subject).await?;
    let goes_to = servers.join(" and ");
    note(&format!("the key of {subject} is kept sealed in the store; it goes to {goes_to}"));
    Ok(())
}

async fn remove(opened: &Opened, provider: &str, args: &HolderArgs) -> Result<(), Failure> {
    let holder = args.holder();
    let subject = format!("{provider} {}", whose(&holder));
    if !opened.providers.team_keys()?.remove(&holder, provider).await? {
        return Err(Failure::failed(format!("there is no key of {subject}"))
            .hint("plimsoll team key list lists those that are there"));
    }
    opened.app.note_audit(AT_THE_TERMINAL, Audited::KeyRemoved, &subject).await?;
    note(&format!("the key of {subject} is gone"));
    Ok(())
}

async fn list(opened: &Opened, as_json: bool, output: &mut Output) -> Result<(), Failure> {
    let team = opened.providers.team_keys()?;
    let rows = team.all().await?;
    if as_json {
        let keys = rows.iter().map(|row| {
            let (kind, name) = row.holder.parts();
            json!({
                "of": kind,
                "name": Some(name).filter(|name| !name.is_empty()),
                "provider": row.provider,
                "servers": row.servers,
                "createdAt": row.created_at.millis(),
                "problem": team.opens(row).err(),
            })
        });
        return output.json(&json!({ "keys": keys.collect::<Vec<_>>() }));
    }
    if rows.is_empty() {
        note("no keys are kept in the store; plimsoll team key set PROVIDER keeps one");
    }
    let mut table = Table::new([0; 5]);
    for row in &rows {
        let opens =
            team.opens(row).err().map_or_else(String::new, |why| format!("not usable: {why}"));
        let cells = [
            row.provider.clone(),
            whose(&row.holder),
            row.servers.join(" "),
            format!("since {}", shown(row.created_at)),
            opens,
        ];
        table.row(cells.map(|cell| printable(&cell)));
    }
    output.text(&table.text(columns()))
}

/// Exit code 1 where a key did not open: it is sealed as before.
async fn reseal(opened: &Opened) -> Result<u8, Failure> {
    let done = opened.providers.team_keys()?.reseal().await?;
    if done.done > 0 {
        let subject = format!("{} sealed again", counted(done.done, "key"));
        opened.app.note_audit(AT_THE_TERMINAL, Audited::KeySet, &subject).await?;
    }
    note(&format!(
        "{} sealed with the first key of {VARIABLE}, {} were already",
        counted(done.done, "key"),
        done.as_before
    ));
    for (SealedKey { provider, holder, .. }, why) in &done.unopened {
        note(&format!("left as it was: the key of {provider} {}: {why}", whose(holder)));
    }
    if done.unopened.is_empty() {
        note("the other keys can go from that variable, on every node");
        return Ok(0);
    }
    note(HELP);
    Ok(1)
}
