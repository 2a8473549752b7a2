//! People, tokens, projects and roles: made, changed and taken back. Each is noted.

use std::time::Duration;

use plimsoll_app::{AT_THE_TERMINAL, App, Audited, key_hash, person_token};
use plimsoll_domain::Timestamp;
use plimsoll_store::{
    MonthlyLimits, Noun, Person, PersonToken, Project, ProjectRole, Role, StoreError,
    is_person_name, is_project_name,
};

use super::args::LimitArgs;
use crate::{
    failure::{Failure, note},
    output::Output,
    token,
};

pub(in crate::commands) fn unknown_user(name: &str) -> Failure {
    Failure::usage(format!("there is no user '{}'", name.escape_debug()))
        .hint("plimsoll team user list names them")
}

pub(super) fn unknown_project(name: &str) -> Failure {
    Failure::usage(format!("there is no project '{}'", name.escape_debug()))
        .hint(format!("plimsoll team project add {} makes it", name.escape_debug()))
}

/// Limits with what was given changed; 0 takes a limit away.
fn limited(mut limits: MonthlyLimits, given: &LimitArgs) -> MonthlyLimits {
    if let Some(tokens) = given.tokens_per_month {
        limits.tokens = Some(tokens).filter(|tokens| *tokens > 0);
    }
    if let Some(cost) = given.cost_per_month {
        limits.cost = Some(cost).filter(|cost| *cost > 0.0);
    }
    limits
}

pub(super) async fn add(
    app: &App,
    name: &str,
    admin: bool,
    email: Option<&str>,
    openid: Option<&str>,
    limits: &LimitArgs,
) -> Result<(), Failure> {
    if !is_person_name(name) {
        return Err(Failure::usage(format!("'{}' is no name for a user", name.escape_debug()))
            .hint("up to 64 small letters, digits, `.`, - and _, a letter or a digit first"));
    }
    if let Some(openid) = openid {
        super::openid::must_be_free(app, name, openid).await?;
    }
    let person = Person {
        name: name.to_owned(),
        created_at: app.clock().now(),
        admin,
        email: email.map(str::to_owned),
        subject: None,
        limits: limited(MonthlyLimits::default(), limits),
    };
    if !app.store().add_person(&person).await? {
        return Err(match app.store().person(name).await? {
            Some(_) => Failure::usage(format!("there is a user '{name}' already"))
                .hint("choose another name"),
            None => Failure::usage(format!(
                "an earlier user was called '{name}': the project ~{name}, or what was used, is \
                 still kept"
            ))
            .hint("choose another name"),
        });
    }
    app.note_audit(AT_THE_TERMINAL, Audited::UserAdded, name).await?;
    note(&format!(
        "'{name}' is a user, with the project ~{name}; plimsoll team token add {name} makes the \
         token to sign in with"
    ));
    if openid.is_some() {
        super::openid::bind(app, name, openid).await?;
    }
    if !app.settings().team() {
        note("people sign in where it says `plimsoll serve --team`, or the setting team is on");
    }
    Ok(())
}

pub(super) async fn set(
    app: &App,
    name: &str,
    admin: Option<&str>,
    limits: &LimitArgs,
) -> Result<(), Failure> {
    let person = app.store().person(name).await?.ok_or_else(|| unknown_user(name))?;
    if let Some(admin) = admin {
        app.store().put_admin(name, admin == "on").await?;
        let subject = format!("{name}: admin {admin}");
        app.note_audit(AT_THE_TERMINAL, Audited::UserChanged, &subject).await?;
    }
    let changed = limited(person.limits, limits);
    if changed != person.limits {
        app.store().put_person_limits(name, &changed).await?;
        let subject = format!("{name}: limits");
        app.note_audit(AT_THE_TERMINAL, Audited::UserChanged, &subject).await?;
    }
    Ok(())
}

