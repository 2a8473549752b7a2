//! Where imported files go: by id, and only where their bytes are.

use std::collections::{HashMap, HashSet};

use plimsoll_blobs::{BlobError, Blobs};
use plimsoll_domain::{Attachment, File, FileId};
use plimsoll_exchange::copied_file_id;
use plimsoll_store::{StoreError, Workspace};

use crate::{
    App, AppError, Imported, Progress,
    shelf::{blob_name, blocking},
};

/// What became of the files of one of our own exports.
pub(crate) struct FileDesk<'a> {
    app: &'a App,
    workspace: &'a Workspace,
    blobs: Blobs,
    became: HashMap<FileId, FileId>,
    /// Files that messages name and that are not here.
    missing: HashSet<FileId>,
    untold: bool,
}

impl<'a> FileDesk<'a> {
    pub(crate) fn open(app: &'a App, workspace: &'a Workspace) -> Result<Self, AppError> {
        Ok(Self {
            app,
            workspace,
            blobs: app.blobs(workspace)?,
            became: HashMap::new(),
            missing: HashSet::new(),
            untold: false,
        })
    }

    /// A file whose bytes are here is kept as it was; one without is left out, and its tokens
    /// are broken.
    pub(crate) async fn take(
        &mut self,
        mut file: File,
        imported: &mut Imported,
    ) -> Result<(), AppError> {
        let was = file.id;
        if !self.has_bytes(&file).await? {
            self.miss(was, imported);
            return Ok(());
        }
        let copy = File { id: copied_file_id(self.workspace.as_str(), &file), ..file.clone() };
        let mut known = true;
        if !self.is_here(&file).await? {
            // Its id may be taken, elsewhere in this store or by other bytes; then, or at an
            // earlier import, it is a copy that stands for it.
            if self.is_here(&copy).await? {
                file = copy;
            } else {
                known = false;
                if !self.put(&file).await? {
                    file = copy;
                    self.put(&file).await?;
                }
            }
        }
        match known {
            true => imported.known_files += 1,
            false => imported.new_files += 1,
        }
        self.became.insert(was, file.id);
        Ok(())
    }

    /// What a token stands for here.
    pub(crate) fn place(&mut self, attachments: &mut [Attachment], imported: &mut Imported) {
        for attachment in attachments {
            let Some(was) = attachment.file else { continue };
            attachment.file = self.became.get(&was).copied();
            if attachment.file.is_none() {
                self.miss(was, imported);
            }
        }
    }

    /// Tells those who watch that there are more files now.
    pub(crate) fn tell(&mut self) {
        if std::mem::take(&mut self.untold) {
            self.app.events.publish(self.workspace, Progress::Files);
        }
    }

    fn miss(&mut self, file: FileId, imported: &mut Imported) {
        if self.missing.insert(file) {
            imported.left_out.attachments += 1;
        }
    }

    async fn has_bytes(&self, file: &File) -> Result<bool, AppError> {
        let Ok(name) = blob_name(file) else { return Ok(false) };
        let (blobs, size) = (self.blobs.clone(), file.size);
        match blocking(move || blobs.size(&name)).await? {
            Err(error @ BlobError::S3(_)) => Err(error.into()),
            found => Ok(found.is_ok_and(|found| found == Some(size))),
        }
    }

    async fn is_here(&self, file: &File) -> Result<bool, AppError> {
        match self.app.store.file(self.workspace, file.id).await {
            Ok(here) => Ok(here.hash == file.hash),
            Err(StoreError::NotFound(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a file down; says whether its id was free.
    async fn put(&mut self, file: &File) -> Result<bool, AppError> {
        match self.app.store.put_file(self.workspace, file).await {
            Ok(()) => {
                self.untold = true;
                Ok(true)
            }
            Err(StoreError::Exists(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
