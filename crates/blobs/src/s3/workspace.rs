//! The blobs of one workspace in an object store.
//!
//! `<prefix>/<project>/<workspace>/blobs/<name>` are the blobs. Beside them is
//! `touched/<name>`, an empty object that is written again whenever bytes come that are there
//! already: S3 cannot change the time of an object.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{Read, Write},
    path::{Path as FilePath, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use object_store::{PutMode, PutPayload, path::Path};
use plimsoll_domain::ContentHash;

use super::{S3Error, S3Store, seen::Seen, store::Shared};
use crate::{
    Blob, BlobError, BlobName, Broken, Stored,
    disk::Temporary,
    intake::Sealed,
    place::{Place, Placing, place_one},
};

/// So many blobs go up at once, each with a few parts in memory.
const AT_ONCE: usize = 4;

/// The place of one workspace.
#[derive(Clone)]
pub(crate) struct S3Workspace {
    store: Arc<Shared>,
    blobs: Path,
    touched: Path,
    copies: PathBuf,
    seen: Arc<Seen>,
}

impl std::fmt::Debug for S3Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "S3Workspace({})", self.blobs)
    }
}

impl S3Workspace {
    /// The names must be plain names of directories.
    pub(crate) fn new(store: &S3Store, names: &[&str]) -> Self {
        let store = Arc::clone(&store.shared);
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let below = |last: &str| {
            let parts = store.address.prefix.iter().chain(&names).map(String::as_str);
            Path::from_iter(parts.chain([last]))
        };
        let (blobs, touched) = (below("blobs"), below("touched"));
        let (copies, seen) = (store.copies.folder(&names), store.seen.of(blobs.as_ref()));
        Self { store, blobs, touched, copies, seen }
    }

    fn key(&self, name: &BlobName) -> Path {
        self.blobs.clone().join(name.to_string())
    }

    fn copy_path(&self, name: &BlobName) -> PathBuf {
        self.copies.join(name.to_string())
    }

    /// What lies in a part of the workspace under names that begin so.
    fn listed(&self, part: &Path, beginning: &str) -> Result<Vec<Stored>, S3Error> {
        let prefix = format!("{part}/");
        let found = self.store.list(&format!("{prefix}{beginning}"))?;
        let stored = found.into_iter().filter_map(|found| {
            let name = found.key.as_ref().strip_prefix(&prefix)?;
            let name = BlobName::parse(name).ok()?;
            Some(Stored { name, size: found.size, modified: found.modified })
        });
        Ok(stored.collect())
    }

    /// The blobs whose names begin so, by name, each as new as it was last taken in.
    fn blobs(&self, beginning: &str) -> Result<Vec<Stored>, S3Error> {
        self.store.ready()?;
        let mut all = self.listed(&self.blobs, beginning)?;
        if all.is_empty() {
            return Ok(all);
        }
        let touched = self.listed(&self.touched, beginning)?;
        let touched: HashMap<BlobName, SystemTime> =
            touched.into_iter().map(|one| (one.name, one.modified)).collect();
        for one in &mut all {
            one.modified =
                one.modified.max(touched.get(&one.name).copied().unwrap_or(one.modified));
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// How large a blob is.
    fn size(&self, name: &BlobName) -> Result<u64, BlobError> {
        self.store.ready()?;
        let found = self.store.head(&self.key(name))?;
        Ok(found.ok_or_else(|| BlobError::Missing(name.clone()))?.size)
    }

    /// Fetches a copy, whole and checked against the name.
    fn fetch(&self, name: &BlobName) -> Result<File, BlobError> {
        let size = self.size(name)?;
        let (temporary, mut file) = self.store.copies.temporary(name)?;
        let writing = || BlobError::io("write", temporary.path());
        let mut hasher = blake3::Hasher::new();
        self.store.download(name, &self.key(name), size, &mut |part| {
            hasher.update(part);
            file.write_all(part).map_err(writing())
        })?;
        if hasher.finalize().to_hex().as_str() != name.hash().as_str() {
            return Err(BlobError::Altered(name.clone()));
        }
        // A crash must not leave half of it under a name that promises all of it.
        file.sync_all().map_err(writing())?;
        // Opened before it has a name, because from then on others may throw it away.
        let opened = File::open(temporary.path()).map_err(writing())?;
        let path = self.copy_path(name);
        // Where another process has it open already, some systems do not replace it.
        if let Err(error) = self.store.copies.keep(temporary, &path, size)
            && !path.exists()
        {
            return Err(error);
        }
        self.seen.add(name);
        Ok(opened)
    }

    /// Places blobs of different bytes, each with its number.
    fn place_at_once(&self, all: Vec<(usize, Sealed)>) -> Result<Vec<(usize, Blob)>, BlobError> {
        let threads = all.len().min(AT_ONCE);
        let waiting = Mutex::new(all.into_iter());
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        let failed = AtomicBool::new(false);
        let work = || {
            let mut placed = Vec::new();
            while !failed.load(Ordering::Relaxed)
                && let Some((index, sealed)) = next()
            {
                let blob = place_one(&mut self.clone(), sealed);
                placed.push((index, blob.inspect_err(|_| failed.store(true, Ordering::Relaxed))?));
            }
            Ok::<_, BlobError>(placed)
        };
        if threads <= 1 {
            return work();
        }
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let mut placed = Vec::new();
            for one in all {
                placed.extend(one.join().map_err(|_| S3Error::Ended)??);
            }
            Ok(placed)
        })
    }

