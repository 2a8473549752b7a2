// From a key to what it does: asks the key map, and runs the action.

import { takesText } from "./dom.js";
import { actionOf, keyOf } from "./keymap.js";

/** Controls that mean something by these keys themselves. */
const OWN_KEYS = new Set(["Enter", " ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);

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
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.draft
 * @param {HTMLInputElement} deps.filter
 * @param {() => import("./keymap.js").Where} deps.inputWhere
 * @param {() => import("./keymap.js").Where} deps.commandWhere
 * @param {() => boolean} deps.sending
 * @param {Record<string, () => unknown>} deps.commands  actions that are not about a pair
 * @param {(act: string) => unknown} deps.onPair         the others
 */
export function bindKeys({ draft, filter, inputWhere, commandWhere, sending, commands, onPair }) {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.defaultPrevented || (target instanceof Element && target.closest("dialog, .popup, form.edit"))) return;
    const mode = modeAt(target, draft, filter);
    if (!mode) return;
    if (mode === "VIEW" && target instanceof Element) {
      if (OWN_KEYS.has(event.key) && target.closest("button, a, summary, select, [role=separator]")) return;
      // On the composer's buttons only the way out is a key of ours.
      if (target.closest("#composer") && event.key !== "Escape") return;
    }
    const where = mode === "INPUT" ? inputWhere() : mode === "COMMAND" ? commandWhere() : {};
    const inComposer = mode === "VIEW" && target instanceof Element && target.closest("#composer");
    const action = inComposer ? "view" : actionOf(mode, keyOf(event), { ...where, sending: sending() });
    if (!action) return;
    event.preventDefault();
    const command = commands[action];
    if (command) void command();
    else void onPair(action);
  });
}
