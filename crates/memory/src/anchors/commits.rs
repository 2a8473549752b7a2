//! Whether a commit is part of what is checked out (MEM-15). Git is asked only where HEAD has
//! moved since it was asked last.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long git may take.
const GIT_TIMEOUT: Duration = Duration::from_secs(3);

/// How a commit stands to HEAD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitState {
    /// It is HEAD or before it.
    Before,
    /// It is there, but elsewhere.
    Apart,
    Gone,
}

impl CommitState {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Apart => "apart",
            Self::Gone => "gone",
        }
    }
}

/// The commit that is checked out; none where that cannot be told.
pub(super) fn head(root: &Path) -> Option<String> {
    let git = root.ancestors().map(|path| path.join(".git")).find(|git| git.exists())?;
    let git = match std::fs::read_to_string(&git) {
        // A file that says where the directory is: a worktree or a submodule.
        Ok(text) => git.parent()?.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let Some(name) = head.trim().strip_prefix("ref:") else { return commit(&head) };
    let name = name.trim();
    if name.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return None;
    }
    let shared = std::fs::read_to_string(git.join("commondir"))
        .map_or_else(|_| git.clone(), |path| git.join(path.trim()));
    let loose = [git.join(name), shared.join(name)].iter().find_map(read_commit);
    loose.or_else(|| {
        let packed = std::fs::read_to_string(shared.join("packed-refs")).ok()?;
        packed.lines().find_map(|line| {
            let (id, of) = line.split_once(' ')?;
            (of == name).then(|| commit(id))?
        })
    })
}

fn read_commit(path: &PathBuf) -> Option<String> {
    commit(&std::fs::read_to_string(path).ok()?)
}

fn commit(text: &str) -> Option<String> {
    let id = text.trim();
    (id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| id.to_owned())
}

/// Asks git; none where it cannot be asked or does not say. The commit is made of digits alone,
/// so that it is never taken for an option.
pub(super) fn commit_state(root: &Path, commit: &str) -> Option<CommitState> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["merge-base", "--is-ancestor", commit, "HEAD"]);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        git.env_remove(variable);
    }
    // A commit that is not here is gone; nobody fetches it.
    git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    git.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = git.spawn().ok()?;
    let began = Instant::now();
    loop {
        match running.try_wait() {
            Ok(Some(status)) => {
                return match status.code()? {
                    0 => Some(CommitState::Before),
                    1 => Some(CommitState::Apart),
                    // Not here, or git looks at nothing in this directory at all.
                    128 if commit == "HEAD" => None,
                    128 => commit_state(root, "HEAD").map(|_| CommitState::Gone),
                    _ => None,
                };
            }
            Ok(None) if began.elapsed() < GIT_TIMEOUT => thread::sleep(Duration::from_millis(2)),
            _ => {
                // It ends or has ended; nothing is left to do about it.
                let _ = running.kill();
                let _ = running.wait();
                return None;
            }
        }
    }
}
