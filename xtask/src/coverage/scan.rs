//! Looks through tests for the ids of rules.
//!
//! It reads lines, not Rust: the formatter puts the end of a function below its beginning,
//! and that is all that is needed to tell whose a comment is.

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
};

/// A rule that a test names.
#[derive(Debug, PartialEq, Eq)]
pub struct Mention {
    pub rule: String,
    pub place: Place,
}

/// A test by its file and name; without a name, all tests of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub test: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.test {
            Some(test) => write!(f, "{}::{test}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// Everything that the tests of the crates and of the house name, in order of files and lines.
pub fn tree(root: &Path, prefixes: &BTreeSet<String>) -> Result<Vec<Mention>, String> {
    let mut files = Vec::new();
    walk(&root.join("crates"), &mut files)?;
    walk(&root.join("xtask/tests"), &mut files)?;
    files.sort();
    let mut found = Vec::new();
    for path in files {
        let file = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        if file.ends_with(".js") {
            found.extend(script(&file, &text, prefixes));
        } else {
            found.extend(rust(&file, &text, prefixes));
        }
    }
    Ok(found)
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", dir.display());
    for entry in fs::read_dir(dir).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && name != "node_modules" {
            walk(&path, found)?;
        } else if name.ends_with(".rs") || name.ends_with(".test.js") {
            found.push(path);
        }
    }
    Ok(())
}

/// The mentions of one Rust file: all of it where it is a file of tests, else its `mod tests`.
pub fn rust(file: &str, text: &str, prefixes: &BTreeSet<String>) -> Vec<Mention> {
    // The rules of the store's contract are plain functions; a macro makes a test of each.
    let contract = file.contains("/contract/");
    let of_tests = ["_tests.rs", "/tests.rs"].iter().any(|end| file.ends_with(end));
    let whole = of_tests || file.contains("/tests/");
    let mut reader = Reader::new(file, prefixes);
    let (mut inside, mut announced) = (whole, false);
    let (mut above, mut is_test) = (Vec::new(), false);
    let mut function: Option<(Option<String>, String)> = None;
    for line in text.lines() {
        if !whole {
            if line == "}" {
                inside = false;
            }
            announced |= line == "#[cfg(test)]";
            if announced && line.starts_with("mod ") {
                (inside, announced) = (line.ends_with('{'), false);
            }
        }
        if !inside {
            continue;
        }
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        if let Some((name, end)) = &function {
            reader.line(line, name.as_deref());
            if line == end {
                function = None;
            }
        } else if code.starts_with("//!") {
            reader.line(line, None);
        } else if code.starts_with("//") || code.starts_with("#[") {
            is_test |=
                ["#[test]", "#[tokio::test", "#[expect_test"].iter().any(|a| code.starts_with(a));
            above.push(line);
        } else if let Some(name) = function_name(code) {
            let named = (is_test || contract).then(|| name.to_owned());
            for line in above.drain(..).chain([line]) {
                reader.line(line, named.as_deref());
            }
            reader.name(name, named.as_deref());
            if !code.ends_with('}') {
                function = Some((named, format!("{indent}}}")));
            }
            is_test = false;
        } else if !code.is_empty() && !code.starts_with("proptest!") {
            for line in above.drain(..).chain([line]) {
                reader.line(line, None);
            }
            is_test = false;
        }
    }
    reader.found
}

/// The mentions of one file of the page's tests. What stands above a `test(` belongs to it.
pub fn script(file: &str, text: &str, prefixes: &BTreeSet<String>) -> Vec<Mention> {
    let mut reader = Reader::new(file, prefixes);
    let mut above = Vec::new();
    let mut test: Option<String> = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("test(") {
            let name = rest.split('"').nth(1).unwrap_or_default().to_owned();
            for line in above.drain(..).chain([line]) {
                reader.line(line, Some(&name));
            }
            test = Some(name);
        } else if test.is_some() {
            reader.line(line, test.as_deref());
            if line.starts_with('}') {
                test = None;
            }
        } else if line.is_empty() {
            above.drain(..).for_each(|line| reader.line(line, None));
        } else {
            above.push(line);
        }
    }
    reader.found
}

fn function_name(code: &str) -> Option<&str> {
    let code = code.strip_prefix("pub ").unwrap_or(code);
    let code = code.strip_prefix("pub(crate) ").unwrap_or(code);
    let code = code.strip_prefix("async ").unwrap_or(code);
    let rest = code.strip_prefix("fn ")?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

struct Reader<'a> {
    file: &'a str,
    prefixes: &'a BTreeSet<String>,
    found: Vec<Mention>,
}

impl<'a> Reader<'a> {
    fn new(file: &'a str, prefixes: &'a BTreeSet<String>) -> Self {
        Self { file, prefixes, found: Vec::new() }
    }

    fn keep(&mut self, rule: String, test: Option<&str>) {
        let place = Place { file: self.file.to_owned(), test: test.map(ToOwned::to_owned) };
        self.found.push(Mention { rule, place });
    }

    /// Ids as `EST-1` anywhere in a line.
    fn line(&mut self, line: &str, test: Option<&str>) {
        let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        for word in words {
            let Some((prefix, number)) = word.split_once('-') else { continue };
            if self.prefixes.contains(prefix) && is_number(number) {
                self.keep(word.to_owned(), test);
            }
        }
    }

    /// Ids as `est_1_` anywhere in a name; `ftl_3_and_7_` is two of them.
    fn name(&mut self, name: &str, test: Option<&str>) {
        let words: Vec<&str> = name.split('_').collect();
        for at in 1..words.len() {
            let prefix = words[at - 1].to_uppercase();
            if !self.prefixes.contains(&prefix) || !is_number(words[at]) {
                continue;
            }
            self.keep(format!("{prefix}-{}", words[at]), test);
            let more = words[at + 1..].chunks(2).map_while(|pair| match pair {
                ["and", number] if is_number(number) => Some(*number),
                _ => None,
            });
            for number in more {
                self.keep(format!("{prefix}-{number}"), test);
            }
        }
    }
}

/// Digits, and perhaps one letter after them.
fn is_number(text: &str) -> bool {
    let digits = text.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
