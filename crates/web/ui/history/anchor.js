// What the reader looks at, kept where it is while everything around it changes.
//
// Nothing on screen may move by itself. The first pair in view is held; a reader at the
// bottom stays at the bottom. The browser's own scroll anchoring is off (not all have it).

/** This near to the end counts as at the end. */
const BOTTOM_PX = 24;
/** Room left above or below a pair that is scrolled to. */
const EDGE_PX = 8;

/** @typedef {"top" | "third" | "nearest"} Place */

/**
 * @param {object} deps
 * @param {HTMLElement} deps.pane
 * @param {() => HTMLElement | null} deps.firstInView
 * @param {() => boolean} deps.ends  whether the newest pair is in the document
 */
export function createAnchor({ pane, firstInView, ends }) {
  let following = true;
  /** @type {{node: HTMLElement, offset: number} | null} */
  let held = null;
  /** The pane as it was when that was noted. */
  let known = { height: pane.clientHeight, scrolled: 0 };

  const top = () => pane.getBoundingClientRect().top;

  function remember() {
    // A toast made the pane lower, and nobody scrolled up: who is at the bottom stays there.
    if (following && pane.clientHeight !== known.height && pane.scrollTop >= known.scrolled) settle();
    known = { height: pane.clientHeight, scrolled: pane.scrollTop };
    following = ends() && pane.scrollHeight - pane.scrollTop - pane.clientHeight <= BOTTOM_PX;
    const node = firstInView();
    held = node && { node, offset: node.getBoundingClientRect().top - top() };
  }

  function settle() {
    if (following) pane.scrollTop = pane.scrollHeight;
    else if (held?.node.isConnected) {
      const moved = held.node.getBoundingClientRect().top - top() - held.offset;
      if (Math.abs(moved) >= 1) pane.scrollTop += moved;
    }
  }

  return {
    /** Notes what is in view; called on scrolling. */
    remember,
    /** Puts it back, after something changed its height. */
    settle,
    /** Whether the reader is at the bottom and wants to stay there (UI-5). */
    get following() { return following; },
    /** What is held, by id and position, to be found again after a reload. */
    get held() {
      return held && { id: held.node.dataset["id"] ?? "", at: Number(held.node.dataset["at"]), offset: held.offset };
    },
    /**
     * Changes the document without moving what is in view.
     * @param {() => void} change
     */
    keep(change) {
      remember();
      change();
      settle();
    },
    /**
     * Holds another pair from now on.
     * @param {HTMLElement} node
     * @param {number} offset  from the top of the pane
     */
    hold(node, offset) {
      following = false;
      held = { node, offset };
      settle();
    },
    toBottom() {
      following = true;
      settle();
    },
    /**
     * @param {HTMLElement} node
     * @param {Place} place
     */
    scrollTo(node, place) {
      const rect = node.getBoundingClientRect();
      const from = rect.top - top();
      const room = pane.clientHeight - rect.height;
      if (place === "nearest" && from >= 0 && from <= room) return;
      let goal = EDGE_PX;
      if (place === "third") goal = pane.clientHeight / 3;
      else if (place === "nearest" && from > 0 && room > EDGE_PX) goal = room - EDGE_PX;
      following = false;
      pane.scrollTop += from - goal;
      remember();
    },
  };
}

/** @typedef {ReturnType<typeof createAnchor>} Anchor */
