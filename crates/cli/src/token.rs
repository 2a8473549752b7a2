//! The token of the workbench (SEC-1, SEC-8): given, or kept in a file of this account.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use crate::{failure::Failure, input::unreadable, machine::sync_name};

/// Holds the token, for who does not want it in a file.
pub(crate) const VARIABLE: &str = "PLIMSOLL_TOKEN";

/// Text that nobody can guess.
pub(crate) fn random() -> Result<String, Failure> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::failed(format!("this machine gives no random bytes: {error}")))?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

/// 256 random bits in hexadecimal digits.
pub(crate) fn random_digits() -> Result<String, Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::failed(format!("this machine gives no random bytes: {error}")))?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

/// The token that somebody gave: on the command line, in a file or in the environment.
pub(crate) fn given(
    argument: Option<&str>,
    file: Option<&Path>,
) -> Result<Option<String>, Failure> {
    let token = match (argument, file) {
        (Some(token), _) => token.to_owned(),
        (None, Some(file)) => read(file)?,
        (None, None) => match std::env::var(VARIABLE) {
            Ok(token) => token,
            Err(_) => return Ok(None),
        },
    };
    check(token.trim()).map(Some)
}

/// A token has to go through a header as it is.
fn check(token: &str) -> Result<String, Failure> {
    if token.is_empty() {
        return Err(Failure::usage("the token is empty").hint("leave it out, and one is made up"));
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Failure::usage("the token holds blanks or letters that no header can carry")
            .hint("use letters, digits and signs of ASCII"));
    }
    Ok(token.to_owned())
}

/// Where the token of a data directory is kept.
pub(crate) fn place(data_dir: &Path) -> PathBuf {
    data_dir.join("token")
}

/// The token of a data directory; made when there is none yet.
pub(crate) fn kept(data_dir: &Path) -> Result<String, Failure> {
    let path = place(data_dir);
    if !path.exists() {
        let failed = |error: std::io::Error| {
            Failure::failed(format!("cannot write {}: {error}", path.display()))
                .hint("check its directory, or use --data-dir DIR")
        };
        // A temporary file is made for its owner alone. Of two servers that start at once, one
        // makes the token and the other reads it.
        let mut file = tempfile::NamedTempFile::new_in(data_dir).map_err(failed)?;
        writeln!(file, "{}", random()?).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        match file.persist_noclobber(&path) {
            Ok(_) => {}
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error.error)),
        }
        sync_name(&path).map_err(failed)?;
    }
    check(read(&path)?.trim())
}

fn read(path: &Path) -> Result<String, Failure> {
    only_the_owner_reads(path)?;
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

/// A secret that others can read is none.
#[cfg(unix)]
pub(crate) fn only_the_owner_reads(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?.permissions();
    if mode.mode() & 0o077 == 0 {
        return Ok(());
    }
    let shown = path.display();
    Err(Failure::failed(format!("{shown} can be read by others"))
        .hint(format!("chmod 600 {shown}")))
}

#[cfg(not(unix))]
pub(crate) fn only_the_owner_reads(_: &Path) -> Result<(), Failure> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_8_the_token_of_a_directory_is_made_once_and_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let first = kept(dir.path()).unwrap();
        assert!(first.len() >= 32 && first == kept(dir.path()).unwrap());
        assert_ne!(first, kept(tempfile::tempdir().unwrap().path()).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let path = place(dir.path());
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(kept(dir.path()).unwrap_err().to_string().contains("can be read by others"));
        }
    }

    #[test]
    fn sec_9_a_token_is_what_a_header_carries() {
        for good in ["a;b", "s3cret", "x=y,\"z\""] {
            assert!(check(good).is_ok(), "{good:?}");
        }
        for bad in ["", "a b", "ä", "a\u{7f}", "a\nb"] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert_eq!(given(Some(" s3cret\n"), None).unwrap().as_deref(), Some("s3cret"));
    }
}
