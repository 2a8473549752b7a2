//! `analyze_image` (FTL-3): what can be told of a picture without a model, and what a
//! model says.

use std::{
    fs,
    io::{self, BufReader},
    path::Path,
    time::Duration,
};

use exif::{Exif, In, Tag};
use plimsoll_domain::File;

use crate::{
    answering::Draft,
    ports::{Picture, VisionModel},
    programs::{Ended, Programs, Word, run_bounded},
    words::{file_label, name_words, shortened, size_words, visible},
};

/// EXIF of larger files is not read: some formats need the whole file in memory for it.
const EXIF_BYTES: u64 = 64 * 1024 * 1024;
/// Larger pictures are not given to the OCR program, which unpacks them whole.
const OCR_PIXELS: u64 = 60_000_000;
const OCR_TIME: Duration = Duration::from_secs(60);
const OCR_TEXT: usize = 256 * 1024;

/// What is asked when the model asks nothing.
const QUESTION: &str = "Describe this image. Quote the text that is in it.";

/// The camera's notes that are told, with their names.
const BASICS: [(Tag, &str); 10] = [
    (Tag::ImageDescription, "description"),
    (Tag::DateTimeOriginal, "taken"),
    (Tag::Make, "make"),
    (Tag::Model, "model"),
    (Tag::LensModel, "lens"),
    (Tag::ExposureTime, "exposure"),
    (Tag::FNumber, "aperture"),
    (Tag::PhotographicSensitivity, "ISO"),
    (Tag::Orientation, "orientation"),
    (Tag::Software, "software"),
];

/// What the bytes of a picture say.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Its format; none if it is no picture that is known.
    format: Option<String>,
    pixels: Option<(usize, usize)>,
    exif: Vec<String>,
}

/// Reads the headers of a picture.
pub(crate) fn facts(path: &Path, size: u64) -> io::Result<Facts> {
    let open = || fs::File::open(path).map(BufReader::new);
    let format = imagesize::reader_type(open()?).ok();
    let pixels = imagesize::reader_size(open()?).ok().map(|size| (size.width, size.height));
    let mut exif = Vec::new();
    if size <= EXIF_BYTES
        && let Ok(found) = exif::Reader::new().read_from_container(&mut open()?)
    {
        exif = basics(&found);
    }
    let format = format.map(|format| format!("{format:?}").to_uppercase());
    Ok(Facts { format, pixels, exif })
}

fn basics(exif: &Exif) -> Vec<String> {
    let field = |tag| {
        let value = exif.get_field(tag, In::PRIMARY)?.display_value().with_unit(exif).to_string();
        Some(shortened(visible(value.trim_matches(['"', ' '])).trim(), 100))
    };
    let named = |(tag, name): &(Tag, &str)| Some(format!("{name}: {}", field(*tag)?));
    let mut found: Vec<String> = BASICS.iter().filter_map(named).collect();
    if let (Some(latitude), Some(longitude)) = (field(Tag::GPSLatitude), field(Tag::GPSLongitude)) {
        found.push(format!("position: {latitude}, {longitude}"));
    }
    found
}

impl Facts {
    /// The head line: format, pixels, size.
    fn words(&self, file: &File) -> String {
        let format = self.format.clone().unwrap_or_else(|| visible(&shortened(&file.mime, 60)));
        let pixels = match self.pixels {
            Some((width, height)) => format!("{width}×{height} pixels"),
            None => "pixels unknown: the header is damaged or of a kind not known".to_owned(),
        };
        format!("{}: {format}, {pixels}, {}", name_words(&file.name), size_words(file.size))
    }

    /// Whether the OCR program may see it. It takes a text for a list of other files, so
    /// what is no picture for sure is kept from it.
    fn readable(&self) -> bool {
        let pixels = self.pixels.map(|(width, height)| width as u64 * height as u64);
        let known = ["PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP", "PNM"];
        let format = self.format.as_deref().unwrap_or_default();
        known.iter().any(|known| format.starts_with(known))
            && pixels.is_some_and(|pixels| pixels <= OCR_PIXELS)
    }
}

/// The whole answer.
pub(crate) async fn analyze(
    file: &File,
    path: &Path,
    facts: Facts,
    question: Option<&str>,
    vision_model: Option<&dyn VisionModel>,
    programs: &Programs,
) -> Draft {
    let more = format!("analyze_image {} and more max_tokens", file_label(file.id));
    let mut draft = Draft::new("lines", more);
    draft.line(facts.words(file));
    let mut missing = Vec::new();
    match vision_model {
        Some(vision_model) => {
            let picture = Picture { name: &file.name, mime: &file.mime, path };
            match vision_model.look(picture, question.unwrap_or(QUESTION)).await {
                Ok(seen) => draft.foreign("The vision model says:", &seen),
                Err(unable) => {
                    missing.push(format!("The vision model did not answer: {}", unable.why));
                    missing.extend(unable.fix);
                }
            }
        }
        None => missing.push(
            "Not looked at: no vision model is configured. Set visionModel in Plimsoll's \
             settings to a model that sees images, such as llava over Ollama."
                .to_owned(),
        ),
    }
    match read_text(path, &facts, programs).await {
        Ok(Some(text)) => draft.foreign("Text in the image (OCR):", &text),
        Ok(None) => draft.line("OCR found no text in the image.".to_owned()),
        Err(why) => missing.push(why),
    }
    if !facts.exif.is_empty() {
        draft.foreign("EXIF:", &facts.exif.join("\n"));
    }
    for words in missing {
        draft.line(visible(&shortened(&words.replace('\n', " "), 400)));
    }
    draft
}

/// The text in a picture, by the local OCR program; else why there is none.
pub(crate) async fn read_text(
    path: &Path,
    facts: &Facts,
    programs: &Programs,
) -> Result<Option<String>, String> {
    let program = programs.find("tesseract").ok_or(
        "Text not read: no OCR program. Install tesseract (apt-get install tesseract-ocr, \
         brew install tesseract).",
    )?;
    if !facts.readable() {
        return Err("Text not read: the image is damaged, too large or of a kind that OCR does \
                    not know."
            .to_owned());
    }
    let words = [Word::Input(path), Word::Text("stdout")];
    match run_bounded(programs, &program, &words, OCR_TIME, OCR_TEXT).await {
        Ok(Ended::Done { success: true, stdout, .. }) => {
            let text = String::from_utf8_lossy(&stdout).replace('\u{c}', "\n");
            Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
        }
        Ok(Ended::Done { stderr, .. }) => {
            let said = String::from_utf8_lossy(&stderr);
            let said = said.lines().last().unwrap_or("it did not say why").trim().to_owned();
            Err(format!("Text not read: tesseract failed: {said}"))
        }
        Ok(Ended::TimedOut) => {
            Err(format!("Text not read: tesseract took longer than {} s.", OCR_TIME.as_secs()))
        }
        Err(error) => Err(format!("Text not read: tesseract could not be started: {error}.")),
    }
}
