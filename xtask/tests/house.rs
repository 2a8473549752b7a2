//! The rules of the house: ARCHITECTURE.md is true, arrows point one way, the middle
//! is pure, files stay small, and nothing speaks of a machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The middle: no clock, files, network, database, async or, `fault` aside, JSON.
const PURE: [&str; 7] = ["domain", "tokens", "filter", "budget", "fault", "send", "prose"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every crate of the workspace by its short name, with the section of its manifest.
fn manifests() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        found.insert(name.clone(), read(format!("crates/{name}/Cargo.toml")));
    }
    found.insert("xtask".to_owned(), read("xtask/Cargo.toml"));
    found
}

/// Everything that a manifest depends on outside its tests, renamed or not, for any
/// target.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut depends = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            depends = section.contains("dependencies") && !section.contains("dev-dependencies");
            if depends && let Some((_, name)) = section.split_once("dependencies.") {
                found.insert(name.to_owned());
            }
        } else if depends {
            found.extend(line.split(['.', ' ', '=']).next().map(ToOwned::to_owned));
            let renamed =
                line.split_once("package = \"").and_then(|(_, rest)| rest.split_once('"'));
            found.extend(renamed.map(|(name, _)| name.to_owned()));
        }
    }
    found.retain(|name| !name.is_empty() && !name.starts_with('#'));
    found
}

/// The table of ARCHITECTURE.md: each crate and the crates that it may touch.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    read("ARCHITECTURE.md")
        .lines()
        .skip_while(|line| !line.starts_with("| crate "))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let names = |cell: &str| -> BTreeSet<String> {
                cell.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
            };
            let name = names(cells[0]).into_iter().next().unwrap();
            (name, names(cells[2]))
        })
        .collect()
}

#[test]
fn architecture_names_every_crate_and_no_other() {
    let named: BTreeSet<String> = table().into_keys().collect();
    let real: BTreeSet<String> = manifests().into_keys().collect();
    assert_eq!(named, real, "the table of ARCHITECTURE.md and the crates of the workspace");
}

#[test]
fn arrows_point_where_architecture_says() {
    let table = table();
    for (name, manifest) in manifests() {
        let allowed = &table[&name];
        for dependency in dependencies(&manifest) {
            if let Some(other) = dependency.strip_prefix("plimsoll-") {
                assert!(allowed.contains(other), "{name} may not depend on {other}");
            }
        }
    }
}

#[test]
fn the_house_has_no_circles() {
    let table = table();
    let mut done = BTreeSet::new();
    while done.len() < table.len() {
        let ready: Vec<&String> = table
            .iter()
            .filter(|(name, touches)| !done.contains(*name) && touches.is_subset(&done))
            .map(|(name, _)| name)
            .collect();
        assert!(!ready.is_empty(), "a circle among what is left after {done:?}");
        done.extend(ready.into_iter().cloned());
    }
}

#[test]
fn the_middle_is_pure() {
    let impure_crates = ["serde_json", "tokio", "reqwest", "rusqlite", "jiff", "toml"];
    let impure_words = [
        "std::fs",
        "std::net",
        "std::env",
        "SystemTime",
        "Instant::now",
        "async fn",
        "std::thread",
    ];
    for name in PURE {
        let manifest = read(format!("crates/{name}/Cargo.toml"));
        for dependency in dependencies(&manifest) {
            // Errors of providers are JSON more often than not.
            let reads_json = name == "fault" && dependency == "serde_json";
            let pure = reads_json || !impure_crates.contains(&dependency.as_str());
            assert!(pure, "{name} uses {dependency}");
        }
        for file in sources(&root().join("crates").join(name).join("src")) {
            if file.to_string_lossy().ends_with("_tests.rs") {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                let said = impure_words.iter().find(|word| names(line, word));
                assert_eq!(said, None, "{}: {line}", file.display());
            }
        }
    }
}

