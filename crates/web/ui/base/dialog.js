// Questions that must be answered first. Native dialogs: focus and Esc are the browser's.

import { el } from "./dom.js";

/**
 * @typedef {object} Choice
 * @property {string} value
 * @property {string} label
 * @property {string} [detail]   what it would do
 * @property {"primary" | "danger"} [look]
 * @property {boolean} [off]     cannot be chosen; the detail says why
 */

/**
 * Asks, and gives the value of what was chosen, or null.
 * @param {object} question
 * @param {string} question.title
 * @param {string} [question.text]
 * @param {Choice[]} question.choices
 * @param {boolean} [question.alarm]
 * @param {string} [question.cancel]
 * @returns {Promise<string | null>}
 */
export function ask({ title, text, choices, alarm = false, cancel = "Cancel" }) {
  return new Promise((resolve) => {
    const explained = choices.some(({ detail }) => detail);
    const list = el("div", { class: explained ? "choices explained" : "choices" });
    // What cannot be taken back is not chosen by a key that was meant for something else.
    const careful = choices.some(({ look }) => look === "danger");
    const first = careful ? -1 : choices.findIndex(({ off }) => !off);
    choices.forEach(({ value, label, detail, look, off }, i) => {
      const button = el("button", { class: `btn ${look === "primary" ? "pri" : look === "danger" ? "danger" : ""}`, value, type: "submit", autofocus: i === first, disabled: off }, label);
      if (detail) {
        const note = el("span", { id: `choice-${i}` }, detail);
        button.setAttribute("aria-describedby", note.id);
        list.append(el("div", { class: "choice" }, button, note));
      } else list.append(button);
    });
    const leave = el("button", { class: "btn", value: "", type: "submit", formnovalidate: true, autofocus: first < 0 }, `${cancel} `, el("kbd", {}, "Esc"));
    list.append(explained ? el("div", { class: "choice" }, leave) : leave);
    const dialog = el("dialog", { class: alarm ? "ask alarm" : "ask", "aria-labelledby": "ask-title" },
      el("form", { method: "dialog" },
        el("h2", { id: "ask-title" }, title),
        text ? el("p", {}, text) : null,
        list));
    const before = document.activeElement;
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      resolve(dialog.returnValue || null);
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close("");
    });
    // A key that is still held down from before the question is no answer to it.
    dialog.addEventListener("keydown", (event) => {
      if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Asks for a whole number of at least 1, and gives it, or null.
 * @param {{title: string, label: string, value: number, ok: string}} question
 * @returns {Promise<number | null>}
 */
export async function askNumber({ title, label, value, ok }) {
  const field = el("input", { type: "number", min: "1", step: "1", required: true, value: String(value), autofocus: true, inputmode: "numeric" });
  const given = await askField(field, { title, label, ok });
  return given === null ? null : Number(given);
}

/**
 * @param {HTMLInputElement} field
 * @param {{title: string, label: string, ok: string}} question
 * @returns {Promise<string | null>}
 */
function askField(field, { title, label, ok }) {
  return new Promise((resolve) => {
    const dialog = el("dialog", { class: "ask", "aria-labelledby": "ask-title" },
      el("form", { method: "dialog" },
        el("h2", { id: "ask-title" }, title),
        el("label", {}, `${label} `, field),
        el("div", { class: "choices" },
          el("button", { class: "btn pri", value: "ok", type: "submit" }, ok),
          el("button", { class: "btn", value: "", type: "submit", formnovalidate: true }, "Cancel ", el("kbd", {}, "Esc")))));
    const before = document.activeElement;
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      resolve(dialog.returnValue === "ok" ? field.value : null);
    });
    document.body.append(dialog);
    dialog.showModal();
    field.select();
  });
}

/**
 * Asks for a line of text, and gives it, or null.
 * @param {{title: string, label: string, value: string, ok: string}} question
 * @returns {Promise<string | null>}
 */
export function askText({ title, label, value, ok }) {
  return askField(el("input", { type: "text", required: true, maxlength: "200", value, autofocus: true, autocomplete: "off" }), { title, label, ok });
}

/**
 * @param {string} text
 * @param {{ok?: string, danger?: boolean, title?: string}} [how]
 */
export async function confirm(text, { ok = "OK", danger = true, title = "Are you sure?" } = {}) {
  return (await ask({ title, text, choices: [{ value: "ok", label: ok, look: danger ? "danger" : "primary" }] })) === "ok";
}
