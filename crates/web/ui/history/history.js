// What happens to pairs on screen: they come, change, go, and are jumped to.

import { CHUNK, around } from "./chunks.js";
import { el, parse } from "../base/dom.js";
import { keepFolds, keepWriting } from "./folds.js";

/**
 * @param {object} deps
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {(root: HTMLElement) => void} deps.onRendered
 */
export function createHistory({ win, onRendered }) {
  const { anchor } = win;

  /** @param {string} html */
  function render(html) {
    const article = parse(html);
    if (article) onRendered(article);
    return article;
  }

  /**
   * The place for a new pair: below all pairs, above what is sent right before the message.
   * @param {HTMLElement} chunk
   */
  function insertionPoint(chunk) {
    let before = null;
    for (let node = chunk.lastElementChild; node?.matches(".filesrow"); node = node.previousElementSibling) before = node;
    return before;
  }

  /**
   * A new pair below all others. One that stands among them, as a summary does, comes with its
   * neighbours when they are loaded.
   * @param {string} html
   * @param {number} at
   */
  function append(html, at) {
    const y = Math.max(win.y, at + 1);
    const article = win.ends() && at >= win.loaded.to ? render(html) : null;
    if (!article) return win.setCount(y);
    anchor.keep(() => {
      const last = win.lastChunk();
      if (last && (last.to % CHUNK !== 0 || last.to === last.from)) {
        last.node.insertBefore(article, insertionPoint(last.node));
        last.to = at + 1;
        last.node.dataset["to"] = String(last.to);
      } else {
        const node = el("div", { class: "chunk", "data-from": at, "data-to": at + 1 }, article);
        // What is sent last stays last, below the new chunk.
        const tail = last && insertionPoint(last.node);
        for (let part = tail; part; ) {
          const next = part.nextElementSibling;
          node.append(part);
          part = next;
        }
        win.push({ from: at, to: at + 1, height: 0, node });
      }
      win.setCount(y);
    });
  }

  return {
    /**
     * A pair as it is now. One that is not shown is left alone.
     * @param {string} id
     * @param {string} html
     */
    replace(id, html) {
      const old = win.find(id);
      const fresh = old && render(html);
      if (!old || !fresh) return null;
      if (win.press.within(old)) {
        void win.press.over().then(() => this.replace(id, html));
        return old;
      }
      const focused = old.contains(document.activeElement);
      keepFolds(old)(fresh);
      const writeOn = keepWriting(old);
      anchor.keep(() => old.replaceWith(fresh));
      if (focused && !writeOn(fresh)) fresh.focus({ preventScroll: true });
      return fresh;
    },
    append,
    /** @param {string[]} ids */
    remove(ids) {
      for (const id of ids) {
        const gone = win.find(id);
        if (!gone) continue;
        const focused = gone.contains(document.activeElement);
        const near = gone.nextElementSibling ?? gone.previousElementSibling;
        anchor.keep(() => gone.remove());
        if (focused) (near instanceof HTMLElement && near.matches(".pair[data-id]") ? near : win.pane).focus({ preventScroll: true });
      }
    },
    /**
     * Positions changed: asks again for what is shown, and keeps the reader's place. Whether the
     * rows of the arrangement are shown now.
     * @param {{y: number, shape: number}} wanted
     * @param {object} [how]
     * @param {boolean} [how.bottom]   go to the newest, for another filter
     * @param {() => boolean} [how.old]  whether what came was overtaken by events, and is not shown
     * @param {() => void} [how.after]   together with the rows, before anything is painted
     */
    async refetch(wanted, { bottom = false, old = () => false, after } = {}) {
      const { y } = wanted;
      anchor.remember();
      let { held } = anchor;
      let follow = bottom || anchor.following;
      const from = win.pane.scrollTop;
      // Who went on reading while the rows were on their way is not taken back.
      const before = () => {
        if (bottom) win.forget();
        if (bottom || Math.abs(win.pane.scrollTop - from) <= 1) return;
        anchor.remember();
        ({ held, following: follow } = anchor);
      };
      // Without a pair there is still what goes along with a message: the line and the prelude.
      const ranges = y === 0 ? [{ from: 0, to: 0 }] : follow ? around(y - 1, y) : win.again(y);
      if (!(await win.show(ranges, { wanted, before, after, old }))) return false;
      const node = follow || !held ? null : (win.find(held.id) ?? win.findAt(Math.min(held.at, y - 1)));
      if (node && held) anchor.hold(node, held.offset);
      else if (follow) anchor.toBottom();
      void win.pump();
      return true;
    },
    /**
     * Brings a position into view, wherever it is.
     * @param {number} at
     * @param {import("./anchor.js").Place} place
     * @returns {Promise<HTMLElement | null>}
     */
    async jump(at, place) {
      const here = Math.min(Math.max(at, 0), win.y - 1);
      if (here < 0) return null;
      let node = win.findAt(here);
      if (!node) {
        if (!(await win.show(around(here, win.y)))) return null;
        node = win.findAt(here);
        if (node) anchor.hold(node, place === "third" ? win.pane.clientHeight / 3 : 8);
      }
      if (node) anchor.scrollTo(node, place);
      void win.pump();
      return node;
    },
    /** Shows the newest pair. */
    async toBottom() {
      if (!win.ends() && !(await win.show(around(win.y - 1, win.y)))) return;
      anchor.toBottom();
      void win.pump();
    },
  };
}

/** @typedef {ReturnType<typeof createHistory>} History */
