//! Which names promise text (INS-3).

use crate::name::{extension_of, last_part};

/// Endings of text and source code.
const EXTENSIONS: &[&str] = &[
    // Prose and data.
    "txt",
    "text",
    "md",
    "markdown",
    "mdx",
    "rst",
    "adoc",
    "asciidoc",
    "org",
    "tex",
    "bib",
    "json",
    "jsonl",
    "ndjson",
    "json5",
    "jsonc",
    "geojson",
    "toml",
    "yaml",
    "yml",
    "xml",
    "xsd",
    "xsl",
    "xslt",
    "svg",
    "csv",
    "tsv",
    "log",
    "ini",
    "cfg",
    "conf",
    "properties",
    "srt",
    "vtt",
    "diff",
    "patch",
    "po",
    "ics",
    "vcf",
    "eml",
    "lock",
    // For the browser.
    "html",
    "htm",
    "xhtml",
    "css",
    "scss",
    "sass",
    "less",
    "js",
    "mjs",
    "cjs",
    "jsx",
    "ts",
    "mts",
    "cts",
    "tsx",
    "vue",
    "svelte",
    "astro",
    // Languages.
    "rs",
    "go",
    "py",
    "pyi",
    "ipynb",
    "c",
    "h",
    "cc",
    "hh",
    "cpp",
    "hpp",
    "cxx",
    "hxx",
    "m",
    "mm",
    "java",
    "kt",
    "kts",
    "scala",
    "groovy",
    "gradle",
    "rb",
    "php",
    "pl",
    "pm",
    "lua",
    "r",
    "jl",
    "swift",
    "cs",
    "fs",
    "fsx",
    "vb",
    "dart",
    "ex",
    "exs",
    "erl",
    "hrl",
    "hs",
    "lhs",
    "ml",
    "mli",
    "clj",
    "cljs",
    "edn",
    "lisp",
    "el",
    "scm",
    "rkt",
    "nim",
    "zig",
    "v",
    "sv",
    "vhd",
    "vhdl",
    "asm",
    "s",
    "f90",
    "f",
    "pas",
    "d",
    "sol",
    "cr",
    "elm",
    "purs",
    "tcl",
    "awk",
    "sed",
    "vim",
    // Shells, queries, building.
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "psm1",
    "bat",
    "cmd",
    "sql",
    "graphql",
    "gql",
    "proto",
    "thrift",
    "cmake",
    "mk",
    "bzl",
    "nix",
    "tf",
    "hcl",
    "dockerfile",
    "editorconfig",
    "gitignore",
    "plist",
    "wgsl",
    "glsl",
    "hlsl",
    "vert",
    "frag",
    "cu",
    "cl",
];

/// Files that are known by their whole name.
const NAMES: &[&str] = &[
    "dockerfile",
    "containerfile",
    "makefile",
    "gnumakefile",
    "justfile",
    "rakefile",
    "gemfile",
    "podfile",
    "procfile",
    "vagrantfile",
    "jenkinsfile",
    "brewfile",
    "cmakelists.txt",
    "build",
    "workspace",
    "license",
    "licence",
    "copying",
    "copyright",
    "notice",
    "readme",
    "changelog",
    "changes",
    "news",
    "todo",
    "authors",
    "contributors",
    "maintainers",
    "codeowners",
    "install",
    "version",
];

/// Whether a file of this name is text if its bytes are: it has an ending or a name that
/// text has, or is a dotfile other than those that hold secrets. A paste has no name and is
/// text.
pub fn text_like(name: &str) -> bool {
    let name = last_part(name);
    if name.is_empty() {
        return true;
    }
    if is_environment(name) {
        return false;
    }
    if NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return true;
    }
    match extension_of(name) {
        Some(extension) => text_extension(&extension),
        None => name.strip_prefix('.').is_some_and(|rest| !rest.contains('.') && !rest.is_empty()),
    }
}

/// Whether this ending is one of text.
pub(crate) fn text_extension(extension: &str) -> bool {
    EXTENSIONS.contains(&extension)
}

/// `.env` and its relatives: `.env.local`, `.envrc`, `.env-prod`.
pub(crate) fn is_environment(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let Some(rest) = name.strip_prefix(".env") else { return false };
    rest == "rc" || !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// What the bytes of such a text are called on the wire. Only what a reader treats
/// differently has a type of its own; SVG is XML here, so that nobody takes it for a picture.
pub(crate) fn text_mime(extension: &str) -> &'static str {
    match extension {
        "md" | "markdown" => "text/markdown",
        "html" | "htm" | "xhtml" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "tsv" => "text/tab-separated-values",
        "js" | "mjs" | "cjs" => "text/javascript",
        "xml" | "xsd" | "xsl" | "xslt" | "svg" => "text/xml",
        "json" | "geojson" | "ipynb" => "application/json",
        "jsonl" | "ndjson" => "application/jsonl",
        "toml" => "application/toml",
        "yaml" | "yml" => "application/yaml",
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ins_3_text_by_extension_or_name() {
        for name in [
            "",
            "a.txt",
            "A.MD",
            "x.rs",
            "x.tsx",
            "dir/x.sql",
            "Dockerfile",
            "Makefile",
            "LICENSE",
            "README",
            "readme",
            ".gitignore",
            ".bashrc",
            "C:\\x\\notes.log",
            "x.svg",
            ".eslintrc.json",
        ] {
            assert!(text_like(name), "{name}");
        }
        for name in [
            ".env",
            ".ENV",
            ".env.local",
            ".envrc",
            ".env-prod",
            "a.pdf",
            "a.docx",
            "photo.png",
            "a.zip",
            "noise",
            ".",
            ".hidden.png",
            "a.mp3",
            "x.",
        ] {
            assert!(!text_like(name), "{name}");
        }
        assert!(text_like(".environment"), "is not .env");
    }
}
