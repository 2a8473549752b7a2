//! `docs/tool-reference.md` is written from the tables; `cargo xtask docs` writes it again.

use plimsoll_mcp::{all_tools, tool_reference};

fn docs(name: &str) -> String {
    format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn tool_reference_is_true() {
    let (path, page) = (docs("tool-reference.md"), tool_reference());
    if std::env::var_os("PLIMSOLL_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, page, "run `cargo xtask docs`");
}

#[test]
fn mdc_2_the_foundations_are_there_with_references() {
    let page = std::fs::read_to_string(docs("research-foundations.md")).unwrap();
    for heading in ["## Effective Context Engineering", "## Writing Effective Tools"] {
        let (_, entry) = page.split_once(heading).expect(heading);
        let entry = entry.split("\n## ").next().unwrap();
        assert!(entry.contains("max_tokens") || entry.contains("budget"), "{heading}");
        assert!(entry.contains("](https://"), "{heading} has a reference");
    }
}

#[test]
fn pages_name_only_tools_that_exist() {
    for name in ["mcp.md", "research-foundations.md"] {
        let page = std::fs::read_to_string(docs(name)).unwrap();
        let words = page.split(|c: char| !c.is_alphanumeric() && c != '_');
        for word in words.filter(|word| word.starts_with("mem_") || word.starts_with("sdd_")) {
            assert!(all_tools().any(|tool| tool.name == word), "{name}: {word}");
        }
    }
}
