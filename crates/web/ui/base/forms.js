// Forms and buttons that the server describes and the page carries out:
// `<form data-call="PUT /api/settings/overBudget" data-then="panel:settings">` and
// `<button data-call="DELETE /api/topics/7" data-confirm="Delete the topic?">`.

import { wordsOf } from "./api.js";
import { confirm } from "./dialog.js";
import { closest } from "./dom.js";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} type       as the element has it: text, checkbox, radio, …
 * @property {string} value
 * @property {boolean} checked
 * @property {boolean} [optional] left empty, it is null and not an empty text
 * @property {string} [dataType] "number": the value is sent as one, or null
 */

/**
 * The fields as a JSON object: a checkbox is a boolean, an empty optional field or number
 * null. Pure.
 * @param {readonly Field[]} fields
 * @returns {Record<string, unknown>}
 */
export function bodyOf(fields) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const { name, type, value, checked, optional, dataType } of fields) {
    const number = dataType === "number" || type === "number";
    if (!name || (type === "radio" && !checked)) continue;
    if (type === "checkbox") body[name] = checked;
    else if (value === "" && (optional || number)) body[name] = null;
    else if (number) body[name] = Number.isNaN(Number(value)) ? value : Number(value);
    else body[name] = value;
  }
  return body;
}

/**
 * `PUT /api/filters/{name}` with its fields: those that the path names leave the body. Pure.
 * @param {string} call
 * @param {Record<string, unknown>} body
 */
export function requestOf(call, body) {
  const [method = "POST", template = ""] = call.trim().split(/\s+/, 2);
  const rest = { ...body };
  const path = template.replace(/\{(\w+)\}/g, (_, /** @type {string} */ name) => {
    delete rest[name];
    return encodeURIComponent(String(body[name] ?? ""));
  });
  const bare = method === "DELETE" || method === "GET";
  return { method, path, body: bare && !Object.keys(rest).length ? undefined : rest };
}

/**
 * @param {HTMLFormElement} form
 * @returns {Field[]}
 */
function fieldsOf(form) {
  return [...form.elements].flatMap((field) =>
    field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement
      ? [{
          name: field.disabled ? "" : field.name,
          type: field.type,
          value: field.value,
          checked: field instanceof HTMLInputElement && field.checked,
          optional: field.dataset["optional"] !== undefined,
          ...(field.dataset["type"] ? { dataType: field.dataset["type"] } : {}),
        }]
      : []);
}

/**
 * @param {object} deps
 * @param {import("./api.js").Api} deps.api
 * @param {(what: string, from: HTMLElement) => void} deps.onDone  `data-then` and where it stood
 * @param {import("./toasts.js").Toast} deps.toast
 * @param {(token: string) => void} deps.undo
 */
export function bindForms({ api, onDone, toast, undo }) {
  /**
   * @param {HTMLElement} from
   * @param {Record<string, unknown>} body
   */
  async function carryOut(from, body) {
    const { method, path, body: rest } = requestOf(from.dataset["call"] ?? "", body);
    const question = from.dataset["confirm"];
    if (question && !(await confirm(question, { ok: from.dataset["ok"] ?? "Yes" }))) return;
    const problem = from.querySelector(".problem") ?? from.closest("form, section")?.querySelector(".problem");
    if (problem instanceof HTMLElement) problem.hidden = true;
    from.setAttribute("aria-busy", "true");
    try {
      const answer = await api.call(method, path, rest);
      if (answer?.undo) toast(answer.done ?? "Done.", { label: "Undo", act: () => undo(answer.undo) });
      else if (typeof answer?.done === "string") toast(answer.done);
      onDone(from.dataset["then"] ?? "reload", from);
    } catch (error) {
      if (problem instanceof HTMLElement) {
        problem.textContent = wordsOf(error);
        problem.hidden = false;
      } else toast(wordsOf(error), { error: true });
    } finally {
      from.removeAttribute("aria-busy");
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.dataset["call"]) return;
    event.preventDefault();
    void carryOut(form, bodyOf(fieldsOf(form)));
  });
  document.addEventListener("click", (event) => {
    const button = closest(event, "button[data-call]");
    if (!button) return;
    event.preventDefault();
    void carryOut(button, JSON.parse(button.dataset["body"] ?? "{}"));
  });
  // A switch or a choice that stands alone needs no button to be meant.
  document.addEventListener("change", (event) => {
    const field = closest(event, "[data-submit=change]");
    field?.closest("form")?.requestSubmit();
  });
}
