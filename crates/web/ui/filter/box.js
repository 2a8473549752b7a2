// The box at the top: words to search for, filters, commands (UI-20, UI-1 COMMAND, FLT-4 to FLT-6).

import { Problem, wordsOf } from "../base/api.js";
import { createCompletion } from "./completion.js";
import { confirm } from "../base/dialog.js";
import { el } from "../base/dom.js";
import { caretParts, commandAt, readsAsWords } from "./text.js";
import { sentence } from "../base/text.js";
import { createHits, hitEntry } from "./hits.js";
import { createList } from "../base/list.js";
import { createPaint } from "./paint.js";
import { createWalk } from "../base/walk.js";

/** So wide is the menu of the box at least, where the screen is. */
const MENU_WIDTH = 460;

/**
 * @param {object} deps
 * @param {HTMLInputElement} deps.field
 * @param {HTMLElement} deps.menu
 * @param {HTMLElement} deps.hits  where all hits are listed
 * @param {HTMLElement} deps.error
 * @param {import("../base/api.js").Api} deps.api
 * @param {() => string} deps.applied
 * @param {(change: {filter: string}) => Promise<unknown>} deps.setView
 * @param {(hit: import("../types.js").Hit) => Promise<void>} deps.goTo
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {() => void} deps.leave  to VIEW
 * @param {() => void} deps.help
 * @param {string | null} deps.within  the conversation that is looked at alone
 */
