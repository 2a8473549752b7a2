// INPUT, VIEW, COMMAND (UI-1). The focus decides: who clicks or tabs into a zone is in its mode.

import { keep, recall } from "../base/theme.js";

const MODES_SHOWN = "modes";

/** @typedef {import("./keymap.js").Mode} Mode */

/**
 * @param {object} deps
 * @param {HTMLElement} deps.label
 * @param {HTMLTextAreaElement} deps.draft
 * @param {HTMLInputElement} deps.filter
 * @param {import("../history/cursor.js").Cursor} deps.cursor
 */
export function createModes({ label, draft, filter, cursor }) {
  /** @type {Mode} */
  let mode = "VIEW";
  /** Whether letters are commands in VIEW: only where it was entered by Esc (UI-16). */
  let commands = false;

  /** @param {boolean} now */
  function setCommands(now) {
    commands = now;
    document.body.dataset["letters"] = now ? "commands" : "text";
  }

  /** The three modes are for those who use Esc: they see them from then on (UI-21). */
  function showModes() {
    document.body.dataset["modes"] = "shown";
    keep(MODES_SHOWN, "yes");
  }
  if (recall(MODES_SHOWN)) showModes();

  /** @param {Mode} next */
  function set(next) {
    if (next === "INPUT") setCommands(false);
    if (next === mode && label.textContent === next) return;
    mode = next;
    document.body.dataset["mode"] = next;
    label.textContent = next;
  }

  document.addEventListener("focusin", ({ target }) => {
    // A question does not change where somebody is.
    if (!(target instanceof Element) || target.closest("dialog, .popup, #notice")) return;
    if (target.closest("#composer")) set("INPUT");
    else if (target.closest("#filter-form, #filter-error, #filter-menu, #hits")) set("COMMAND");
    else set("VIEW");
  });
  // Who points at something and then types is writing, wherever the focus is.
  document.addEventListener("pointerdown", () => setCommands(false), true);

  return {
    get mode() { return mode; },
    /** Whether a letter is a command where the focus is in no text. */
    get commands() { return commands; },
    /**
     * @param {Mode} next
     * @param {{byEsc?: boolean}} [how]
     */
    enter(next, { byEsc = false } = {}) {
      if (next === "INPUT") draft.focus({ preventScroll: true });
      else if (next === "COMMAND") {
        filter.focus({ preventScroll: true });
        filter.select();
      } else cursor.focus();
      set(next);
      if (byEsc) {
        setCommands(true);
        showModes();
      }
    },
  };
}

/** @typedef {ReturnType<typeof createModes>} Modes */
