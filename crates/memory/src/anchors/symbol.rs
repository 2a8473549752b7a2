//! The lines of a definition, in any language, by how they look (MEM-15).
//!
//! A definition begins on the line that introduces the name and goes on over the lines that are
//! indented deeper, with the brackets that close it. That is not always all of it, but it is the
//! same lines as long as nobody changes them, which is what an anchor needs.

/// Words that introduce a name, in the languages that people use most.
const INTRODUCE: [&str; 32] = [
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "union",
    "trait",
    "impl",
    "for",
    "interface",
    "type",
    "function",
    "func",
    "fun",
    "const",
    "let",
    "var",
    "val",
    "static",
    "mod",
    "module",
    "namespace",
    "package",
    "object",
    "record",
    "protocol",
    "extension",
    "sub",
    "proc",
    "macro",
    "macro_rules!",
    "table",
];

/// The text of the definition of a name. `Session::renew` and `Session.renew` are `renew` within
/// the lines of `Session`.
pub(super) fn definition(text: &str, name: &str) -> Option<String> {
    let parts: Vec<&str> =
        name.split(['.', ':', '#']).map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.len() > MAX_PARTS {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut looks = MAX_LINES.max(lines.len());
    let found = within(&lines, &parts, &mut looks)?;
    Some(found.join("\n"))
}

/// Names within names within names.
const MAX_PARTS: usize = 6;
/// So many lines are looked at for one name, those that are looked at again counted again.
const MAX_LINES: usize = 1_000_000;

fn within<'t>(lines: &'t [&'t str], parts: &[&str], looks: &mut usize) -> Option<&'t [&'t str]> {
    let (first, rest) = parts.split_first()?;
    *looks = looks.checked_sub(lines.len())?;
    let mut starts: Vec<(u8, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((likeness(line, first)?, at)))
        .collect();
    starts.sort_unstable();
    starts.into_iter().find_map(|(_, at)| {
        let block = &lines[at..at + block_lines(&lines[at..])];
        if rest.is_empty() { Some(block) } else { within(&block[1..], rest, looks) }
    })
}

/// How much a line looks like the definition of a name; 0 is most.
fn likeness(line: &str, name: &str) -> Option<u8> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let at = line.match_indices(name).find(|(at, _)| {
        let before = line[..*at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })?;
    let (before, after) = (&line[..at.0], &line[at.0 + name.len()..]);
    let mut words = before.split_whitespace();
    let introduced = words.next_back().is_some_and(|word| {
        // `impl<T> Session`, `func (s *Session) renew`.
        let word = word.split('<').next().unwrap_or(word);
        INTRODUCE.contains(&word)
            || (word.ends_with(')') && before.trim_start().starts_with("func"))
    });
    let commented = ["//", "#", "*", "--", ";"];
    let is_comment = commented.iter().any(|mark| before.trim_start().starts_with(mark));
    let heading = before.trim().chars().all(|c| c == '#') && !before.trim().is_empty();
    if heading && after.trim().is_empty() {
        return Some(0);
    }
    if is_comment {
        return None;
    }
    if introduced {
        return Some(0);
    }
    let opens = after.trim_start().starts_with(['=', ':', '(', '<', '{']);
    let statement = line.trim_end().ends_with(';');
    let calls = before.contains(['=', '(', '.', ',', '"', '\'']);
    match (opens, calls) {
        (true, false) if before.trim().is_empty() && !statement => Some(1),
        // `int renew(struct session *s)`.
        (true, false) if !statement => Some(2),
        (true, false) if after.trim_start().starts_with('=') => Some(3),
        _ => None,
    }
}

/// Whether a line goes on with the head of a definition, at the same indentation.
fn goes_below(text: &str) -> bool {
    text.starts_with('{') || text.starts_with("where")
}

/// How many lines a definition has that begins with the first of these.
fn block_lines(lines: &[&str]) -> usize {
    let indent = |line: &str| line.chars().take_while(|c| c.is_whitespace()).count();
    let Some(first) = lines.first() else { return 0 };
    let own = indent(first);
    let heading = first.starts_with('#').then(|| first.chars().take_while(|c| *c == '#').count());
    let mut end = 1;
    for (at, line) in lines.iter().enumerate().skip(1) {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(level) = heading {
            let next = line.chars().take_while(|c| *c == '#').count();
            if (1..=level).contains(&next) {
                break;
            }
        } else if indent(line) <= own {
            let text = line.trim_start();
            let closes = text.starts_with(['}', ')', ']']) || text.starts_with("end");
            let goes_on = closes || goes_below(text);
            if indent(line) < own || !goes_on {
                break;
            }
            let opens_again = text.trim_end().ends_with(['{', '(', '[', ':', '=']);
            let next = lines.get(at + 1).map_or("", |next| next.trim_start());
            if closes && !opens_again && !goes_below(next) {
                return at + 1;
            }
        }
        end = at + 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: &str = "use a::renew;\n\n/// renew is here.\npub struct Session {\n    id: u64,\n}\n\n\
        impl Session {\n    pub fn renew(\n        &self,\n    ) -> u64\n    where\n        \
        u64: Copy,\n    {\n        call(renew);\n\n        self.id\n    }\n\n    fn other() {}\n}\n\n\
        fn renew() -> u64 {\n    3\n}\nconst LIMIT: u64 = 4;\n";
    const PYTHON: &str = "import x\n\nclass Session:\n    def renew(\n        self,\n    ):\n        \
        return 1\n\n    def end(self): pass\n\ndef renew(): return 2\nLIMIT = 4\n";
    const C: &str = "int renew(struct s *x);\n\nstatic int\nother(void)\n{\n}\n\nint renew(struct s *x)\n{\n    \
        return 1;\n}\n";
    const JS: &str = "export class A {\n  renew(token) {\n    return this.renew(token);\n  }\n}\n\
        const later = () => {\n  renew();\n};\n";

    #[test]
    fn mem_15_a_definition_is_found_by_how_it_looks() {
        for (text, name, begins, ends) in [
            (RUST, "Session", "pub struct Session {", "}"),
            (RUST, "Session::renew", "    pub fn renew(", "    }"),
            (RUST, "renew", "    pub fn renew(", "    }"),
            (RUST, "LIMIT", "const LIMIT: u64 = 4;", "const LIMIT: u64 = 4;"),
            (PYTHON, "Session.renew", "    def renew(", "        return 1"),
            (PYTHON, "Session", "class Session:", "    def end(self): pass"),
            (PYTHON, "LIMIT", "LIMIT = 4", "LIMIT = 4"),
            (C, "renew", "int renew(struct s *x)", "}"),
            (JS, "A.renew", "  renew(token) {", "  }"),
            (JS, "later", "const later = () => {", "};"),
            ("# One\na\n## Two\nb\n# Three\n", "Two", "## Two", "b"),
        ] {
            let found = definition(text, name).unwrap_or_else(|| panic!("{name}"));
            assert!(found.starts_with(begins) && found.ends_with(ends), "{name}: {found}");
        }
        assert!(!definition(RUST, "Session::renew").unwrap().contains("other"));
        assert!(!definition(PYTHON, "Session").unwrap().contains("return 2"));
        for none in ["nothing", "Session::nothing", "", "::", "call"] {
            assert_eq!(definition(RUST, none), None, "{none}");
        }
    }

    proptest::proptest! {
        #[test]
        fn mem_15_any_text_is_read(text in "([ \t]{0,4}(fn |class |#)?[a-c]{0,2}[({:=;)}]?\n?){0,30}", name in "[a-c.:]{0,4}") {
            if let Some(found) = definition(&text, &name) {
                let joined = text.lines().collect::<Vec<_>>().join("\n");
                proptest::prop_assert!(joined.contains(&found));
            }
        }
    }
}
