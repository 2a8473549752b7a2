//! Joins JavaScript modules into one: a browser asks for one file and not for a hundred, which
//! takes it longer than all that they do.
//!
//! Each module becomes a function that returns what the module exports, after those that it
//! imports; the first module is the last of them, and waited for. That is right as long as no modules
//! import each other in a ring, and none exports what it assigns to later. Anything else than
//! the plain ways to import and export stops the build and names its line.

use std::{
    collections::BTreeMap,
    io,
    path::{Component, Path, PathBuf},
};

/// What stands at the beginning of an exported declaration, and the name of which follows.
const DECLARED: [&str; 4] = ["const ", "function ", "async function ", "class "];

/// The module of this name and all that it needs, as one.
pub(crate) fn modules(
    first: &str,
    read: impl Fn(&str) -> io::Result<String>,
) -> Result<String, String> {
    let mut joined = Joined { read, done: BTreeMap::new(), text: String::new() };
    let main = joined.add(first)?;
    let Joined { text, .. } = joined;
    Ok(format!("{text}\n// {first}\nawait (async () => {{\n{}}})();\n", main.body))
}

struct Joined<R> {
    read: R,
    /// Whether a module stands in the text by now, or waits for those that it imports.
    done: BTreeMap<String, bool>,
    text: String,
}

/// A module without its imports and exports.
#[derive(Default)]
struct Module {
    body: String,
    exports: Vec<String>,
}

impl<R: Fn(&str) -> io::Result<String>> Joined<R> {
    /// The module, after all that it imports was added.
    fn add(&mut self, name: &str) -> Result<Module, String> {
        self.done.insert(name.to_owned(), false);
        let source = (self.read)(name).map_err(|error| format!("{name}: {error}"))?;
        let mut module = Module::default();
        let mut lines = source.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let odd = |what: &str| format!("{name}:{}: {what}: {line}", number + 1);
            if line.starts_with("import ") {
                let mut whole = line.to_owned();
                while !whole.ends_with(';') {
                    let (_, more) = lines.next().ok_or_else(|| odd("an import without an end"))?;
                    whole.push_str(more.trim());
                }
                let (names, from) = import(&whole).ok_or_else(|| odd("not a plain import"))?;
                let from = beside(name, from).ok_or_else(|| odd("outside of the page"))?;
                self.need(&from).map_err(|why| odd(&why))?;
                module.body.push_str(&format!("const {names} = {};\n", variable(&from)));
            } else if let Some(rest) = line.strip_prefix("export ") {
                let rest = module.export(rest).ok_or_else(|| odd("not a plain export"))?;
                module.body.push_str(&format!("{rest}\n"));
            } else {
                module.body.push_str(&format!("{line}\n"));
            }
        }
        Ok(module)
    }

    /// Writes a module down that another one imports, once.
    fn need(&mut self, name: &str) -> Result<(), String> {
        match self.done.get(name) {
            Some(true) => return Ok(()),
            Some(false) => return Err("imports in a ring".to_owned()),
            None => {}
        }
        let Module { body, exports } = self.add(name)?;
        let (variable, exports) = (variable(name), exports.join(", "));
        self.text.push_str(&format!(
            "\n// {name}\nconst {variable} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"
        ));
        self.done.insert(name.to_owned(), true);
        Ok(())
    }
}

impl Module {
    /// Notes what is exported; what stays of the line.
    fn export(&mut self, rest: &str) -> Option<String> {
        if rest == "{};" {
            return Some(String::new());
        }
        if let Some(value) = rest.strip_prefix("default ") {
            self.exports.push("default: $default".to_owned());
            return Some(format!("const $default = {value}"));
        }
        let named = DECLARED.iter().find_map(|kind| rest.strip_prefix(kind))?;
        let end = named.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')?;
        let name = named.get(..end).filter(|name| !name.is_empty())?;
        self.exports.push(name.to_owned());
        Some(rest.to_owned())
    }
}

