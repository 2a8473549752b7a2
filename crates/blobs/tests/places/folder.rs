//! Every rule of the contract, on a folder of its own.

use std::{
    fs::{self, File},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use plimsoll_blobs::{BlobName, Blobs};
use tempfile::TempDir;

use crate::contract::Backend;

struct Folder(TempDir);

impl Folder {
    fn context(&self, workspace: &str) -> PathBuf {
        self.0.path().join(workspace).join("context")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.context("main").join("blobs").join(name)
    }
}

impl Backend for Folder {
    fn workspace(&self, name: &str) -> Blobs {
        Blobs::open(self.context(name)).unwrap()
    }

    fn elsewhere(&self) -> Blobs {
        self.open()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.file(name), bytes).unwrap();
    }

    fn lose(&self, name: &BlobName) {
        fs::remove_file(self.file(&name.to_string())).unwrap();
    }

    fn age(&self, name: &BlobName, by: Duration) {
        let file = File::options().append(true).open(self.file(&name.to_string())).unwrap();
        file.set_modified(SystemTime::now() - by).unwrap();
    }
}

crate::contract::contract_tests!(Folder(TempDir::new().unwrap()));
