// Walking back through what was written earlier, and forth to what was being written. Pure.

/** @param {readonly string[]} [newestFirst] */
export function createWalk(newestFirst = []) {
  let items = [...newestFirst];
  /** −1 is the text that was being written. */
  let at = -1;
  let own = "";

  return {
    get walking() { return at >= 0; },
    /** @param {readonly string[]} fresh */
    load(fresh) {
      items = [...fresh];
      at = -1;
    },
    /**
     * Adds what was just sent; a repetition of the newest is not kept twice.
     * @param {string} text
     */
    add(text) {
      if (text.trim() && items[0] !== text) items.unshift(text);
      at = -1;
    },
    /**
     * The next older text that differs from the one shown, or null at the end.
     * @param {string} current
     */
    older(current) {
      let next = at + 1;
      while (next < items.length && items[next] === current) next += 1;
      const text = items[next];
      if (text === undefined) return null;
      if (at < 0) own = current;
      at = next;
      return text;
    },
    /** The next newer text; at the end what was being written; null when not walking. */
    newer() {
      if (at < 0) return null;
      at -= 1;
      return at < 0 ? own : (items[at] ?? own);
    },
    /** What is shown was edited: it is the text being written now. */
    stop() {
      at = -1;
    },
  };
}

/** @typedef {ReturnType<typeof createWalk>} Walk */
