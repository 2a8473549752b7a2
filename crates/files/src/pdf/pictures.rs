//! Pages as pictures: rendered by `pdftoppm` where it is installed, then looked at by a
//! vision model or read by OCR.

use std::{path::Path, time::Duration};

use tempfile::TempDir;

use super::{Reading, Tools};
use crate::{
    answering::Draft,
    image,
    ports::Picture,
    programs::{Ended, Programs, Word, run_bounded},
    words::{shortened, visible},
};

/// The pages that one call renders.
const RENDERED: usize = 4;
const RENDER_TIME: Duration = Duration::from_secs(30);

/// Looks at pages: the first ones if something is asked, else those without text.
pub(super) async fn tell(
    reading: &Reading,
    path: &Path,
    question: Option<&str>,
    tools: Tools<'_>,
    draft: &mut Draft,
) {
    let empty = reading.without_text();
    let pages: Vec<u32> = match question {
        Some(_) => reading.pages.iter().map(|(number, _)| *number).collect(),
        None => empty.clone(),
    };
    if pages.is_empty() {
        return;
    }
    if question.is_some() && tools.vision_model.is_none() {
        draft.line(
            "The question was not put to a vision model: none is configured. Answer it from \
             the text, or set visionModel in Plimsoll's settings."
                .to_owned(),
        );
        if empty.is_empty() {
            return;
        }
    }
    for page in pages.iter().copied().take(RENDERED) {
        match render(path, page, tools.programs).await {
            Ok(picture) => {
                look(&picture.path().join("page.png"), page, question, &tools, draft).await
            }
            Err(why) => {
                draft.line(visible(&shortened(&why, 300)));
                return;
            }
        }
    }
    if let Some(next) = pages.get(RENDERED) {
        draft.line(format!("One call looks at {RENDERED} pages; go on with pages={next}-."));
    }
}

async fn look(
    picture: &Path,
    page: u32,
    question: Option<&str>,
    tools: &Tools<'_>,
    draft: &mut Draft,
) {
    let question = question.unwrap_or("Write out the text of this page; describe its pictures.");
    if let Some(vision_model) = tools.vision_model {
        let name = format!("page {page}");
        let seen =
            vision_model.look(Picture { name: &name, mime: "image/png", path: picture }, question);
        match seen.await {
            Ok(words) => {
                draft.foreign(&format!("The vision model says of page {page}:"), &words);
                return;
            }
            Err(unable) => {
                let why = visible(&shortened(&unable.why, 200));
                draft.line(format!("The vision model did not answer about page {page}: {why}"));
                draft.line(visible(&shortened(&unable.fix.unwrap_or_default(), 200)));
            }
        }
    }
    let size = std::fs::metadata(picture).map_or(0, |found| found.len());
    let facts = image::facts(picture, size);
    let read = match &facts {
        Ok(facts) => image::read_text(picture, facts, tools.programs).await,
        Err(error) => Err(format!("Page {page} could not be read as a picture: {error}.")),
    };
    match read {
        Ok(Some(text)) => draft.foreign(&format!("Text on page {page} (OCR):"), &text),
        Ok(None) => draft.line(format!("OCR found no text on page {page}.")),
        Err(why) => draft.line(visible(&shortened(&why, 300))),
    }
}

/// One page as `page.png` in a directory of its own.
async fn render(path: &Path, page: u32, programs: &Programs) -> Result<TempDir, String> {
    let program = programs.find("pdftoppm").ok_or(
        "Pages without text were not looked at: pdftoppm is not installed (apt-get install \
         poppler-utils).",
    )?;
    let directory =
        tempfile::tempdir().map_err(|error| format!("No temporary directory: {error}."))?;
    let number = page.to_string();
    let words = [
        Word::Text("-png"),
        Word::Text("-singlefile"),
        // Pages may be of any size; their pictures are not.
        Word::Text("-scale-to"),
        Word::Text("1600"),
        Word::Text("-f"),
        Word::Text(&number),
        Word::Text("-l"),
        Word::Text(&number),
        Word::Input(path),
        Word::Output(directory.path(), "page"),
    ];
    match run_bounded(programs, &program, &words, RENDER_TIME, 16 * 1024).await {
        Ok(Ended::Done { success: true, .. }) => Ok(directory),
        Ok(Ended::Done { stderr, .. }) => {
            let said = String::from_utf8_lossy(&stderr);
            let last = said.lines().last().unwrap_or("it did not say why");
            Err(format!("Page {page} was not rendered: {}.", last.trim()))
        }
        Ok(Ended::TimedOut) => Err(format!("Page {page} was not rendered in time.")),
        Err(error) => Err(format!("pdftoppm could not be started: {error}.")),
    }
}
