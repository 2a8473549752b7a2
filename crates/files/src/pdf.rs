//! `analyze_pdf` (FTL-4): page count, outline, text by page.
//!
//! The reader is somebody else's code on hostile bytes. It runs in a thread of its own,
//! with a bound on the file and on what its streams may unpack to; a panic ends the thread
//! and nothing else. A thread cannot be ended from outside: one that runs away keeps its
//! place until it is done, and only a few places exist.

mod font;
mod layout;
mod matrix;
mod pictures;
mod standard;
mod text;
mod to_unicode;

use std::{fs, io, path::PathBuf, sync::Arc, thread, time::Duration};

use lopdf::{Dictionary, Document, LoadOptions, Object, decode_text_string};
use plimsoll_domain::File;
use plimsoll_tokens::commas;
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Instant, timeout_at},
};

use crate::{
    answering::Draft,
    arguments::Mistake,
    ports::VisionModel,
    programs::Programs,
    words::{file_label, name_words, quoted, shortened, size_words, visible},
};

/// Larger files are not read.
pub(crate) const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// What one stream may unpack to.
const STREAM_BYTES: usize = 32 * 1024 * 1024;
/// What the pages of one call may unpack to and draw, all together.
const EFFORT: text::Effort = text::Effort { unpacked: 2 * STREAM_BYTES, steps: 2_000_000 };
/// The same where the whole text is taken out once and kept.
const WHOLE_EFFORT: text::Effort = text::Effort { unpacked: 4 * STREAM_BYTES, steps: 20_000_000 };
/// The text of one page that is kept.
const PAGE_BYTES: usize = 256 * 1024;
/// The pages that one call reads.
pub(crate) const PAGES: usize = 50;
const OUTLINE_ENTRIES: usize = 200;
const OUTLINE_DEPTH: usize = 8;
const TIME: Duration = Duration::from_secs(10);
/// Enough for the deepest nesting that the reader allows.
const STACK: usize = 32 * 1024 * 1024;

/// Which pages are asked for, such as `1-3,7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pages(Vec<(u32, u32)>);

impl Pages {
    pub(crate) fn parse(text: &str) -> Result<Self, Mistake> {
        let wrong = || {
            let text = quoted(&shortened(text, 40));
            Mistake(format!("pages must be such as 1-3,7 (from 1, rising), not {text}."))
        };
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|page| *page > 0);
        let mut ranges = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (first, last) = part.split_once(['-', '–']).unwrap_or((part, part));
            let first = number(first).ok_or_else(wrong)?;
            // An open end, as in "5-", is the end of the file.
            let open = last.trim().is_empty();
            let last = if open { u32::MAX } else { number(last).ok_or_else(wrong)? };
            if first > last || ranges.len() == 100 {
                return Err(wrong());
            }
            ranges.push((first, last));
        }
        if ranges.is_empty() { Err(wrong()) } else { Ok(Self(ranges)) }
    }

    fn has(&self, page: u32) -> bool {
        self.0.iter().any(|(first, last)| (first..=last).contains(&&page))
    }
}

/// What the thread tells while it reads.
enum News {
    /// The file was opened.
    Opened { version: String, pages: Vec<u32>, all: usize, title: Option<String>, outline: Outline },
    /// The text of one page.
    Page(u32, Result<String, String>),
    /// It cannot be read, and why.
    Unreadable(String),
}

#[derive(Default)]
struct Outline {
    lines: Vec<String>,
    more: bool,
}

/// What was read of a PDF.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) version: String,
    pub(crate) all: usize,
    title: Option<String>,
    outline: Outline,
    /// The pages that one call may read, of those asked for.
    asked: Vec<u32>,
    /// Those that were read, with their text or why there is none.
    pub(crate) pages: Vec<(u32, Result<String, String>)>,
    /// Set when the reader did not come to the end.
    broke: Option<String>,
}

/// The few threads that may read at once.
pub(crate) fn places() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(2))
}

