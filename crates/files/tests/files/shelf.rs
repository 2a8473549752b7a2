//! A shelf in a temporary directory, and a toolbox over it.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use plimsoll_domain::{ContentHash, File, FileId, FileKind, FileSource, Timestamp};
use plimsoll_files::{
    Clock, Programs, Sandbox, ToolAnswer, ToolFailure, Toolbox, WorkspaceFiles, file_label,
};
use plimsoll_testkit::real::skipped;
use serde_json::Value;

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

pub(crate) struct Desk {
    place: tempfile::TempDir,
    files: Mutex<Vec<File>>,
}

impl Desk {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { place: tempfile::tempdir().unwrap(), files: Mutex::new(Vec::new()) })
    }

    /// Puts a file on the shelf; each is a minute younger than the one before.
    pub(crate) fn put(&self, name: &str, mime: &str, kind: FileKind, bytes: &[u8]) -> File {
        let mut files = self.files.lock().unwrap();
        let number = files.len();
        let age = 60_000 * (1000 - i64::try_from(number).unwrap());
        let created_at = Timestamp::from_millis(NOW.millis() - age);
        let file = File {
            id: FileId::new(created_at, [number as u8; 10]),
            name: name.to_owned(),
            mime: mime.to_owned(),
            kind,
            size: bytes.len() as u64,
            hash: ContentHash::parse(&format!("{number:064x}")).unwrap(),
            extension: "bin".to_owned(),
            source: FileSource::User,
            upload_context: Some(format!("the words of {name}")),
            created_at,
            expires_at: None,
            provider_ids: Vec::new(),
            tokens: None,
            pixels: None,
            is_text: mime.starts_with("text/"),
            listed: false,
            made_for: None,
            extraction: None,
        };
        fs::write(self.place.path().join(file.blob_name()), bytes).unwrap();
        files.insert(0, file.clone());
        file
    }

    pub(crate) fn text(&self, name: &str, text: &str) -> File {
        self.put(name, "text/plain", FileKind::Document, text.as_bytes())
    }

    /// A text whose name does not promise one: `noext`, `foo.log.1`.
    pub(crate) fn text_by_bytes(&self, name: &str, text: &str) -> File {
        let file = self.text(name, text);
        self.files.lock().unwrap()[0].is_text = false;
        File { is_text: false, ..file }
    }

    pub(crate) fn place(&self) -> &Path {
        self.place.path()
    }
}

#[async_trait]
impl WorkspaceFiles for Desk {
    async fn list(&self) -> Result<Vec<File>, ToolFailure> {
        Ok(self.files.lock().unwrap().clone())
    }

    async fn find(&self, id: FileId) -> Result<File, ToolFailure> {
        let files = self.files.lock().unwrap();
        files.iter().find(|file| file.id == id).cloned().ok_or(ToolFailure::NoSuchFile)
    }

    async fn path(&self, file: &File) -> Result<PathBuf, ToolFailure> {
        let path = self.place.path().join(file.blob_name());
        if path.is_file() { Ok(path) } else { Err(ToolFailure::Damaged("it is gone".to_owned())) }
    }

    async fn add_generated(
        &self,
        name: &str,
        path: &Path,
        words: &str,
    ) -> Result<File, ToolFailure> {
        let bytes = fs::read(path).map_err(|error| ToolFailure::Store(error.to_string()))?;
        let file = self.put(name, "application/octet-stream", FileKind::Generated, &bytes);
        let mut files = self.files.lock().unwrap();
        files[0].upload_context = Some(words.to_owned());
        files[0].source = FileSource::Assistant;
        Ok(files.iter().find(|one| one.id == file.id).unwrap().clone())
    }
}

pub(crate) fn clock() -> Clock {
    Arc::new(|| NOW)
}

/// A toolbox with nothing but the shelf.
pub(crate) fn bare(desk: &Arc<Desk>) -> Toolbox {
    Toolbox::new(desk.clone(), clock())
}

/// The programs that this machine has.
pub(crate) fn programs() -> Programs {
    Programs::in_path(&std::env::var_os("PATH").unwrap_or_default())
}

/// The same in a sandbox, where this machine has one (SEC-10).
pub(crate) async fn programs_inside() -> Programs {
    match Sandbox::find_for_programs(&programs()).await {
        Ok(sandbox) => programs().inside(sandbox),
        Err(none) => {
            skipped(&format!("programs run without a sandbox: {none}. {}", none.how_to_fix));
            programs()
        }
    }
}

/// A directory with programs that are shell scripts.
#[cfg(unix)]
pub(crate) fn scripts(scripts: &[(&str, &str)]) -> (tempfile::TempDir, Programs) {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    for (name, script) in scripts {
        let path = place.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let programs = Programs::in_path(OsStr::new(place.path()));
    (place, programs)
}

/// A call about one file.
pub(crate) async fn ask(toolbox: &Toolbox, tool: &str, file: &File, more: Value) -> ToolAnswer {
    let mut arguments = more;
    arguments["file_id"] = Value::from(file_label(file.id));
    toolbox.call(tool, &arguments, None).await
}
