//! `plimsoll export --user`: all that is somebody's, in one archive (TEA-10). No secret is in it:
//! of tokens their labels, of keys whose models they are for.

use std::{path::Path, sync::Arc};

use plimsoll_app::{
    AT_THE_TERMINAL, App, Audited, ExportAsk, ExportFormat, ExportOrder, PersonWorkspace,
    PersonWriter,
};
use plimsoll_domain::{HistoryScope, Timestamp};
use plimsoll_store::{AuditEntry, KeyHolder, Person, ReceiptFilter, Workspace};
use plimsoll_tokens::counted;
use serde_json::{Map, Value, json};

use super::{export, memory::memory, receipts, team};
use crate::{
    failure::{Failure, note},
    whole_file::WholeFile,
};

/// More lines of the log are not looked through, and more calls not listed.
const MOST: u64 = 10_000_000;

pub(crate) async fn run(app: App, name: &str, path: &Path, replace: bool) -> Result<u8, Failure> {
    let app = Arc::new(app);
    let person = app.store().person(name).await?.ok_or_else(|| team::unknown_user(name))?;
    let own: Vec<Workspace> = match app.store().leaving(name).await? {
        Some(leaving) => leaving.workspaces,
        None => Vec::new(),
    };
    let entries: Vec<PersonWorkspace> = (1..)
        .zip(&own)
        .map(|(number, workspace)| PersonWorkspace::numbered(number, workspace.name()))
        .collect();
    let about = about(&app, &person, &own).await?;
    let mut file = WholeFile::create(path, replace)?;
    let mut archive = PersonWriter::start(&mut file, about, &entries).map_err(writing)?;
    let (mut pairs, mut files, mut notes) = (0, 0, 0);
    for (workspace, entry) in own.iter().zip(&entries) {
        archive.archive(&entry.export).map_err(writing)?;
        let ask = ExportAsk {
            workspace: workspace.clone(),
            scope: HistoryScope::Everything,
            filter: String::new(),
            topic: None,
            model: None,
            format: ExportFormat::Zip,
            order: ExportOrder::Time,
        };
        let exported = export::export(&app, &ask, &mut archive).await?;
        export::tell_left_out(&exported);
        pairs += exported.pairs;
        files += exported.files;
        archive.lines(&entry.memory).map_err(writing)?;
        let memory = memory(&app, workspace.clone())?;
        let records = memory.export(&mut archive).await;
        notes += records.map_err(|error| Failure::failed(error.to_string()))?;
    }
    archive.finish().map_err(writing)?;
    file.finish()?;
    app.note_audit(AT_THE_TERMINAL, Audited::Exported, &format!("all of {name}")).await?;
    note(&format!(
        "wrote {} of '{name}' with {}, {} and {} of the memory to {}",
        counted(own.len() as u64, "workspace"),
        counted(pairs, "pair"),
        counted(files, "file"),
        counted(notes, "record"),
        path.display()
    ));
    note("what they wrote in projects of others is not theirs alone, and not in it");
    Ok(0)
}

fn writing(error: std::io::Error) -> Failure {
    Failure::writing(&error)
}

/// What is known of somebody.
async fn about(
    app: &App,
    person: &Person,
    own: &[Workspace],
) -> Result<Map<String, Value>, Failure> {
    let (store, name) = (app.store(), person.name.as_str());
    let roles = store.roles_of(name).await?;
    let tokens = store.tokens(Some(name)).await?;
    let holder = KeyHolder::Person(name.to_owned());
    let keys = store.sealed_keys().await?.into_iter().filter(|key| key.holder == holder);
    let log = store.audit_since(Timestamp::from_millis(0), MOST).await?;
    let calls = store.gateway_calls_of(name, MOST).await?;
    let mut sends = Vec::new();
    for workspace in own {
        let all = store.receipts(workspace, &ReceiptFilter::default()).await?;
        let rows: Vec<Value> = all.iter().map(receipts::row).collect();
        sends.push(json!({"workspace": workspace.name(), "receipts": rows}));
    }
    let about = json!({
        "name": name,
        "email": person.email,
        "admin": person.admin,
        "createdAt": person.created_at.millis(),
        "tokensPerMonth": person.limits.tokens,
        "costPerMonth": person.limits.cost,
        "roles": roles.iter().map(|role| json!({
            "project": role.project, "role": role.role.name(),
        })).collect::<Vec<_>>(),
        "tokens": tokens.iter().map(|token| json!({
            "label": token.label,
            "createdAt": token.created_at.millis(),
            "expiresAt": token.expires_at.map(Timestamp::millis),
        })).collect::<Vec<_>>(),
        "keys": keys.map(|key| json!({
            "provider": key.provider, "servers": key.servers,
            "createdAt": key.created_at.millis(),
        })).collect::<Vec<_>>(),
        "usage": store.use_of(name).await?.iter().map(|used| json!({
            "project": used.name, "calls": used.calls, "tokens": used.tokens, "cost": used.cost,
        })).collect::<Vec<_>>(),
        "sends": sends,
        "calls": calls.iter().map(|call| {
            serde_json::from_str::<Value>(&call.body).unwrap_or_default()
        }).collect::<Vec<_>>(),
        "audit": log.iter().filter(|entry| is_about(entry, name)).map(team::audit_row)
            .collect::<Vec<_>>(),
    });
    Ok(about.as_object().cloned().unwrap_or_default())
}

/// Whether an entry of the log is of somebody or names them.
fn is_about(entry: &AuditEntry, name: &str) -> bool {
    let in_name = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
    let words = |text: &str| text.split(|letter| !in_name(letter)).any(|word| word == name);
    entry.person.as_deref() == Some(name) || words(&entry.subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_10_an_entry_is_about_who_did_it_and_who_it_names() {
        let entry = |person: Option<&str>, subject: &str| AuditEntry {
            id: String::new(),
            at: Timestamp::from_millis(0),
            person: person.map(str::to_owned),
            action: "role.set".to_owned(),
            subject: subject.to_owned(),
            origin: "terminal".to_owned(),
        };
        for (person, subject) in [
            (Some("ann"), "sea/main"),
            (None, "ann"),
            (None, "sea: ann viewer"),
            (Some("bob"), "~ann/main /api/export"),
            (None, "ann: laptop"),
        ] {
            assert!(is_about(&entry(person, subject), "ann"), "{subject}");
        }
        for (person, subject) in
            [(Some("annika"), "sea"), (None, "ann-marie: laptop"), (None, "anna")]
        {
            assert!(!is_about(&entry(person, subject), "ann"), "{subject}");
        }
    }
}