/// Reads what is asked for; else says why it cannot.
pub(crate) async fn read(
    path: PathBuf,
    wanted: Option<Pages>,
    places: &Arc<Semaphore>,
) -> Result<Reading, String> {
    let deadline = Instant::now() + TIME;
    let busy = "The PDF reader is busy with other files; ask again later.";
    let place = timeout_at(deadline, Arc::clone(places).acquire_owned()).await;
    let Ok(Ok(place)) = place else { return Err(busy.to_owned()) };
    let (tell, mut news) = mpsc::channel(4);
    let reader = thread::Builder::new().name("pdf".to_owned()).stack_size(STACK);
    let work = move || {
        let _place = place;
        go_through(&path, wanted.as_ref(), &tell);
    };
    reader.spawn(work).map_err(|error| format!("The PDF reader could not be started: {error}."))?;
    let mut reading = Reading::default();
    let mut opened = false;
    loop {
        match timeout_at(deadline, news.recv()).await {
            Ok(Some(News::Opened { version, pages, all, title, outline })) => {
                opened = true;
                reading = Reading { version, all, title, outline, asked: pages, ..reading };
            }
            Ok(Some(News::Page(number, text))) => reading.pages.push((number, text)),
            Ok(Some(News::Unreadable(why))) => return Err(why),
            Ok(None) if opened && reading.pages.len() == reading.asked.len() => return Ok(reading),
            Ok(None) if opened => reading.broke = Some("it is damaged there".to_owned()),
            Ok(None) => return Err("The PDF is damaged; the reader gave up on it.".to_owned()),
            Err(_) if opened => reading.broke = Some(format!("{} s were over", TIME.as_secs())),
            Err(_) => return Err(format!("The PDF was not read within {} s.", TIME.as_secs())),
        }
        if reading.broke.is_some() {
            return Ok(reading);
        }
    }
}

/// The work of the thread. It ends early when nobody listens any more.
fn go_through(path: &PathBuf, wanted: Option<&Pages>, tell: &mpsc::Sender<News>) {
    let document = match open(path) {
        Ok(document) => document,
        Err(why) => {
            // Who asked may have gone away.
            let _ = tell.blocking_send(News::Unreadable(why));
            return;
        }
    };
    let pages = document.get_pages();
    let asked: Vec<u32> = pages
        .keys()
        .copied()
        .filter(|page| wanted.is_none_or(|wanted| wanted.has(*page)))
        .take(PAGES)
        .collect();
    let told = tell.blocking_send(News::Opened {
        version: document.version.clone(),
        pages: asked.clone(),
        all: pages.len(),
        title: title(&document),
        outline: outline(&document),
    });
    let mut texts = text::Texts::new(&document, EFFORT);
    for (page, id) in pages.into_iter().filter(|(page, _)| asked.contains(page)) {
        if told.is_err() || tell.is_closed() {
            return;
        }
        let text = texts
            .of_page(id, PAGE_BYTES)
            .map_err(|error| shortened(&visible(&error.to_string()), 120));
        if tell.blocking_send(News::Page(page, text)).is_err() {
            return;
        }
    }
}

fn open(path: &PathBuf) -> Result<Document, String> {
    let size = fs::metadata(path).map_err(|error| unread(&error))?.len();
    if size > FILE_BYTES {
        return Err(format!(
            "The PDF has {}; up to {} are read. Split it first.",
            size_words(size),
            size_words(FILE_BYTES)
        ));
    }
    parse(&fs::read(path).map_err(|error| unread(&error))?)
}

fn parse(bytes: &[u8]) -> Result<Document, String> {
    let options = LoadOptions::with_max_decompressed_size(STREAM_BYTES);
    let locked =
        "The PDF is encrypted and needs a password. Save it without one and attach it again.";
    match Document::load_mem_with_options(bytes, options) {
        // The reader tries the empty password. What it could not open it leaves out.
        Ok(document)
            if document.is_encrypted()
                || (document.trailer.has(b"Encrypt") && document.get_pages().is_empty()) =>
        {
            Err(locked.to_owned())
        }
        Ok(document) if document.get_pages().is_empty() => {
            Err("The PDF is damaged: it has no pages.".to_owned())
        }
        Ok(document) => Ok(document),
        Err(lopdf::Error::InvalidPassword | lopdf::Error::Decryption(_)) => Err(locked.to_owned()),
        Err(error) => {
            Err(format!("The PDF is damaged: {}.", shortened(&visible(&error.to_string()), 120)))
        }
    }
}

