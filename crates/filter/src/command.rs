//! The commands of FLT-5. They are only read here; doing them is for the caller.

use plimsoll_domain::{ColorFlag, PairUse, Star};

use crate::{
    ast::Span,
    atoms::saved_name,
    error::{ErrorKind, FilterError, quoted},
    hints::try_this,
    scan::{Glyph, Scanner, is_quote},
    topics::TopicPattern,
    width::is_invisible,
    words::nearest,
};

/// What an export is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ExportFormat {
    /// Lossless and importable (HIS-8).
    #[default]
    Json,
    /// The same with the bytes of attached files.
    Zip,
    Markdown,
    Text,
}

impl ExportFormat {
    /// The word for it, which is also the file extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Zip => "zip",
            Self::Markdown => "md",
            Self::Text => "txt",
        }
    }
}

/// How an export is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ExportOrder {
    /// As everywhere (HIS-2).
    #[default]
    Time,
    /// By topic, then as everywhere.
    Topic,
}

impl ExportOrder {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Topic => "topic",
        }
    }
}

/// What to do with the pairs that the filter shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `:export [json|zip|md|txt] [--filename=…] [--order=time|topic]`
    Export {
        /// As what; JSON if nothing is said, unless the name ends in `.zip`.
        format: ExportFormat,
        /// Where to, if the user says so.
        filename: Option<String>,
        /// In which order; by time if nothing is said.
        order: ExportOrder,
    },
    /// `:topic 'path'`: move to a topic. It has neither wildcards nor `...`.
    Topic {
        /// Where to.
        path: TopicPattern,
    },
    /// `:star N`
    Star(Star),
    /// `:flag b|g`
    Flag(ColorFlag),
    /// `:use auto|out|pinned` (HIS-10)
    Use(PairUse),
    /// `:delete [--force]`
    Delete {
        /// Whether many pairs may go at once.
        force: bool,
    },
    /// `:save name`
    Save {
        /// The name, without `@`.
        name: String,
    },
    /// `:help`
    Help,
}

/// The commands and what they do, in the order in which they are offered.
pub const COMMANDS: [(&str, &str); 8] = [
    ("export", "write the visible pairs to a file"),
    ("topic", "move the visible pairs to a topic"),
    ("star", "give the visible pairs 0 to 3 stars"),
    ("flag", "flag the visible pairs blue (b) or grey (g)"),
    ("use", "leave the visible pairs out, pin them, or neither (auto)"),
    ("delete", "delete the visible pairs, after asking"),
    ("save", "keep this filter as @name"),
    ("help", "show the filter language"),
];

/// Reads the command whose colon stands at `colon`.
pub(crate) fn parse_command(text: &str, colon: usize) -> Result<Command, FilterError> {
    let mut scan = Scanner::new(text, colon + 1);
    scan.skip_space();
    let span = scan.take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let name = scan.slice(span);
    let command = match name {
        "export" => export(&mut scan)?,
        "topic" => topic(&mut scan)?,
        "star" => star(&mut scan)?,
        "flag" => flag(&mut scan)?,
        "use" => pair_use(&mut scan)?,
        "delete" => delete(&mut scan)?,
        "save" => save(&mut scan)?,
        "help" => Command::Help,
        _ => return Err(unknown_command(&scan, span)),
    };
    scan.skip_space();
    if scan.peek().is_some() {
        let rest = Span::new(scan.at, scan.at + scan.rest().trim_end().len());
        let found = quoted(scan.slice(rest));
        let error = FilterError::new(ErrorKind::BadCommand, rest, found, "the end");
        return Err(error.hint("a command stands last, with nothing after its arguments"));
    }
    Ok(command)
}

