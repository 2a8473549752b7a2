//! People, tokens, projects, usage and the audit log, as lines or as JSON.

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    AuditEntry, MonthlyLimits, Person, PersonToken, Project, ProjectRole, TeamUse,
};
use plimsoll_tokens::{commas, dollars};
use serde_json::{Value, json};

use crate::{
    failure::{Failure, note},
    output::{Output, columns, printable},
    table::Table,
};

/// A time as people read it, in UTC.
pub(super) fn shown(at: Timestamp) -> String {
    let time = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn limit_words(limits: MonthlyLimits) -> String {
    let tokens = limits.tokens.map(|most| format!("{} tokens", commas(most)));
    let cost = limits.cost.map(dollars);
    let words: Vec<String> = tokens.into_iter().chain(cost).collect();
    if words.is_empty() { String::new() } else { format!("at most {}", words.join(", ")) }
}

/// A line of the list of people.
pub(super) struct Listed {
    pub(super) person: Person,
    /// By which name at the provider of identities they may come.
    pub(super) openid: Option<String>,
    pub(super) roles: Vec<ProjectRole>,
    pub(super) used: TeamUse,
}

pub(super) fn people(rows: &[Listed], json: bool, output: &mut Output) -> Result<(), Failure> {
    if json {
        let people = rows.iter().map(|Listed { person, openid, roles, used }| {
            let roles: Vec<Value> = roles
                .iter()
                .map(|role| json!({"project": role.project, "role": role.role.name()}))
                .collect();
            json!({
                "name": person.name,
                "admin": person.admin,
                "email": person.email,
                "openidName": openid,
                "openidSubject": person.subject,
                "createdAt": person.created_at.millis(),
                "roles": roles,
                "tokensPerMonth": person.limits.tokens,
                "costPerMonth": person.limits.cost,
                "tokensOfMonth": used.tokens,
                "costOfMonth": used.cost,
            })
        });
        return output.json(&json!({ "users": people.collect::<Vec<_>>() }));
    }
    if rows.is_empty() {
        note("there are no users; plimsoll team user add NAME adds one");
    }
    let mut table = Table::new([0; 4]);
    for Listed { person, openid, roles, used } in rows {
        let roles = roles.iter().filter(|role| role.project != person.own_project());
        let mut roles: Vec<String> =
            roles.map(|role| format!("{} of {}", role.role.name(), role.project)).collect();
        if person.admin {
            roles.insert(0, "admin".to_owned());
        }
        if let Some(openid) = openid {
            roles.push(format!("may come as {openid}"));
        } else if person.subject.is_some() {
            roles.push("signs in by OpenID".to_owned());
        }
        let used = format!("{} tokens, {}", commas(used.tokens), dollars(used.cost));
        let cells = [person.name.clone(), roles.join(", "), used, limit_words(person.limits)];
        table.row(cells.map(|cell| printable(&cell)));
    }
    output.text(&table.text(columns()))
}

pub(super) fn tokens(
    tokens: &[PersonToken],
    now: Timestamp,
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if json {
        let tokens = tokens.iter().map(|token| {
            json!({
                "user": token.person,
                "label": token.label,
                "createdAt": token.created_at.millis(),
                "expiresAt": token.expires_at.map(Timestamp::millis),
            })
        });
        return output.json(&json!({ "tokens": tokens.collect::<Vec<_>>() }));
    }
    let mut table = Table::new([0; 4]);
    for token in tokens {
        let ends = match token.expires_at {
            None => "does not end".to_owned(),
            Some(at) if at <= now => format!("ended {}", shown(at)),
            Some(at) => format!("ends {}", shown(at)),
        };
        let made = format!("made {}", shown(token.created_at));
        let cells = [token.person.clone(), token.label.clone(), made, ends];
        table.row(cells.map(|cell| printable(&cell)));
    }
    output.text(&table.text(columns()))
}

pub(super) fn projects(
    rows: &[(Project, Vec<ProjectRole>)],
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if json {
        let projects = rows.iter().map(|(project, roles)| {
            let roles: Vec<Value> = roles
                .iter()
                .map(|role| json!({"user": role.person, "role": role.role.name()}))
                .collect();
            json!({
                "name": project.name,
                "roles": roles,
                "tokensPerMonth": project.limits.tokens,
                "costPerMonth": project.limits.cost,
            })
        });
        return output.json(&json!({ "projects": projects.collect::<Vec<_>>() }));
    }
    let mut table = Table::new([0; 3]);
    for (project, roles) in rows {
        let who: Vec<String> =
            roles.iter().map(|role| format!("{} ({})", role.person, role.role.name())).collect();
        let cells = [project.name.clone(), who.join(", "), limit_words(project.limits)];
        table.row(cells.map(|cell| printable(&cell)));
    }
    output.text(&table.text(columns()))
}

/// An entry of the log.
pub(in crate::commands) fn audit_row(entry: &AuditEntry) -> Value {
    json!({
        "id": entry.id,
        "at": entry.at.millis(),
        "user": entry.person,
        "action": entry.action,
        "subject": entry.subject,
        "origin": entry.origin,
    })
}

pub(super) fn audit(
    entries: &[AuditEntry],
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if json {
        let entries = entries.iter().map(audit_row);
        return output.json(&json!({ "entries": entries.collect::<Vec<_>>() }));
    }
    let mut table = Table::new([0; 5]);
    for entry in entries {
        let cells = [
            shown(entry.at),
            entry.person.clone().unwrap_or_else(|| "–".to_owned()),
            entry.action.clone(),
            entry.subject.clone(),
            entry.origin.clone(),
        ];
        table.row(cells.map(|cell| printable(&cell)));
    }
    output.text(&table.text(columns()))
}

pub(super) fn usage(sums: &[TeamUse], json: bool, output: &mut Output) -> Result<(), Failure> {
    if json {
        let sums = sums.iter().map(|sum| {
            json!({"name": sum.name, "calls": sum.calls, "tokens": sum.tokens, "cost": sum.cost})
        });
        return output.json(&json!({ "usage": sums.collect::<Vec<_>>() }));
    }
    let mut table = Table::new([0; 4]);
    for sum in sums {
        table.row([
            printable(&sum.name),
            format!("{} calls", commas(sum.calls)),
            format!("{} tokens", commas(sum.tokens)),
            dollars(sum.cost),
        ]);
    }
    output.text(&table.text(columns()))
}
