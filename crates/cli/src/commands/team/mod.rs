//! `plimsoll team`: the people of a server that several use (TEA-9, TEA-10). Whoever runs it beside
//! the store looks after the team.

mod args;
mod keys;
mod leaving;
mod listing;
mod openid;
mod people;

use std::time::Duration;

use plimsoll_app::{App, before};
use plimsoll_domain::Timestamp;
use plimsoll_store::UseBy;

pub(crate) use args::TeamArgs;
use args::{
    By, ProjectCommand, RoleCommand, SecretCommand, TeamCommand, TokenCommand, UserCommand,
};
pub(super) use listing::audit_row;
pub(super) use people::unknown_user;

use crate::{args::Location, context::Context, failure::Failure, machine, output::Output};

pub(crate) fn run(
    args: &TeamArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    // It needs no store, and is wanted before there is one.
    if let TeamCommand::Secret { command: SecretCommand::New } = &args.command {
        return keys::new_secret(output);
    }
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = &opened.app;
        match &args.command {
            TeamCommand::User { command } => user(app, command, output).await?,
            TeamCommand::Token { command } => match command {
                TokenCommand::Add { name, label, expires } => {
                    people::add_token(app, name, label, *expires, output).await?;
                }
                TokenCommand::List { name, json } => {
                    let tokens = app.store().tokens(name.as_deref()).await?;
                    listing::tokens(&tokens, app.clock().now(), *json, output)?;
                }
                TokenCommand::Rm { name, label } => people::remove_token(app, name, label).await?,
            },
            TeamCommand::Project { command } => match command {
                ProjectCommand::Add { name, owner } => {
                    people::add_project(app, name, owner.as_deref()).await?;
                }
                ProjectCommand::Set { name, limits } => {
                    people::set_project(app, name, limits).await?;
                }
                ProjectCommand::List { json } => {
                    let mut rows = Vec::new();
                    for project in app.store().projects().await? {
                        let roles = app.store().roles_in(&project.name).await?;
                        rows.push((project, roles));
                    }
                    listing::projects(&rows, *json, output)?;
                }
            },
            TeamCommand::Role { command } => match command {
                RoleCommand::Set { project, user, role } => {
                    people::set_role(app, project, user, role).await?;
                }
                RoleCommand::Rm { project, user } => {
                    people::remove_role(app, project, user).await?;
                }
            },
            TeamCommand::Key { command } => return keys::run(&opened, command, output).await,
            TeamCommand::Secret { command: SecretCommand::New } => {}
            TeamCommand::Audit { since, limit, json } => {
                let entries = app.store().audit_since(began(app, *since), *limit).await?;
                listing::audit(&entries, *json, output)?;
            }
            TeamCommand::Usage { by, since, json } => {
                let by = match by {
                    By::Person => UseBy::Person,
                    By::Project => UseBy::Project,
                };
                let sums = app.store().team_use_since(began(app, Some(*since)), by).await?;
                listing::usage(&sums, *json, output)?;
            }
        }
        Ok(0)
    })
}

fn began(app: &App, since: Option<Duration>) -> Timestamp {
    match since {
        Some(age) => before(app.clock().now(), age),
        None => Timestamp::from_millis(0),
    }
}

async fn user(app: &App, command: &UserCommand, output: &mut Output) -> Result<(), Failure> {
    match command {
        UserCommand::Add { name, admin, email, openid, limits } => {
            let openid = openid.as_deref().map(openid::checked).transpose()?;
            people::add(app, name, *admin, email.as_deref(), openid.as_deref(), limits).await
        }
        UserCommand::Set { name, admin, openid, no_openid, limits } => {
            let openid = openid.as_deref().map(openid::checked).transpose()?;
            people::set(app, name, admin.as_deref(), limits).await?;
            match openid {
                Some(openid) => openid::bind(app, name, Some(&openid)).await,
                None if *no_openid => openid::bind(app, name, None).await,
                None => Ok(()),
            }
        }
        UserCommand::Rm { name, hand_over_to, delete: _, yes } => {
            leaving::remove(app, name, hand_over_to.as_deref(), *yes).await
        }
        UserCommand::List { json } => {
            let mut rows = Vec::new();
            let names = app.store().openid_names().await?;
            for person in app.store().people().await? {
                let openid = names.iter().find(|(_, of)| *of == person.name);
                let openid = openid.map(|(name, _)| name.clone());
                let roles = app.store().roles_of(&person.name).await?;
                let used = app.store().used_by_person(&person.name, app.clock().now()).await?;
                rows.push(listing::Listed { person, openid, roles, used });
            }
            listing::people(&rows, *json, output)
        }
    }
}
