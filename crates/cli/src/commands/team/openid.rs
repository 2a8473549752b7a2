//! As whom people come who sign in by OpenID Connect.

use plimsoll_app::{AT_THE_TERMINAL, App, Audited};
use plimsoll_store::openid_name;

use super::people::unknown_user;
use crate::failure::{Failure, note};

/// No name at a provider is longer.
const LONGEST: usize = 255;

/// A name at the provider as it is kept.
pub(super) fn checked(name: &str) -> Result<String, Failure> {
    let name = openid_name(name);
    if name.is_empty() || name.len() > LONGEST || name.contains(char::is_control) {
        return Err(Failure::usage("that is no name at a provider of identities")
            .hint("write an e-mail address, or the subject or user name that the provider knows"));
    }
    Ok(name)
}

/// Refuses a name by which somebody else may come.
pub(super) async fn must_be_free(app: &App, person: &str, name: &str) -> Result<(), Failure> {
    let names = app.store().openid_names().await?;
    match names.iter().find(|(known, of)| known == name && of != person) {
        None => Ok(()),
        Some((name, of)) => {
            Err(Failure::usage(format!("'{of}' comes as '{}' already", name.escape_debug()))
                .hint(format!("first: plimsoll team user set {of} --no-openid")))
        }
    }
}

/// Says as whom somebody comes next. Who they were before is forgotten, and signed out.
pub(super) async fn bind(app: &App, person: &str, name: Option<&str>) -> Result<(), Failure> {
    if let Some(name) = name {
        must_be_free(app, person, name).await?;
    }
    if !app.store().put_openid_name(person, name).await? {
        return Err(unknown_user(person));
    }
    app.store().end_sign_ins_of(person).await?;
    let words = name.map_or_else(|| "no more".to_owned(), |name| format!("next as {name}"));
    app.note_audit(AT_THE_TERMINAL, Audited::UserBound, &format!("{person}: {words}")).await?;
    match name {
        Some(name) => note(&format!(
            "who signs in next by OpenID Connect as '{}' is '{person}' from then on",
            name.escape_debug()
        )),
        None => {
            note(&format!("'{person}' does not sign in by OpenID Connect; they are signed out"))
        }
    }
    Ok(())
}
