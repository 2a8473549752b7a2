//! A door for the fuzz targets of this repository, and for nothing else.

use serde_json::{Map, Value};

use crate::{
    arguments::Arguments,
    pdf::{self, Pages},
};

/// What is read of a PDF: its outline, its title, the text of its pages.
pub fn pdf(bytes: &[u8]) -> Result<Vec<String>, String> {
    pdf::everything(bytes)
}

/// Reads arguments of a call in every way that the tools do; gives what was wrong.
pub fn arguments(given: &Map<String, Value>) -> Vec<String> {
    let arguments = Arguments::new(given);
    let mut wrong = Vec::new();
    for name in given.keys() {
        wrong.extend(arguments.text(name).err());
        wrong.extend(arguments.count(name).err());
        wrong.extend(arguments.texts(name).err());
        let pages = arguments.text(name).ok().flatten().map(Pages::parse);
        wrong.extend(pages.and_then(Result::err));
    }
    wrong.into_iter().map(|mistake| mistake.0).collect()
}
