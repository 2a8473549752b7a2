// The load line by hand (UI-17): keys and the mouse say where the context begins.

import { wordsOf } from "../base/api.js";
import { closest } from "../base/dom.js";

/** How far a pointer goes before it drags. */
const DRAG_PX = 4;
/** So close to an edge of the pane it scrolls. */
const EDGE_PX = 40;
const NO_ROOM = "There is no room for more above the line.";

/** @typedef {{id: string, use?: string | undefined, sent: boolean}} LineRow */

/**
 * Where the line goes by one step: a position, `y` for behind the newest pair, or null where it
 * cannot go. Pins go along wherever the line is, so they are passed over. Pure but for `row`.
 * @param {(at: number) => Promise<LineRow | undefined>} row
 * @param {{start: number, y: number}} line
 * @param {1 | -1} step  1 is down: one pair less is sent
 * @returns {Promise<number | null>}
 */
export async function nextStart(row, { start, y }, step) {
  let at = start;
  // Down from the oldest pair that is not pinned and is sent: those before it are not sent anyway.
  if (step > 0) {
    for (let one = await row(at); at < y && (!one?.sent || one.use === "pinned"); one = await row(at)) at += 1;
    if (at >= y) return null;
  }
  do at += step; while (at >= 0 && at < y && (await row(at))?.use === "pinned");
  return at < 0 ? null : at;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/state.js").Store} deps.store
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {(change: {contextFrom: string}) => Promise<unknown>} deps.setView
 * @param {import("../base/toasts.js").Toast} deps.toast
 */
export function createLine({ api, store, win, setView, toast }) {
  /**
   * A visible pair, also one that is not loaded.
   * @param {number} at
   * @returns {Promise<LineRow | undefined>}
   */
  async function row(at) {
    const shown = win.findAt(at);
    if (shown) return { id: shown.dataset["id"] ?? "", use: shown.dataset["use"], sent: !shown.classList.contains("ooc") };
    if (at < 0 || at >= store.get().boundary.y) return undefined;
    const { pairs: [pair] } = await api.call("GET", `/api/pairs?from=${at}&limit=1`);
    return pair && { id: pair.id, use: pair.use, sent: pair.included };
  }

  /** @param {1 | -1} step */
  async function move(step) {
    const { boundary, contextFrom = "" } = store.get();
    const at = await nextStart(row, boundary, step);
    if (at === null) return void toast(step > 0 ? "No more of the history can be left out this way." : "There is nothing older to send.");
    const next = at < boundary.y ? await row(at) : undefined;
    await setView({ contextFrom: next ? next.id : "end" });
    if (step > 0 || store.get().boundary.start <= at) return;
    // A mark that changes nothing now would hold back more later, with a larger model.
    await setView({ contextFrom });
    toast(NO_ROOM);
  }

  /**
   * The context begins with a pair, or behind the newest.
   * @param {HTMLElement | null} article
   */
  async function beginAt(article) {
    await setView({ contextFrom: article ? (article.dataset["id"] ?? "") : "end" });
    if (article && store.get().boundary.start > Number(article.dataset["at"])) toast(NO_ROOM);
  }

  const told = (/** @type {unknown} */ error) => void toast(wordsOf(error), { error: true });

  /**
   * The pair that the line would stand above if it were let go here; null behind the newest one,
   * undefined where nobody can say.
   * @param {number} y  in the window of the browser
   */
  function under(y) {
    const articles = /** @type {HTMLElement[]} */ ([...win.rows.querySelectorAll(".pair[data-id]")]);
    const below = articles.find((article) => {
      const { top, height } = article.getBoundingClientRect();
      return y < top + height / 2;
    });
    return below ?? (win.ends() ? null : undefined);
  }

  /** @type {{id: number, y: number, moved: boolean} | null} */
  let drag = null;
  /** @type {HTMLElement | null | undefined} */
  let target;

  /** @param {HTMLElement | null | undefined} next */
  function aim(next) {
    target?.classList.remove("line-here");
    target = next;
    target?.classList.add("line-here");
  }

  function stop() {
    drag = null;
    aim(undefined);
    win.pane.classList.remove("dragging-line");
  }

  win.rows.addEventListener("pointerdown", (event) => {
    if (!closest(event, "#load .grip") || event.button !== 0) return;
    event.preventDefault();
    drag = { id: event.pointerId, y: event.clientY, moved: false };
  });
  // The line may be drawn anew under the pointer, so that the whole window is listened to.
  window.addEventListener("pointermove", (event) => {
    if (drag?.id !== event.pointerId) return;
    if (!(event.buttons & 1)) return stop();
    drag.moved ||= Math.abs(event.clientY - drag.y) > DRAG_PX;
    if (!drag.moved) return;
    win.pane.classList.add("dragging-line");
    const { top, bottom } = win.pane.getBoundingClientRect();
    if (event.clientY < top + EDGE_PX) win.pane.scrollBy({ top: -EDGE_PX });
    else if (event.clientY > bottom - EDGE_PX) win.pane.scrollBy({ top: EDGE_PX });
    aim(under(event.clientY));
  });
  window.addEventListener("pointerup", (event) => {
    if (drag?.id !== event.pointerId) return;
    const [moved, goal] = [drag.moved, target];
    stop();
    if (moved && goal !== undefined) beginAt(goal).catch(told);
  });
  window.addEventListener("pointercancel", stop);
  window.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !drag) return;
    event.stopPropagation();
    stop();
  }, { capture: true });
  win.rows.addEventListener("dblclick", (event) => {
    if (closest(event, "#load") && store.get().contextFrom) setView({ contextFrom: "" }).catch(told);
  });

  return { up: () => move(-1), down: () => move(1), beginAt };
}
