use proptest::prelude::*;

use super::*;

const NAMES: [&str; 36] = [
    "rust",
    "python",
    "js",
    "ts",
    "java",
    "kotlin",
    "swift",
    "c",
    "cpp",
    "csharp",
    "go",
    "ruby",
    "php",
    "sql",
    "bash",
    "powershell",
    "lua",
    "r",
    "scala",
    "haskell",
    "elixir",
    "dart",
    "zig",
    "css",
    "json",
    "yaml",
    "toml",
    "dockerfile",
    "makefile",
    "nix",
    "graphql",
    "html",
    "xml",
    "diff",
    "tsx",
    "sh",
];

/// The code with each coloured piece as `{class piece}`.
fn marked(name: &str, source: &str) -> String {
    let mut out = String::new();
    push(&mut out, source, language(name).unwrap());
    out.replace("<span class=\"hl-", "{").replace("\">", " ").replace("</span>", "}")
}

fn plain(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at + rest[at..].find('>').unwrap() + 1..];
    }
    out.push_str(rest);
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn rust_has_lifetimes_macros_and_raw_strings() {
    let check = |source, expected| assert_eq!(marked("rust", source), expected);
    check("fn f<'a>(x: &'a str) {}", "{k fn} {f f}&lt;{t 'a}&gt;(x: &amp;{t 'a} {t str}) {}");
    check("let c = 'c'; // end", "{k let} c = {s 'c'}; {c // end}");
    check("r#\"a\"b\"#", "{s r#&quot;a&quot;b&quot;#}");
    check("println!(\"{}\", 1..5)", "{f println!}({s &quot;{}&quot;}, {n 1}..{n 5})");
    check("#[test] /* a\nb */ 1.5e3 Vec", "{a #[test]} {c /* a\nb */} {n 1.5e3} {t Vec}");
}

#[test]
fn other_languages_have_their_own_ways() {
    for (name, source, expected) in [
        ("python", "@x\ndef f(a=None): # c", "{a @x}\n{k def} {f f}(a={n None}): {c # c}"),
        ("python", "f'a' '''b\nc''' x", "{s f'a'} {s '''b\nc'''} x"),
        ("js", "const a = `b\n${c}`;", "{k const} a = {s `b\n${c}`};"),
        ("sql", "SELECT a FROM b -- c", "{k SELECT} a {k FROM} b {c -- c}"),
        ("bash", "echo \"$A\" ${B} a#b # c", "{k echo} {s &quot;$A&quot;} {v ${B}} a#b {c # c}"),
        ("json", "{\"a\": [1, true]}", "{{a &quot;a&quot;}: [{n 1}, {n true}]}"),
        ("yaml", "a-b: x # c\n- y", "{a a-b}: x {c # c}\n- y"),
        ("toml", "[a]\nb = \"c\"", "{t [a]}\n{a b} = {s &quot;c&quot;}"),
        (
            "html",
            "<a href=\"b\">c</a>",
            "{k &lt;a} {a href}={s &quot;b&quot;}{k &gt;}c{k &lt;/a&gt;}",
        ),
        ("diff", "-a\n+b\n c", "{d -a\n}{i +b\n} c"),
        ("c", "#include <a.h>\nint x;", "{a #include} &lt;a.h&gt;\n{t int} x;"),
    ] {
        assert_eq!(marked(name, source), expected, "{name}");
    }
}

#[test]
fn every_language_has_a_table_and_every_class_a_name() {
    assert!(NAMES.iter().all(|name| language(name).is_some()));
    assert!(language("").is_none() && language("no such").is_none());
    for class in [Class::Keyword, Class::Type, Class::Function, Class::String, Class::Number] {
        assert!(class.name().is_some_and(|name| CLASSES.contains(&name)));
    }
}

proptest! {
    /// Colours never change the code: taken away again, every byte is there.
    #[test]
    fn code_stays_what_it_was(
        name in proptest::sample::select(&NAMES[..]),
        source in "[a-zé日0-9 \\\\\"'`#$@!/*<>&;:=.(){}\\[\\]\n+-]{0,80}",
    ) {
        let mut out = String::new();
        push(&mut out, &source, language(name).unwrap());
        prop_assert_eq!(plain(&out), source);
    }
}
