//! Where the contents of files are, and moving them elsewhere (TEA-4).

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use plimsoll_blobs::{BlobError, Blobs, S3Store};
use plimsoll_store::Workspace;

use super::directory_name;

/// How much of a file is in memory at a time while it is moved, in bytes.
const PART: usize = 1 << 20;

/// A place for the contents of files of all workspaces: a directory, or an object store whose
/// temporary files and copies are in one.
#[derive(Clone)]
pub struct FilePlace {
    pub conversations: PathBuf,
    pub objects: Option<S3Store>,
}

impl FilePlace {
    pub(crate) fn blobs(&self, workspace: &Workspace) -> Result<Blobs, BlobError> {
        let names = [directory_name(workspace.project()), directory_name(workspace.name())];
        open(&self.conversations, self.objects.as_ref(), &names)
    }

    /// Copies the contents of a workspace's files into another place; says how many there are.
    /// What is there already is not copied again, so that it can be run again. It blocks.
    pub fn copy_to(&self, to: &Self, workspace: &Workspace) -> Result<u64, BlobError> {
        let (from, to) = (self.blobs(workspace)?, to.blobs(workspace)?);
        let mut copied = 0;
        for stored in from.list()? {
            copied += 1;
            if to.size(&stored.name)? == Some(stored.size) {
                continue;
            }
            let mut file = from.open_blob(&stored.name)?;
            let mut intake = to.begin_as(&stored.name, None)?;
            let mut part = vec![0; PART];
            loop {
                let read = file.read(&mut part);
                let read = read.map_err(|source| BlobError::Io {
                    doing: "read",
                    path: from.path(&stored.name),
                    source,
                })?;
                if read == 0 {
                    break;
                }
                intake.write(part.get(..read).unwrap_or_default())?;
            }
            intake.finish()?;
        }
        Ok(copied)
    }
}

/// The blobs of the workspace that has these names.
pub(crate) fn open(
    conversations: &Path,
    objects: Option<&S3Store>,
    names: &[String; 2],
) -> Result<Blobs, BlobError> {
    let [project, name] = names;
    let context = conversations.join(project).join(name).join("context");
    match objects {
        None => Blobs::open(context),
        Some(objects) => Blobs::open_s3(context, objects, &[project, name]),
    }
}
