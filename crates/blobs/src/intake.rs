//! Taking in, in one pass: bytes are hashed, looked at and written as they come.

use std::{
    fs::File,
    io::{BufWriter, Read, Seek, Write},
    sync::Arc,
};

use plimsoll_domain::ContentHash;

use crate::{
    BlobError, BlobName, Facts,
    blobs::Shared,
    disk::Temporary,
    facts::tell,
    name::extension_of,
    picture,
    sniff::LOOKED_AT,
    text::{Utf8, Utf16},
    texty::text_like,
};

/// Small writes are collected up to here.
const COLLECTED: usize = 64 << 10;

/// A blob that has been taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its name in the store. The ending is that of the first time these bytes came.
    pub name: BlobName,
    /// The hash of the stored bytes.
    pub hash: ContentHash,
    /// The ending, as in the name.
    pub extension: String,
    /// How many bytes are stored.
    pub size: u64,
    /// What they are, under the name that they came with this time.
    pub facts: Facts,
    /// Whether these bytes were not there before.
    pub new: bool,
}

/// Bytes on their way in. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Intake {
    shared: Arc<Shared>,
    temporary: Temporary,
    name: String,
    limit: Option<u64>,
    /// The name that the bytes must turn out to have.
    promised: Option<BlobName>,
    writing: Writing,
    /// The beginning, from which the type is told.
    head: Vec<u8>,
    utf8: Utf8,
    spoiled: bool,
}

/// A file that is hashed while it is written.
#[derive(Debug)]
struct Writing {
    file: BufWriter<File>,
    hasher: Box<blake3::Hasher>,
    size: u64,
}

/// Whole bytes that have no name yet; not yet durable.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) temporary: Temporary,
    pub(crate) name: BlobName,
    pub(crate) size: u64,
    pub(crate) facts: Facts,
    /// Whether it gets this name even where the same bytes are stored under another ending.
    pub(crate) exact: bool,
}

impl Intake {
    pub(crate) fn begin(
        shared: &Arc<Shared>,
        name: &str,
        limit: Option<u64>,
    ) -> Result<Self, BlobError> {
        let extension = extension_of(name).unwrap_or_else(|| "bin".to_owned());
        let (temporary, file) = Temporary::create(&shared.tmp, &extension).or_else(|_| {
            shared.prepare()?;
            Temporary::create(&shared.tmp, &extension)
        })?;
        Ok(Self {
            shared: Arc::clone(shared),
            temporary,
            name: name.to_owned(),
            limit,
            promised: None,
            writing: Writing::new(file),
            head: Vec::new(),
            utf8: Utf8::default(),
            spoiled: false,
        })
    }

    pub(crate) fn begin_as(
        shared: &Arc<Shared>,
        name: &BlobName,
        limit: Option<u64>,
    ) -> Result<Self, BlobError> {
        let intake = Self::begin(shared, &name.to_string(), limit)?;
        Ok(Self { promised: Some(name.clone()), ..intake })
    }

    /// How many bytes have come.
    pub fn size(&self) -> u64 {
        self.writing.size
    }

    /// Takes the next bytes, cut in any way. After a failure this intake is good for nothing.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), BlobError> {
        if self.spoiled {
            return Err(BlobError::Spoiled);
        }
        self.spoiled = true;
        if let Some(limit) = self.limit
            && self.writing.size.saturating_add(bytes.len() as u64) > limit
        {
            return Err(BlobError::TooLarge { limit });
        }
        let wanted = LOOKED_AT.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(bytes.get(..wanted).unwrap_or_default());
        self.utf8.push(bytes);
        self.writing.write(bytes).map_err(BlobError::io("write", self.temporary.path()))?;
        self.spoiled = false;
        Ok(())
    }

    /// Makes the bytes durable and gives them their name.
    pub fn finish(self) -> Result<Blob, BlobError> {
        let shared = Arc::clone(&self.shared);
        let (sealed, file) = self.seal()?;
        file.sync_all().map_err(BlobError::io("synchronise", sealed.temporary.path()))?;
        drop(file);
        shared.place.place_all(vec![sealed])?.pop().ok_or(BlobError::Spoiled)
    }

    /// Ends the writing and tells what came. Whoever calls it makes the file durable.
    pub(crate) fn seal(mut self) -> Result<(Sealed, File), BlobError> {
        if self.spoiled {
            return Err(BlobError::Spoiled);
        }
        let mut text = self.utf8.is_text();
        // What has a name already is stored as it is.
        if self.promised.is_none() && Utf16::begins(&self.head) && text_like(&self.name) {
            text = self.convert()?;
        }
        let (mut facts, extension) = tell(&self.name, &self.head, text);
        let Writing { file, hasher, size } = self.writing;
        let path = self.temporary.path();
        let failed =
            |error: std::io::IntoInnerError<_>| BlobError::io("write", path)(error.into_error());
        let mut file = file.into_inner().map_err(failed)?;
        picture::measure(&mut file, &mut facts);
        let hash = ContentHash::from_bytes(hasher.finalize().as_bytes());
        let exact = self.promised.is_some();
        let name = match self.promised {
            Some(promised) if *promised.hash() == hash => promised,
            Some(promised) => return Err(BlobError::Altered(promised)),
            None => BlobName::new(hash, &extension).map_err(|_| BlobError::Spoiled)?,
        };
        Ok((Sealed { temporary: self.temporary, name, size, facts, exact }, file))
    }

    /// Puts UTF-8 in the place of marked UTF-16 and says whether it is text. Broken UTF-16
    /// stays what it is: a file, to the last byte.
    fn convert(&mut self) -> Result<bool, BlobError> {
        let failed = |error| BlobError::io("convert", self.temporary.path())(error);
        self.writing.file.flush().map_err(failed)?;
        let mut source = self.writing.file.get_ref();
        let extension = extension_of(&self.name).unwrap_or_else(|| "txt".to_owned());
        let (temporary, file) = Temporary::create(&self.shared.tmp, &extension)?;
        let mut converted = Writing::new(file);
        let (mut reader, mut head) = (Utf16::default(), Vec::new());
        let (mut part, mut text) = (vec![0; COLLECTED], String::new());
        source.rewind().map_err(failed)?;
        loop {
            let read = source.read(&mut part).map_err(failed)?;
            if read == 0 {
                break;
            }
            text.clear();
            reader.push(part.get(..read).unwrap_or_default(), &mut text);
            let wanted = LOOKED_AT.saturating_sub(head.len()).min(text.len());
            head.extend_from_slice(text.as_bytes().get(..wanted).unwrap_or_default());
            converted.write(text.as_bytes()).map_err(failed)?;
        }
        if !reader.is_text() {
            return Ok(false);
        }
        (self.temporary, self.writing, self.head) = (temporary, converted, head);
        Ok(true)
    }
}

impl Writing {
    fn new(file: File) -> Self {
        let file = BufWriter::with_capacity(COLLECTED, file);
        Self { file, hasher: Box::default(), size: 0 }
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.hasher.update(bytes);
        self.size += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}
