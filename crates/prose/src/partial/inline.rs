//! Words of which the end is missing: what is open is closed, and what has only begun is
//! left out.

/// More open signs than this are left as they are.
const MAX_OPEN: usize = 32;

/// How far the end of an address is looked for.
const MAX_ADDRESS: usize = 4096;

/// A block of words with its end completed.
pub(super) fn complete(block: &str) -> String {
    let mut scan = Scan { text: block, at: 0, open: Vec::new(), brackets: Vec::new() };
    let tail = scan.run();
    let mut text = block[..scan.at.min(block.len())].to_owned();
    // A sign after a space would close nothing.
    if !matches!(tail, Tail::Formula(_)) {
        text.truncate(text.trim_end().len());
    }
    // The sign before the words of a link that is still to come. From the back, so that
    // the places before it stay right.
    for at in scan.brackets.iter().rev() {
        let image = text[..*at].ends_with('!');
        text.replace_range(at - usize::from(image)..at + 1, "");
    }
    match tail {
        Tail::Words => {}
        Tail::Code(ticks) => text.push_str(&"`".repeat(ticks)),
        Tail::Formula(source) => text.push_str(&as_code(source)),
    }
    for (sign, count) in scan.open.iter().rev() {
        text.extend(std::iter::repeat_n(*sign, *count));
    }
    text
}

/// How a block ends.
enum Tail<'a> {
    Words,
    /// In code, which so many ticks close.
    Code(usize),
    /// In a formula, which is shown as its source until it is whole.
    Formula(&'a str),
}

struct Scan<'a> {
    text: &'a str,
    /// Where the words end that are kept.
    at: usize,
    /// Signs that are open, with how often they stand there.
    open: Vec<(char, usize)>,
    /// Square brackets whose link is not whole.
    brackets: Vec<usize>,
}

impl<'a> Scan<'a> {
    fn run(&mut self) -> Tail<'a> {
        let mut opened = None;
        while let Some(c) = self.text[self.at..].chars().next() {
            let rest = &self.text[self.at..];
            match c {
                '\\' if rest.starts_with("\\(") || rest.starts_with("\\[") => {
                    let close = if rest.starts_with("\\(") { "\\)" } else { "\\]" };
                    match rest[2..].find(close) {
                        Some(length) => self.at += length + 4,
                        None => return Tail::Formula(rest),
                    }
                }
                '\\' if rest.len() == 1 => return Tail::Words,
                '\\' => self.at += 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                '$' if rest.starts_with("$$") => match rest[2..].find("$$") {
                    Some(length) => self.at += length + 4,
                    None if rest.trim_end().len() <= 3 => return Tail::Words,
                    None => return Tail::Formula(rest),
                },
                '`' => {
                    let ticks = rest.len() - rest.trim_start_matches('`').len();
                    match end_of_code(&rest[ticks..], ticks) {
                        Some(length) => self.at += ticks + length,
                        None if rest.len() == ticks => return Tail::Words,
                        None => {
                            self.at = self.text.len();
                            return Tail::Code(ticks);
                        }
                    }
                }
                '*' | '_' | '~' => self.signs(c),
                '[' => {
                    opened = Some(self.at);
                    self.at += 1;
                }
                ']' if rest.starts_with("](") => {
                    let window = &rest[..rest.floor_char_boundary(MAX_ADDRESS)];
                    match window.find(')') {
                        Some(length) => self.at += length + 1,
                        None if window.len() == rest.len() => {
                            self.brackets.extend(opened);
                            return Tail::Words;
                        }
                        None => self.at += 2,
                    }
                    opened = None;
                }
                ']' => {
                    opened = None;
                    self.at += 1;
                }
                c => self.at += c.len_utf8(),
            }
        }
        // Brackets after a letter are an index; others are mostly links.
        self.brackets.extend(opened.filter(|&at| {
            !self.text[..at].ends_with(|c: char| c.is_alphanumeric())
                && !self.text[at..].starts_with("[ ")
        }));
        Tail::Words
    }

    /// A run of signs that open or close emphasis.
    fn signs(&mut self, sign: char) {
        let rest = &self.text[self.at..];
        let mut count = rest.len() - rest.trim_start_matches(sign).len();
        let before = self.text[..self.at].chars().next_back();
        let after = rest[count..].chars().next();
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inside = sign == '_' && word(before) && word(after);
        let closes = before.is_some_and(|c| !c.is_whitespace()) && !inside;
        let opens = after.is_some_and(|c| !c.is_whitespace()) && !inside;
        let start = self.at;
        self.at += count;
        let mut closed = false;
        while closes
            && count > 0
            && let Some(index) = self.open.iter().rposition(|(open, _)| *open == sign)
        {
            closed = true;
            self.open.truncate(index + 1);
            let (_, left) = &mut self.open[index];
            let both = count.min(*left);
            count -= both;
            *left -= both;
            if *left == 0 {
                self.open.pop();
            }
        }
        if after.is_none() && closed {
            // Half of a closing sign: the other half is added with what is still open.
            self.at -= count;
        } else if after.is_none() && !closed {
            self.at = start;
            self.end_here();
        } else if opens && count > 0 && self.open.len() < MAX_OPEN {
            self.open.push((sign, count));
        }
    }

    /// Leaves out what stands from here to the end.
    fn end_here(&mut self) {
        self.text = &self.text[..self.at];
    }
}

/// The length of code and the ticks that close it.
fn end_of_code(rest: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    loop {
        at += rest[at..].find('`')?;
        let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        at += run;
        if run == ticks {
            return Some(at);
        }
    }
}

/// A text as a code span, whatever ticks are in it.
fn as_code(source: &str) -> String {
    let source = source.trim_end();
    let longest = source.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    format!("{fence} {source} {fence}")
}
