//! What is kept beside a text so that it is found: a fingerprint and tags.

use crate::{NewObservation, Scope, Workspace};

/// The same for texts that differ in case and white space only (MEM-4).
pub(super) fn fingerprint(workspace: &Workspace, note: &NewObservation) -> String {
    let mut hash = blake3::Hasher::new();
    let namespace = note.namespace.as_deref().unwrap_or_default();
    let parts =
        [workspace.as_str(), &note.kind, &note.project, note.scope.name(), namespace].into_iter();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update(&[0]);
    }
    for text in [&note.title, &note.content] {
        for word in text.split_whitespace() {
            hash.update(word.to_lowercase().as_bytes());
            hash.update(b" ");
        }
        hash.update(&[0]);
    }
    hash.finalize().to_hex()[..32].to_owned()
}

/// A name for what is too long for one.
pub(super) fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

#[derive(Clone, Copy, Debug)]
pub enum Narrow {
    Workspace,
    Kind,
    Project,
    Scope,
    Namespace,
}

/// A word of the index that stands for a value. It begins with a character for private use,
/// which is no part of any word that people type, and is checked against the value itself
/// before anything is told.
pub fn tag(narrow: Narrow, value: &str) -> String {
    let letter = match narrow {
        Narrow::Workspace => 'w',
        Narrow::Kind => 'k',
        Narrow::Project => 'p',
        Narrow::Scope => 's',
        Narrow::Namespace => 'n',
    };
    format!("\u{e000}{letter}{}", &blake3::hash(value.as_bytes()).to_hex()[..10])
}

/// The tags of a note, or of a prompt, which has neither type nor scope.
pub(crate) fn tags(
    workspace: &Workspace,
    project: &str,
    namespace: Option<&str>,
    note: Option<(&str, Scope)>,
) -> String {
    let mut tags = vec![
        tag(Narrow::Workspace, workspace.as_str()),
        tag(Narrow::Project, project),
        tag(Narrow::Namespace, namespace.unwrap_or_default()),
    ];
    if let Some((kind, scope)) = note {
        tags.push(tag(Narrow::Kind, kind));
        tags.push(tag(Narrow::Scope, scope.name()));
    }
    tags.join(" ")
}
