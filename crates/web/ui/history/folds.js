// What somebody has opened stays open when it is drawn anew.

/**
 * What a fold is known by: its pair, if it is in one, and its part or its place there.
 * @param {HTMLDetailsElement} fold
 */
function keyOf(fold) {
  const pair = fold.closest("[data-id]")?.getAttribute("data-id") ?? "";
  const step = fold.closest(".toolstep") ?? fold;
  const place = [...(step.parentElement?.querySelectorAll(`:scope > ${step === fold ? "details" : ".toolstep"}`) ?? [])].indexOf(step);
  return `${pair}/${fold.dataset["part"] ?? place}`;
}

/** @param {HTMLElement} root */
const foldsOf = (root) => [...root.querySelectorAll("details"), ...(root instanceof HTMLDetailsElement ? [root] : [])];

/**
 * Remembers what is open, and gives what opens it again in something that was drawn anew.
 * @param {HTMLElement} root
 */
export function keepFolds(root) {
  const open = new Set(foldsOf(root).filter((fold) => fold.open).map(keyOf));
  return (/** @type {HTMLElement} */ fresh) => {
    if (open.size) for (const fold of foldsOf(fresh)) fold.open ||= open.has(keyOf(fold));
  };
}

/**
 * Where somebody writes inside of what is about to be drawn anew: the field and the caret in it.
 * Gives what puts them back, and says whether there was anything to put back.
 * @param {ParentNode} root
 * @returns {(fresh: ParentNode) => boolean}
 */
export function keepWriting(root) {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement) || !root.contains(field)) return () => false;
  const { selectionStart, selectionEnd, scrollTop } = field;
  const pair = field.closest(".pair")?.getAttribute("data-id") ?? "";
  const label = field.getAttribute("aria-label") ?? "";
  return (fresh) => {
    const own = fresh instanceof HTMLElement && fresh.dataset["id"] === pair ? fresh : fresh.querySelector(`.pair[data-id="${CSS.escape(pair)}"]`);
    const again = own?.querySelector(`textarea[aria-label="${CSS.escape(label)}"]`);
    if (!(again instanceof HTMLTextAreaElement)) return false;
    again.focus({ preventScroll: true });
    again.setSelectionRange(selectionStart, selectionEnd);
    again.scrollTop = scrollTop;
    return true;
  };
}
