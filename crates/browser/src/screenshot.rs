//! Pictures of a page.

use std::{fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{Error, Page, Result};

/// A picture in PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Png(Vec<u8>);

impl Png {
    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Width and height in device pixels.
    pub fn size(&self) -> (u32, u32) {
        // The header comes first and has both, four bytes each.
        let number = |at: usize| {
            let bytes = self.0.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u32::from_be_bytes)
        };
        (number(16), number(20))
    }

    /// Writes the file, and the directory that it stands in if need be.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(Error::file(dir))?;
        }
        fs::write(path, &self.0).map_err(Error::file(path))
    }
}

impl Page {
    /// A picture of what is in view.
    pub fn screenshot(&self) -> Result<Png> {
        self.capture(json!({}))
    }

    /// A picture of the whole page, however long. A page whose panes scroll by
    /// themselves is as long as its viewport.
    pub fn screenshot_full(&self) -> Result<Png> {
        let metrics = self.call("Page.getLayoutMetrics", json!({}))?;
        let size = &metrics["cssContentSize"];
        let clip = json!({
            "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1,
        });
        self.capture(json!({ "clip": clip, "captureBeyondViewport": true }))
    }

    /// A picture of one element, scrolled into view.
    pub fn screenshot_of(&self, selector: &str) -> Result<Png> {
        self.wait_for(&crate::page::applied("(s) => document.querySelector(s)", selector)?)?;
        // From the corner of the document, as the clip wants it, in whole pixels.
        let clip: Value = self.apply(
            "(selector) => {
              const element = document.querySelector(selector);
              element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
              const box = element.getBoundingClientRect();
              const x = Math.floor(box.x), y = Math.floor(box.y);
              return {
                x: x + scrollX, y: y + scrollY, scale: 1,
                width: Math.ceil(box.right) - x, height: Math.ceil(box.bottom) - y,
              };
            }",
            selector,
        )?;
        self.capture(json!({ "clip": clip }))
    }

    fn capture(&self, mut params: Value) -> Result<Png> {
        params["format"] = "png".into();
        let answer = self.call("Page.captureScreenshot", params)?;
        let data = answer["data"].as_str().unwrap_or_default();
        STANDARD.decode(data).map(Png).map_err(|error| Error::Refused {
            method: "Page.captureScreenshot".to_owned(),
            message: error.to_string(),
        })
    }
}
