//! One object store and its single calls.

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use object_store::{
    ObjectMeta, ObjectStoreExt, PutMode, PutPayload,
    aws::AmazonS3,
    list::{PaginatedListOptions, PaginatedListStore},
    path::Path,
};

use super::{
    S3Error,
    address::Address,
    copies::Copies,
    error::{Asked, Told},
    running::{Pending, Running},
    seen::AllSeen,
    setup,
};

/// Copies of what was fetched take about so much room, in bytes.
const COPIES: u64 = 4 << 30;

/// A bucket, or a part of one, for the blobs of all workspaces. Clones are the same; all calls
/// block, and may be made on any thread.
#[derive(Clone)]
pub struct S3Store {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) client: AmazonS3,
    pub(super) running: Running,
    pub(super) address: Address,
    pub(super) endpoint: String,
    pub(super) copies: Copies,
    pub(super) seen: AllSeen,
    /// Whether it has answered once. A question about one object cannot tell a missing bucket
    /// from a missing object, so the bucket is asked for first.
    answered: AtomicBool,
}

/// An object as the store tells of it.
pub(super) struct Found {
    pub(super) key: Path,
    pub(super) size: u64,
    pub(super) modified: SystemTime,
}

impl S3Store {
    /// The store at `s3://bucket/prefix`, by the usual `AWS_…` variables. Copies of what is
    /// fetched go below `copies`. Nobody is asked yet.
    pub fn connect(
        address: &str,
        variables: impl IntoIterator<Item = (String, String)>,
        copies: impl Into<PathBuf>,
    ) -> Result<Self, S3Error> {
        Self::connect_with(address, variables, copies, COPIES)
    }

    /// The same, with so much room for copies, in bytes.
    pub fn connect_with(
        address: &str,
        variables: impl IntoIterator<Item = (String, String)>,
        copies: impl Into<PathBuf>,
        room: u64,
    ) -> Result<Self, S3Error> {
        let address = Address::parse(address)?;
        let (client, endpoint) = setup::client(&address, variables.into_iter().collect())?;
        let failed = |error| S3Error::Setup(format!("its threads cannot be started: {error}"));
        let shared = Shared {
            client,
            running: Running::new().map_err(failed)?,
            address,
            endpoint,
            copies: Copies::new(copies.into(), room),
            seen: AllSeen::default(),
            answered: AtomicBool::new(false),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Whether the store answers, takes the keys and has the bucket.
    pub fn check(&self) -> Result<(), S3Error> {
        self.shared.check()
    }
}

impl fmt::Display for S3Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { bucket, prefix } = &self.shared.address;
        write!(f, "s3://{}", [std::slice::from_ref(bucket), prefix].concat().join("/"))
    }
}

impl fmt::Debug for S3Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3Store({self})")
    }
}

impl Shared {
    pub(super) fn asked(&self, doing: &'static str) -> Asked<'_> {
        Asked { endpoint: &self.endpoint, bucket: &self.address.bucket, doing }
    }

    /// Begins a call of the client.
    pub(super) fn start<T: Send + 'static, F>(
        &self,
        call: impl FnOnce(AmazonS3) -> F,
    ) -> Pending<object_store::Result<T>>
    where
        F: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        self.running.start(call(self.client.clone()))
    }

    /// Waits for what was begun.
    pub(super) fn finish<T>(
        &self,
        doing: &'static str,
        pending: Pending<object_store::Result<T>>,
    ) -> Result<T, Told> {
        let done = pending.wait().map_err(Told::Failed)?;
        done.map_err(|error| self.asked(doing).told(&error))
    }

    fn check(&self) -> Result<(), S3Error> {
        let prefix = Path::from_iter(self.address.prefix.iter().map(String::as_str)).to_string();
        match self.page(&prefix, Some(1), None) {
            Ok(_) => {
                self.answered.store(true, Ordering::Relaxed);
                Ok(())
            }
            // Nothing else can be missing.
            Err(Told::Missing | Told::Exists) => Err(self.asked("list").no_bucket()),
            Err(Told::Failed(error)) => Err(error),
        }
    }

    /// Makes sure that there is a bucket to ask.
    pub(super) fn ready(&self) -> Result<(), S3Error> {
        if self.answered.load(Ordering::Relaxed) { Ok(()) } else { self.check() }
    }

    fn page(
        &self,
        prefix: &str,
        most: Option<usize>,
        page_token: Option<String>,
    ) -> Result<(Vec<ObjectMeta>, Option<String>), Told> {
        let prefix = Some(prefix.to_owned()).filter(|prefix| !prefix.is_empty());
        let options =
            PaginatedListOptions { max_keys: most, page_token, ..PaginatedListOptions::default() };
        let pending = self
            .start(|client| async move { client.list_paginated(prefix.as_deref(), options).await });
        let page = self.finish("list", pending)?;
        Ok((page.result.objects, page.page_token))
    }

    /// All objects whose names begin so.
    pub(super) fn list(&self, prefix: &str) -> Result<Vec<Found>, S3Error> {
        let (mut all, mut next) = (Vec::new(), None);
        loop {
            let (objects, token) =
                self.page(prefix, None, next.take()).map_err(|told| self.failure("list", told))?;
            all.extend(objects.into_iter().map(Found::from));
            match token {
                Some(token) => next = Some(token),
                None => return Ok(all),
            }
        }
    }

    /// An object, if it is there.
    pub(super) fn head(&self, key: &Path) -> Result<Option<Found>, S3Error> {
        let key = key.clone();
        let pending = self.start(|client| async move { client.head(&key).await });
        match self.finish("look at an object", pending) {
            Ok(found) => Ok(Some(found.into())),
            Err(Told::Missing) => Ok(None),
            Err(told) => Err(self.failure("look at an object", told)),
        }
    }

    /// Writes a small object; says whether there was none where one had to be new.
    pub(super) fn put(
        &self,
        key: &Path,
        bytes: PutPayload,
        mode: PutMode,
    ) -> Result<bool, S3Error> {
        let key = key.clone();
        let pending = self.start(|client| async move {
            object_store::ObjectStore::put_opts(&client, &key, bytes, mode.into()).await
        });
        match self.finish("write an object", pending) {
            Ok(_) => Ok(true),
            Err(Told::Exists) => Ok(false),
            Err(told) => Err(self.failure("write an object", told)),
        }
    }

    /// Removes an object. One that is not there is as good as removed.
    pub(super) fn delete(&self, key: &Path) -> Result<(), S3Error> {
        let key = key.clone();
        let pending = self.start(|client| async move { client.delete(&key).await });
        match self.finish("remove an object", pending) {
            Ok(()) | Err(Told::Missing) => Ok(()),
            Err(told) => Err(self.failure("remove an object", told)),
        }
    }

    /// A failure, where an object that is missing or there is one as well.
    pub(super) fn failure(&self, doing: &'static str, told: Told) -> S3Error {
        let endpoint = self.endpoint.clone();
        let failed = |code: &str| S3Error::Failed { endpoint, doing, code: code.to_owned() };
        match told {
            Told::Failed(error) => error,
            Told::Missing => failed("not found"),
            Told::Exists => failed("it exists already"),
        }
    }
}

impl From<ObjectMeta> for Found {
    fn from(meta: ObjectMeta) -> Self {
        Self { key: meta.location, size: meta.size, modified: meta.last_modified.into() }
    }
}
