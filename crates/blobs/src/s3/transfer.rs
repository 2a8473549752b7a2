//! Bytes to and from an object store, in parts, a few of them under way at a time.

use std::{collections::VecDeque, fs::File, io::Read, ops::Range};

use object_store::{
    ObjectStoreExt, PutMode, PutPayload,
    multipart::{MultipartStore, PartId},
    path::Path,
};

use super::{S3Error, error::Told, store::Shared};
use crate::{BlobError, BlobName, disk::Temporary};

/// What is larger goes up and comes down in parts of this size, in bytes. Stores take no parts
/// below 5 MiB.
const PART: u64 = 8 << 20;

/// So many parts are under way, and in memory, at once.
const AT_ONCE: usize = 3;

/// S3 takes so many parts of one object.
const MOST_PARTS: u64 = 10_000;

impl Shared {
    /// Writes a file as an object; says whether it was new. Nobody finds it before the store
    /// has confirmed all of it.
    pub(super) fn upload(
        &self,
        key: &Path,
        from: &Temporary,
        size: u64,
    ) -> Result<bool, BlobError> {
        if size > PART {
            self.upload_parts(key, from, size)?;
            return Ok(true);
        }
        let bytes = std::fs::read(from.path()).map_err(BlobError::io("read", from.path()))?;
        let bytes = PutPayload::from(bytes);
        if self.put(key, bytes.clone(), PutMode::Create)? {
            return Ok(true);
        }
        // Another node was faster, or what has the name is damaged.
        if self.head(key)?.is_some_and(|found| found.size == size) {
            return Ok(false);
        }
        self.put(key, bytes, PutMode::Overwrite)?;
        Ok(true)
    }

    fn upload_parts(&self, key: &Path, from: &Temporary, size: u64) -> Result<(), BlobError> {
        const DOING: &str = "begin an object";
        let at = key.clone();
        let begun = self.start(|client| async move { client.create_multipart(&at).await });
        let id = self.finish(DOING, begun).map_err(|told| self.failure(DOING, told))?;
        let sent = self
            .send_parts(key, &id, from, size)
            .and_then(|parts| Ok(self.complete(key, &id, parts, size)?));
        if sent.is_err() {
            // What cannot be taken back now has no name, and so is never found.
            let (at, id) = (key.clone(), id.clone());
            let aborted =
                self.start(|client| async move { client.abort_multipart(&at, &id).await });
            let _ = aborted.wait();
        }
        sent
    }

    fn send_parts(
        &self,
        key: &Path,
        id: &str,
        from: &Temporary,
        size: u64,
    ) -> Result<Vec<PartId>, BlobError> {
        const DOING: &str = "write a part of an object";
        let reading = || BlobError::io("read", from.path());
        let mut file = File::open(from.path()).map_err(reading())?;
        let length = PART.max(size.div_ceil(MOST_PARTS));
        let (mut under_way, mut done) = (VecDeque::new(), Vec::new());
        for (index, range) in ranges(size, length).enumerate() {
            let mut part = Vec::new();
            let wanted = range.end - range.start;
            let read = (&mut file).take(wanted).read_to_end(&mut part).map_err(reading())?;
            if read as u64 != wanted {
                return Err(BlobError::Spoiled);
            }
            if under_way.len() >= AT_ONCE
                && let Some(first) = under_way.pop_front()
            {
                done.push(self.finish(DOING, first).map_err(|told| self.failure(DOING, told))?);
            }
            let (at, id) = (key.clone(), id.to_owned());
            under_way.push_back(self.start(|client| async move {
                client.put_part(&at, &id, index, PutPayload::from(part)).await
            }));
        }
        for pending in under_way {
            done.push(self.finish(DOING, pending).map_err(|told| self.failure(DOING, told))?);
        }
        Ok(done)
    }

    fn complete(&self, key: &Path, id: &str, parts: Vec<PartId>, size: u64) -> Result<(), S3Error> {
        const DOING: &str = "complete an object";
        let (at, id) = (key.clone(), id.to_owned());
        let pending =
            self.start(|client| async move { client.complete_multipart(&at, &id, parts).await });
        match self.finish(DOING, pending) {
            Ok(_) => Ok(()),
            // The answer to an earlier try was lost: it was completed then.
            Err(Told::Missing) if self.head(key)?.is_some_and(|found| found.size == size) => Ok(()),
            Err(told) => Err(self.failure(DOING, told)),
        }
    }

    /// Hands out the first bytes of an object, which has so many or more.
    pub(super) fn download(
        &self,
        name: &BlobName,
        key: &Path,
        bytes: u64,
        take: &mut dyn FnMut(&[u8]) -> Result<(), BlobError>,
    ) -> Result<(), BlobError> {
        const DOING: &str = "read an object";
        let mut under_way = VecDeque::new();
        let mut ranges = ranges(bytes, PART);
        loop {
            while under_way.len() < AT_ONCE
                && let Some(part) = ranges.next()
            {
                let key = key.clone();
                under_way.push_back(
                    self.start(|client| async move { client.get_range(&key, part).await }),
                );
            }
            let Some(first) = under_way.pop_front() else { return Ok(()) };
            match self.finish(DOING, first) {
                Ok(bytes) => take(&bytes)?,
                Err(Told::Missing) => return Err(BlobError::Missing(name.clone())),
                Err(told) => return Err(self.failure(DOING, told).into()),
            }
        }
    }
}

/// All of so many bytes in parts of this length.
fn ranges(size: u64, length: u64) -> impl Iterator<Item = Range<u64>> {
    (0..size.div_ceil(length)).map(move |at| at * length..size.min((at + 1) * length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_are_all_of_it_once(size in 0_u64..1_000_000, length in 1_u64..50_000) {
            let mut end = 0;
            for part in ranges(size, length) {
                prop_assert_eq!(part.start, end);
                prop_assert!(part.end > part.start && part.end - part.start <= length);
                end = part.end;
            }
            prop_assert_eq!(end, size);
        }

        #[test]
        fn no_object_has_more_parts_than_the_store_takes(size in 1_u64..(5 << 40)) {
            let length = PART.max(size.div_ceil(MOST_PARTS));
            prop_assert!(size.div_ceil(length) <= MOST_PARTS);
        }
    }
}
