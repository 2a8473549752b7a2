// The current pair: the one that keys in VIEW are about.

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
  /** @type {number | null} */
  let heading = null;

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
    return box.bottom > frame.top + 4 && box.top < frame.bottom - 4;
  }

  /** The lowest pair of which anything can be seen: the one that was just talked about. */
  function lastInView() {
    let last = null;
    for (let node = win.firstInView(); node && inView(node); ) {
      last = node;
      node = win.findAt(Number(node.dataset["at"]) + 1);
    }
    return last;
  }

  /**
   * @param {number} at
   * @param {import("./anchor.js").Place} place
   */
  async function go(at, place) {
    heading = at;
    // What is next to the rendered pairs is brought by the window itself, without a jump.
    if (!win.findAt(at) && (win.findAt(at - 1) || win.findAt(at + 1))) await win.pump();
    const article = await history.jump(at, place).catch(() => null);
    if (heading === at) heading = null;
    if (!article || heading !== null) return;
    article.focus({ preventScroll: true });
    set(article);
  }

  return {
    set,
    /** @returns {{id: string, at: number} | null} */
    get: () => current,
    article: () => (current ? win.find(current.id) : null),
    /** Focuses the current pair where it is; without one, the lowest in view. */
    focus() {
      const article = current && win.find(current.id);
      const goal = article && inView(article) ? article : lastInView();
      (goal ?? pane).focus({ preventScroll: true });
      if (goal) set(goal);
    },
    /** @param {1 | -1} by */
    async move(by) {
      if (heading !== null) return go(Math.min(Math.max(heading + by, 0), win.y - 1), "nearest");
      const article = current && win.find(current.id);
      // Who scrolled far away goes on from what is in view.
      const from = article && !inView(article) ? win.firstInView() : null;
      if (from) return go(Number(from.dataset["at"]), "nearest");
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
