// Writing into the box as a hand would: the browser's own undo knows of it.

/** Beyond this the browser takes too long to note every step. */
const UNDO_CHARS = 200_000;

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
  const done = text.length <= UNDO_CHARS && document.execCommand(text ? "insertText" : "delete", false, text);
  if (!done) {
    area.setRangeText(text, start, end, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
  // A question that is open keeps the focus.
  if (before instanceof HTMLElement && before.closest("dialog[open]")) before.focus({ preventScroll: true });
}
