// What somebody has opened stays open when it is drawn anew.

/**
 * What a fold is known by: its pair, if it is in one, and its part or its place there.
 * @param {HTMLDetailsElement} fold
 */
function keyOf(fold) {
  const pair = fold.closest("[data-id]")?.getAttribute("data-id") ?? "";
  const place = [...(fold.parentElement?.querySelectorAll(":scope > details") ?? [])].indexOf(fold);
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
