//! Where a project begins (MEM-13).

use std::path::{Path, PathBuf};

/// The name of the notebook's directory.
pub(crate) const NOTEBOOK: &str = "sdd";

/// The file that makes a directory of that name a notebook.
pub(crate) const STATE: &str = "sdd.json";

/// The root of the project that a directory belongs to: the nearest directory upwards with a
/// notebook, else the nearest with `.git`, else the directory itself. The home directory and
/// what is above it are never one: everything that a person has would be one project. None if
/// the directory itself is such a place.
pub fn find_root(from: &Path, home: Option<&Path>) -> std::io::Result<Option<PathBuf>> {
    let from = from.canonicalize()?;
    let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    let too_wide =
        |path: &Path| path.parent().is_none() || home.iter().any(|home| home.starts_with(path));
    let upwards = || from.ancestors().take_while(|path| !too_wide(path));
    // A link named `sdd` is no notebook of this project: it may lead anywhere.
    let is_directory =
        |path: &Path| path.symlink_metadata().is_ok_and(|found| found.file_type().is_dir());
    let has_notebook = |path: &&Path| {
        let notebook = path.join(NOTEBOOK);
        is_directory(&notebook) && notebook.join(STATE).symlink_metadata().is_ok()
    };
    let has_git = |path: &&Path| path.join(".git").symlink_metadata().is_ok();
    let root = upwards().find(has_notebook).or_else(|| upwards().find(has_git));
    Ok(root.or_else(|| upwards().next()).map(ToOwned::to_owned))
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};

    use super::*;

    fn root(from: &Path) -> Option<PathBuf> {
        find_root(from, None).unwrap()
    }

    #[test]
    fn mem_13_the_root_is_found_upwards() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let deep = top.join("repo/crates/one");
        create_dir_all(&deep).unwrap();
        assert_eq!(root(&deep), Some(deep.clone()), "nothing found: the directory itself");
        create_dir_all(top.join("repo/.git")).unwrap();
        assert_eq!(root(&deep), Some(top.join("repo")));
        create_dir_all(top.join("repo/crates/sdd")).unwrap();
        assert_eq!(root(&deep), Some(top.join("repo")), "a folder of that name says nothing");
        write(top.join("repo/crates/sdd/sdd.json"), "{}").unwrap();
        assert_eq!(root(&deep), Some(top.join("repo/crates")), "a notebook wins over .git");
        assert!(find_root(&top.join("nowhere"), None).is_err());
    }

    #[test]
    fn mem_13_a_parent_that_is_called_sdd_is_no_project() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let repo = top.join("w/sdd/repo");
        create_dir_all(repo.join(".git")).unwrap();
        assert_eq!(root(&repo), Some(repo.clone()));
        let bare = top.join("w/sdd/bare");
        create_dir_all(&bare).unwrap();
        assert_eq!(root(&bare), Some(bare.clone()));
    }

    #[test]
    fn mem_13_the_home_directory_is_no_project() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap().join("ann");
        let (repo, bare) = (home.join("src/repo"), home.join("notes"));
        create_dir_all(repo.join(".git")).unwrap();
        create_dir_all(&bare).unwrap();
        create_dir_all(home.join(".git")).unwrap();
        create_dir_all(home.join("sdd")).unwrap();
        write(home.join("sdd/sdd.json"), "{}").unwrap();
        let root = |from: &Path| find_root(from, Some(&home)).unwrap();
        assert_eq!(root(&repo), Some(repo.clone()));
        assert_eq!(root(&bare), Some(bare.clone()), "whatever the home directory has");
        assert_eq!(root(&home), None);
        assert_eq!(root(temp.path()), None, "nor is what is above it");
        assert_eq!(root(Path::new("/")), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_named_sdd_is_no_notebook() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        create_dir_all(top.join("repo/inner/.git")).unwrap();
        create_dir_all(top.join("elsewhere")).unwrap();
        write(top.join("elsewhere/sdd.json"), "{}").unwrap();
        std::os::unix::fs::symlink(top.join("elsewhere"), top.join("repo/sdd")).unwrap();
        assert_eq!(root(&top.join("repo/inner")), Some(top.join("repo/inner")));
    }
}
