// The load line on screen: which pairs are aboard, and where the line is drawn (UI-3).

import { el } from "../base/dom.js";

/** @typedef {import("../types.js").Boundary} Boundary */

/** Why a pair is not sent while it, or one before it, is answered again. */
const AGAIN = "not sent along: it is asked again, or came after what is";

/**
 * Whether a pair is not sent: held back for a reason of its own, above the line and not pinned,
 * or behind the end of what goes along with a pair that is answered again. Pure.
 * @param {{why?: string | undefined, use?: string | undefined}} pair
 * @param {number} at
 * @param {{start: number, end?: number}} line
 */
export function ashore({ why, use }, at, { start, end = Infinity }) {
  return why !== undefined || (at < start && use !== "pinned") || at >= end;
}

/**
 * @param {object} deps
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {() => Boundary & {end?: number, without?: string | null}} deps.boundary
 * @param {() => string} deps.limit    words for the window that pairs do not fit in
 */
export function createBoundary({ win, boundary, limit }) {
  /**
   * Marks pairs that were just rendered, or all.
   * @param {ParentNode} [root]
   */
  function mark(root = win.rows) {
    const line = boundary();
    const own = root instanceof HTMLElement && root.matches(".pair[data-id]") ? [root] : [];
    for (const node of [...own, ...root.querySelectorAll(".pair[data-id]")]) {
      const article = /** @type {HTMLElement} */ (node);
      const why = article.dataset["why"];
      const at = Number(article.dataset["at"]);
      const again = article.dataset["id"] === line.without || at >= (line.end ?? Infinity);
      const off = again || ashore({ why, use: article.dataset["use"] }, at, line);
      article.classList.toggle("ooc", off);
      if (off) badge(article, again ? AGAIN : why);
    }
  }

  /**
   * @param {HTMLElement} article
   * @param {string | undefined} why
   */
  function badge(article, why) {
    let off = /** @type {HTMLElement | null} */ (article.querySelector(".badge.off"));
    if (!off) {
      off = document.createElement("span");
      off.className = "badge off";
      off.textContent = "off";
      article.querySelector(".u")?.append(off);
    }
    // The server's own words stay where the reason is the pair's own, also after it was shown
    // as one that is asked again.
    const own = (off.dataset["own"] ??= off.title);
    off.title = why === undefined ? `over budget: ${limit()}` : why === AGAIN ? why : own || why;
  }

  /**
   * Puts the line, and the rows that are sent right behind it, where they belong. What is shown
   * was drawn by the server for the message; something else may be asked about by now.
   */
  function place() {
    const now = boundary();
    const [drawn, ...others] = win.rows.querySelectorAll("#load");
    for (const other of others) for (const node of [other, ...followers(other)]) node.remove();
    if (drawn) write(drawn, now);
    // While no pair is drawn the line stands alone, above what goes along with the message.
    if (win.y === 0) return;
    const next = win.findAt(now.start);
    const last = win.findAt(now.start - 1);
    const group = drawn ? [drawn, ...followers(drawn)] : next || last ? spare() : [];
    const [first] = group;
    if (!first || (next ? group.at(-1)?.nextElementSibling === next : last?.nextElementSibling === first)) return;
    if (!drawn) write(first, now);
    win.anchor.keep(() => {
      if (next) next.before(...group);
      else if (last) last.after(...group);
      else group.forEach((node) => node.remove());
    });
  }

  /** The line as a part of the history brings it along that it does not stand in. */
  function spare() {
    const kept = win.rows.querySelector("template.line");
    return kept instanceof HTMLTemplateElement ? [.../** @type {DocumentFragment} */ (kept.content.cloneNode(true)).children] : [];
  }

  return { mark, place };
}

/**
 * Prelude rows that stand right below the line: what is sent first.
 * @param {Element} load
 */
function followers(load) {
  const rows = [];
  for (let node = load.nextElementSibling; node?.matches(".prelude:not([data-part='files'])"); node = node.nextElementSibling) rows.push(node);
  return rows;
}

/**
 * The words are the server's.
 * @param {Element} load
 * @param {Boundary} boundary
 */
function write(load, { words, note, forget, start }) {
  const parts = words?.flatMap(([number, what], n) => [...(n ? [" · "] : []), el("b", {}, number), ` ${what}`]);
  if (parts) load.querySelector(".words")?.replaceChildren(...parts);
  const noted = load.querySelector(".note");
  if (noted) noted.textContent = note ? `: ${note}` : "";
  load.querySelector(".forget")?.toggleAttribute("hidden", !forget);
  load.querySelector(".summarise")?.toggleAttribute("hidden", start === 0);
}
