// The load line on screen: which pairs are aboard, and where the line is drawn (UI-3).

import { grouped } from "./text.js";

/** @typedef {import("./types.js").Boundary} Boundary */

/**
 * Whether a pair stays ashore: held back for a reason of its own, or above the line. Pure.
 * @param {string | undefined} why
 * @param {number} at
 * @param {number} start
 */
export function ashore(why, at, start) {
  return why !== undefined || at < start;
}

/**
 * @param {object} deps
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {() => Boundary} deps.boundary
 * @param {() => string} deps.limit    words for the window that pairs do not fit in
 * @param {() => void} deps.refetch    when the line's place is shown but the line is not at hand
 */
export function createBoundary({ win, boundary, limit, refetch }) {
  /**
   * Marks pairs that were just rendered, or all.
   * @param {ParentNode} [root]
   */
  function mark(root = win.rows) {
    const { start } = boundary();
    const own = root instanceof HTMLElement && root.matches(".pair[data-id]") ? [root] : [];
    for (const node of [...own, ...root.querySelectorAll(".pair[data-id]")]) {
      const article = /** @type {HTMLElement} */ (node);
      const why = article.dataset["why"];
      const off = ashore(why, Number(article.dataset["at"]), start);
      article.classList.toggle("ooc", off);
      if (off) badge(article, why);
    }
  }

  /**
   * @param {HTMLElement} article
   * @param {string | undefined} why
   */
  function badge(article, why) {
    let off = article.querySelector(".badge.off");
    if (!off) {
      off = document.createElement("span");
      off.className = "badge off";
      off.textContent = "off";
      article.querySelector(".u")?.append(off);
    }
    // The server's own words stay where the reason is the pair's own.
    if (why === undefined) off.setAttribute("title", `over budget: ${limit()}`);
    else if (!off.getAttribute("title")) off.setAttribute("title", why);
  }

  /**
   * Moves the line, and the rows that are sent right behind it, to where they belong.
   * @param {boolean} moved  the line stands elsewhere than before
   */
  function place(moved) {
    const now = boundary();
    const load = win.rows.querySelector("#load");
    if (load) write(load, now);
    if (!moved) return;
    const next = win.findAt(now.start);
    const last = win.findAt(now.start - 1);
    if (!load) {
      if (next || last) refetch();
      return;
    }
    const group = [load, ...followers(load)];
    win.anchor.keep(() => {
      if (next) next.before(...group);
      else if (last) last.after(...group);
      else group.forEach((node) => node.remove());
    });
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
 * @param {Element} load
 * @param {Boundary} boundary
 */
function write(load, { x, y, historyTokens, note }) {
  const [ashoreEl, aboardEl] = load.querySelectorAll("b");
  const tokens = load.querySelector(".mono");
  if (ashoreEl) ashoreEl.textContent = grouped(y - x);
  if (aboardEl) aboardEl.textContent = grouped(x);
  if (tokens) tokens.textContent = grouped(historyTokens);
  const words = load.querySelector(".note");
  if (words) words.textContent = note ? `: ${note}` : "";
}
