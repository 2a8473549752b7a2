// What the menu below the box offers: filters for an empty box, completions, the best hits of a
// search, and the question which of two readings was meant (UI-20).

import { debounced, el } from "../base/dom.js";
import { commandAt, completed, readsAsWords } from "./text.js";
import { opening } from "../base/text.js";

const COMPLETE_MS = 80;
const SEARCH_MS = 180;
/** As many hits come while somebody types; Enter lists them all. */
const FIRST_HITS = 6;
const MOST_RECENT = 6;
const MOST_SAVED = 12;

/** @typedef {import("../types.js").Hit} Hit */
/** @typedef {import("../base/list.js").Item} Item */

/** Filters to begin with, in words. The last one is for who looks at everything. */
const EXAMPLES = /** @type {const} */ ([
  ["last 24 hours", "d<24h"], ["starred", "s>=1"], ["pinned", "p"], ["with files", "a"], ["sent next", "o"], ["failed", "e"],
]);
const THIS_CONVERSATION = /** @type {const} */ (["this conversation", "t"]);

/**
 * What an empty box offers: filters used last, saved ones, and examples. Pure.
 * @param {object} known
 * @param {readonly string[]} known.recent  newest first
 * @param {readonly {name: string, text: string}[]} known.saved
 * @param {boolean} known.everything  whether all conversations are looked at
 * @returns {{group: string, label: string, filter: string}[]}
 */
export function offersOf({ recent, saved, everything }) {
  const examples = everything ? [THIS_CONVERSATION, ...EXAMPLES] : EXAMPLES;
  // Commands change pairs: they are no filters to go back to.
  const filters = [...new Set(recent)].filter((text) => commandAt(text) < 0).slice(0, MOST_RECENT);
  return [
    ...filters.map((filter) => ({ group: "Recent", label: opening(filter, 32), filter })),
    ...saved.slice(0, MOST_SAVED).map(({ name }) => ({ group: "Saved", label: `@${name}`, filter: `@${name}` })),
    ...examples.map(([label, filter]) => ({ group: "Examples", label, filter })),
  ];
}

/**
 * Whether the best completion is selected from the start, so that Enter takes it: only where what
 * is written cannot stand as it is, inside a quote or behind an @. Pure.
 * @param {string} text
 * @param {import("../types.js").Completion} answer
 */
export function takesBest(text, { from, to, items }) {
  const [best] = items;
  const before = text.slice(0, from);
  return best !== undefined && (before.endsWith("@") || quoteIsOpen(before)) && text.slice(from, to) !== best.insert;
}

/**
 * Whether a quote was begun and not ended: behind one that is, a filter may stand as it is. Pure.
 * @param {string} text
 */
function quoteIsOpen(text) {
  let open = "";
  for (let i = 0; i < text.length; i += 1) {
    const letter = text[i] ?? "";
    if (open && letter === "\\") i += 1;
    else if (open) open = letter === open ? "" : open;
    else if (letter === "'" || letter === '"') open = letter;
  }
  return open !== "";
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {HTMLInputElement} deps.field
 * @param {HTMLElement} deps.menu
 * @param {ReturnType<typeof import("../base/list.js").createList>} deps.list
 * @param {(hit: Hit) => Item} deps.entryOf
 * @param {(text: string) => void} deps.onAll  all hits are wanted
 * @param {(filter: string) => void} deps.onFilter  a filter was chosen
 * @param {() => void} deps.onInsert
 * @param {() => readonly string[]} deps.recent  filters, the newest first
 * @param {boolean} deps.everything
 */
export function createCompletion({ api, field, menu, list, entryOf, onAll, onFilter, onInsert, recent, everything }) {
  let turn = 0;
  /** @type {"completions" | "hits" | "offers" | "question" | null} */
  let kind = null;

  /**
   * @param {typeof kind} what
   * @param {Item[]} items
   * @param {number} [chosen]
   */
  function show(what, items, chosen = -1) {
    kind = items.length ? what : null;
    menu.classList.toggle("offers", kind === "offers");
    list.show(items, chosen);
  }

  /** @param {import("../types.js").Completion} answer */
  function entries(answer) {
    return answer.items.map(({ insert, label }) => ({
      label: insert,
      detail: label === insert ? "" : label,
      choose() {
        const { text, caret } = completed(field.value, answer, insert);
        field.value = text;
        field.setSelectionRange(caret, caret);
        onInsert();
        // The entries belong to the text before; the next key must not take one again.
        close();
        ask.call();
      },
    }));
  }

  /** @param {string} text */
  const allEntry = (text) => ({ label: `All hits for “${opening(text, 32)}”`, detail: "Enter", choose: () => onAll(text) });

  const ask = debounced(COMPLETE_MS, async () => {
    const mine = (turn += 1);
    const text = field.value;
    const cursor = field.selectionStart ?? text.length;
    const words = readsAsWords(text) && commandAt(text) < 0;
    try {
      const answer = await api.call("GET", `/api/complete?text=${encodeURIComponent(text)}&cursor=${cursor}`);
      if (mine !== turn || document.activeElement !== field) return;
      const found = entries(answer);
      if (!words) return show("completions", found, takesBest(text, answer) ? 0 : -1);
      show(found.length ? "completions" : "hits", [...found, allEntry(text)]);
      hits.call(text, mine, found);
    } catch {
      close();
    }
  });

  const hits = debounced(SEARCH_MS - COMPLETE_MS, async (/** @type {string} */ text, /** @type {number} */ mine, /** @type {Item[]} */ found) => {
    try {
      const answer = await api.call("GET", `/api/search?q=${encodeURIComponent(text.trim())}&limit=${FIRST_HITS}`);
      if (mine !== turn || document.activeElement !== field) return;
      show(found.length ? "completions" : "hits", [...found, ...answer.hits.map(entryOf), allEntry(text)]);
    } catch {
      close();
    }
  });

  function close() {
    turn += 1;
    kind = null;
    ask.drop();
    hits.drop();
    menu.classList.remove("offers");
    list.close();
  }

  return {
    typed: () => ask.call(),
    close,
    /** Whether the menu completes what is written. */
    completes: () => kind === "completions",
    /** For the empty box. */
    async offer() {
      const mine = (turn += 1);
      const { filters } = await api.call("GET", "/api/filters").catch(() => ({ filters: [] }));
      if (mine !== turn || field.value !== "" || document.activeElement !== field) return;
      show("offers", offersOf({ recent: recent(), saved: filters, everything })
        .map(({ group, label, filter }) => ({ group, label, title: filter, choose: () => onFilter(filter) })));
    },
    /**
     * A word that is a filter too: which was meant?
     * @param {string} text
     * @param {number} found  pairs that hold it
     */
    ask(text, found) {
      turn += 1;
      show("question", [
        { label: `Search for the word “${text}”`, detail: found === 0 ? "in no pair" : found === 1 ? "1 hit" : `${found} hits`, choose: () => onAll(text) },
        { label: `Use ${text} as a filter`, detail: "which pairs are shown, and sent", choose: () => onFilter(text) },
      ], 0);
    },
  };
}
