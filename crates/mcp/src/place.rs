//! Where a connection works: the project's root, its notebook and its memory.

// The newest protocol has no roots any more; older clients have no other way to say where
// they work.
#![allow(deprecated)]

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use plimsoll_memory::{Ledger, Memory};
use plimsoll_specs::Notebook;
use rmcp::{RoleServer, service::RequestContext};

use crate::Server;

/// How long a client may take to name its roots.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the project that a directory belongs to is called in the memory, unless someone says
/// otherwise: its root's folder.
pub fn project_of(directory: &Path) -> std::io::Result<String> {
    Ok(Notebook::of(directory)?.folder())
}

/// A project, as one connection sees it.
pub(crate) struct Place {
    pub(crate) notebook: Notebook,
    pub(crate) memory: Memory,
    /// The same memory for what the notebook itself remembers: nobody is sent its answers,
    /// so the connection's ledger does not count them.
    pub(crate) aside: Memory,
}

impl Place {
    /// The project of the client's first root, else of the server's directory.
    pub(crate) async fn find(
        server: &Server,
        ledger: Arc<Ledger>,
        context: &RequestContext<RoleServer>,
    ) -> std::io::Result<Self> {
        let named = client_root(context).await;
        let directory = named.unwrap_or_else(|| server.shared.parts.directory.clone());
        let notebook = Notebook::of(&directory)?;
        let memory = server.memory(notebook.folder(), ledger);
        let aside = server.memory(notebook.folder(), Arc::default());
        Ok(Self { notebook, memory, aside })
    }
}

/// The first root of the client that is a directory here. Only clients with a handshake can
/// be asked.
async fn client_root(context: &RequestContext<RoleServer>) -> Option<PathBuf> {
    let asks = context.client_capabilities().is_some_and(|can| can.roots.is_some());
    if !asks || context.peer.peer_info().is_none() {
        return None;
    }
    let roots = tokio::time::timeout(PATIENCE, context.peer.list_roots()).await;
    let roots = match roots {
        Ok(Ok(roots)) => roots.roots,
        Ok(Err(error)) => {
            tracing::debug!(%error, "the client did not name its roots");
            return None;
        }
        Err(_) => return None,
    };
    roots.iter().take(16).filter_map(|root| path(&root.uri)).find(|path| path.is_dir())
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
