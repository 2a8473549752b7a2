// From a key to what it does: asks the key map, and runs the action.

import { closest, onTouch, takesText } from "../base/dom.js";
import { actionOf, keyOf, writes } from "./keymap.js";

/** Controls that mean something by these keys themselves. */
const OWN_KEYS = new Set(["Enter", " ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);
/** Actions that put the focus into a text, but only when the server has answered. */
const OPENS_TEXT = new Set(["edit", "reask", "regenerate"]);

/**
 * Which map a key belongs to: where it was pressed decides, not what the label says.
 * @param {EventTarget | null} target
 * @param {HTMLElement} draft
 * @param {HTMLElement} filter
 * @returns {import("./keymap.js").Mode | null}
 */
function modeAt(target, draft, filter) {
  if (target === draft) return "INPUT";
  if (target === filter) return "COMMAND";
  return takesText(target) ? null : "VIEW";
}

/**
 * What is typed while a text is being opened: it waits for that text, and is no command.
 */
function createTypedAhead() {
  /** @type {object | null} */
  let opening = null;
  let typed = "";

  function end() {
    opening = null;
    const text = typed;
    typed = "";
    if (text && takesText(document.activeElement)) document.execCommand("insertText", false, text);
  }

  document.addEventListener("focusin", ({ target }) => {
    // The text is filled in and its caret placed by who has just focused it.
    if (opening && takesText(target)) queueMicrotask(end);
  });

  return {
    /** @param {Promise<unknown>} work */
    during(work) {
      const mine = (opening = {});
      void work.finally(() => { if (opening === mine) end(); });
    },
    /**
     * Whether the key was taken.
     * @param {import("./keymap.js").Key} key
     */
    takes(key) {
      if (!opening || !writes(key) || [...key.key].length !== 1) return false;
      typed += key.key;
      return true;
    },
  };
}

/**
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.draft
 * @param {HTMLInputElement} deps.filter
 * @param {() => import("./keymap.js").Where} deps.inputWhere
 * @param {() => import("./keymap.js").Where} deps.commandWhere
 * @param {() => boolean} deps.sending
 * @param {() => boolean} deps.lettersAreCommands
 * @param {Record<string, () => unknown>} deps.commands  actions that are not about a pair
 * @param {(act: string) => unknown} deps.onPair         the others
 */
export function bindKeys({ draft, filter, inputWhere, commandWhere, sending, lettersAreCommands, commands, onPair }) {
  const ahead = createTypedAhead();
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.defaultPrevented || (target instanceof Element && target.closest("dialog, .popup, form.edit"))) return;
    const mode = modeAt(target, draft, filter);
    if (!mode) return;
    const key = keyOf(event);
    if (mode === "VIEW" && ahead.takes(key)) return event.preventDefault();
    if (mode === "VIEW" && target instanceof Element && OWN_KEYS.has(event.key) && target.closest("button, a, summary, select, [role=separator]")) return;
    const inComposer = mode === "VIEW" && target instanceof Element && target.closest("#composer") !== null;
    const where = mode === "INPUT" ? { ...inputWhere(), touch: onTouch() } : mode === "COMMAND" ? commandWhere() : { commands: lettersAreCommands() && !inComposer };
    let action = actionOf(mode, key, { ...where, sending: sending() });
    // On the composer's buttons Esc leaves the composer, as it does in its box.
    if (inComposer && action === "command") action = "view";
    if (!action) return;
    if (action === "write") return draft.focus({ preventScroll: true });
    event.preventDefault();
    run(action);
  });

  /** @param {string} action */
  function run(action) {
    const command = commands[action];
    const work = command ? command() : onPair(action);
    if (OPENS_TEXT.has(action)) ahead.during(Promise.resolve(work));
  }

  // The keys of the help are buttons: whatever a key does, the mouse can do.
  document.addEventListener("click", (event) => {
    const button = closest(event, "[data-does]");
    if (button) run(button.dataset["does"] ?? "");
  });
}
