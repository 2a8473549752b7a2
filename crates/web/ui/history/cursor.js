// The current pair: the one that keys in VIEW are about. It is always one that can be seen.

import { debounced } from "../base/dom.js";

/** No scrolling for so long, and the selection is where the reader is. */
const QUIET_MS = 60;
/** So much of a pair is to be seen before a key is about it. */
const SEEN_PX = 24;

/**
 * @param {object} deps
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {import("./history.js").History} deps.history
 */
export function createCursor({ win, history }) {
  const { pane } = win;
  /** @type {{id: string, at: number} | null} */
  let current = null;
  /** Where keys are leading while rows are still on their way: a held key does not wait. */
  /** @type {{at: number, place: import("./anchor.js").Place} | null} */
  let heading = null;
  /** @type {Promise<void> | null} */
  let going = null;

  /** @param {HTMLElement | null} article */
  function set(article) {
    for (const old of win.rows.querySelectorAll(".pair.current")) if (old !== article) old.classList.remove("current");
    article?.classList.add("current");
    current = article && { id: article.dataset["id"] ?? "", at: Number(article.dataset["at"]) };
  }

  pane.addEventListener("focusin", ({ target }) => {
    const article = target instanceof Element ? target.closest(".pair[data-id]") : null;
    if (article instanceof HTMLElement) set(article);
  });

  /** @param {HTMLElement} article */
  function inView(article) {
    const box = article.getBoundingClientRect();
    const frame = pane.getBoundingClientRect();
    const seen = Math.min(SEEN_PX, box.height, frame.height);
    return box.bottom >= frame.top + seen && box.top <= frame.bottom - seen;
  }

  /** The highest pair of which enough can be seen. */
  function firstInView() {
    let node = win.firstInView();
    while (node && !inView(node)) {
      const next = win.findAt(Number(node.dataset["at"]) + 1);
      if (!next || next.getBoundingClientRect().top > pane.getBoundingClientRect().bottom) break;
      node = next;
    }
    return node;
  }

  /** The lowest pair of which anything can be seen: the one that was just talked about. */
  function lastInView() {
    let last = null;
    for (let node = firstInView(); node && inView(node); ) {
      last = node;
      node = win.findAt(Number(node.dataset["at"]) + 1);
    }
    return last;
  }

  /**
   * Goes to a position; while it is on its way there, a later one takes its place.
   * @param {number} at
   * @param {import("./anchor.js").Place} place
   */
  function go(at, place) {
    heading = { at, place };
    going ??= arrive().finally(() => { going = null; });
    return going;
  }

  /**
   * Who scrolled on is with what is on screen: the selection goes along. Says whether it did.
   */
  function follow() {
    if (!current || heading) return false;
    const old = win.find(current.id);
    if (old && inView(old)) return false;
    const above = old ? old.getBoundingClientRect().top < pane.getBoundingClientRect().top : current.at < Number(win.firstInView()?.dataset["at"] ?? 0);
    const goal = above ? firstInView() : lastInView();
    if (!goal || goal === old) return false;
    // Only a selection that has the focus itself takes it along; an open editor keeps it.
    const focused = document.activeElement === old || document.activeElement === pane;
    set(goal);
    if (focused) goal.focus({ preventScroll: true });
    return true;
  }
  const quiet = debounced(QUIET_MS, follow);
  pane.addEventListener("scroll", () => quiet.call(), { passive: true });

  async function arrive() {
    while (heading) {
      const goal = heading;
      // What is next to the rendered pairs is brought by the window itself, without a jump.
      if (!win.findAt(goal.at) && (win.findAt(goal.at - 1) || win.findAt(goal.at + 1))) await win.pump();
      const article = await history.jump(goal.at, goal.place).catch(() => null);
      if (heading !== goal) continue;
      heading = null;
      article?.focus({ preventScroll: true });
      if (article) set(article);
    }
  }

  return {
    set,
    /** @returns {{id: string, at: number} | null} */
    get: () => current,
    article: () => (current ? win.find(current.id) : null),
    /**
     * What a key is about: the selected pair, which is on screen. One that was scrolled away
     * this very moment is not meant; then another is selected, and nothing is done to it yet.
     * @returns {{article: HTMLElement | null, moved: boolean}}
     */
    forKey() {
      win.anchor.remember();
      const moved = follow();
      const article = current && win.find(current.id);
      return { article: article && inView(article) ? article : null, moved };
    },
    /** Focuses the current pair where it is; without one, the lowest in view. */
    focus() {
      const article = current && win.find(current.id);
      const goal = article && inView(article) ? article : lastInView();
      (goal ?? pane).focus({ preventScroll: true });
      if (goal) set(goal);
    },
    /** @param {1 | -1} by */
    async move(by) {
      if (heading) return go(Math.min(Math.max(heading.at + by, 0), win.y - 1), "nearest");
      // Who scrolled away goes on from what is in view: that is where the selection is now.
      if (follow() && current) return go(current.at, "nearest");
      const at = current ? current.at + by : by > 0 ? Number(win.firstInView()?.dataset["at"] ?? 0) : win.y - 1;
      return go(Math.min(Math.max(at, 0), win.y - 1), "nearest");
    },
    first: () => go(0, "top"),
    async last() {
      await history.toBottom();
      const article = win.findAt(win.y - 1);
      article?.focus({ preventScroll: true });
      set(article);
    },
    /** Rendered again: it is still the current one, perhaps at another place. */
    /** @param {ParentNode} root */
    restore(root) {
      if (!current) return;
      const own = root instanceof HTMLElement && root.dataset["id"] === current.id ? root : null;
      const article = own ?? root.querySelector(`.pair[data-id="${CSS.escape(current.id)}"]`);
      if (!(article instanceof HTMLElement)) return;
      article.classList.add("current");
      current.at = Number(article.dataset["at"]);
    },
  };
}

/** @typedef {ReturnType<typeof createCursor>} Cursor */
