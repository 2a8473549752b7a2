//! What axe-core finds wrong with a page for those who use it in other ways.
//!
//! axe-core is fetched by npm into the target directory once and not kept in the
//! repository. `PLIMSOLL_AXE` names an `axe.min.js` that is there already.

use std::{
    fmt, fs,
    fs::File,
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize;
use serde_json::json;

use crate::{Error, Page, Result, launch::target, page::parse};

/// The version that is fetched; a new one has new rules, so it is named.
const VERSION: &str = "4.14.0";

/// How much a violation hurts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Impact {
    /// A nuisance.
    #[default]
    Minor,
    /// Some cannot do all.
    Moderate,
    /// Some cannot do much.
    Serious,
    /// Some cannot do anything.
    Critical,
}

/// A rule that the page breaks.
#[derive(Clone, Debug, Deserialize)]
pub struct AxeViolation {
    /// The rule, such as `color-contrast`.
    pub id: String,
    /// How much it hurts.
    #[serde(default, deserialize_with = "or_default")]
    pub impact: Impact,
    /// What the rule asks for.
    pub help: String,
    /// The elements that break it.
    pub nodes: Vec<AxeNode>,
}

/// An element that breaks a rule.
#[derive(Clone, Debug, Deserialize)]
pub struct AxeNode {
    /// Its HTML, shortened.
    pub html: String,
    /// What is wrong, and how it can be mended.
    #[serde(default, rename = "failureSummary", deserialize_with = "or_default")]
    pub why: String,
}

impl fmt::Display for AxeViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}: {}", self.impact, self.id, self.help)?;
        for AxeNode { html, why } in &self.nodes {
            write!(f, "\n  {html}\n    {}", why.replace('\n', "\n    "))?;
        }
        Ok(())
    }
}

fn or_default<'de, T, D>(from: D) -> std::result::Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: serde::Deserializer<'de>,
{
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Everything that axe-core finds on a page as it is now, worst first. Fails with
/// [`Error::Missing`] where axe-core cannot be had.
pub fn axe(page: &Page) -> Result<Vec<AxeViolation>> {
    let source = source()?;
    // A world of its own: the page sees nothing of it, and its policy does not apply.
    let frame = json!({ "frameId": page.tab.id, "worldName": "axe" });
    let world = page.call("Page.createIsolatedWorld", frame)?["executionContextId"].as_u64();
    page.value(&format!("{source}\n;0"), world)?;
    // A colour that is still fading into another is neither.
    page.wait_for("document.getAnimations().every(({ playState }) => playState !== 'running')")?;
    let script = "axe.run(document, { resultTypes: ['violations'] })
      .then((result) => result.violations)";
    let mut found: Vec<AxeViolation> = parse(page.value(script, world)?, "axe.run")?;
    found.sort_by_key(|violation| std::cmp::Reverse(violation.impact));
    Ok(found)
}

fn source() -> Result<String> {
    let path = match std::env::var_os("PLIMSOLL_AXE") {
        Some(path) => PathBuf::from(path),
        None => fetched()?,
    };
    fs::read_to_string(&path).map_err(Error::file(path))
}

/// The file in the target directory; fetched first where it is not there yet.
fn fetched() -> Result<PathBuf> {
    let home = target().join("axe");
    let file = home.join(format!("axe-core-{VERSION}.js"));
    if file.is_file() {
        return Ok(file);
    }
    fs::create_dir_all(&home).map_err(Error::file(&home))?;
    // Several tests may come here at once, in several processes: one fetches.
    let lock_path = home.join("lock");
    let lock = File::create(&lock_path).map_err(Error::file(&lock_path))?;
    lock.lock().map_err(Error::file(&lock_path))?;
    if !file.is_file() {
        fetch(&home, &file)?;
    }
    Ok(file)
}

fn fetch(home: &Path, file: &Path) -> Result<()> {
    let dir = tempfile::tempdir_in(home).map_err(Error::file(home))?;
    let run = |program: &str, args: &[&str]| {
        let told = Command::new(program).args(args).current_dir(dir.path()).output();
        let why = match told {
            Ok(done) if done.status.success() => return Ok(()),
            Ok(done) => String::from_utf8_lossy(&done.stderr).trim().to_owned(),
            Err(error) => error.to_string(),
        };
        let last = why.lines().last().unwrap_or_default();
        Err(Error::Missing {
            what: "axe-core",
            how: format!(
                "{program} could not fetch it ({last}); install npm, or name an axe.min.js in \
                 PLIMSOLL_AXE"
            ),
        })
    };
    run("npm", &["pack", "--silent", &format!("axe-core@{VERSION}")])?;
    run("tar", &["-xzf", &format!("axe-core-{VERSION}.tgz")])?;
    // It gets its name only when it is whole.
    fs::rename(dir.path().join("package/axe.min.js"), file).map_err(Error::file(file))
}
