use super::*;

/// A screen of a few columns: what a terminal makes of what is written to it.
fn screen(written: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut row = 0;
    let mut rest = written;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' => {
                row += 1;
                if row == lines.len() {
                    lines.push(String::new());
                }
            }
            '\r' => lines[row].clear(),
            '\x1b' => {
                let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                let (code, after) = rest.split_at(end + 1);
                rest = after;
                match code {
                    "[J" => lines.truncate(row + 1),
                    up if up.ends_with('A') => row -= up[1..up.len() - 1].parse::<usize>().unwrap(),
                    _ => {}
                }
            }
            c => lines[row].push(c),
        }
    }
    lines
}

fn rendered(reach: usize) -> Rendered {
    let look = TerminalLook { width: 30, colours: false };
    Rendered { reach, ..Rendered { look, ..Rendered::new(true) } }
}

const TEXT: &str = "# Ships\n\nA **load line** is a *mark* on the side of a ship that `must` stay dry.\n\n\
    - one\n- two with **bold** words\n  - deep\n\n| a | b |\n|---|---|\n| long cell | 1 |\n| x | 2 |\n\n\
    ```rust\nfn main() {\n\n}\n```\n\nThe *end*.";

#[test]
fn a_growing_answer_ends_as_the_whole_one_however_it_was_cut() {
    let whole = screen(&(rendered(50).push(TEXT) + "\n"));
    for size in [1, 2, 3, 7, 20] {
        let mut growing = rendered(50);
        let pieces: Vec<char> = TEXT.chars().collect();
        let mut written = String::new();
        for piece in pieces.chunks(size) {
            written.push_str(&growing.push(&piece.iter().collect::<String>()));
        }
        written.push_str(&growing.end());
        written.push('\n');
        assert_eq!(screen(&written), whole, "{size}");
    }
}

#[test]
fn words_appear_as_they_come() {
    let mut growing = rendered(50);
    let mut written = growing.push("A mark **on");
    assert_eq!(screen(&written), ["A mark on"]);
    written.push_str(&growing.push(" the hull** of"));
    assert_eq!(screen(&written), ["A mark on the hull of"]);
    assert!(!written.contains("**"));
}

#[test]
fn lines_that_have_left_the_screen_are_left_alone() {
    let mut growing = rendered(3);
    let mut written = String::new();
    for row in 0..40 {
        written.push_str(&growing.push(&format!("- item {row}\n")));
    }
    written.push_str(&growing.end());
    let shown = screen(&written);
    assert_eq!(shown.len(), 40);
    assert!(shown.iter().enumerate().all(|(row, line)| *line == format!("• item {row}")));
}

#[test]
fn a_pipe_gets_each_block_once() {
    let mut piped = Rendered { redraws: false, ..rendered(50) };
    let written: String = TEXT.chars().map(|c| piped.push(&c.to_string())).collect();
    let written = written + &piped.end();
    assert!(!written.contains('\r') && !written.contains("\x1b[J"), "{written:?}");
    assert_eq!(screen(&written), screen(&rendered(50).push(TEXT)));
}
