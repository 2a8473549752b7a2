// Where the focus and the scroll position go when a reply has ended (UI-5). Pure.

/**
 * @typedef {object} Ending
 * @property {import("../keys/keymap.js").Mode} mode
 * @property {boolean} mine        this tab sent it
 * @property {boolean} draftEmpty
 * @property {boolean} shown       the pair is in the document
 * @property {number} replyHeight
 * @property {number} paneHeight
 */

/**
 * `read`: VIEW, the reply focused, its first line at the top. `stay`: nothing changes.
 * @param {Ending} ending
 * @returns {"read" | "stay"}
 */
export function afterReply({ mode, mine, draftEmpty, shown, replyHeight, paneHeight }) {
  const waits = mode === "INPUT" && draftEmpty && mine && shown;
  return waits && replyHeight > paneHeight ? "read" : "stay";
}

/**
 * What to tell about a send that ended out of sight (UI-6), or null when it can be seen.
 * @param {{shown: boolean, visible: boolean, state: string}} ending
 */
export function endNotice({ shown, visible, state }) {
  if (shown) return null;
  const what = state === "complete" ? "The reply is complete"
    : state === "cancelled" ? "The send was cancelled"
    : "The send ended in an error";
  return visible ? `${what}; it is further down.` : `${what}; the filter hides it.`;
}