pub(super) async fn add_token(
    app: &App,
    name: &str,
    label: &str,
    expires: Option<Duration>,
    output: &mut Output,
) -> Result<(), Failure> {
    let label = label.trim();
    if label.is_empty() || label.chars().count() > 64 || label.contains(char::is_control) {
        return Err(Failure::usage("a label has 1 to 64 characters on one line"));
    }
    app.store().person(name).await?.ok_or_else(|| unknown_user(name))?;
    let secret = person_token(name, &token::random_digits()?);
    let now = app.clock().now();
    let ends = |age: Duration| {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(now.millis().saturating_add(age))
    };
    let kept = PersonToken {
        person: name.to_owned(),
        label: label.to_owned(),
        hash: key_hash(&secret),
        created_at: now,
        expires_at: expires.map(ends),
    };
    if !app.store().add_token(&kept).await? {
        let words = format!("'{name}' has a token '{label}' already");
        let hint = format!("give another --label, or first: plimsoll team token rm {name} {label}");
        return Err(Failure::usage(words).hint(hint));
    }
    app.note_audit(AT_THE_TERMINAL, Audited::TokenAdded, &format!("{name}: {label}")).await?;
    output.text(&format!("{secret}\n"))?;
    note("it is shown this once; it signs in at the page, and programs send it as their key");
    Ok(())
}

pub(super) async fn remove_token(app: &App, name: &str, label: &str) -> Result<(), Failure> {
    if !app.store().remove_token(name, label).await? {
        let words = format!("'{}' has no token '{}'", name.escape_debug(), label.escape_debug());
        return Err(Failure::usage(words).hint("plimsoll team token list names those there are"));
    }
    // Whoever signed in with it may sit in a browser still.
    app.store().end_sign_ins_of(name).await?;
    app.note_audit(AT_THE_TERMINAL, Audited::TokenRemoved, &format!("{name}: {label}")).await?;
    note(&format!("the token '{label}' of '{name}' opens nothing any more; they are signed out"));
    Ok(())
}

pub(super) async fn add_project(app: &App, name: &str, owner: Option<&str>) -> Result<(), Failure> {
    if !is_project_name(name) {
        return Err(Failure::usage(format!("'{}' is no name for a project", name.escape_debug()))
            .hint("up to 64 letters, digits, `.`, - and _, no `.` first"));
    }
    if let Some(owner) = owner {
        app.store().person(owner).await?.ok_or_else(|| unknown_user(owner))?;
    }
    let project = Project {
        name: name.to_owned(),
        created_at: app.clock().now(),
        limits: MonthlyLimits::default(),
    };
    if !app.store().add_project(&project).await? {
        return Err(Failure::usage(format!("there is a project '{name}' already"))
            .hint(format!("plimsoll team role set {name} USER ROLE says who may do what there")));
    }
    app.note_audit(AT_THE_TERMINAL, Audited::ProjectAdded, name).await?;
    match owner {
        Some(owner) => set_role(app, name, owner, Role::Owner.name()).await,
        None => Ok(()),
    }
}

pub(super) async fn set_project(app: &App, name: &str, limits: &LimitArgs) -> Result<(), Failure> {
    let project = app.store().project(name).await?.ok_or_else(|| unknown_project(name))?;
    app.store().put_project_limits(name, &limited(project.limits, limits)).await?;
    app.note_audit(AT_THE_TERMINAL, Audited::ProjectChanged, &format!("{name}: limits")).await?;
    Ok(())
}

pub(super) async fn set_role(
    app: &App,
    project: &str,
    user: &str,
    role: &str,
) -> Result<(), Failure> {
    let known = Role::parse(role).ok_or_else(|| Failure::usage("there is no such role"))?;
    let given = ProjectRole { project: project.to_owned(), person: user.to_owned(), role: known };
    app.store().put_role(&given).await.map_err(|error| match error {
        StoreError::NotFound(Noun::Project) => unknown_project(project),
        StoreError::NotFound(Noun::Person) => unknown_user(user),
        error => error.into(),
    })?;
    let subject = format!("{project}: {user} {role}");
    app.note_audit(AT_THE_TERMINAL, Audited::RoleSet, &subject).await?;
    Ok(())
}

pub(super) async fn remove_role(app: &App, project: &str, user: &str) -> Result<(), Failure> {
    if !app.store().remove_role(project, user).await? {
        let words =
            format!("'{}' has no role in '{}'", user.escape_debug(), project.escape_debug());
        return Err(Failure::usage(words).hint("plimsoll team project list tells who has one"));
    }
    app.note_audit(AT_THE_TERMINAL, Audited::RoleRemoved, &format!("{project}: {user}")).await?;
    Ok(())
}
