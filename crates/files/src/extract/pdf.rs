//! The text of a PDF, page by page.

use super::{NoText, bounds::Bounds, out::Out};
use crate::pdf::Pdf;

/// So many pages are read; the rest is said to be missing.
const PAGES: usize = 1_000;

pub(super) fn read(bytes: &[u8], bounds: &Bounds) -> Result<Out, NoText> {
    let document = Pdf::open(bytes).map_err(NoText::Lasting)?;
    let mut out = Out::default();
    let (all, mut empty, mut read) = (document.pages(), 0usize, 0usize);
    let mut said = false;
    document.each_text(PAGES, &mut |number, text| {
        read += 1;
        let text = text.unwrap_or_default();
        if text.trim().is_empty() {
            empty += 1;
            return !bounds.is_late();
        }
        said = true;
        out.part("Page", &number.to_string());
        out.lines(&text);
        !out.is_full() && !bounds.is_late()
    });
    if !said {
        return Err(NoText::Lasting(
            "there is no text in it, as in scanned pages; a model that sees pictures, or OCR \
             (tesseract and pdftoppm, with a model that calls tools) could read it"
                .to_owned(),
        ));
    }
    if read < all {
        out.cut();
    }
    out.count(all as u64, "page", "pages");
    if empty > 0 {
        out.missing(format!("{empty} of {all} pages hold no text"));
    }
    Ok(out)
}
