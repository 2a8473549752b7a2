//! Makes what the page is served as: its modules joined into one script, its stylesheets into
//! one, its pictures as they are. A new module is served when another one imports it, a new
//! stylesheet when it is named in `STYLES`.

mod join;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// The stylesheets in the order in which their rules follow each other.
const STYLES: [&str; 7] = ["base", "page", "side", "pair", "panel", "attach", "memory"];

/// Those of the page that asks a team's people who they are.
const SIGN_IN_STYLES: [&str; 2] = ["base", "sign-in"];

fn sheet(ui: &Path, styles: &[&str]) -> io::Result<String> {
    styles.iter().map(|style| fs::read_to_string(ui.join(format!("styles/{style}.css")))).collect()
}

/// The pictures of a folder and of those in it, with the names of the folders before theirs.
fn pictures(folder: &Path, before: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            pictures(&entry.path(), &format!("{before}{name}/"), names)?;
        }
        let kind = Path::new(&name).extension().and_then(|end| end.to_str());
        if matches!(kind, Some("svg" | "png")) {
            names.push(format!("{before}{name}"));
        }
    }
    Ok(())
}

#[allow(clippy::print_stdout, reason = "this is how cargo is told")]
fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=ui");
    println!("cargo::rerun-if-changed=build");
    let ui = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("ui");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default());

    let script = join::modules("main.js", |name| fs::read_to_string(ui.join(name)));
    fs::write(out.join("page.js"), script.map_err(io::Error::other)?)?;
    fs::write(out.join("page.css"), sheet(&ui, &STYLES)?)?;
    fs::write(out.join("sign-in.css"), sheet(&ui, &SIGN_IN_STYLES)?)?;

    let mut names = Vec::new();
    pictures(&ui, "", &mut names)?;
    names.sort();
    let mut list = String::from("static ASSETS: &[Asset] = &[\n");
    let mut add = |name: &str, bytes: &str| {
        list.push_str(&format!("    Asset {{ name: {name:?}, bytes: {bytes} }},\n"));
    };
    for made in ["page.js", "page.css", "sign-in.css"] {
        add(made, &format!("include_bytes!({:?})", out.join(made)));
    }
    add("prose.css", "plimsoll_prose::STYLESHEET.as_bytes()");
    for name in names {
        add(&name, &format!("include_bytes!({:?})", ui.join(&name)));
    }
    list.push_str("];\n");
    fs::write(out.join("assets.rs"), list)
}