export function createFilterBox({ field, menu, hits: hitsBox, error, api, applied, setView, goTo, toast, leave, help, within }) {
  // Within the landmark that it belongs to; it floats, so the order on screen is the same.
  field.closest("header")?.append(menu);
  const list = createList(menu, field);
  const walk = createWalk();
  const paint = createPaint(field);
  /** Filters and commands that were applied, the newest first. @type {string[]} */
  let recent = [];
  /** @param {import("../types.js").Hit} hit */
  const entryOf = (hit) => hitEntry(hit, { within, open: (chosen) => void openHit(chosen) });
  const completion = createCompletion({
    api, field, menu, list, entryOf, recent: () => recent, everything: within === null,
    onAll(text) {
      completion.close();
      void hits.show(text).catch(tell);
    },
    onFilter: (filter) => void applyFilter(filter),
    onInsert() {
      clearError();
      paint.draw();
    },
  });
  const hits = createHits({
    box: hitsBox, field, api, entryOf, useAsFilter: (filter) => void applyFilter(filter),
    asWritten: () => void applyFilter(field.value),
    leave() {
      restore();
      leave();
    },
  });

  /** @param {import("../types.js").Hit} hit */
  async function openHit(hit) {
    restore();
    await goTo(hit);
  }

  /** @param {unknown} problem */
  function tell(problem) {
    toast(wordsOf(problem), { error: true });
  }

  field.addEventListener("input", () => {
    walk.stop();
    clearError();
    hits.close();
    if (field.value.trim()) completion.typed();
    else offer();
  });
  function offer() {
    completion.close();
    if (field.value === "") void completion.offer();
  }
  function placeMenu() {
    const box = field.getBoundingClientRect();
    // In a narrow bar the box is too short for what it finds.
    const width = Math.max(box.width, Math.min(MENU_WIDTH, innerWidth - 16));
    menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
    menu.style.top = `${box.bottom + 4}px`;
    menu.style.width = `${width}px`;
  }
  addEventListener("resize", placeMenu);

  field.addEventListener("focus", async () => {
    placeMenu();
    if (unfinished !== null) write(unfinished);
    unfinished = null;
    try {
      const { queries } = await api.call("GET", "/api/queries");
      recent = [...queries].reverse();
      walk.load(recent);
    } catch {
      // Without the list the arrows have nowhere to go.
    }
    if (document.activeElement === field && field.value === "" && !list.open) offer();
  });
  /** What was being written when the box was left. The box itself tells what is applied. */
  /** @type {string | null} */
  let unfinished = null;
  field.addEventListener("blur", ({ relatedTarget }) => {
    completion.close();
    // Who goes on to the buttons above the hits, or beside a mistake, has not left the box.
    if (hits.holds(relatedTarget) || (relatedTarget instanceof Node && error.contains(relatedTarget))) return;
    hits.close();
    unfinished = field.value === applied() ? null : field.value;
    if (unfinished !== null) restore();
  });
  hitsBox.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget !== field && !hits.holds(relatedTarget) && hits.open) restore();
  });
  error.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget !== field && !(relatedTarget instanceof Node && error.contains(relatedTarget)) && !error.hidden) restore();
  });
  field.form?.addEventListener("submit", (event) => event.preventDefault());

  /** @param {string} text */
  function write(text) {
    field.value = text;
    paint.draw();
  }

  function clearError() {
    error.hidden = true;
    error.replaceChildren();
    field.removeAttribute("aria-invalid");
  }

  function close() {
    completion.close();
    hits.close();
    clearError();
  }

  /** Leaves the box as the applied filter has it. */
  function restore() {
    close();
    write(applied());
  }

  /**
   * @param {Problem} problem
   * @param {string} text
   */
  function showError(problem, text) {
    field.setAttribute("aria-invalid", "true");
    const caret = typeof problem.body["caret"] === "string" ? problem.body["caret"] : "";
    const parts = caretParts(caret);
    const hint = typeof problem.body["hint"] === "string" ? `: ${problem.body["hint"]}` : "";
    const message = ((caret && parts.message) || problem.message) + hint;
    // Below a text that fits, the caret alone points; else the text is shown again.
    const scrolled = caret !== "" && (field.scrollWidth > field.clientWidth + 1 || parts.text !== field.value);
    const box = field.getBoundingClientRect();
    const style = getComputedStyle(field);
    const room = box.width / (parseFloat(style.fontSize) * 0.6) - parts.column;
    error.style.paddingLeft = scrolled ? "" : `${box.left + parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth)}px`;
    error.replaceChildren(
      ...(scrolled ? [`${parts.text}\n`] : []),
      ...(caret ? [`${" ".repeat(parts.column)}${parts.marks} `] : []),
      ...(message.length > room ? ["\n"] : []),
      el("span", { class: "words" }, message));
    for (const { label, filter } of problem.suggestions) {
      if (typeof filter !== "string") continue;
      error.append(" ", el("button", { type: "button", class: "link", onclick: () => {
        write(filter);
        field.focus();
        void applyFilter(filter);
      } }, label));
    }
    if (/\p{L}{2}/u.test(text)) {
      error.append(" ", el("button", { type: "button", class: "link", onclick: () => {
        field.focus();
        clearError();
        void hits.show(text).catch(tell);
      } }, "Search for these words"));
    }
    error.hidden = false;
    if (caret && !scrolled) field.setSelectionRange(parts.column, parts.column);
  }

  /** Enter: words are searched for, commands are run, all else is a filter. */
  async function apply() {
    const text = field.value;
    completion.close();
    if (commandAt(text) < 0 && readsAsWords(text)) {
      clearError();
      return hits.show(text, (found) => completion.ask(text.trim(), found)).catch(tell);
    }
    await applyFilter(text);
  }

  /** @param {string} text */
  async function applyFilter(text) {
    try {
      if (commandAt(text) >= 0) return await command(text, false);
      if (text !== field.value) write(text);
      await setView({ filter: text });
      if (text.trim()) walk.add(text);
      close();
      leave();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code !== "bad_filter") return void toast([problem.message, problem.body["hint"]].filter(Boolean).join(": "), { error: true });
      close();
      field.focus();
      showError(problem, text);
    }
  }

  /**
   * @param {string} text
   * @param {boolean} confirmed
   * @returns {Promise<void>}
   */
  async function command(text, confirmed) {
    if (/^:help\b/.test(text.slice(commandAt(text)).trim())) {
      write(applied());
      leave();
      return help();
    }
    try {
      const { done, undo, download } = await api.call("POST", "/api/command", { text, ...(confirmed ? { confirmed } : {}) });
      walk.add(text);
      write(applied());
      clearError();
      leave();
      if (download) fetchFile(download);
      toast(done, undo ? { label: "Undo", act: () => void takeBack(undo) } : {});
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.code !== "confirm" || confirmed) throw problem;
      if (await confirm(problem.message, { ok: "Do it" })) await command(text, true);
    }
  }

  /** @param {string} [token]  else what was done last */
  async function takeBack(token) {
    try {
      const answer = await api.call("POST", "/api/undo", token === undefined ? {} : { token });
      toast(sentence(answer?.done ?? "undone"));
    } catch (problem) {
      toast(wordsOf(problem), { error: true });
    }
  }

  /** The list that the arrows walk. */
  function listed() {
    return hits.open && !list.open ? hits.list : list;
  }

  /** @param {string | null} text */
  function show(text) {
    if (text === null) return;
    close();
    write(text);
    field.setSelectionRange(text.length, text.length);
  }

  return {
    apply,
    takeBack,
    where() {
      const open = listed();
      return { menu: open.open, chosen: open.chosen, walking: walk.walking, completes: list.open && completion.completes(), hits: hits.open };
    },
    accept: () => listed().accept(),
    up: () => listed().move(-1),
    down: () => listed().move(1),
    hitsActions: hits.focusActions,
    older: () => show(walk.older(field.value)),
    newer: () => show(walk.newer()),
    restore,
    /** The filter changed, here or in another tab; what is being written stays. */
    sync() {
      if (document.activeElement !== field && field.value !== applied()) write(applied());
    },
  };
}

/**
 * @param {string} url
 */
function fetchFile(url) {
  const link = el("a", { href: url, download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}
