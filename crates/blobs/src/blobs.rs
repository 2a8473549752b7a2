//! One workspace's blobs, and its `context/` directory.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use crate::{
    Batch, Blob, BlobError, BlobName, Intake, S3Store, disk::make_dir, folder::Folder,
    place::Place, s3::S3Workspace,
};

/// How much of a file is in memory at a time while it is taken in, in bytes.
const PART: usize = 1 << 20;

/// The blobs of one workspace. Clones are the same store; all calls block.
#[derive(Clone, Debug)]
pub struct Blobs {
    pub(crate) shared: Arc<Shared>,
}

/// What clones and intakes share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) context: PathBuf,
    pub(crate) blobs: PathBuf,
    pub(crate) tmp: PathBuf,
    pub(crate) derived: PathBuf,
    pub(crate) place: Box<dyn Place>,
    /// Pictures are drawn one at a time, so that the memory of drawing is bounded.
    pub(crate) drawing: Mutex<()>,
}

impl Blobs {
    /// The blobs below this `context/` directory. Nothing is made on the disk before
    /// something is taken in. A relative path is taken from the current directory, once.
    pub fn open(context_dir: impl Into<PathBuf>) -> Result<Self, BlobError> {
        Self::open_with(context_dir.into(), |blobs| Box::new(Folder::new(blobs.to_owned())))
    }

    /// The blobs of the workspace with these names, which lie in an object store. What is on its
    /// way in, and what is derived, is below this `context/` directory all the same.
    pub fn open_s3(
        context_dir: impl Into<PathBuf>,
        store: &S3Store,
        names: &[&str],
    ) -> Result<Self, BlobError> {
        Self::open_with(context_dir.into(), |_| Box::new(S3Workspace::new(store, names)))
    }

    fn open_with(
        context: PathBuf,
        place: impl FnOnce(&Path) -> Box<dyn Place>,
    ) -> Result<Self, BlobError> {
        let context =
            std::path::absolute(&context).map_err(BlobError::io("find the directory", &context))?;
        let blobs = context.join("blobs");
        Ok(Self {
            shared: Arc::new(Shared {
                place: place(&blobs),
                blobs,
                tmp: context.join("tmp"),
                derived: context.join("derived"),
                context,
                drawing: Mutex::default(),
            }),
        })
    }

    /// Begins to take in bytes that came under this name (empty for a paste), at most
    /// `limit` of them.
    pub fn begin(&self, name: &str, limit: Option<u64>) -> Result<Intake, BlobError> {
        Intake::begin(&self.shared, name, limit)
    }

    /// Begins to take in bytes that had this name in another store. They are kept as they
    /// are and under this name, so that tokens still find them; bytes that do not give its
    /// hash are [`BlobError::Altered`], and nothing is kept of them.
    pub fn begin_as(&self, name: &BlobName, limit: Option<u64>) -> Result<Intake, BlobError> {
        Intake::begin_as(&self.shared, name, limit)
    }

    /// A file in `tmp/` that has no name, or none that outlives its handle: for bytes that are read
    /// and not kept. Only its owner may read it.
    pub fn temporary_file(&self) -> Result<File, BlobError> {
        let dir = &self.shared.tmp;
        make_dir(dir)?;
        tempfile::tempfile_in(dir).map_err(BlobError::io("create a file in", dir))
    }

    /// Begins to take in many, which become durable together: much faster for small ones.
    pub fn batch(&self) -> Batch {
        Batch::new(self)
    }

    /// Takes in a file of this machine. The path is the caller's to allow: it is opened as it
    /// is, links included. `progress` hears how many bytes are done, and of how many;
    /// `cancel` is asked between any two parts, and nothing is left of a cancelled import.
    pub fn import_file(
        &self,
        path: &Path,
        limit: Option<u64>,
        progress: &mut dyn FnMut(u64, Option<u64>),
        cancel: &dyn Fn() -> bool,
    ) -> Result<Blob, BlobError> {
        self.pour(path, limit, progress, cancel)?.finish()
    }

