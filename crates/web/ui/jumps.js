// Going to places: the load line, a hit of a search, a pair that a panel speaks of.

import { wordsOf } from "./api.js";
import { closest, still } from "./dom.js";
import { counted } from "./text.js";

/**
 * What to say when there is no line to go to, or null. Pure.
 * @param {import("./types.js").Boundary} boundary
 */
export function noBoundary({ start, x, y }) {
  if (y === 0) return "There is no pair to see here.";
  return start <= 0 && x > 0 ? `All ${counted(y, "pair")} above the message can sail: the load line is at the top.` : null;
}

/**
 * @param {object} deps
 * @param {import("./api.js").Api} deps.api
 * @param {import("./state.js").Store} deps.store
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("./history.js").History} deps.history
 * @param {import("./cursor.js").Cursor} deps.cursor
 * @param {(change: {filter: string}) => Promise<unknown>} deps.setView
 * @param {import("./toasts.js").Toast} deps.toast
 */
export function createJumps({ api, store, win, history, cursor, setView, toast }) {
  /** @param {Element | null} node */
  function flash(node) {
    if (!node || still()) return;
    node.classList.remove("flash");
    void (/** @type {HTMLElement} */ (node).offsetWidth);
    node.classList.add("flash");
  }

  /**
   * @param {string} id
   * @param {number} at
   */
  async function toPair(id, at) {
    const article = await history.jump(at, "third");
    if (!article || article.dataset["id"] !== id) return false;
    article.focus({ preventScroll: true });
    cursor.set(article);
    flash(article);
    return true;
  }

  /**
   * A pair by its id; one that the filter hides is shown by taking the filter away.
   * @param {string} id
   */
  async function byId(id) {
    try {
      const shown = win.find(id);
      if (shown) return void (await toPair(id, Number(shown.dataset["at"])));
      const ask = async () => (await api.call("GET", `/api/pairs/${encodeURIComponent(id)}`)).at ?? null;
      let at = await ask();
      if (at === null && store.get().view.filter !== "") {
        await setView({ filter: "" });
        at = await ask();
      }
      if (at === null || !(await toPair(id, at))) toast("This pair cannot be shown.");
    } catch (error) {
      toast(wordsOf(error), { error: true });
    }
  }

  document.addEventListener("click", (event) => {
    const link = closest(event, "[data-pair]");
    if (link) void byId(link.dataset["pair"] ?? "");
    const filter = closest(event, "[data-filter]");
    if (filter) void setView({ filter: filter.dataset["filter"] ?? "" }).catch((error) => toast(wordsOf(error), { error: true }));
  });

  return {
    byId,
    /** @param {import("./types.js").Hit} hit */
    async toHit(hit) {
      if (hit.at === null || hit.at === undefined || !(await toPair(hit.pair, hit.at))) await byId(hit.pair);
    },
    async toBoundary() {
      const { boundary } = store.get();
      const words = noBoundary(boundary);
      if (words) toast(words);
      await history.jump(boundary.start, "third");
      const load = win.rows.querySelector("#load");
      if (load instanceof HTMLElement) win.anchor.scrollTo(load, "third");
      win.pane.focus({ preventScroll: true });
      flash(load);
    },
  };
}
