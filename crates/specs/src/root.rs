//! Where a project begins.

use std::path::{Path, PathBuf};

/// The name of the notebook's directory.
pub(crate) const NOTEBOOK: &str = "sdd";

/// The root of the project that a directory belongs to: the nearest directory upwards
/// with an `sdd` directory, else the nearest with `.git`, else the directory itself.
pub fn find_root(from: &Path) -> std::io::Result<PathBuf> {
    let from = from.canonicalize()?;
    let upwards = || from.ancestors().filter(|path| !path.as_os_str().is_empty());
    // A link named `sdd` is no notebook of this project: it may lead anywhere.
    let has_notebook = |path: &&Path| {
        path.join(NOTEBOOK).symlink_metadata().is_ok_and(|found| found.file_type().is_dir())
    };
    let has_git = |path: &&Path| path.join(".git").symlink_metadata().is_ok();
    let root = upwards().find(has_notebook).or_else(|| upwards().find(has_git));
    Ok(root.unwrap_or(&from).to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs::create_dir_all;

    use super::*;

    #[test]
    fn sdd_1_the_root_is_found_upwards() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let deep = top.join("repo/crates/one");
        create_dir_all(&deep).unwrap();
        assert_eq!(find_root(&deep).unwrap(), deep, "nothing found: the directory itself");
        create_dir_all(top.join("repo/.git")).unwrap();
        assert_eq!(find_root(&deep).unwrap(), top.join("repo"));
        create_dir_all(top.join("repo/crates/sdd")).unwrap();
        assert_eq!(find_root(&deep).unwrap(), top.join("repo/crates"), "sdd wins over .git");
        assert!(find_root(&top.join("nowhere")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_named_sdd_is_no_notebook() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        create_dir_all(top.join("repo/inner/.git")).unwrap();
        create_dir_all(top.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(top.join("elsewhere"), top.join("repo/sdd")).unwrap();
        assert_eq!(find_root(&top.join("repo/inner")).unwrap(), top.join("repo/inner"));
    }
}