#[test]
fn exchange_opens_nothing_and_asks_no_clock() {
    let words = ["std::fs", "std::net", "std::env", "SystemTime", "Timestamp::now", "async fn"];
    for file in sources(&root().join("crates/exchange/src")) {
        let text = fs::read_to_string(&file).unwrap();
        let said = words.iter().find(|word| text.lines().any(|line| names(line, word)));
        assert_eq!(said, None, "{}", file.display());
    }
}

/// Whether a line holds a word as a name of its own: `File` but not `FileLimits`.
fn names(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let after = &line[at + word.len()..];
        let whole = word.ends_with(part) && after.starts_with(part);
        !line[..at].ends_with(part) && !whole
    })
}

#[test]
fn the_test_above_can_fail() {
    assert!(names("use std::{fs::File, io};", "fs::"));
    assert!(names("let file: File = x;", "File"));
    assert!(!names("pub use limit::{FileLimits};", "File"));
    let manifest = "[dependencies]\nx = { package = \"plimsoll-a\" }\n[dependencies.plimsoll-b]\n\
                    [dev-dependencies]\nplimsoll-c = 1\n[target.'cfg(unix)'.dependencies]\ny.workspace = true\n";
    let found = dependencies(manifest);
    assert!(["x", "plimsoll-a", "plimsoll-b", "y"].iter().all(|name| found.contains(*name)));
    assert!(!found.contains("plimsoll-c"));
}

/// SEC-7: dependencies are looked at by `cargo deny` in `cargo xtask check`, and no crate of
/// ours can hold `unsafe`: the lint that forbids it reaches every one.
#[test]
fn sec_7_unsafe_is_forbidden_everywhere_and_dependencies_are_checked() {
    let forbids = |manifest: &str| manifest.contains("unsafe_code = \"forbid\"");
    assert!(forbids(&read("Cargo.toml")));
    let heap = read("crates/heap/src/lib.rs");
    assert_eq!(heap.matches("unsafe {").count(), 1, "crates/heap has one call, with its reason");
    for (name, manifest) in manifests() {
        if name == "heap" {
            assert!(manifest.contains("undocumented_unsafe_blocks = \"deny\""));
            continue;
        }
        let inherits = manifest.contains("[lints]\nworkspace = true");
        assert!(inherits || forbids(&manifest), "{name} does not take the lints of the house");
    }
    let deny = read("deny.toml");
    assert!(["[licenses]", "[bans]", "[sources]"].iter().all(|part| deny.contains(part)));
    assert!(read("xtask/src/check.rs").contains("\"deny\", \"check\""));
}

/// The types that ARCHITECTURE.md names along the way of a send are where it says.
#[test]
fn the_types_along_the_way_are_where_the_map_says() {
    let map = read("ARCHITECTURE.md");
    let rows = map.lines().filter(|line| line.starts_with("| `") && line.contains("/src/"));
    let mut found = 0;
    for row in rows {
        let mut cells = row.split('`').skip(1).step_by(2);
        let (Some(name), Some(file)) = (cells.next(), cells.next()) else { continue };
        let text = read(format!("crates/{file}"));
        let declared = ["struct", "enum", "trait"].iter().any(|kind| {
            let line = format!("pub {kind} {name}");
            text.contains(&line) || text.contains(&line.replace("pub ", "pub(crate) "))
        });
        assert!(declared, "{name} is not in crates/{file}");
        found += 1;
    }
    assert!(found > 12, "only {found} types are on the map");
}

/// Names that a stranger would have to learn do not come back.
#[test]
fn every_file_that_the_map_names_is_there() {
    fn all(dir: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name());
            if name == "target" || name == ".git" {
                continue;
            }
            found.push(format!("/{}", path.strip_prefix(root()).unwrap().display()));
            if path.is_dir() {
                all(&path, found);
            }
        }
    }
    let mut paths = Vec::new();
    all(&root(), &mut paths);
    let is_file = |name: &&str| {
        let path = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        let known = [".rs", ".js", ".json", ".txt", ".md", ".sql", ".css", "/"];
        // Where the program keeps what is attached is no place in the source.
        path && *name != "context/" && known.iter().any(|end| name.ends_with(end))
    };
    let map = read("ARCHITECTURE.md");
    // Every other piece stands between two backquotes.
    let named = map.split('`').skip(1).step_by(2).filter(is_file);
    let lost: Vec<&str> = named
        .filter(|name| {
            let end = format!("/{}", name.trim_end_matches('/'));
            !paths.iter().any(|path| path.ends_with(&end))
        })
        .collect();
    assert!(lost.is_empty(), "ARCHITECTURE.md names what is not there: {lost:?}");
}