    /// An intake with all of a file's bytes in it.
    pub(crate) fn pour(
        &self,
        path: &Path,
        limit: Option<u64>,
        progress: &mut dyn FnMut(u64, Option<u64>),
        cancel: &dyn Fn() -> bool,
    ) -> Result<Intake, BlobError> {
        let missing = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => BlobError::NoSuchFile(path.to_owned()),
            _ => BlobError::io("open", path)(error),
        };
        // A pipe would wait for a writer when it is opened, so it is looked at first.
        if !fs::metadata(path).map_err(missing)?.is_file() {
            return Err(BlobError::NotAFile(path.to_owned()));
        }
        let mut file = File::open(path).map_err(missing)?;
        let total = file.metadata().map_err(BlobError::io("read", path))?.len();
        if let Some(limit) = limit.filter(|limit| total > *limit) {
            return Err(BlobError::TooLarge { limit });
        }
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let mut intake = self.begin(&name, limit)?;
        let part = usize::try_from(total).unwrap_or(PART).saturating_add(1).min(PART);
        let mut part = vec![0; part];
        loop {
            if cancel() {
                return Err(BlobError::Cancelled);
            }
            let read = match file.read(&mut part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(BlobError::io("read", path))?,
            };
            if read == 0 {
                return Ok(intake);
            }
            intake.write(part.get(..read).unwrap_or_default())?;
            progress(intake.size(), Some(total.max(intake.size())));
        }
    }

    /// What tokens say of a blob, whether it is there or not. In a folder it is there that it
    /// lies; for its bytes ask [`Blobs::local_path`].
    pub fn path(&self, name: &BlobName) -> PathBuf {
        self.shared.blobs.join(name.to_string())
    }

    /// Where the bytes are as a file of this machine, for programs that read it at once. From
    /// an object store they are fetched, and thrown away when room is needed.
    pub fn local_path(&self, name: &BlobName) -> Result<PathBuf, BlobError> {
        self.shared.place.local_path(name)
    }

    /// All bytes of a blob, checked against its name.
    pub fn read(&self, name: &BlobName, limit: u64) -> Result<Vec<u8>, BlobError> {
        match self.read_once(name, limit) {
            // A copy that went bad says nothing of what it is a copy of.
            Err(BlobError::Altered(_)) if self.shared.place.forget_copy(name) => {
                self.read_once(name, limit)
            }
            read => read,
        }
    }

    fn read_once(&self, name: &BlobName, limit: u64) -> Result<Vec<u8>, BlobError> {
        let file = self.open_blob(name)?;
        let mut bytes = Vec::new();
        let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(BlobError::io("read", &self.path(name)))?;
        if bytes.len() as u64 > limit {
            return Err(BlobError::TooLarge { limit });
        }
        if blake3::hash(&bytes).to_hex().as_str() != name.hash().as_str() {
            return Err(BlobError::Altered(name.clone()));
        }
        Ok(bytes)
    }

    /// The first bytes of a blob, or all if there are fewer. They are not checked.
    pub fn read_start(&self, name: &BlobName, bytes: u64) -> Result<Vec<u8>, BlobError> {
        self.shared.place.read_start(name, bytes)
    }

    /// How many bytes a blob has; none if it is not there.
    pub fn size(&self, name: &BlobName) -> Result<Option<u64>, BlobError> {
        Ok(self.shared.place.stat(name)?.map(|found| found.size))
    }

    /// Reads a blob to its end, part by part, and says how many bytes it has if they are those
    /// that its name promises.
    pub fn check(&self, name: &BlobName) -> Result<u64, BlobError> {
        let mut hasher = blake3::Hasher::new();
        self.shared.place.read_parts(name, &mut |part| {
            hasher.update(part);
        })?;
        if hasher.finalize().to_hex().as_str() != name.hash().as_str() {
            return Err(BlobError::Altered(name.clone()));
        }
        Ok(hasher.count())
    }

    /// A blob for reading part by part. Its bytes are not checked; its name is no link.
    pub fn open_blob(&self, name: &BlobName) -> Result<File, BlobError> {
        self.shared.place.open(name)
    }
}

impl Shared {
    pub(crate) fn prepare(&self) -> Result<(), BlobError> {
        self.place.prepare()?;
        make_dir(&self.tmp)
    }
}
