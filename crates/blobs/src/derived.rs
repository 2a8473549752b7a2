//! What is made of a blob and can be made again at any time: thumbnails, texts of documents.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use crate::{
    BlobError, BlobName, Blobs,
    disk::{Temporary, make_dir},
};

/// What may be kept beside a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// The text that was read out of a document.
    Text,
    /// What is known of that text, or why there is none.
    TextFacts,
}

impl Derived {
    const ALL: [Self; 2] = [Self::Text, Self::TextFacts];

    /// The number counts up when documents are read otherwise, so that they are read anew.
    fn ending(self) -> &'static str {
        match self {
            Self::Text => "text-1.txt",
            Self::TextFacts => "text-1.json",
        }
    }
}

impl Blobs {
    /// Where something derived from a blob is, whether it was made or not.
    pub fn derived_path(&self, name: &BlobName, what: Derived) -> PathBuf {
        self.shared.derived.join(format!("{}-{}", name.hash(), what.ending()))
    }

    /// What was derived from a blob, up to so many bytes of it; none if it was not made.
    pub fn read_derived(
        &self,
        name: &BlobName,
        what: Derived,
        bytes: u64,
    ) -> Result<Option<Vec<u8>>, BlobError> {
        let path = self.derived_path(name, what);
        // A link in its place is not followed.
        if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
            return Ok(None);
        }
        let mut read = Vec::new();
        match File::open(&path).and_then(|file| file.take(bytes).read_to_end(&mut read)) {
            Ok(_) => Ok(Some(read)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BlobError::io("read", &path)(error)),
        }
    }

    /// Keeps something derived from a blob, in the place of what was there.
    pub fn keep_derived(
        &self,
        name: &BlobName,
        what: Derived,
        bytes: &[u8],
    ) -> Result<(), BlobError> {
        self.write_derived(&self.derived_path(name, what), bytes)
    }

    /// Whole or not at all.
    pub(crate) fn write_derived(&self, path: &Path, bytes: &[u8]) -> Result<(), BlobError> {
        make_dir(&self.shared.derived)?;
        make_dir(&self.shared.tmp)?;
        let (temporary, mut file) = Temporary::create(&self.shared.tmp, "derived")?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(BlobError::io("write", temporary.path()))?;
        temporary.rename(path)?;
        Ok(())
    }

    /// All that may be derived from a blob goes before it: without it, it would never be found.
    pub(crate) fn remove_derived(&self, name: &BlobName) -> Result<(), BlobError> {
        let texts = Derived::ALL.map(|what| self.derived_path(name, what));
        for path in texts.into_iter().chain([self.thumbnail_path(name)]) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(BlobError::io("remove", &path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blb_3_what_is_derived_goes_with_its_blob() {
        let place = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(place.path()).unwrap();
        let mut intake = blobs.begin("a.docx", None).unwrap();
        intake.write(b"PK").unwrap();
        let name = intake.finish().unwrap().name;
        let read = || blobs.read_derived(&name, Derived::Text, 4).unwrap();
        assert_eq!(read(), None);
        blobs.keep_derived(&name, Derived::Text, b"first").unwrap();
        blobs.keep_derived(&name, Derived::Text, b"second").unwrap();
        assert_eq!(read().as_deref(), Some(&b"seco"[..]));
        blobs.remove(&name).unwrap();
        assert_eq!(read(), None);
    }

    #[cfg(unix)]
    #[test]
    fn sec_3_a_link_in_the_place_of_a_text_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(place.path().join("context")).unwrap();
        let mut intake = blobs.begin("a.docx", None).unwrap();
        intake.write(b"PK").unwrap();
        let name = intake.finish().unwrap().name;
        let secret = place.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        let path = blobs.derived_path(&name, Derived::Text);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&secret, &path).unwrap();
        assert_eq!(blobs.read_derived(&name, Derived::Text, 99).unwrap(), None);
        blobs.keep_derived(&name, Derived::Text, b"text").unwrap();
        assert_eq!(fs::read(&secret).unwrap(), b"secret");
    }
}