#[test]
fn the_send_path_speaks_plain_words() {
    let dialect = [
        "Standing",
        "Courier",
        "Parcels",
        "Journey",
        "Outlook",
        "Stands",
        "Packed",
        "Aboard",
        "Ashore",
        "JsonDoc",
        "HistoryPair",
        "PairText",
        "Hopeless",
        "Relay",
        "Hub",
    ];
    for name in ["app", "budget", "fault", "provider", "send", "web"] {
        for file in sources(&root().join("crates").join(name).join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            let words = |word: &&&str| {
                text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|one| one == **word)
            };
            let used: Vec<_> = dialect.iter().filter(words).collect();
            assert_eq!(used, Vec::<&&str>::new(), "{}", file.display());
        }
    }
}

/// SEC-9: whoever starts a program of others begins with `child.rs`, which keeps keys and tokens
/// here; what runs in the sandbox gets an environment of its own.
#[test]
fn sec_9_programs_are_started_without_keys() {
    let product = ["app", "blobs", "cli", "embedded", "files", "mcp", "provider", "web"];
    let mut starts = Vec::new();
    for name in product {
        for file in sources(&root().join("crates").join(name).join("src")) {
            // A test may start what it likes.
            if file.to_string_lossy().ends_with("_tests.rs") {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let cleared = text.matches(".env_clear()").count();
            let started = text.matches("Command::new(").count();
            if started > cleared && !file.ends_with("provider/src/child.rs") {
                starts.push(file);
            }
        }
    }
    assert_eq!(starts, Vec::<PathBuf>::new(), "they hand the whole environment on");
}

#[test]
fn every_crate_says_what_it_is() {
    for name in manifests().into_keys().filter(|name| name != "xtask") {
        let lib = read(format!("crates/{name}/src/lib.rs"));
        assert!(lib.starts_with("//! "), "crates/{name}/src/lib.rs starts without a word");
        let says: Vec<&str> = lib.lines().take_while(|line| line.starts_with("//!")).collect();
        let says = says.join(" ").to_lowercase();
        let denies = ["not", "never", "no", "nothing"];
        let says_not = says.split(|c: char| !c.is_alphabetic()).any(|word| denies.contains(&word));
        assert!(says_not, "{name} does not say what it is not");
    }
}

#[test]
fn no_source_file_is_longer_than_500_lines() {
    for file in sources(&root()) {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 500, "{} has {lines} lines", file.display());
    }
}

#[test]
fn the_readme_and_ci_name_the_same_command() {
    assert!(read("README.md").contains("cargo xtask test"));
    assert!(read(".ci/run").contains("exec cargo xtask test"));
}

#[test]
fn the_book_has_every_page_once() {
    let summary = read("docs/SUMMARY.md");
    let listed: Vec<&str> =
        summary.lines().filter_map(|line| line.split_once("](")?.1.strip_suffix(')')).collect();
    let mut pages = BTreeSet::new();
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            pages.insert(name);
        }
    }
    assert_eq!(listed.len(), pages.len(), "{listed:?}");
    assert_eq!(listed.into_iter().map(ToOwned::to_owned).collect::<BTreeSet<_>>(), pages);
}

/// All Rust and JavaScript files below a directory, build products aside.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                found.extend(sources(&path));
            }
        } else if name.ends_with(".rs") || name.ends_with(".js") {
            found.push(path);
        }
    }
    found
}