/// The names of an import as they are taken out of an object, and where they come from.
fn import(line: &str) -> Option<(String, &str)> {
    let (names, from) = line.strip_prefix("import ")?.split_once(" from \"")?;
    let from = from.strip_suffix("\";")?;
    let names = match names.strip_prefix('{') {
        Some(_) => names.replace(" as ", ": "),
        None if names.contains('*') => return None,
        None => format!("{{ default: {names} }}"),
    };
    Some((names, from))
}

/// The place of a module that another one names.
fn beside(module: &str, from: &str) -> Option<String> {
    if !from.starts_with('.') {
        return None;
    }
    let mut place = PathBuf::new();
    for part in Path::new(module).parent()?.join(from).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if place.pop() => {}
            Component::Normal(name) => place.push(name),
            _ => return None,
        }
    }
    let parts: Vec<_> = place.iter().map(|part| part.to_string_lossy()).collect();
    Some(parts.join("/"))
}

/// What holds the exports of a module.
fn variable(module: &str) -> String {
    let name = module.strip_suffix(".js").unwrap_or(module);
    format!("${}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(files: &[(&str, &str)]) -> Result<String, String> {
        modules("main.js", |name| {
            let found = files.iter().find(|(file, _)| *file == name);
            found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| io::ErrorKind::NotFound.into())
        })
    }

    #[test]
    fn modules_come_once_each_and_before_those_that_import_them() {
        let text = joined(&[
            (
                "main.js",
                "import { a, b as c } from \"./x/a.js\";\nimport t from \"./t.js\";\nrun(a, c, t);\n",
            ),
            (
                "x/a.js",
                "import t from \"../t.js\";\nexport const a = t;\nexport async function b() {}\n",
            ),
            ("t.js", "export default [\n  1,\n];\n"),
        ]);
        let expected = "\n// t.js\nconst $t = (() => {\nconst $default = [\n  1,\n];\n\
            return { default: $default };\n})();\n\
            \n// x/a.js\nconst $x_a = (() => {\nconst { default: t } = $t;\nconst a = t;\n\
            async function b() {}\nreturn { a, b };\n})();\n\
            \n// main.js\nawait (async () => {\nconst { a, b: c } = $x_a;\nconst { default: t } = $t;\n\
            run(a, c, t);\n})();\n";
        assert_eq!(text.unwrap(), expected);
    }

    #[test]
    fn imports_over_several_lines_are_one() {
        let text = joined(&[
            ("main.js", "import {\n  a,\n  b,\n} from \"./a.js\";\n"),
            ("a.js", "export class a {}\nexport function b() {}\n"),
        ]);
        assert!(text.unwrap().contains("const {a,b,} = $a;"));
    }

    #[test]
    fn what_cannot_be_joined_is_named_with_its_line() {
        let ring = joined(&[
            ("main.js", "import { a } from \"./a.js\";\n"),
            ("a.js", "\nimport { b } from \"./b.js\";\nexport const a = b;\n"),
            ("b.js", "import { a } from \"./a.js\";\nexport const b = a;\n"),
        ]);
        assert!(ring.unwrap_err().contains("b.js:1: imports in a ring"));
        for (line, why) in [
            ("export let a = 1;", "not a plain export"),
            ("export * from \"./a.js\";", "not a plain export"),
            ("import * as a from \"./a.js\";", "not a plain import"),
            ("import \"./a.js\";", "not a plain import"),
            ("import { a } from \"a\";", "outside of the page"),
            ("import { a } from \"../a.js\";", "outside of the page"),
            ("import { a }", "an import without an end"),
            ("import { a } from \"./missing.js\";", "missing.js: entity not found"),
        ] {
            let error = joined(&[("main.js", line)]).unwrap_err();
            assert!(error.starts_with("main.js:1: ") && error.contains(why), "{error}");
        }
    }
}
