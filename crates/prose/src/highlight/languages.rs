//! Which names mean which language.

use super::{Language, data};

/// The language of a name in lower case, as it stands after a fence.
pub(crate) fn language(name: &str) -> Option<&'static Language> {
    Some(match name {
        "rust" | "rs" => &Language::Words(&data::RUST),
        "python" | "py" | "python3" | "py3" | "ipython" | "pycon" => {
            &Language::Words(&data::PYTHON)
        }
        "javascript" | "js" | "jsx" | "mjs" | "cjs" | "node" => &Language::Words(&data::JAVASCRIPT),
        "typescript" | "ts" | "tsx" => &Language::Words(&data::TYPESCRIPT),
        "java" => &Language::Words(&data::JAVA),
        "kotlin" | "kt" | "kts" => &Language::Words(&data::KOTLIN),
        "swift" => &Language::Words(&data::SWIFT),
        "c" | "h" | "objc" | "objective-c" | "m" => &Language::Words(&data::C),
        "cpp" | "c++" | "cc" | "cxx" | "hpp" | "hh" | "hxx" | "cuda" | "arduino" | "glsl"
        | "hlsl" => &Language::Words(&data::CPP),
        "csharp" | "cs" | "c#" => &Language::Words(&data::CSHARP),
        "go" | "golang" => &Language::Words(&data::GO),
        "ruby" | "rb" | "rake" | "gemfile" => &Language::Words(&data::RUBY),
        "php" | "php8" => &Language::Words(&data::PHP),
        "sql" | "postgresql" | "postgres" | "pgsql" | "mysql" | "sqlite" | "tsql" | "plsql" => {
            &Language::Words(&data::SQL)
        }
        "bash" | "sh" | "shell" | "zsh" | "fish" | "console" | "shellsession" | "shell-session"
        | "terminal" => &Language::Words(&data::SHELL),
        "powershell" | "ps1" | "pwsh" => &Language::Words(&data::POWERSHELL),
        "lua" => &Language::Words(&data::LUA),
        "r" => &Language::Words(&data::R),
        "scala" | "sbt" => &Language::Words(&data::SCALA),
        "haskell" | "hs" => &Language::Words(&data::HASKELL),
        "elixir" | "ex" | "exs" | "erlang" => &Language::Words(&data::ELIXIR),
        "dart" => &Language::Words(&data::DART),
        "zig" => &Language::Words(&data::ZIG),
        "css" | "scss" | "sass" | "less" => &Language::Words(&data::CSS),
        "json" | "jsonc" | "json5" | "jsonl" | "ndjson" | "geojson" => {
            &Language::Words(&data::JSON)
        }
        "yaml" | "yml" => &Language::Words(&data::YAML),
        "toml" | "ini" | "cfg" | "conf" | "properties" | "env" | "dotenv" | "editorconfig" => {
            &Language::Words(&data::TOML)
        }
        "dockerfile" | "docker" | "containerfile" => &Language::Words(&data::DOCKERFILE),
        "makefile" | "make" | "mk" | "cmake" | "just" | "justfile" => {
            &Language::Words(&data::MAKEFILE)
        }
        "nix" | "hcl" | "terraform" | "tf" => &Language::Words(&data::NIX),
        "graphql" | "gql" | "protobuf" | "proto" => &Language::Words(&data::GRAPHQL),
        "html" | "xml" | "svg" | "xhtml" | "vue" | "svelte" | "astro" | "htm" | "xaml"
        | "plist" => &Language::Markup,
        "diff" | "patch" => &Language::Patch,
        _ => return None,
    })
}
