//! Commands that models write and the converter does not know, said in ones it knows.

/// A formula made ready for the converter.
pub(super) struct Ready {
    pub(super) body: String,
    /// Whether all of it stands in a box: how models mark a final answer.
    pub(super) boxed: bool,
}

/// Says a formula in commands that the converter knows.
pub(super) fn ready(body: &str) -> Ready {
    let body = body.trim();
    let inner = body.strip_prefix("\\boxed{").and_then(|rest| rest.strip_suffix('}'));
    let boxed = inner.is_some_and(is_balanced);
    let body = replaced(inner.filter(|_| boxed).unwrap_or(body));
    // Rows without an environment around them.
    let rows = (body.contains("\\\\") || has_bare_ampersand(&body)) && !body.contains("\\begin");
    let body = if rows { format!("\\begin{{aligned}}{body}\\end{{aligned}}") } else { body };
    Ready { body, boxed }
}

fn replaced(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let command = &rest[at + 1..];
        let length = command.bytes().take_while(u8::is_ascii_alphabetic).count();
        // An escaped sign, a backslash among them, is taken as a pair.
        let length = length.max(command.chars().next().map_or(0, char::len_utf8));
        let (name, after) = command.split_at(length);
        rest = after;
        match name {
            "boxed" | "nonumber" | "notag" | "qedhere" | "displaylimits" => {}
            "label" => rest = argument(after).map_or(after, |(_, rest)| rest),
            "tag" => match argument(after) {
                Some((tag, behind)) => {
                    out.push_str("\\qquad\\text{(");
                    out.push_str(tag);
                    out.push_str(")}");
                    rest = behind;
                }
                None => out.push_str("\\qquad"),
            },
            name => {
                out.push('\\');
                out.push_str(match name {
                    "mbox" | "hbox" => "text",
                    "mathscr" => "mathcal",
                    "mod" => "bmod",
                    name => name,
                });
            }
        }
    }
    out.push_str(rest);
    out
}

/// An argument in braces without braces in it, and what follows.
fn argument(rest: &str) -> Option<(&str, &str)> {
    let (argument, behind) = rest.strip_prefix('{')?.split_once('}')?;
    (!argument.contains(['{', '\\', '$'])).then_some((argument, behind))
}

fn is_balanced(inner: &str) -> bool {
    let mut depth = 0_i32;
    let mut escaped = false;
    for c in inner.chars() {
        match c {
            '{' if !escaped => depth += 1,
            '}' if !escaped => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
        escaped = c == '\\' && !escaped;
    }
    depth == 0
}

fn has_bare_ampersand(body: &str) -> bool {
    body.match_indices('&').any(|(at, _)| !body[..at].ends_with('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_commands_are_said_in_known_ones() {
        for (body, expected) in [
            (r"\mbox{a} \mathscr{L} a \mod b", r"\text{a} \mathcal{L} a \bmod b"),
            (r"a \label{eq:1} \nonumber", r"a  "),
            (r"a \tag{1}", r"a \qquad\text{(1)}"),
            (r"a \tag{\bad}", r"a \qquad{\bad}"),
            (r"x = \boxed{5}", r"x = {5}"),
            (r"a \\ b", r"\begin{aligned}a \\ b\end{aligned}"),
            (r"a \& b \modern", r"a \& b \modern"),
            (r"a &= b", r"\begin{aligned}a &= b\end{aligned}"),
            ("\\", "\\"),
            ("\\é", "\\é"),
        ] {
            assert_eq!(ready(body).body, expected, "{body}");
        }
    }

    #[test]
    fn a_whole_formula_may_stand_in_a_box() {
        assert!(ready(r"\boxed{\frac{1}{2}}").boxed);
        assert!(!ready(r"\boxed{a} + {b}").boxed);
        assert!(!ready(r"\boxed{a").boxed);
    }
}