/// A PDF in memory, for who wants all of its text.
pub(crate) struct Pdf(Document);

impl Pdf {
    /// Opens it; else says why it cannot, in words that go on after "it could not be read:".
    pub(crate) fn open(bytes: &[u8]) -> Result<Self, String> {
        parse(bytes).map(Self)
    }

    pub(crate) fn pages(&self) -> usize {
        self.0.get_pages().len()
    }

    /// Hands out the text of one page after the other, of so many at most, until nobody wants
    /// more.
    pub(crate) fn each_text(
        &self,
        most: usize,
        each: &mut dyn FnMut(u32, Result<String, lopdf::Error>) -> bool,
    ) {
        let mut texts = text::Texts::new(&self.0, WHOLE_EFFORT);
        for (page, id) in self.0.get_pages().into_iter().take(most) {
            if !each(page, texts.of_page(id, PAGE_BYTES)) {
                return;
            }
        }
    }

    fn title_and_outline(&self) -> Vec<String> {
        outline(&self.0).lines.into_iter().chain(title(&self.0)).collect()
    }
}

/// Everything that is read of a PDF in memory, as the tool does: title, outline, pages.
pub(crate) fn everything(bytes: &[u8]) -> Result<Vec<String>, String> {
    let pdf = Pdf::open(bytes)?;
    let mut found = pdf.title_and_outline();
    pdf.each_text(PAGES, &mut |_, text| {
        found.extend(text.ok());
        true
    });
    Ok(found)
}

fn unread(error: &io::Error) -> String {
    format!("The PDF could not be read: {error}.")
}

fn title(document: &Document) -> Option<String> {
    let information = document.get_dict_in_dict(&document.trailer, b"Info").ok()?;
    let title = decode_text_string(information.get_deref(b"Title", document).ok()?).ok()?;
    Some(title.trim().to_owned()).filter(|title| !title.is_empty())
}

/// Walks the outline, which may point in circles, so far and no farther.
fn outline(document: &Document) -> Outline {
    let mut found = Outline::default();
    let root =
        document.catalog().and_then(|catalog| document.get_dict_in_dict(catalog, b"Outlines"));
    let mut stack: Vec<(&Dictionary, usize)> = Vec::new();
    stack.extend(
        root.and_then(|root| document.get_dict_in_dict(root, b"First")).map(|first| (first, 0)),
    );
    let numbers = document.get_pages();
    while let Some((item, depth)) = stack.pop() {
        if found.lines.len() == OUTLINE_ENTRIES {
            found.more = true;
            break;
        }
        let title = item.get_deref(b"Title", document).and_then(decode_text_string);
        let title = shortened(title.unwrap_or_default().trim(), 120);
        let page = target(document, item)
            .and_then(|id| numbers.iter().find(|(_, page)| **page == id))
            .map(|(number, _)| format!(" (page {number})"))
            .unwrap_or_default();
        found.lines.push(format!("{}{}{page}", "  ".repeat(depth), visible(&title)));
        stack.extend(document.get_dict_in_dict(item, b"Next").map(|next| (next, depth)));
        if depth < OUTLINE_DEPTH {
            stack.extend(document.get_dict_in_dict(item, b"First").map(|first| (first, depth + 1)));
        }
    }
    found
}

/// The page that an entry leads to, where it says so itself.
fn target(document: &Document, item: &Dictionary) -> Option<lopdf::ObjectId> {
    let target = item.get_deref(b"Dest", document).or_else(|_| {
        document.get_dict_in_dict(item, b"A").and_then(|action| action.get_deref(b"D", document))
    });
    target.ok()?.as_array().ok()?.first().and_then(|page: &Object| page.as_reference().ok())
}