    fn forget(&self, name: &BlobName) {
        self.seen.remove(name);
        let _ = std::fs::remove_file(self.copy_path(name));
    }
}

impl Place for S3Workspace {
    fn prepare(&self) -> Result<(), BlobError> {
        Ok(())
    }

    /// Several at a time, but the same bytes one after the other: the second finds the first.
    fn place_all(&self, all: Vec<Sealed>) -> Result<Vec<Blob>, BlobError> {
        self.store.ready()?;
        let mut hashes = HashSet::new();
        let (first, again): (Vec<_>, Vec<_>) = all
            .into_iter()
            .enumerate()
            .partition(|(_, sealed)| hashes.insert(sealed.name.hash().clone()));
        let mut placed = self.place_at_once(first)?;
        for (index, sealed) in again {
            placed.push((index, place_one(&mut self.clone(), sealed)?));
        }
        placed.sort_by_key(|(index, _)| *index);
        Ok(placed.into_iter().map(|(_, blob)| blob).collect())
    }

    fn open(&self, name: &BlobName) -> Result<File, BlobError> {
        match self.store.copies.open(&self.copy_path(name)) {
            Some(file) => Ok(file),
            None => self.fetch(name),
        }
    }

    fn local_path(&self, name: &BlobName) -> Result<PathBuf, BlobError> {
        self.open(name)?;
        Ok(self.copy_path(name))
    }

    fn read_start(&self, name: &BlobName, bytes: u64) -> Result<Vec<u8>, BlobError> {
        let path = self.copy_path(name);
        let mut start = Vec::new();
        if let Some(file) = self.store.copies.open(&path) {
            file.take(bytes).read_to_end(&mut start).map_err(BlobError::io("read", &path))?;
            return Ok(start);
        }
        let bytes = bytes.min(self.size(name)?);
        self.store.download(name, &self.key(name), bytes, &mut |part| {
            start.extend_from_slice(part);
            Ok(())
        })?;
        Ok(start)
    }

    fn read_parts(&self, name: &BlobName, take: &mut dyn FnMut(&[u8])) -> Result<(), BlobError> {
        let size = self.size(name)?;
        self.store.download(name, &self.key(name), size, &mut |part| {
            take(part);
            Ok(())
        })
    }

    fn stat(&self, name: &BlobName) -> Result<Option<Stored>, BlobError> {
        let mut found = self.blobs(&name.to_string())?;
        found.retain(|one| one.name == *name);
        Ok(found.pop())
    }

    fn is_there(&self, name: &BlobName) -> Result<(), Broken> {
        let list = || {
            self.store.ready()?;
            Ok(self.listed(&self.blobs, "")?.into_iter().map(|one| one.name).collect())
        };
        let ask = || Ok(self.store.head(&self.key(name))?.is_some());
        self.seen.is_there(name, list, ask)
    }

    fn canonical(&self, _: &FilePath) -> Option<BlobName> {
        None
    }

    fn list(&self) -> Result<Vec<Stored>, BlobError> {
        Ok(self.blobs("")?)
    }

    fn discard(
        &self,
        garbage: &Stored,
        before: &mut dyn FnMut() -> Result<(), BlobError>,
    ) -> Result<bool, BlobError> {
        let unchanged =
            self.stat(&garbage.name)?.is_some_and(|found| found.modified == garbage.modified);
        if unchanged {
            before()?;
            self.remove(&garbage.name)?;
        }
        Ok(unchanged)
    }

    fn remove(&self, name: &BlobName) -> Result<(), BlobError> {
        self.store.ready()?;
        self.forget(name);
        self.store.delete(&self.key(name))?;
        // Without its blob it means nothing; should this fail, it does no harm.
        self.store.delete(&self.touched.clone().join(name.to_string()))?;
        Ok(())
    }

    fn forget_copy(&self, name: &BlobName) -> bool {
        std::fs::remove_file(self.copy_path(name)).is_ok()
    }
}

impl Placing for S3Workspace {
    fn find(&mut self, hash: &ContentHash) -> Result<Option<BlobName>, BlobError> {
        let found = self.listed(&self.blobs, &format!("{hash}."))?;
        Ok(found.into_iter().map(|one| one.name).min())
    }

    fn touch(&mut self, name: &BlobName, size: u64) -> Result<bool, BlobError> {
        let is_whole =
            |found: Option<super::store::Found>| found.is_some_and(|one| one.size == size);
        if !is_whole(self.store.head(&self.key(name))?) {
            return Ok(false);
        }
        let mark = self.touched.clone().join(name.to_string());
        self.store.put(&mark, PutPayload::new(), PutMode::Overwrite)?;
        // Another node that took it for garbage did so before it could see the mark.
        Ok(is_whole(self.store.head(&self.key(name))?))
    }

    fn put(&mut self, temporary: Temporary, name: &BlobName, size: u64) -> Result<(), BlobError> {
        self.store.upload(&self.key(name), &temporary, size)?;
        self.seen.add(name);
        // Whoever took it in reads it soon. Without a copy it is fetched.
        let _ = self.store.copies.keep(temporary, &self.copy_path(name), size);
        Ok(())
    }
}
