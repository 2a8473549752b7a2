// The conversations that were fetched so far, page by page (UI-15). Knows no document.

/** @typedef {import("./list.js").Conversation} Conversation */
/** @typedef {{conversations: Conversation[], total: number, next?: string}} Page */

/** So many are fetched at once; more when somebody comes near the end. */
export const PAGE = 100;
/** The server gives no more at once. */
const MOST = 500;

/** @param {(query: string) => Promise<Page>} fetchPage */
export function createPages(fetchPage) {
  /** @type {Conversation[]} */
  let all = [];
  let total = 0;
  let find = "";
  /** @type {string | undefined} */
  let next;
  /** The newest question: answers to older ones count no longer. */
  let asked = 0;
  /** The newest question that was answered, and the one whose next page is on its way. */
  let answered = 0;
  let continued = -1;

  /**
   * A page, if its question is still the newest when it comes; of others nobody wants to hear, not
   * even that they failed.
   * @param {number} mine
   * @param {number} limit
   * @param {string} [before]
   * @returns {Promise<Page | null>}
   */
  async function page(mine, limit, before) {
    const query = new URLSearchParams({ limit: String(limit) });
    if (find) query.set("find", find);
    if (before) query.set("before", before);
    try {
      const fetched = await fetchPage(query.toString());
      return mine === asked ? fetched : null;
    } catch (error) {
      if (mine !== asked) return null;
      throw error;
    }
  }

  /**
   * The first `wanted` conversations anew. Whether they are here: a later question may have come
   * between, which brings what is wanted now.
   * @param {number} wanted
   */
  async function load(wanted) {
    const mine = (asked += 1);
    /** @type {Conversation[]} */
    const fetched = [];
    /** @type {Page | null} */
    let last = null;
    do {
      last = await page(mine, Math.min(MOST, Math.max(wanted - fetched.length, 1)), last?.next);
      if (!last) return false;
      fetched.push(...unknownOf(last.conversations, fetched));
    } while (fetched.length < wanted && last.next);
    all = fetched;
    answered = mine;
    ({ total, next } = last);
    return true;
  }

  return {
    all: () => all,
    /** How many there are, fetched or not. */
    total: () => total,
    /** The words that the titles hold. */
    find: () => find,
    ended: () => next === undefined,
    /**
     * Those whose title holds these words.
     * @param {string} words
     */
    search(words) {
      find = words;
      return load(PAGE);
    },
    reload: load,
    /** The next page; only those of it that are not here yet, since some may have moved down. */
    async more() {
      if (next === undefined || asked !== answered || continued === asked) return [];
      const mine = (continued = asked);
      try {
        const fetched = await page(mine, PAGE, next);
        if (!fetched) return [];
        const added = unknownOf(fetched.conversations, all);
        all = [...all, ...added];
        ({ total, next } = fetched);
        return added;
      } finally {
        if (continued === mine) continued = -1;
      }
    },
  };
}

/**
 * @param {Conversation[]} some
 * @param {Conversation[]} known
 */
function unknownOf(some, known) {
  const ids = new Set(known.map(({ id }) => id));
  return some.filter(({ id }) => !ids.has(id));
}
