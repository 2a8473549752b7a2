// What of the list of conversations is in view, and how it stays there while the list changes.

/** @typedef {import("./list.js").Conversation} Conversation */

/**
 * Which conversations are in view: those from `first` on, up to and without `last`.
 * @param {HTMLElement} list
 */
export function shownConversations(list) {
  const nodes = [...list.querySelectorAll(".conv")];
  if (!nodes.length) return { nodes, first: 0, last: 0 };
  const pane = list.getBoundingClientRect();
  const first = nodes.findIndex((node) => node.getBoundingClientRect().bottom > pane.top);
  const below = nodes.findIndex((node) => node.getBoundingClientRect().top >= pane.bottom);
  const last = below === -1 ? nodes.length : below;
  return { nodes, first: first === -1 ? last : first, last };
}

/**
 * Draws the list anew so that what is in view stays where it is, and the focus on what had it. At
 * the top the newest comes into view instead.
 * @param {HTMLElement} list
 * @param {readonly Conversation[]} all  that will be drawn
 * @param {() => void} redraw
 */
export function keepingPlace(list, all, redraw) {
  // Asking an empty list would lay the whole page out for nothing.
  const at = list.firstChild ? list.scrollTop : 0;
  const focused = document.activeElement;
  const focusId = idAround(focused);
  const focusTag = focused?.tagName.toLowerCase();
  const held = at > 0 ? heldNode(list, all) : null;
  redraw();
  if (at > 0) list.scrollTop = at;
  const now = held && nodeOf(list, held.id);
  if (now) list.scrollTop += now.getBoundingClientRect().top - held.top;
  const target = focusId && focusTag ? nodeOf(list, focusId)?.querySelector(focusTag) : null;
  if (target instanceof HTMLElement && list.contains(target)) target.focus({ preventScroll: true });
}

/**
 * The first conversation in view that nothing was written in since: one that was goes to the top,
 * and the view does not follow it.
 * @param {HTMLElement} list
 * @param {readonly Conversation[]} all
 */
function heldNode(list, all) {
  const times = new Map(all.map(({ id, updatedAt }) => [id, updatedAt]));
  const { nodes, first, last } = shownConversations(list);
  for (const node of nodes.slice(first, last)) {
    const id = node.getAttribute("data-id") ?? "";
    if (times.get(id) === node.getAttribute("data-at")) return { id, top: node.getBoundingClientRect().top };
  }
  return null;
}

/** @param {Element | null} node */
function idAround(node) {
  return node?.closest("#side-list .conv")?.getAttribute("data-id") ?? null;
}

/**
 * @param {HTMLElement} list
 * @param {string} id
 */
function nodeOf(list, id) {
  return list.querySelector(`.conv[data-id="${CSS.escape(id)}"]`);
}
