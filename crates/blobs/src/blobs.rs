//! One workspace's `context/` directory.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use crate::{
    Batch, Blob, BlobError, BlobName, Intake,
    disk::{make_dir, open_plain, sync_above, sync_dir},
    index::Index,
    intake::Sealed,
};

/// How much of a file is in memory at a time while it is taken in, in bytes.
const PART: usize = 1 << 20;

/// The directories between `blobs/` and what was there before us: `context/`, the workspace,
/// its project, all conversations, the data directory.
const LEVELS: usize = 5;

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
    index: Mutex<Index>,
    /// Whether the names of the directories above `blobs/` were synced by this run: one that
    /// was killed may have made them and not come to it (REL-10).
    rooted: AtomicBool,
    /// Pictures are drawn one at a time, so that the memory of drawing is bounded.
    pub(crate) drawing: Mutex<()>,
}

impl Blobs {
    /// The blobs below this `context/` directory. Nothing is made on the disk before
    /// something is taken in. A relative path is taken from the current directory, once.
    pub fn open(context_dir: impl Into<PathBuf>) -> Result<Self, BlobError> {
        let context = context_dir.into();
        let context =
            std::path::absolute(&context).map_err(BlobError::io("find the directory", &context))?;
        Ok(Self {
            shared: Arc::new(Shared {
                blobs: context.join("blobs"),
                tmp: context.join("tmp"),
                derived: context.join("derived"),
                context,
                index: Mutex::default(),
                rooted: AtomicBool::new(false),
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

    /// Where a blob is, whether it is there or not.
    pub fn path(&self, name: &BlobName) -> PathBuf {
        self.shared.blobs.join(name.to_string())
    }

    /// All bytes of a blob, checked against its name.
    pub fn read(&self, name: &BlobName, limit: u64) -> Result<Vec<u8>, BlobError> {
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

    /// Reads a blob to its end, part by part, and says how many bytes it has if they are those
    /// that its name promises.
    pub fn check(&self, name: &BlobName) -> Result<u64, BlobError> {
        let file = self.open_blob(name)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(BlobError::io("read", &self.path(name)))?;
        if hasher.finalize().to_hex().as_str() != name.hash().as_str() {
            return Err(BlobError::Altered(name.clone()));
        }
        Ok(hasher.count())
    }

    /// A blob for reading part by part. Its bytes are not checked; its name is no link.
    pub fn open_blob(&self, name: &BlobName) -> Result<File, BlobError> {
        let path = self.path(name);
        open_plain(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BlobError::Missing(name.clone()),
            io::ErrorKind::InvalidInput => BlobError::NotAFile(path),
            _ => BlobError::io("open", &path)(error),
        })
    }
}

impl Shared {
    pub(crate) fn prepare(&self) -> Result<(), BlobError> {
        make_dir(&self.blobs)?;
        make_dir(&self.tmp)
    }

    /// The index, for one who changes `blobs/`. One at a time does.
    pub(crate) fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives blobs their names. Their bytes are on the disk already, so that whatever
    /// happens now, only whole blobs are found later.
    pub(crate) fn place(&self, all: Vec<Sealed>) -> Result<Vec<Blob>, BlobError> {
        let mut index = self.index();
        make_dir(&self.blobs)?;
        index.refresh(&self.blobs)?;
        let mut placed = Vec::with_capacity(all.len());
        for sealed in all {
            placed.push(self.place_one(&mut index, sealed)?);
        }
        sync_dir(&self.blobs)?;
        if !self.rooted.load(Ordering::Relaxed) {
            sync_above(&self.blobs, LEVELS)?;
            self.rooted.store(true, Ordering::Relaxed);
        }
        index.settle(&self.blobs);
        Ok(placed)
    }

    fn place_one(&self, index: &mut Index, sealed: Sealed) -> Result<Blob, BlobError> {
        let Sealed { temporary, name, size, facts, exact } = sealed;
        let known = if exact { Some(name.clone()) } else { index.find(name.hash()) };
        let there = known.as_ref().is_some_and(|known| self.is_whole(known, size));
        // What has the name but not the size was damaged; it is put right under that name.
        let name = known.unwrap_or(name);
        if !there {
            temporary.rename(&self.blobs.join(name.to_string()))?;
            index.add(&name);
        }
        let (hash, extension) = (name.hash().clone(), name.extension().to_owned());
        Ok(Blob { name, hash, extension, size, facts, new: !there })
    }

    /// Whether a blob is there with all its bytes. It counts as new from now on, so that
    /// nobody takes it for garbage before the message that needs it is written.
    fn is_whole(&self, name: &BlobName, size: u64) -> bool {
        let path = self.blobs.join(name.to_string());
        if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.len() == size) {
            return false;
        }
        let touched = File::options().append(true).open(&path);
        touched.and_then(|file| file.set_modified(SystemTime::now())).is_ok()
    }
}
