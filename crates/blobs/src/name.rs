//! The names of blobs: `<blake3>.<ext>` and nothing else (BLB-1).

use std::fmt;

use plimsoll_domain::ContentHash;
use thiserror::Error;

const LONGEST_EXTENSION: usize = 16;

/// The name of a blob. Whoever holds one holds a plain file name without separators, so
/// that it may become part of a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobName {
    hash: ContentHash,
    extension: String,
}

/// Something that is no name of a blob.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a blob is named by 64 hexadecimal digits, a dot and an extension")]
pub struct BadBlobName;

impl BlobName {
    /// The name of these two, if the extension is one.
    pub fn new(hash: ContentHash, extension: &str) -> Result<Self, BadBlobName> {
        if is_extension(extension) {
            Ok(Self { hash, extension: extension.to_owned() })
        } else {
            Err(BadBlobName)
        }
    }

    /// Reads `<blake3>.<ext>`.
    pub fn parse(text: &str) -> Result<Self, BadBlobName> {
        let (hash, extension) = text.split_once('.').ok_or(BadBlobName)?;
        Self::new(ContentHash::parse(hash).map_err(|_| BadBlobName)?, extension)
    }

    /// The hash of the bytes.
    pub fn hash(&self) -> &ContentHash {
        &self.hash
    }

    /// The ending, without the dot.
    pub fn extension(&self) -> &str {
        &self.extension
    }
}

impl fmt::Display for BlobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.hash, self.extension)
    }
}

impl fmt::Debug for BlobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobName({self})")
    }
}

/// Whether this may be the ending of a blob.
pub(crate) fn is_extension(text: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    (1..=LONGEST_EXTENSION).contains(&text.len()) && text.bytes().all(allowed)
}

/// The last part of a name that may have come with a path, of either kind of system.
pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The extension that a name ends in, in lower case, if it may be the ending of a blob.
/// A file such as `.bashrc` has none.
pub(crate) fn extension_of(name: &str) -> Option<String> {
    let (stem, extension) = last_part(name).rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    (!stem.is_empty() && is_extension(&extension)).then_some(extension)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_a_hash_with_an_ending_is_the_name_of_a_blob() {
        let hash = "0f".repeat(32);
        let good = format!("{hash}.png");
        assert_eq!(BlobName::parse(&good).unwrap().to_string(), good);
        let bad = [
            String::new(),
            hash.clone(),
            format!("{hash}."),
            format!("{hash}.PNG"),
            format!("{hash}.tar.gz"),
            format!("{hash}.a/b"),
            format!("../{hash}.png"),
            format!("{hash}.{}", "a".repeat(17)),
            format!("{}.png", hash.to_uppercase()),
            format!("{good}\n"),
        ];
        for bad in bad {
            assert_eq!(BlobName::parse(&bad), Err(BadBlobName), "{bad:?}");
        }
    }

    #[test]
    fn the_extension_is_found_in_the_last_part() {
        let check = |name: &str, extension: Option<&str>| {
            assert_eq!(extension_of(name).as_deref(), extension, "{name:?}");
        };
        check("photo.PNG", Some("png"));
        check("a.tar.gz", Some("gz"));
        check("C:\\pictures\\photo.jpg", Some("jpg"));
        check("dir.d/file", None);
        check(".bashrc", None);
        check("name.", None);
        check("name.p ng", None);
        check("name.äöü", None);
        check("name.aaaaaaaaaaaaaaaaa", None);
        check("", None);
    }

    proptest! {
        /// BLB-1: lower case, 1 to 16 of `[a-z0-9_-]`, whatever the name was.
        #[test]
        fn an_extension_keeps_its_rule(name in "\\PC{0,40}|[a-zA-Z0-9._/-]{0,40}") {
            if let Some(extension) = extension_of(&name) {
                prop_assert!(is_extension(&extension));
                let ending = format!(".{extension}");
                prop_assert!(name.to_ascii_lowercase().ends_with(&ending));
            }
        }

        #[test]
        fn names_are_read_back(bytes in any::<[u8; 32]>(), extension in "[a-z0-9_-]{1,16}") {
            let name = BlobName::new(ContentHash::from_bytes(&bytes), &extension).unwrap();
            prop_assert_eq!(BlobName::parse(&name.to_string()), Ok(name.clone()));
        }
    }
}
