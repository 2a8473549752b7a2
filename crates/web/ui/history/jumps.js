// Going to places: the load line, a hit of a search, a pair that a panel speaks of.

import { Problem, wordsOf } from "../base/api.js";
import { closest, parse, still } from "../base/dom.js";
import { counted } from "../base/text.js";
import { addressOf } from "../base/place.js";

/**
 * What to say when there is no line to go to, or null. Pure.
 * @param {import("../types.js").Boundary} boundary
 */
export function noBoundary({ start, x, y }) {
  if (y === 0) return "There is no pair to see here.";
  if (start > 0 || x === 0) return null;
  return x === y ? `All ${counted(y, "pair")} above the message fit: the load line is at the top.` : `The load line is at the top; ${counted(y - x, "pair")} below it ${y - x === 1 ? "is" : "are"} not sent.`;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/state.js").Store} deps.store
 * @param {import("../base/place.js").Place} deps.place
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("./history.js").History} deps.history
 * @param {import("./cursor.js").Cursor} deps.cursor
 * @param {(change: {filter: string}) => Promise<unknown>} deps.setView
 * @param {() => Promise<void>} deps.reloadRows
 * @param {import("../base/toasts.js").Toast} deps.toast
 */
export function createJumps({ api, store, place, win, history, cursor, setView, reloadRows, toast }) {
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
   * The position of a pair, or null where it is not visible.
   * @param {string} id
   */
  async function placeOf(id) {
    try {
      const at = parse(await api.html(`/ui/pair/${encodeURIComponent(id)}`))?.dataset["at"];
      return at === undefined ? null : Number(at);
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return null;
      throw error;
    }
  }

  /**
   * A pair by its id; one that the filter hides is shown by taking the filter away.
   * @param {string} id
   */
  async function byId(id) {
    try {
      const shown = win.find(id);
      if (shown) return void (await toPair(id, Number(shown.dataset["at"])));
      let at = await placeOf(id);
      // It may stand in another conversation: with everything in sight it is found.
      if (at === null && place.scope === "conversation") return void location.assign(`${addressOf({ ...place, scope: "everything" })}#${id}`);
      if (at === null && store.get().view.filter !== "") {
        await setView({ filter: "" });
        await reloadRows();
        at = await placeOf(id);
      }
      if (at !== null && (await toPair(id, at))) return;
      // It may have come just now, and its row with it.
      await reloadRows();
      at = await placeOf(id);
      if (at === null || !(await toPair(id, at))) toast("This pair is gone.");
    } catch (error) {
      toast(wordsOf(error), { error: true });
    }
  }

  document.addEventListener("click", (event) => {
    const link = closest(event, "[data-act=goto]");
    if (link) void byId(link.dataset["id"] ?? "");
    const filter = closest(event, "[data-filter]");
    if (filter) void setView({ filter: filter.dataset["filter"] ?? "" }).catch((error) => toast(wordsOf(error), { error: true }));
  });

  return {
    byId,
    /**
     * A pair that came just now, where it is visible: nobody asked for another filter or scope, and
     * with these something else would be sent.
     * @param {string} id
     */
    async toNew(id) {
      try {
        await reloadRows();
        const at = await placeOf(id);
        if (at !== null) await toPair(id, at);
      } catch {
        // It was told in words already; the reconnection brings its row.
      }
    },
    /** @param {import("../types.js").Hit} hit */
    async toHit(hit) {
      const elsewhere = place.scope === "conversation" && hit.conversation && hit.conversation !== place.conversation;
      if (elsewhere) return location.assign(`${addressOf({ ...place, conversation: hit.conversation ?? null })}#${hit.pair}`);
      try {
        // What the filter hides is shown by taking the filter away; the scope holds it.
        if (typeof hit.at !== "number" && store.get().view.filter !== "") {
          await setView({ filter: "" });
          await reloadRows();
        }
      } catch (error) {
        return void toast(wordsOf(error), { error: true });
      }
      if (typeof hit.at !== "number" || !(await toPair(hit.pair, hit.at))) await byId(hit.pair);
    },
    async toBoundary() {
      const { boundary } = store.get();
      const words = noBoundary(boundary);
      if (words) toast(words);
      const jumped = await history.jump(boundary.start, "third");
      const load = win.rows.querySelector("#load");
      if (load instanceof HTMLElement) win.anchor.scrollTo(load, "third");
      // The first pair that goes along is selected (BND-8); those in error do not.
      let first = jumped;
      while (first?.classList.contains("ooc")) first = win.findAt(Number(first.dataset["at"]) + 1);
      const selected = first ?? jumped;
      if (selected) cursor.set(selected);
      (selected ?? win.pane).focus({ preventScroll: true });
      flash(load);
    },
  };
}
