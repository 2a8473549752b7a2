//! Files and the clipboard: drop, choose, paste, copy.

use std::path::Path;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Error, Page, Result};

/// What an event of the clipboard did.
#[derive(Deserialize)]
struct Pasted {
    handled: bool,
}

/// Makes an event with a text or a file and gives it to whatever has the focus.
const PASTE: &str = "(text, file) => {
  const data = new DataTransfer();
  if (text !== null) data.setData('text/plain', text);
  if (file !== null) {
    const bytes = Uint8Array.from(atob(file.base64), (sign) => sign.charCodeAt(0));
    data.items.add(new File([bytes], file.name, { type: file.type }));
  }
  let target = document.activeElement ?? document.body;
  while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
  const event = new ClipboardEvent('paste', {
    clipboardData: data, bubbles: true, cancelable: true, composed: true,
  });
  return { handled: !target.dispatchEvent(event) };
}";

impl Page {
    /// Drops files onto an element, with the events of a real drag from outside.
    pub fn drop_files<P: AsRef<Path>>(&self, selector: &str, files: &[P]) -> Result<()> {
        let files = absolute(files)?;
        let at = self.centre(selector)?;
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
            let params = json!({ "type": kind, "x": at.x, "y": at.y, "data": data });
            self.call("Input.dispatchDragEvent", params)?;
        }
        Ok(())
    }

    /// Chooses files in an `<input type=file>`, as its dialog does.
    pub fn choose_files<P: AsRef<Path>>(&self, selector: &str, files: &[P]) -> Result<()> {
        let files = absolute(files)?;
        self.wait_for(&crate::page::applied("(s) => document.querySelector(s)", selector)?)?;
        let expression = crate::page::applied("(s) => document.querySelector(s)", selector)?;
        let found = self.call("Runtime.evaluate", json!({ "expression": expression }))?;
        let object = &found["result"]["objectId"];
        self.call("DOM.setFileInputFiles", json!({ "files": files, "objectId": object }))?;
        Ok(())
    }

    /// Pastes a text into whatever has the focus. The event is made in the page
    /// (`isTrusted` is false), so that tests do not fight for the one clipboard; a page
    /// that does not handle it gets the text inserted, as after a real one.
    pub fn paste_text(&self, text: &str) -> Result<()> {
        let Pasted { handled } = self.apply(PASTE, (text, Value::Null))?;
        if handled { Ok(()) } else { self.insert_text(text) }
    }

    /// Pastes a file, such as a picture from a screenshot tool, in the same way. Whether
    /// the page handled it.
    pub fn paste_file(&self, name: &str, media_type: &str, bytes: &[u8]) -> Result<bool> {
        let base64 = STANDARD.encode(bytes);
        let file = json!({ "name": name, "type": media_type, "base64": base64 });
        let Pasted { handled } = self.apply(PASTE, (Value::Null, file))?;
        Ok(handled)
    }

    /// The text on the clipboard, after the page copied something. There is one
    /// clipboard for all pages of a browser: such a test launches its own.
    pub fn clipboard(&self) -> Result<String> {
        let allowed = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        self.wire.call(None, "Browser.grantPermissions", with_context(self, allowed))?;
        self.eval("navigator.clipboard.readText()")
    }
}

fn with_context(page: &Page, mut params: Value) -> Value {
    if let Some(context) = &page.tab.context {
        params["browserContextId"] = context.as_str().into();
    }
    params
}

/// Chromium's working directory is not ours, so the paths must be whole; and it drops
/// files that do not exist without a word.
pub(crate) fn absolute<P: AsRef<Path>>(files: &[P]) -> Result<Vec<String>> {
    let whole = |file: &P| {
        let path = file.as_ref();
        let path = path.canonicalize().map_err(Error::file(path))?;
        Ok(path.to_string_lossy().into_owned())
    };
    files.iter().map(whole).collect()
}
