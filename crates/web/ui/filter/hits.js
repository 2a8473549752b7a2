// All hits of a search, as a list over the history (UI-20, HIS-7). What is visible, and so what is
// sent, stays as it is until one is opened or the words are used as a filter.

import { el } from "../base/dom.js";
import { createList } from "../base/list.js";
import { counted, opening } from "../base/text.js";
import { filterOfWords } from "./text.js";

/** As many are listed. */
const MOST = 500;

/** @typedef {import("../types.js").Hit} Hit */

/**
 * A hit as an entry of a list.
 * @param {Hit} hit
 * @param {{within: string | null, open: (hit: Hit) => void}} how
 * @returns {import("../base/list.js").Item}
 */
export function hitEntry(hit, { within, open }) {
  const text = el("span", { class: "snippet" });
  // The server escapes the text and marks the words itself.
  text.innerHTML = hit.snippetHtml;
  const elsewhere = within !== null && hit.conversation !== within;
  const unseen = elsewhere ? ` · in “${opening(hit.title ?? "", 40)}”` : " · hidden by the filter";
  const hidden = hit.at === null || hit.at === undefined ? unseen : "";
  return { label: "", rich: text, detail: hit.createdAt.slice(0, 10) + hidden, choose: () => open(hit) };
}

/**
 * What stands above the list. Pure.
 * @param {string} text
 * @param {number} found
 */
export function hitsTitle(text, found) {
  const words = `“${opening(text, 60)}”`;
  if (found === 0) return `No pair has ${words}`;
  if (found >= MOST) return `The best ${counted(MOST, "hit")} for ${words}`;
  return `${counted(found, "hit")} for ${words}, the best first`;
}

/**
 * @param {object} deps
 * @param {HTMLElement} deps.box
 * @param {HTMLInputElement} deps.field  that keeps the focus
 * @param {import("../base/api.js").Api} deps.api
 * @param {(hit: Hit) => import("../base/list.js").Item} deps.entryOf
 * @param {(filter: string) => void} deps.useAsFilter
 * @param {() => void} deps.asWritten  the text is read as a filter, and its mistake is told
 * @param {() => void} deps.leave
 */
export function createHits({ box, field, api, entryOf, useAsFilter, asWritten, leave }) {
  const title = el("h2", {});
  const use = el("button", { type: "button", class: "btn", title: "Show only the pairs of the scope that hold these words; only they are sent then", onclick: () => useAsFilter(filterOfWords(words)) }, "Use as filter");
  const raw = el("button", { type: "button", class: "btn", onclick: asWritten }, "Read it as a filter");
  const shut = el("button", { type: "button", class: "btn", onclick: leave }, "Close ", el("kbd", {}, "Esc"));
  const entries = el("ul", { class: "menu", id: "hits-list", role: "listbox", "aria-label": "Hits" });
  box.append(el("div", { class: "hits-head" }, el("div", { class: "hits-title", role: "status" }, title), use, raw, shut), entries);
  const list = createList(entries, field);
  let words = "";
  let turn = 0;

  return {
    list,
    get open() { return !box.hidden; },
    /** Whether an element is part of it. @param {EventTarget | null} node */
    holds: (node) => node instanceof Node && box.contains(node),
    focusActions: () => (use.hidden ? raw : use).focus(),
    /**
     * Asks for all hits; `unsure` is told when the words are a filter as well.
     * @param {string} text
     * @param {(found: number) => void} [unsure]
     */
    async show(text, unsure) {
      const mine = (turn += 1);
      const { hits, alsoFilter } = await api.call("GET", `/api/search?q=${encodeURIComponent(text.trim())}&limit=${MOST}`);
      if (mine !== turn) return;
      if (alsoFilter && unsure) return unsure(hits.length);
      words = text;
      title.textContent = hitsTitle(text, hits.length);
      use.hidden = hits.length === 0;
      raw.hidden = hits.length > 0;
      box.hidden = false;
      field.setAttribute("aria-controls", entries.id);
      list.show(hits.map(entryOf), hits.length ? 0 : -1);
    },
    close() {
      turn += 1;
      if (box.hidden) return;
      box.hidden = true;
      list.close();
      field.setAttribute("aria-controls", "filter-menu");
    },
  };
}