fn unknown_command(scan: &Scanner<'_>, span: Span) -> FilterError {
    let (names, name) = (COMMANDS.map(|(name, _)| name), scan.slice(span));
    let expected = format!("one of {}", names.join(", "));
    if name.is_empty() {
        let (span, found) = (scan.next_span(), scan.found());
        return FilterError::new(ErrorKind::MissingArgument, span, found, expected)
            .hint("try `:help`");
    }
    let lower = name.to_lowercase();
    let meant = names.into_iter().find(|known| lower.len() > 1 && known.starts_with(&lower));
    let error = FilterError::new(ErrorKind::UnknownCommand, span, quoted(name), expected);
    match meant.or_else(|| nearest(&lower, names)) {
        Some(meant) => error.hint(format!("did you mean `:{meant}`?")),
        None => error.hint("`:help` lists the commands"),
    }
}

fn export(scan: &mut Scanner<'_>) -> Result<Command, FilterError> {
    let (mut format, mut filename, mut order) = (None, None, None);
    loop {
        scan.skip_space();
        if scan.peek().is_none() {
            break;
        }
        let start = scan.at;
        let key = scan.take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let word = scan.slice(key);
        let repeated = match word {
            "--filename" => filename.replace(value(scan)?).is_some(),
            "--order" => {
                let at = scan.at;
                let order_word = value(scan)?;
                let known = match order_word.as_str() {
                    "time" => ExportOrder::Time,
                    "topic" => ExportOrder::Topic,
                    _ => {
                        let span = Span::new(at + 1, scan.at);
                        return Err(bad(span, &order_word, "`time` or `topic`")
                            .hint("write `--order=time`"));
                    }
                };
                order.replace(known).is_some()
            }
            "json" => format.replace(ExportFormat::Json).is_some(),
            "zip" => format.replace(ExportFormat::Zip).is_some(),
            "md" => format.replace(ExportFormat::Markdown).is_some(),
            "txt" => format.replace(ExportFormat::Text).is_some(),
            _ => {
                let span = if word.is_empty() { scan.next_span() } else { key };
                let expected = "json, zip, md, txt, --filename=… or --order=…";
                let error = bad(span, scan.slice(span), expected);
                let known = ["json", "zip", "md", "txt", "--filename", "--order"];
                return Err(match nearest(word, known) {
                    Some(meant) => error.hint(format!("did you mean `{meant}`?")),
                    None => error.hint("try `:export md`"),
                });
            }
        };
        if repeated {
            let span = Span::new(start, scan.at);
            return Err(bad(span, scan.slice(span), "each choice once").hint("remove one"));
        }
    }
    let named_zip = filename.as_deref().is_some_and(ends_in_zip);
    let unsaid = if named_zip { ExportFormat::Zip } else { ExportFormat::default() };
    let (format, order) = (format.unwrap_or(unsaid), order.unwrap_or_default());
    Ok(Command::Export { format, filename, order })
}

fn ends_in_zip(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("zip"))
}

/// What follows `--option`: `=` and a word or a text in quotes.
fn value(scan: &mut Scanner<'_>) -> Result<String, FilterError> {
    let missing = |scan: &Scanner<'_>, expected: &str| {
        let (span, found) = (scan.next_span(), scan.found());
        FilterError::new(ErrorKind::MissingArgument, span, found, expected)
            .hint("write `--filename=notes.md`")
    };
    if !scan.eat("=") {
        return Err(missing(scan, "`=` and a value"));
    }
    if scan.peek().is_some_and(is_quote) {
        // A star is nothing special in a file name.
        let plain = |glyph: Glyph| match glyph {
            Glyph::Char(c) => c,
            Glyph::Star => '*',
        };
        return Ok(scan.quoted()?.glyphs.into_iter().map(plain).collect());
    }
    let span = scan.take_while(|c| !c.is_whitespace());
    if span.start == span.end {
        return Err(missing(scan, "a value"));
    }
    Ok(scan.slice(span).to_owned())
}

