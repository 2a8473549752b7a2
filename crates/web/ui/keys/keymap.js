// Which key means what in which mode (UI-1, UI-2). Pure: a key in, the name of an action out.

import table from "./table.js";

/** @typedef {"INPUT" | "VIEW" | "COMMAND"} Mode */

/**
 * @typedef {object} Key
 * @property {string} key        as KeyboardEvent.key has it
 * @property {boolean} [shift]
 * @property {boolean} [ctrl]
 * @property {boolean} [alt]
 * @property {boolean} [meta]
 * @property {boolean} [altGraph]   the key that writes a third sign
 * @property {boolean} [composing]  an input method is in the middle of a word
 */

/**
 * What the decision also depends on.
 * @typedef {object} Where
 * @property {boolean} [sending]
 * @property {boolean} [commands]    VIEW was entered by Esc: letters are commands (UI-16)
 * @property {boolean} [touch]       the keyboard is one on the screen (UI-24)
 * @property {boolean} [selection]   some text is selected
 * @property {boolean} [atTop]       the caret cannot go up inside the box
 * @property {boolean} [atBottom]
 * @property {boolean} [walking]     an earlier prompt or query is shown
 * @property {boolean} [menu]        the completion menu is open
 * @property {boolean} [chosen]      an entry of the menu is selected
 * @property {boolean} [completes]   the menu completes what is written
 * @property {boolean} [hits]        what a search found is listed
 */

/**
 * VIEW: one key, one action. Those that are about a pair mean the current one.
 * @type {ReadonlyMap<string, string | undefined>}
 */
const VIEW_KEYS = new Map(table.filter(({ mode }) => mode === "VIEW").map(({ key, action }) => [key, action]));

/**
 * Whether a key writes something: a sign, the beginning of one, or a word in the making.
 * @param {Key} key
 */
export function writes(key) {
  if (key.composing || key.key === "Process" || key.key === "Dead") return true;
  if (key.meta || ((key.ctrl || key.alt) && !key.altGraph)) return false;
  return [...key.key].length === 1;
}

/**
 * VIEW that nobody asked for by Esc: after a tall reply or a click, what is typed is the
 * message (UI-16). `write` is the browser's to carry out, in the message box.
 * @param {Key} key
 */
function inReading(key) {
  const pastes = (key.ctrl || key.meta) && !key.alt && !key.shift && key.key.toLowerCase() === "v";
  if (writes(key) || pastes) return "write";
  if (key.ctrl || key.alt || key.meta) return null;
  return key.key === "Enter" ? "input" : key.key === "Escape" ? "command" : null;
}

/**
 * @param {Mode} mode
 * @param {Key} key
 * @param {Where} [where]
 * @returns {string | null}  null: the key is the browser's
 */
export function actionOf(mode, key, where = {}) {
  if (mode === "VIEW" && !where.commands) return inReading(key);
  // Keys that end or steer a word in the making belong to the input method.
  if (key.composing || key.key === "Process" || key.key === "Dead") return null;
  if (key.alt || key.meta) return null;
  if (key.ctrl) return withControl(mode, key, where);
  if (mode === "VIEW") return VIEW_KEYS.get(key.key) ?? null;
  return mode === "INPUT" ? inInput(key, where) : inCommand(key, where);
}

/**
 * Ctrl belongs to the browser, but for Ctrl+C where there is nothing to copy (SND-4).
 * @param {Mode} mode
 * @param {Key} key
 * @param {Where} where
 */
function withControl(mode, key, where) {
  const cancels = mode === "INPUT" && key.key.toLowerCase() === "c" && !key.shift;
  return cancels && !where.selection && where.sending ? "cancel" : null;
}

/**
 * @param {Key} key
 * @param {Where} where
 */
function inInput({ key, shift }, where) {
  switch (key) {
    // On a touch screen Enter is the only way to a new line; the button sends.
    case "Enter": return shift || where.touch ? null : "send";
    case "Escape": return "view";
    case "ArrowUp": return !shift && !where.selection && where.atTop ? "older-prompt" : null;
    case "ArrowDown": return !shift && !where.selection && where.atBottom && where.walking ? "newer-prompt" : null;
    default: return null;
  }
}

/**
 * In the menu the arrows move; from its top edge, and without one, they walk the history.
 * @param {Key} key
 * @param {Where} where
 */
function inCommand({ key, shift }, where) {
  switch (key) {
    case "Enter": return where.menu && where.chosen ? "accept" : "apply";
    case "Escape": return "leave";
    case "Tab":
      if (shift) return null;
      return where.completes ? "complete" : where.hits ? "hits-actions" : null;
    case "ArrowUp": return where.menu && where.chosen ? "menu-up" : "older-query";
    case "ArrowDown":
      if (where.walking) return "newer-query";
      return where.menu ? "menu-down" : null;
    default: return null;
  }
}

/**
 * A keyboard event as the map reads it.
 * @param {KeyboardEvent} event
 * @returns {Key}
 */
export function keyOf(event) {
  return {
    key: event.key,
    shift: event.shiftKey,
    ctrl: event.ctrlKey,
    alt: event.altKey,
    meta: event.metaKey,
    altGraph: event.getModifierState("AltGraph"),
    // Safari ends a composition before it sends this Enter; its old code tells them apart.
    composing: event.isComposing || event.keyCode === 229,
  };
}
