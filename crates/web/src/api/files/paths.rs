//! Paths of this machine that people may name: below the allowed roots and nowhere else
//! (INS-2, SEC-3).

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{Json, extract::State, http::StatusCode};
use plimsoll_app::AppError;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Web,
    api::{Asked, At, AtQuery},
    problem::Problem,
};

/// So many are offered.
const OFFERED: usize = 40;

/// What was typed so far.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PrefixQuery {
    /// The beginning of a path, or of a name below any root.
    #[serde(default)]
    prefix: String,
}

/// A path that could be meant.
#[derive(Serialize, ToSchema)]
struct Offered {
    path: String,
    directory: bool,
}

/// Paths that could be meant.
#[derive(Serialize, ToSchema)]
pub(crate) struct Paths {
    paths: Vec<Offered>,
    /// Below which paths may be named.
    roots: Vec<String>,
}

/// Paths below the allowed roots that begin so
#[utoipa::path(get, path = "/api/paths", tag = "files", params(AtQuery, PrefixQuery),
    responses((status = 200, body = Paths)))]
pub(crate) async fn paths(
    State(web): State<Arc<Web>>,
    At(_): At,
    Asked(query): Asked<PrefixQuery>,
) -> Result<Json<Paths>, Problem> {
    let roots = web.app.settings().allowed_roots();
    let shown = roots.iter().map(|root| root.display().to_string()).collect();
    let look = tokio::task::spawn_blocking(move || offers(&roots, &query.prefix));
    let paths = look.await.map_err(|_| AppError::Ended)?;
    Ok(Json(Paths { paths, roots: shown }))
}

/// What a path may stand for: itself where it is absolute, else a name below each root.
/// `~` is a name like any other.
fn meant(roots: &[PathBuf], path: &Path) -> Vec<PathBuf> {
    match path.is_absolute() {
        true => vec![path.to_owned()],
        false => roots.iter().map(|root| root.join(path)).collect(),
    }
}

/// What begins so: in the directory that was typed, if it is below a root.
fn offers(roots: &[PathBuf], prefix: &str) -> Vec<Offered> {
    let cut = prefix.rfind('/').map_or(0, |slash| slash + 1);
    let (directory, start) = prefix.split_at(cut);
    let mut found = Vec::new();
    for directory in meant(roots, Path::new(directory)) {
        let Some(real) = below(roots, &directory) else { continue };
        let Ok(entries) = std::fs::read_dir(&real) else { continue };
        for entry in entries.flatten().take(10_000) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let hidden = name.starts_with('.') && !start.starts_with('.');
            if hidden || !name.to_lowercase().starts_with(&start.to_lowercase()) {
                continue;
            }
            let path = directory.join(&name);
            let is_directory = path.is_dir();
            found.push(Offered { path: path.display().to_string(), directory: is_directory });
        }
    }
    found.sort_by(|a, b| (!a.directory, &a.path).cmp(&(!b.directory, &b.path)));
    found.truncate(OFFERED);
    found
}

/// The path with every link followed, if that is below a root with every link followed.
fn below(roots: &[PathBuf], path: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(path).ok()?;
    let inside =
        |root: &PathBuf| std::fs::canonicalize(root).is_ok_and(|root| real.starts_with(root));
    roots.iter().any(inside).then_some(real)
}

/// A path that may be taken in.
pub(super) fn allowed(roots: &[PathBuf], path: &Path) -> Result<PathBuf, Problem> {
    let refused =
        |words: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "file_refused", words);
    if roots.is_empty() {
        return Err(refused(
            "no directory is allowed to be named; run `plimsoll settings set allowedRoots FOLDER` \
             and start the server again, or attach the file with the button"
                .to_owned(),
        ));
    }
    meant(roots, path).iter().find_map(|path| below(roots, path)).ok_or_else(|| {
        let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
        refused(format!("there is no such file below {}", roots.join(" or ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn sec_3_nothing_outside_the_roots_is_named_or_taken() {
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
        std::fs::create_dir_all(root.join("docs")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("secret.txt"), "s").unwrap();
        std::fs::write(root.join("docs/a.txt"), "a").unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.join("secret.txt"), root.join("s.txt")).unwrap();
        let roots = vec![root.clone()];
        let names = |prefix: &str| -> Vec<String> {
            offers(&roots, prefix).into_iter().map(|offered| offered.path).collect()
        };
        assert_eq!(names("docs/"), [root.join("docs/a.txt").display().to_string()]);
        assert!(names("link/").is_empty());
        assert!(names("../outside/").is_empty());
        assert!(names(&format!("{}/", outside.display())).is_empty());
        assert!(names("/etc/").is_empty());
        // What is offered for a name is what the name brings: one rule for both.
        assert_eq!(allowed(&roots, Path::new("docs/a.txt")).unwrap(), root.join("docs/a.txt"));
        assert_eq!(names("do"), [root.join("docs").display().to_string()]);
        for home in ["~", "~/", "~/docs/a.txt", "~root/"] {
            assert!(names(home).is_empty() && allowed(&roots, Path::new(home)).is_err(), "{home}");
        }
        assert!(allowed(&roots, &root.join("docs/a.txt")).is_ok());
        for bad in ["s.txt", "link/secret.txt", "../outside/secret.txt", "missing.txt"] {
            assert!(allowed(&roots, &root.join(bad)).is_err(), "{bad}");
        }
        assert!(allowed(&[], Path::new("/etc/passwd")).is_err());
    }
}
