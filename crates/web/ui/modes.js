// INPUT, VIEW, COMMAND (UI-1). The focus decides: who clicks or tabs into a zone is in its mode.

/** @typedef {import("./keymap.js").Mode} Mode */

/**
 * @param {object} deps
 * @param {HTMLElement} deps.label
 * @param {HTMLTextAreaElement} deps.draft
 * @param {HTMLInputElement} deps.filter
 * @param {import("./cursor.js").Cursor} deps.cursor
 */
export function createModes({ label, draft, filter, cursor }) {
  /** @type {Mode} */
  let mode = "VIEW";

  /** @param {Mode} next */
  function set(next) {
    if (next === mode && label.textContent === next) return;
    mode = next;
    document.body.dataset["mode"] = next;
    label.textContent = next;
  }

  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element) || target.closest("dialog, .popup")) return;
    if (target.closest("#composer")) set("INPUT");
    else if (target.closest("#filter-form, #filter-error, #filter-menu")) set("COMMAND");
    else set("VIEW");
  });

  return {
    get mode() { return mode; },
    /** @param {Mode} next */
    enter(next) {
      if (next === "INPUT") draft.focus({ preventScroll: true });
      else if (next === "COMMAND") {
        filter.focus({ preventScroll: true });
        filter.select();
      } else cursor.focus();
      set(next);
    },
  };
}

/** @typedef {ReturnType<typeof createModes>} Modes */
