//! What opens a formula, what closes it, and what only looks like one.
//!
//! Dollars are money far more often than they are mathematics, and escaped brackets are
//! brackets, so each rule here says no when in doubt: a formula shown as its source can
//! still be read, a price shown as a formula cannot.

/// The four ways to write a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Dollar,
    Dollars,
    Round,
    Square,
}

impl Delimiter {
    pub(super) fn open(self) -> &'static str {
        match self {
            Self::Dollar => "$",
            Self::Dollars => "$$",
            Self::Round => "\\(",
            Self::Square => "\\[",
        }
    }

    pub(super) fn close(self) -> &'static str {
        match self {
            Self::Dollar => "$",
            Self::Dollars => "$$",
            Self::Round => "\\)",
            Self::Square => "\\]",
        }
    }

    /// Whether the formula stands on lines of its own.
    pub(super) fn display(self) -> bool {
        matches!(self, Self::Dollars | Self::Square)
    }
}

/// The delimiter that opens at a dollar or a backslash, if it may.
pub(super) fn opening(text: &str, at: usize) -> Option<Delimiter> {
    let rest = &text[at..];
    if rest.starts_with("\\(") {
        return Some(Delimiter::Round);
    }
    if rest.starts_with("\\[") {
        return Some(Delimiter::Square);
    }
    if rest.starts_with("$$") {
        return (!rest.starts_with("$$$")).then_some(Delimiter::Dollars);
    }
    let before = text[..at].chars().next_back();
    let after = rest.strip_prefix('$')?.chars().next()?;
    let free = before.is_none_or(|c| !c.is_alphanumeric() && c != '$' && c != '\\');
    (free && !after.is_whitespace()).then_some(Delimiter::Dollar)
}

/// The length of the body in a window that starts after the opening delimiter.
///
/// A formula reaches to the end of its line (single dollars) or paragraph. A search also
/// ends where the same delimiter opens again, so all searches together read a text a
/// fixed number of times.
pub(super) fn closing(window: &str, delimiter: Delimiter) -> Option<usize> {
    let bytes = window.as_bytes();
    let mut from = 0;
    loop {
        let at = from + memchr::memchr3(b'$', b'\\', b'\n', bytes.get(from..)?)?;
        let rest = &window[at..];
        from = at + 1;
        match bytes[at] {
            b'\n' => {
                let line = rest[1..].split('\n').next().unwrap_or_default();
                let empty = line.trim_matches([' ', '\t', '\r', '>']).is_empty();
                if empty || delimiter == Delimiter::Dollar {
                    return None;
                }
            }
            b'\\' if rest.starts_with(delimiter.close()) => return Some(at),
            b'\\' if rest.starts_with(delimiter.open()) => return None,
            // An escaped sign, two of them, or the start of a command; not the line's end.
            b'\\' => {
                let escaped = rest[1..].chars().next().filter(|c| *c != '\n');
                from += escaped.map_or(0, char::len_utf8);
            }
            _ => match delimiter {
                Delimiter::Dollars if rest.starts_with("$$") => return Some(at),
                // A space before the closing dollar or a digit after it is money.
                Delimiter::Dollar => {
                    let spaced = window[..at].ends_with(char::is_whitespace);
                    let money = bytes.get(at + 1).is_some_and(|c| c.is_ascii_digit() || *c == b'$');
                    return (!spaced && !money && at > 0).then_some(at);
                }
                _ => {}
            },
        }
    }
}

/// Whether what stands between delimiters is mathematics at all.
pub(super) fn is_formula(body: &str, delimiter: Delimiter, after: Option<char>) -> bool {
    let body = body.trim();
    if body.is_empty() {
        return false;
    }
    let symbols = body.contains(['\\', '^', '_', '=', '{', '+', '<', '>', '|']);
    match delimiter {
        Delimiter::Dollars => true,
        // "$5 and 10$", "$20 or so, not 30$": a number and words.
        Delimiter::Dollar => {
            after.is_none_or(|c| !c.is_ascii_digit())
                && (symbols || !(body.starts_with(|c: char| c.is_ascii_digit()) && words(body) > 0))
                && (symbols || words(body) < 3)
        }
        // Escaped round brackets in a sentence hold words.
        Delimiter::Round => symbols || words(body) < 2,
        // Escaped square brackets hold a number, a mark, words, or the text of a link.
        Delimiter::Square => {
            after != Some('(')
                && (symbols || words(body) < 2)
                && !body.chars().all(|c| c.is_ascii_digit() || c == 'x' || c == ' ')
        }
    }
}

/// Runs of two letters or more: a product of two variables is one such run, too.
fn words(body: &str) -> usize {
    body.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().nth(1).is_some()).count()
}

/// A formula in a quotation has the quotation's markers in its lines.
pub(super) fn without_quote_markers(body: &str) -> String {
    let mut lines = body.split('\n');
    let mut clean = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        clean.push('\n');
        let bare = line.trim_start_matches([' ', '\t']);
        clean.push_str(match bare.starts_with("> ") || bare == ">" {
            true => bare.trim_start_matches(['>', ' ', '\t']),
            false => line,
        });
    }
    clean
}
