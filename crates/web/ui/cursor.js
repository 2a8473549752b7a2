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
   * Goes to a position; while it is on its way there, a later one takes its place.
   * @param {number} at
   * @param {import("./anchor.js").Place} place
   */
  function go(at, place) {
    heading = { at, place };
    going ??= arrive().finally(() => { going = null; });
    return going;
  }

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
