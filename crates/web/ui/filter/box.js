// The command box: filters, commands, searches (UI-1 COMMAND, FLT-4 to FLT-6, HIS-7).

import { Problem, wordsOf } from "../base/api.js";
import { createCompletion } from "./completion.js";
import { confirm } from "../base/dialog.js";
import { el } from "../base/dom.js";
import { caretParts, commandAt, readsAsWords } from "./text.js";
import { sentence } from "../base/text.js";
import { createList } from "../base/list.js";
import { createPaint } from "./paint.js";
import { createWalk } from "../base/walk.js";

/**
 * @param {object} deps
 * @param {HTMLInputElement} deps.field
 * @param {HTMLElement} deps.menu
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
export function createFilterBox({ field, menu, error, api, applied, setView, goTo, toast, leave, help, within }) {
  // Within the landmark that it belongs to; it floats, so the order on screen is the same.
  field.closest("header")?.append(menu);
  const list = createList(menu, field);
  const walk = createWalk();
  const paint = createPaint(field);
  const completion = createCompletion({
    api, field, list, within,
    onInsert() {
      clearError();
      paint.draw();
    },
    async onHit(hit) {
      close();
      write(applied());
      await goTo(hit);
    },
  });

  field.addEventListener("input", () => {
    walk.stop();
    clearError();
    if (field.value.trim()) completion.typed();
    else completion.close();
  });
  function placeMenu() {
    const box = field.getBoundingClientRect();
    menu.style.left = `${box.left}px`;
    menu.style.top = `${box.bottom + 4}px`;
    menu.style.width = `${box.width}px`;
  }
  addEventListener("resize", placeMenu);

  field.addEventListener("focus", async () => {
    placeMenu();
    if (unfinished !== null) write(unfinished);
    unfinished = null;
    try {
      const { queries } = await api.call("GET", "/api/queries");
      walk.load([...queries].reverse());
    } catch {
      // Without the list the arrows have nowhere to go.
    }
  });
  /** What was being written when the box was left. The box itself tells what is applied. */
  /** @type {string | null} */
  let unfinished = null;
  field.addEventListener("blur", () => {
    completion.close();
    unfinished = field.value === applied() ? null : field.value;
    if (unfinished !== null) restore();
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
    clearError();
  }

  /** Leaves the box as the applied filter has it. */
  function restore() {
    close();
    write(applied());
  }

  /** @param {Problem} problem */
  function showError(problem) {
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
        void apply();
      } }, label));
    }
    error.hidden = false;
    if (caret && !scrolled) field.setSelectionRange(parts.column, parts.column);
  }

  async function apply() {
    const text = field.value;
    completion.close();
    try {
      if (commandAt(text) >= 0) return await command(text, false);
      await setView({ filter: text });
      if (text.trim()) walk.add(text);
      clearError();
      leave();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code !== "bad_filter") return void toast([problem.message, problem.body["hint"]].filter(Boolean).join(": "), { error: true });
      showError(problem);
      if (readsAsWords(text)) await completion.search(text);
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

  /** @param {string | null} text */
  function show(text) {
    if (text === null) return;
    completion.close();
    clearError();
    write(text);
    field.setSelectionRange(text.length, text.length);
  }

  return {
    apply,
    takeBack,
    where: () => ({ menu: list.open, chosen: list.chosen, walking: walk.walking }),
    accept: () => list.accept(),
    up: () => list.move(-1),
    down: () => list.move(1),
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
