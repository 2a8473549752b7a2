//! Lists the page's files, so that a new one needs no other change.

use std::{env, fs, io, path::Path};

/// The files of a folder and of those in it, with the names of the folders before theirs.
fn list(folder: &Path, before: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "tests" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{before}{name}/"), names)?;
        }
        let served = Path::new(&name).extension().and_then(|end| end.to_str());
        if matches!(served, Some("js" | "css" | "svg" | "png")) {
            names.push(format!("{before}{name}"));
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=ui");
    let ui = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("ui");
    let mut names = Vec::new();
    list(&ui, "", &mut names)?;
    names.sort();
    let mut list = String::from("static ASSETS: &[Asset] = &[\n");
    for name in names {
        let path = ui.join(&name);
        list.push_str(&format!(
            "    Asset {{ name: {name:?}, bytes: include_bytes!({path:?}) }},\n"
        ));
    }
    list.push_str(
        "    Asset { name: \"styles/prose.css\", bytes: plimsoll_prose::STYLESHEET.as_bytes() },\n];\n",
    );
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("assets.rs"), list)
}
