//! Programs that tests need, installed where that is ours to do: as root on a system like
//! Debian.

use std::process::{Command, Stdio};

use crate::run::{has, skip, step};

/// What the file tools use, programs or files of the system, with the packages that hold it.
const FILE_TOOLS: [(&str, &str); 4] = [
    ("bwrap", "bubblewrap"),
    ("tesseract", "tesseract-ocr"),
    ("pdftoppm", "poppler-utils"),
    ("/usr/lib/python3/dist-packages/matplotlib/__init__.py", "python3-matplotlib"),
];

/// Installs what the file tools use. Never a reason to fail; the tests that need it say so
/// themselves.
pub fn prepare_file_tools() {
    for (needed, package) in FILE_TOOLS {
        let name = format!("{package} for the file tools");
        let here = if needed.starts_with('/') { is_file(needed) } else { on_path(needed) };
        if here {
            continue;
        }
        if !can_install() {
            skip(&name, &format!("it is not installed (apt-get install {package})"));
        } else if install(&name, &[package]).is_err() {
            skip(&name, "apt-get could not install it");
        }
    }
}

/// Installs what the tests of a team's server use: PostgreSQL and a pooler before it. Never a
/// reason to fail, as above.
pub fn prepare_databases() {
    for (needed, package) in
        [("/usr/lib/postgresql", "postgresql"), ("/usr/sbin/pgbouncer", "pgbouncer")]
    {
        let name = format!("{package} for a team's server");
        if std::path::Path::new(needed).exists() || on_path(package) {
            continue;
        }
        if !can_install() {
            skip(&name, &format!("it is not installed (apt-get install {package})"));
        } else if install(&name, &[package]).is_err() {
            skip(&name, "apt-get could not install it");
        }
    }
}

/// Whether packages can be installed here.
pub fn can_install() -> bool {
    on_path("apt-get") && has("sh", &["-c", "test \"$(id -u)\" = 0"])
}

/// Installs packages. Their lists may be old or none at all, so these are fetched when it
/// does not work without.
pub fn install(name: &str, packages: &[&str]) -> Result<(), String> {
    get(name, packages).or_else(|_| {
        step("lists of packages", Command::new("apt-get").args(["update", "-qq"]))?;
        get(name, packages)
    })
}

fn get(name: &str, packages: &[&str]) -> Result<(), String> {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command.args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages);
    // What it unpacks interests nobody; what it fails with does.
    step(name, command.stdout(Stdio::null()))
}

fn is_file(path: &str) -> bool {
    std::path::Path::new(path).is_file()
}

/// Whether a program with this name can be started.
pub fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}
