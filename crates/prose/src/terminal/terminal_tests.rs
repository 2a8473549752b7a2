use super::*;

const PLAIN: TerminalLook = TerminalLook { width: 40, colours: false };

/// Without the codes, what does it read like?
fn words(markdown: &str, width: usize) -> String {
    let lines = terminal_lines(markdown, TerminalLook { width, ..PLAIN });
    let lines: Vec<String> = lines.iter().map(|line| without_codes(line)).collect();
    lines.join("\n")
}

fn without_codes(line: &str) -> String {
    let mut pieces = line.split('\x1b');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |all, piece| all + piece.split_once('m').map_or("", |(_, text)| text))
}

#[test]
fn markdown_reads_well_in_a_terminal() {
    let text = "# Ships\n\nA **load line** is a *mark* on the `hull`, see \
        [the rule](https://imo.org/lines) or <https://imo.org>.\n\n\
        - one\n- two\n  - deep\n\n1. first\n2. second\n\n> quoted\n> words\n\n\
        ```rust\nfn main() {}\n```\n\n---\n\n- [x] done\n- [ ] open\n";
    assert_eq!(
        words(text, 40),
        "Ships\n\
         \n\
         A load line is a mark on the `hull`, see\n\
         the rule (https://imo.org/lines) or\n\
         https://imo.org.\n\
         \n\
         • one\n\
         • two\n  • deep\n\
         \n\
         1. first\n\
         2. second\n\
         \n\
         │ quoted words\n\
         \n\
         ──────── rust\n\
         fn main() {}\n\
         ────────\n\
         \n\
         ────────────────────────────────────────\n\
         \n\
         • [x] done\n\
         • [ ] open"
    );
}

#[test]
fn bold_is_told_by_codes_and_colours_only_where_they_are_wanted() {
    let line = |colours| terminal_lines("**a** `b`", TerminalLook { colours, ..PLAIN }).remove(0);
    assert_eq!(line(false), "\x1b[1ma\x1b[0m `b`");
    assert_eq!(line(true), "\x1b[1ma\x1b[0m \x1b[36mb\x1b[0m");
    let code = terminal_lines("```rust\nlet x;\n```", TerminalLook { colours: true, ..PLAIN });
    assert!(code[1].contains("\x1b[35mlet\x1b[0m"), "{code:?}");
}

#[test]
fn a_table_fits_the_terminal() {
    let table = "| ship | year |\n|---|--:|\n| Titanic | 1912 |\n| a name that is far too long for it | 1 |";
    assert_eq!(
        words(table, 24),
        "ship              │ year\n\
         ──────────────────┼─────\n\
         Titanic           │ 1912\n\
         a name that is    │    1\n\
         far too long for  │\n\
         it                │"
    );
    for width in 10..80 {
        for line in terminal_lines(table, TerminalLook { width, ..PLAIN }) {
            assert!(terminal_columns(&line) <= width.max(12), "{width}: {line:?}");
        }
    }
}

#[test]
fn wide_and_long_words_are_broken_at_the_edge() {
    assert_eq!(words("abcdefghijklmno pq", 10), "abcdefghij\nklmno pq");
    assert_eq!(words("日本語の長い文字列です", 10), "日本語の長\nい文字列で\nす");
    assert_eq!(words("a  \nb\nc", 10), "a\nb c");
}

#[test]
fn sec_2_no_text_steers_a_terminal() {
    let hostile = "a\x1b[2J &#27;[2J \u{9b}31m `\x1b]0;x\x07` [x](http://a/\u{1b}b) \u{202e}\n\n\
        ```\n\x1b[2J\r\n```\n\n| \x1b[2J |\n|---|\n| &#x9b; |\n";
    for line in terminal_lines(hostile, PLAIN) {
        let coded = without_codes(&line);
        assert!(!coded.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line:?}");
        assert!(!line.contains("\x1b[2J"), "{line:?}");
    }
}

#[test]
fn what_is_cut_reads_as_the_whole() {
    let text =
        "# A\n\nb *c*\n\n- d\n\n  e\n- f\n\n```\ng\n\nh\n```\n\n| i |\n|---|\n| j |\n\n> k\n\nl\n";
    let whole = terminal_lines(text, PLAIN);
    for end in text.char_indices().map(|(at, _)| at) {
        let cut = crate::stable_prefix(&text[..end]);
        if cut == 0 {
            continue;
        }
        let mut parts = terminal_lines(&text[..cut], PLAIN);
        parts.push(String::new());
        parts.extend(terminal_lines(&text[cut..], PLAIN));
        assert_eq!(parts, whole, "{cut}");
    }
}

#[test]
fn a_growing_text_shows_what_is_open_as_what_it_becomes() {
    let lines = |text: &str| terminal_lines_partial(text, PLAIN);
    assert_eq!(lines("a **bol"), lines("a **bol**"));
    assert_eq!(lines("x\n\n```rust\nfn"), lines("x\n\n```rust\nfn\n```"));
    assert_eq!(lines("a\n-"), lines("a"));
}
