// Writing into the box as a hand would: the browser's own undo knows of it.

/** Beyond this the browser takes too long to note what it did. */
const UNDO_CHARS = 200_000;
/** With more line breaks than these, Chromium's `insertText` takes seconds: it types each. */
const TYPED_LINES = 20;

/**
 * Writes over the selection so that it can be undone. Many lines go in as one piece, escaped;
 * a text box holds no elements, so they are text there and nothing else.
 * @param {string} text
 */
function typed(text) {
  if (text.length > UNDO_CHARS) return false;
  if (!text) return document.execCommand("delete");
  if (text.split("\n", TYPED_LINES + 1).length <= TYPED_LINES) return document.execCommand("insertText", false, text);
  return document.execCommand("insertHTML", false, text.replace(/&/g, "&amp;").replace(/</g, "&lt;"));
}

/**
 * Puts a text in place of a range, by default the selection; the caret stands after it.
 * @param {HTMLTextAreaElement} area
 * @param {string} text
 * @param {number} [start]
 * @param {number} [end]
 */
export function insertText(area, text, start = area.selectionStart, end = area.selectionEnd) {
  const before = document.activeElement;
  area.focus({ preventScroll: true });
  area.setSelectionRange(start, end);
  if (!text && start === end) return;
  const { value } = area;
  const wanted = value.slice(0, start) + text + value.slice(end);
  if (!typed(text) || area.value !== wanted) {
    area.value = wanted;
    area.setSelectionRange(start + text.length, start + text.length);
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
  // A question that is open keeps the focus.
  if (before instanceof HTMLElement && before.closest("dialog[open]")) before.focus({ preventScroll: true });
}
