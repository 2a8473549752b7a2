// What the menu below the filter box offers: completions, saved names, and hits of a search.

import { debounced, el } from "../base/dom.js";
import { commandAt, completed, readsAsWords } from "./text.js";
import { opening } from "../base/text.js";

const COMPLETE_MS = 80;
const SEARCH_MS = 180;
const HITS = 8;

/** @typedef {import("../types.js").Hit} Hit */
/** @typedef {import("../base/list.js").Item} Item */

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {HTMLInputElement} deps.field
 * @param {ReturnType<typeof import("../base/list.js").createList>} deps.list
 * @param {(hit: Hit) => void} deps.onHit
 * @param {() => void} deps.onInsert
 * @param {string | null} deps.within  the conversation that is looked at alone
 */
export function createCompletion({ api, field, list, onHit, onInsert, within }) {
  let turn = 0;

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
        ask.call();
      },
    }));
  }

  /**
   * @param {Hit} hit
   * @returns {Item}
   */
  function entryOf(hit) {
    const text = el("span", { class: "snippet" });
    // The server escapes the text and marks the words itself.
    text.innerHTML = hit.snippetHtml;
    const elsewhere = within !== null && hit.conversation !== within;
    const unseen = elsewhere ? ` · in “${hit.title ?? ""}”` : " · hidden by the filter";
    const hidden = hit.at === null || hit.at === undefined ? unseen : "";
    return { label: "", rich: text, detail: hit.createdAt.slice(0, 10) + hidden, choose: () => onHit(hit) };
  }

  /** @param {string} text */
  function wordsEntry(text) {
    return { label: `Search for “${opening(text, 32)}”`, detail: "in all pairs", choose: () => void search(text) };
  }

  const ask = debounced(COMPLETE_MS, async () => {
    const mine = (turn += 1);
    const text = field.value;
    const cursor = field.selectionStart ?? text.length;
    const words = readsAsWords(text);
    try {
      const answer = await api.call("GET", `/api/complete?text=${encodeURIComponent(text)}&cursor=${cursor}`);
      if (mine !== turn || document.activeElement !== field) return;
      const found = entries(answer);
      list.show(words ? [...found, wordsEntry(text)] : found);
      if (words && commandAt(text) < 0) hits.call(text, mine);
    } catch {
      list.close();
    }
  });

  const hits = debounced(SEARCH_MS - COMPLETE_MS, async (/** @type {string} */ text, /** @type {number} */ mine) => {
    if (mine === turn) await search(text, mine);
  });

  /**
   * @param {string} text
   * @param {number} [mine]
   */
  async function search(text, mine = (turn += 1)) {
    try {
      const answer = await api.call("GET", `/api/search?q=${encodeURIComponent(text.trim())}&limit=${HITS}`);
      if (mine !== turn || document.activeElement !== field) return false;
      /** @type {Hit[]} */
      const found = answer.hits;
      const none = { label: `No pair has “${opening(text, 32)}”`, off: true, choose() {} };
      list.show([...found.map(entryOf), ...(found.length ? [] : [none])]);
      return found.length > 0;
    } catch {
      list.close();
      return false;
    }
  }

  return {
    typed: () => ask.call(),
    search,
    close() {
      turn += 1;
      ask.drop();
      hits.drop();
      list.close();
    },
  };
}
