// The filter in colours: letters, operators, names, commands. The box itself holds the
// text; what is painted lies over it and is seen only.

import { el } from "../base/dom.js";
import { commandAt } from "./text.js";

/** @typedef {"atom" | "op" | "name" | "command" | ""} Kind */

/** Longer texts are left plain: they are pasted, not read. */
const MAX = 2000;
const TOKEN = /'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[&|+!()]|[<>]=?|=|@[\w-]*|[a-z](?=$|[\s'"&|+!()<>=\d.])|\s+|[^\s'"&|+!()<>=@]+/gsu;

/**
 * A filter in parts; together they are the text. Pure.
 * @param {string} text
 * @returns {{text: string, kind: Kind}[]}
 */
export function paintParts(text) {
  const at = commandAt(text);
  const filter = at < 0 ? text : text.slice(0, at);
  const parts = [...filter.matchAll(TOKEN)].map(([token]) => ({ text: token, kind: kindOf(token) }));
  return at < 0 ? parts : [...parts, { text: text.slice(at), kind: "command" }];
}

/**
 * @param {string} token
 * @returns {Kind}
 */
function kindOf(token) {
  const first = token[0] ?? "";
  if (first === "'" || first === '"') return "name";
  if (first === "@") return "command";
  if (/^(?:[&|+!()]|[<>]=?|=)$/.test(token)) return "op";
  return /^[a-z]$/.test(token) ? "atom" : "";
}

/** @param {HTMLInputElement} field */
export function createPaint(field) {
  const layer = el("div", { class: "paint mono", "aria-hidden": "true" });
  field.after(layer);
  let shown = "";

  function draw() {
    const { value } = field;
    const plain = value.length > MAX;
    field.classList.toggle("painted", !plain && value !== "");
    if (value !== shown) {
      shown = value;
      layer.replaceChildren(...(plain ? [] : paintParts(value).map(({ text, kind }) => (kind ? el("b", { class: kind }, text) : text))));
    }
    if (value) layer.scrollLeft = field.scrollLeft;
  }

  for (const name of ["input", "scroll", "focus", "blur", "keyup", "select"]) field.addEventListener(name, draw);
  draw();
  return { draw };
}
