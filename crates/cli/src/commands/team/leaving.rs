//! `plimsoll team user rm`: says what goes and what stays, asks, and does it.

use std::io::{BufRead, IsTerminal};

use plimsoll_app::{AT_THE_TERMINAL, App, OwnProject};
use plimsoll_store::{KeyHolder, Leaving, StoreError};
use plimsoll_tokens::counted;

use super::people::unknown_user;
use crate::failure::{Failure, note};

pub(super) async fn remove(
    app: &App,
    name: &str,
    hand_over_to: Option<&str>,
    yes: bool,
) -> Result<(), Failure> {
    let store = app.store();
    let leaving = store.leaving(name).await?.ok_or_else(|| unknown_user(name))?;
    let what = match hand_over_to {
        None => OwnProject::Delete,
        Some(to) if to == name => {
            return Err(Failure::usage("somebody who leaves cannot take over from themselves"));
        }
        Some(to) => {
            store.person(to).await?.ok_or_else(|| unknown_user(to))?;
            OwnProject::HandOver(to.to_owned())
        }
    };
    if what == OwnProject::Delete && !leaving.last_owner_of.is_empty() {
        return Err(without_owner(name, &leaving.last_owner_of));
    }
    say(app, name, &leaving, &what).await?;
    if !yes && !agreed(name)? {
        return Err(Failure::failed("nothing was changed"));
    }
    let left =
        app.remove_user(AT_THE_TERMINAL, name, &what).await.map_err(|error| match error {
            plimsoll_app::AppError::Store(StoreError::Busy { .. }) => {
                Failure::failed(format!("something is being sent in ~{name}"))
                    .hint("wait for its end, then run this again; nothing was changed")
            }
            error => error.into(),
        })?;
    if !left.without_owner.is_empty() {
        return Err(without_owner(name, &left.without_owner));
    }
    for (workspace, why) in &left.files_left {
        note(&format!("the contents of files of {workspace} could not be removed: {why}"));
    }
    note(&format!("'{name}' is gone"));
    match left.files_left.is_empty() {
        true => Ok(()),
        false => Err(Failure::failed("some contents of files are left")
            .hint("remove them by hand: docs/storage.md says where they are")),
    }
}

fn without_owner(name: &str, projects: &[String]) -> Failure {
    let first = projects.first().map_or("", String::as_str);
    Failure::usage(format!("nobody else is an owner of {}", projects.join(", "))).hint(format!(
        "plimsoll team role set {first} OTHER owner, or use --hand-over-to OTHER instead of --delete \
         for '{name}'"
    ))
}

/// Exactly what is about to happen.
async fn say(app: &App, name: &str, leaving: &Leaving, what: &OwnProject) -> Result<(), Failure> {
    let store = app.store();
    let tokens = store.tokens(Some(name)).await?.len() as u64;
    let own = format!("~{name}");
    let roles = store.roles_of(name).await?.into_iter().filter(|role| role.project != own);
    let holder = KeyHolder::Person(name.to_owned());
    let keys = store.sealed_keys().await?.into_iter().filter(|key| key.holder == holder);
    note(&format!(
        "'{name}' can sign in no more: {}, all sign-ins, {} and {} go",
        counted(tokens, "token"),
        counted(roles.count() as u64, "role"),
        counted(keys.count() as u64, "sealed key"),
    ));
    let holds = format!(
        "{} with {}, {} and {}",
        counted(leaving.workspaces.len() as u64, "workspace"),
        counted(leaving.pairs, "pair"),
        counted(leaving.files, "file"),
        counted(leaving.notes, "note"),
    );
    match what {
        OwnProject::Delete => note(&format!("deleted for good: the project {own}, {holds}")),
        OwnProject::HandOver(to) => {
            note(&format!("'{to}' becomes the owner of {own}, {holds}"));
            for project in &leaving.last_owner_of {
                note(&format!("'{to}' becomes an owner of {project}, where there is no other"));
            }
        }
    }
    note("what they wrote in other projects stays, and so do the log and what was used");
    Ok(())
}

fn agreed(name: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("nobody can be asked here, and nothing was changed")
            .hint("--yes does it without asking"));
    }
    note(&format!("type the name '{name}' to go on"));
    let mut typed = String::new();
    let read = std::io::stdin().lock().read_line(&mut typed);
    read.map_err(|error| Failure::failed(format!("no answer was read: {error}")))?;
    Ok(typed.trim() == name)
}