impl Reading {
    /// The pages without a word on them.
    pub(crate) fn without_text(&self) -> Vec<u32> {
        let empty = |text: &Result<String, String>| {
            text.as_ref().map_or(true, |text| text.trim().is_empty())
        };
        self.pages.iter().filter(|(_, text)| empty(text)).map(|(number, _)| *number).collect()
    }

    /// The head line.
    pub(crate) fn words(&self, name: &str, size: u64) -> String {
        let pages = if self.all == 1 {
            "1 page".to_owned()
        } else {
            format!("{} pages", commas(self.all as u64))
        };
        let version = shortened(&visible(&self.version), 8);
        let title = self
            .title
            .as_deref()
            .map(|title| format!(", titled {}", quoted(&shortened(title, 120))));
        format!("{name}: PDF {version}, {pages}, {}{}", size_words(size), title.unwrap_or_default())
    }

    /// The text of the pages.
    pub(crate) fn tell_pages(&self, draft: &mut Draft) {
        for (number, text) in &self.pages {
            match text {
                Ok(text) if text.trim().is_empty() => {
                    draft.line(format!("Page {number} holds no text."))
                }
                Ok(text) => draft.foreign(&format!("Page {number}:"), text),
                Err(why) => draft.line(format!("Page {number} could not be read: {why}.")),
            }
        }
        if let Some(why) = &self.broke {
            let pages = self.asked.len() - self.pages.len();
            let next = self.asked.get(self.pages.len()).copied().unwrap_or_default();
            draft.line(format!(
                "Stopped at page {next}, {pages} of the pages asked for left: {why}."
            ));
        }
    }

    /// The pages that one call does not reach.
    pub(crate) fn tell_rest(&self, wanted: Option<&Pages>, draft: &mut Draft) {
        let all = u32::try_from(self.all).unwrap_or(u32::MAX);
        let last = self.asked.last().copied().unwrap_or(0);
        let rest = (last.saturating_add(1)..=all)
            .find(|page| wanted.is_none_or(|wanted| wanted.has(*page)));
        if let (Some(next), PAGES..) = (rest, self.asked.len()) {
            draft.line(format!("One call reads {PAGES} pages; go on with pages={next}-."));
        }
        if self.asked.is_empty() {
            draft.line(format!(
                "None of the pages asked for is there; there are {}.",
                commas(self.all as u64)
            ));
        }
    }

    /// The outline, if there is one.
    pub(crate) fn tell_outline(&self, draft: &mut Draft) {
        if !self.outline.lines.is_empty() {
            draft.foreign("Outline:", &self.outline.lines.join("\n"));
            if self.outline.more {
                draft.line(format!("The outline has more than {OUTLINE_ENTRIES} entries."));
            }
        }
    }
}

/// What may help with pages that hold pictures.
pub(crate) struct Tools<'a> {
    pub(crate) vision_model: Option<&'a dyn VisionModel>,
    pub(crate) programs: &'a Programs,
}

/// The whole answer; else why there is none.
pub(crate) async fn analyze(
    file: &File,
    path: PathBuf,
    wanted: Option<Pages>,
    question: Option<&str>,
    places: &Arc<Semaphore>,
    tools: Tools<'_>,
) -> Result<Draft, String> {
    let reading = read(path.clone(), wanted.clone(), places).await?;
    let more = format!("analyze_pdf {} and more max_tokens", file_label(file.id));
    let mut draft = Draft::new("lines", more);
    draft.line(reading.words(&name_words(&file.name), file.size));
    // Who has not said where to look wants to know what is where; in a short file the text
    // tells that by itself.
    let outline_first = wanted.is_none() && reading.all > 5;
    if outline_first {
        reading.tell_outline(&mut draft);
    }
    reading.tell_pages(&mut draft);
    reading.tell_rest(wanted.as_ref(), &mut draft);
    if !outline_first {
        reading.tell_outline(&mut draft);
    }
    pictures::tell(&reading, &path, question, tools, &mut draft).await;
    Ok(draft)
}