fn topic(scan: &mut Scanner<'_>) -> Result<Command, FilterError> {
    scan.skip_space();
    if !scan.peek().is_some_and(is_quote) {
        let rest = scan.rest().trim_end();
        let span = Span::new(scan.at, scan.at + rest.len());
        let found = if rest.is_empty() { scan.found() } else { quoted(rest) };
        let error = FilterError::new(ErrorKind::MissingArgument, span, found, "a topic in quotes");
        let meant = format!(":topic '{rest}'");
        // What is no topic in quotes either is not worth a suggestion.
        let works = !rest.contains(is_invisible) && parse_command(&meant, 0).is_ok();
        return Err(error.hint(try_this(if works { &meant } else { ":topic '/A/B'" })));
    }
    let text = scan.quoted()?;
    let written = scan.slice(text.span);
    let path = TopicPattern::from_quoted(&text, written)?;
    if path.descendants || text.glyphs.contains(&Glyph::Star) {
        let error = bad(text.span, written, "one topic");
        return Err(error.hint("write it without `*` and `...`"));
    }
    Ok(Command::Topic { path })
}

fn star(scan: &mut Scanner<'_>) -> Result<Command, FilterError> {
    scan.skip_space();
    let range = format!("stars go from 0 to {}: try `:star {}`", Star::MAX, Star::MAX);
    let expected = "a number of stars";
    if !scan.peek().is_some_and(|c| c.is_ascii_digit()) {
        let (span, found) = (scan.next_span(), scan.found());
        let error = FilterError::new(ErrorKind::MissingArgument, span, found, expected);
        return Err(error.hint(range));
    }
    let (value, span) = scan.number();
    Star::new(value).map(Command::Star).map_err(|_| {
        let found = quoted(scan.slice(span));
        FilterError::new(ErrorKind::BadNumber, span, found, expected).hint(range)
    })
}

fn flag(scan: &mut Scanner<'_>) -> Result<Command, FilterError> {
    scan.skip_space();
    let word = scan.take_while(char::is_alphanumeric);
    match scan.slice(word) {
        "b" => Ok(Command::Flag(ColorFlag::Blue)),
        "g" => Ok(Command::Flag(ColorFlag::Grey)),
        other => {
            let found = if other.is_empty() { scan.found() } else { quoted(other) };
            let error = FilterError::new(ErrorKind::BadCommand, word, found, "`b` or `g`");
            Err(error.hint("try `:flag b` for blue or `:flag g` for grey"))
        }
    }
}

fn pair_use(scan: &mut Scanner<'_>) -> Result<Command, FilterError> {
    scan.skip_space();
    let word = scan.take_while(char::is_alphanumeric);
    let written = scan.slice(word);
    PairUse::parse(written).map(Command::Use).ok_or_else(|| {
        let found = if written.is_empty() { scan.found() } else { quoted(written) };
        let expected = "`auto`, `out` or `pinned`";
        let error = FilterError::new(ErrorKind::BadCommand, word, found, expected);
        match nearest(written, PairUse::ALL.map(PairUse::name)) {
            Some(meant) => error.hint(format!("did you mean `:use {meant}`?")),
            None => error.hint("try `:use out` to leave them out"),
        }
    })
}

fn delete(scan: &mut Scanner<'_>) -> Result<Command, FilterError> {
    scan.skip_space();
    let word = scan.take_while(|c| c.is_alphanumeric() || c == '-');
    match scan.slice(word) {
        "" => Ok(Command::Delete { force: false }),
        "--force" => Ok(Command::Delete { force: true }),
        other => Err(bad(word, other, "`--force` or nothing").hint("try `:delete --force`")),
    }
}

fn save(scan: &mut Scanner<'_>) -> Result<Command, FilterError> {
    scan.skip_space();
    if scan.peek() == Some('@') {
        let (span, found) = (scan.next_span(), scan.found());
        let error = FilterError::new(ErrorKind::BadCommand, span, found, "a name");
        return Err(error.hint("write the name without `@`"));
    }
    saved_name(scan).map(|name| Command::Save { name })
}

fn bad(span: Span, found: &str, expected: &str) -> FilterError {
    FilterError::new(ErrorKind::BadCommand, span, quoted(found), expected)
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
