//! Where a connection works: the project's root, its notebook and its memory.

// The newest protocol deprecates roots, but has nothing in their place: whoever names some
// says where they work.
#![allow(deprecated)]

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use plimsoll_memory::{Memory, OwnProject};
use plimsoll_specs::Notebook;
use rmcp::{
    RoleServer,
    model::{ListRootsResult, Root},
    service::RequestContext,
};
use serde_json::Value;

use crate::{Server, books::Books};

/// How long a client may take to name its roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(3);

/// So many roots are looked at.
const MOST_ROOTS: usize = 16;

/// What the project that a directory belongs to is called in the memory, unless someone says
/// otherwise: its root's folder. None for a directory that is no project's.
pub fn project_of(directory: &Path, home: Option<&Path>) -> std::io::Result<Option<String>> {
    Ok(Notebook::of(directory, home)?.map(|notebook| notebook.folder()))
}

/// Where that project begins.
pub fn root_of(directory: &Path, home: Option<&Path>) -> std::io::Result<Option<PathBuf>> {
    Ok(Notebook::of(directory, home)?.map(|notebook| notebook.root().to_owned()))
}

/// A project, as one connection sees it.
pub(crate) struct Place {
    /// Or why there is none, and what to do about it.
    pub(crate) notebook: Result<Notebook, &'static str>,
    pub(crate) memory: Memory,
    /// The same memory for what the notebook itself remembers: nobody is sent its answers,
    /// so the connection's ledger does not count them.
    pub(crate) aside: Memory,
}

/// The roots of a client.
pub(crate) type Roots = Vec<Root>;

/// Roots as a client's answer names them; one that cannot be read names none.
pub(crate) fn named_roots(answer: &Value) -> Roots {
    let named = serde_json::from_value::<ListRootsResult>(answer.clone());
    named.map(|named| named.roots).unwrap_or_default()
}

const NO_ROOTS: &str = "it is not known in which directory this client works, so nothing was \
                        read or written: over HTTP the sdd tools need a client that names its \
                        roots; or run `plimsoll mcp` in the project's folder";
const NO_PROJECT: &str = "the directory is the home directory or above it, which is no project, \
                          so nothing was read or written; start in the project's folder, or use \
                          --directory";

impl Place {
    /// The project of the client's first root that has one, else of the server's directory.
    /// Who comes over HTTP does not work in the server's directory, so without roots it is not
    /// known where they do (MEM-13).
    pub(crate) fn of(
        server: &Server,
        books: &Books,
        roots: &[Root],
        over_http: bool,
        client: Option<&str>,
    ) -> std::io::Result<Self> {
        let parts = &server.shared.parts;
        let home = parts.home.as_deref();
        let theirs = roots.iter().take(MOST_ROOTS).filter_map(|root| path(&root.uri));
        let named: Vec<PathBuf> = theirs.collect();
        let theirs = named.iter().filter(|path| !parts.clients_are_elsewhere && path.is_dir());
        let mut notebook = Err(if over_http { NO_ROOTS } else { NO_PROJECT });
        for directory in theirs.cloned().chain((!over_http).then(|| parts.directory.clone())) {
            if let Some(found) = Notebook::of(&directory, home)? {
                notebook = Ok(found);
                break;
            }
        }
        let own = match (&parts.project, &notebook) {
            (Some(project), _) => OwnProject::Is(project.clone()),
            (None, Ok(notebook)) => OwnProject::Is(notebook.folder()),
            (None, Err(_)) => match named_elsewhere(parts.clients_are_elsewhere, &named) {
                Some(project) => OwnProject::Is(project),
                None => OwnProject::Unknown,
            },
        };
        let root = notebook.as_ref().ok().map(|notebook| notebook.root().to_owned());
        let memory = server.memory(own.clone(), root.clone(), client, books);
        let aside = Books { ledger: Arc::default(), started: Arc::clone(&books.started) };
        let aside = server.memory(own, root, client, &aside);
        Ok(Self { notebook, memory, aside })
    }
}

/// The folder that a client of another machine works in. Its name is all that is known of it.
fn named_elsewhere(elsewhere: bool, roots: &[PathBuf]) -> Option<String> {
    let folder = roots.first().filter(|_| elsewhere)?.file_name()?.to_str()?;
    (!folder.trim().is_empty()).then(|| folder.to_owned())
}

/// Whether a client can say where it works.
pub(crate) fn has_roots(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|can| can.roots.is_some())
}

/// The roots of a client that has shaken hands; any other has to be asked by an unfinished
/// answer.
pub(crate) async fn asked_roots(context: &RequestContext<RoleServer>) -> Roots {
    if !has_roots(context) || context.peer.peer_info().is_none() {
        return Vec::new();
    }
    match tokio::time::timeout(ROOTS_TIMEOUT, context.peer.list_roots()).await {
        Ok(Ok(ListRootsResult { roots, .. })) => roots,
        Ok(Err(error)) => {
            tracing::debug!(%error, "the client did not name its roots");
            Vec::new()
        }
        Err(_) => Vec::new(),
    }
}
/// The path of a `file:` address of this machine.
fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') || rest.len() > 8_192 {
        return None;
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [left.next()?, left.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/work` is `C:/work` where drives have letters.
    let drive = text.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    (!text.contains('\0')).then(|| PathBuf::from(if drive { &text[1..] } else { &text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_paths_of_this_machine() {
        for (uri, expected) in [
            ("file:///home/ann/my%20project", Some("/home/ann/my project")),
            ("file://localhost/tmp", Some("/tmp")),
            ("file:///caf%C3%A9", Some("/café")),
            ("file://elsewhere/share", None),
            ("https://example.com/", None),
            ("file:///bad%2", None),
            ("file:///bad%zz", None),
            ("file:///nul%00", None),
            ("file:///odd%ff", None),
        ] {
            assert_eq!(path(uri), expected.map(PathBuf::from), "{uri}");
        }
    }
}
