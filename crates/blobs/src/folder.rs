//! Blobs in a folder of this machine: `context/blobs/`.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use plimsoll_domain::ContentHash;

use crate::{
    Blob, BlobError, BlobName, Broken, Stored,
    disk::{Temporary, make_dir, open_plain, sync_above, sync_dir},
    index::Index,
    intake::Sealed,
    place::{Place, Placing, place_one},
};

/// The directories between `blobs/` and what was there before us: `context/`, the workspace,
/// its project, all conversations, the data directory.
const LEVELS: usize = 5;

/// How much of a file is in memory at a time, in bytes.
const PART: usize = 1 << 20;

/// One folder of blobs.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: PathBuf,
    index: Mutex<Index>,
    /// Whether the names of the directories above were synced by this run: one that was killed
    /// may have made them and not come to it (REL-10).
    rooted: AtomicBool,
}

impl Folder {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir, index: Mutex::default(), rooted: AtomicBool::new(false) }
    }

    fn path(&self, name: &BlobName) -> PathBuf {
        self.dir.join(name.to_string())
    }

    /// The index, for one who changes the folder. One at a time does.
    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unlink(&self, name: &BlobName) -> Result<(), BlobError> {
        let path = self.path(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(BlobError::io("remove", &path)(error));
            }
            _ => {}
        }
        if self.dir.is_dir() { sync_dir(&self.dir) } else { Ok(()) }
    }
}

impl Place for Folder {
    fn prepare(&self) -> Result<(), BlobError> {
        make_dir(&self.dir)
    }

    /// Their bytes are on the disk already, so that only naming is left.
    fn place_all(&self, all: Vec<Sealed>) -> Result<Vec<Blob>, BlobError> {
        let mut turn = Turn { folder: self, index: self.index() };
        make_dir(&self.dir)?;
        turn.index.refresh(&self.dir)?;
        let mut placed = Vec::with_capacity(all.len());
        for sealed in all {
            placed.push(place_one(&mut turn, sealed)?);
        }
        sync_dir(&self.dir)?;
        if !self.rooted.load(Ordering::Relaxed) {
            sync_above(&self.dir, LEVELS)?;
            self.rooted.store(true, Ordering::Relaxed);
        }
        turn.index.settle(&self.dir);
        Ok(placed)
    }

    fn open(&self, name: &BlobName) -> Result<File, BlobError> {
        let path = self.path(name);
        open_plain(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BlobError::Missing(name.clone()),
            io::ErrorKind::InvalidInput => BlobError::NotAFile(path),
            _ => BlobError::io("open", &path)(error),
        })
    }

    fn local_path(&self, name: &BlobName) -> Result<PathBuf, BlobError> {
        // A link in the place of a blob is not handed out.
        self.open(name)?;
        Ok(self.path(name))
    }

    fn read_start(&self, name: &BlobName, bytes: u64) -> Result<Vec<u8>, BlobError> {
        let mut start = Vec::new();
        let read = self.open(name)?.take(bytes).read_to_end(&mut start);
        read.map_err(BlobError::io("read", &self.path(name)))?;
        Ok(start)
    }

    fn read_parts(&self, name: &BlobName, take: &mut dyn FnMut(&[u8])) -> Result<(), BlobError> {
        let mut file = self.open(name)?;
        let mut part = vec![0; PART];
        loop {
            let read = match file.read(&mut part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(BlobError::io("read", &self.path(name)))?,
            };
            if read == 0 {
                return Ok(());
            }
            take(part.get(..read).unwrap_or_default());
        }
    }

    fn stat(&self, name: &BlobName) -> Result<Option<Stored>, BlobError> {
        let path = self.path(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_file() => {
                let modified = found.modified().map_err(BlobError::io("look at", &path))?;
                Ok(Some(Stored { name: name.clone(), size: found.len(), modified }))
            }
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BlobError::io("look at", &path)(error)),
        }
    }

    fn is_there(&self, name: &BlobName) -> Result<(), Broken> {
        match fs::symlink_metadata(self.path(name)) {
            Ok(found) if found.is_file() => Ok(()),
            Ok(_) => Err(Broken::NotAFile),
            Err(_) => Err(Broken::Missing),
        }
    }

    fn canonical(&self, path: &Path) -> Option<BlobName> {
        let real = fs::canonicalize(path).ok()?;
        let home = fs::canonicalize(&self.dir).ok()?;
        let name = real.strip_prefix(home).ok()?.to_str()?;
        BlobName::parse(name).ok()
    }

    fn list(&self) -> Result<Vec<Stored>, BlobError> {
        let dir = &self.dir;
        let entries = match fs::read_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(BlobError::io("list", dir))?,
        };
        let mut all = Vec::new();
        for entry in entries {
            let entry = entry.map_err(BlobError::io("list", dir))?;
            let Some(Ok(name)) = entry.file_name().to_str().map(BlobName::parse) else { continue };
            // One that vanished since was removed by somebody else.
            let Ok(found) = entry.metadata() else { continue };
            if found.is_file() {
                let modified = found.modified().map_err(BlobError::io("look at", &entry.path()))?;
                all.push(Stored { name, size: found.len(), modified });
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    fn discard(
        &self,
        garbage: &Stored,
        before: &mut dyn FnMut() -> Result<(), BlobError>,
    ) -> Result<bool, BlobError> {
        let mut index = self.index();
        let found = fs::symlink_metadata(self.path(&garbage.name));
        let unchanged = found.is_ok_and(|found| {
            found.is_file() && found.modified().is_ok_and(|time| time == garbage.modified)
        });
        if unchanged {
            index.forget();
            before()?;
            self.unlink(&garbage.name)?;
        }
        Ok(unchanged)
    }

    fn remove(&self, name: &BlobName) -> Result<(), BlobError> {
        let mut index = self.index();
        index.forget();
        self.unlink(name)
    }

    fn forget_copy(&self, _: &BlobName) -> bool {
        false
    }
}

/// The folder while one changes it.
struct Turn<'a> {
    folder: &'a Folder,
    index: MutexGuard<'a, Index>,
}

impl Placing for Turn<'_> {
    fn find(&mut self, hash: &ContentHash) -> Result<Option<BlobName>, BlobError> {
        Ok(self.index.find(hash))
    }

    fn touch(&mut self, name: &BlobName, size: u64) -> Result<bool, BlobError> {
        let path = self.folder.path(name);
        if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.len() == size) {
            return Ok(false);
        }
        let touched = File::options().append(true).open(&path);
        Ok(touched.and_then(|file| file.set_modified(SystemTime::now())).is_ok())
    }

    fn put(&mut self, temporary: Temporary, name: &BlobName, _: u64) -> Result<(), BlobError> {
        temporary.rename(&self.folder.path(name))?;
        self.index.add(name);
        Ok(())
    }
}
