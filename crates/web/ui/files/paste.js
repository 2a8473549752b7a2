// What a clipboard or a drop holds, part by part, in the order of INS-1: pictures, files, words.

import { takesText } from "../base/dom.js";
import { scalars } from "../base/text.js";

/**
 * Above either of these a pasted text becomes a file (INS-1); the settings name them.
 * @typedef {{chars: number, lines: number}} LongPaste
 */

/** @typedef {{kind: "file", name: string, blob: Blob} | {kind: "path", path: string} | {kind: "paste", text: string} | {kind: "text", text: string}} Part */

/**
 * Whether a text is rather a file than a part of the message. Pure.
 * @param {string} text
 * @param {LongPaste} limit
 */
export function isLong(text, limit) {
  if (text.length > limit.chars && scalars(text) > limit.chars) return true;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines <= limit.lines; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines > limit.lines;
}

/**
 * The parts of a clipboard. `uris` is its `text/uri-list`. Pure.
 * @param {{files: readonly {name: string, type: string}[], text: string, uris?: string}} clipboard
 * @param {LongPaste} limit
 * @returns {Part[]}
 */
export function partsOf({ files, text, uris = "" }, limit) {
  const all = /** @type {(File & {name: string})[]} */ ([...files]);
  const image = (/** @type {File} */ { type }) => type.startsWith("image/");
  /** @type {Part[]} */
  const parts = [...all.filter(image), ...all.filter((file) => !image(file))].map((blob) => ({ kind: "file", name: nameOf(blob), blob }));
  const paths = files.length ? [] : pathsOf(uris);
  for (const path of paths) parts.push({ kind: "path", path });
  if (text && !namesOnly(text, [...all.map(({ name }) => name), ...paths.map(lastOf)])) {
    parts.push(isLong(text, limit) ? { kind: "paste", text } : { kind: "text", text });
  }
  return parts;
}

/**
 * A picture out of a clipboard has a name that says nothing.
 * @param {{name: string, type: string}} file
 */
function nameOf({ name, type }) {
  if (name && !(type.startsWith("image/") && /^image\.\w+$/.test(name))) return name;
  const ending = /^image\/(\w+)/.exec(type)?.[1] ?? "";
  return ending ? `pasted.${ending === "jpeg" ? "jpg" : ending}` : name || "pasted";
}

/**
 * Files that a file manager named only by where they are.
 * @param {string} uris
 */
function pathsOf(uris) {
  return uris.split(/\r?\n/).flatMap((line) => {
    if (!/^file:\/\/\/?/i.test(line)) return [];
    try {
      return [decodeURIComponent(new URL(line).pathname)];
    } catch {
      return [];
    }
  });
}

const lastOf = (/** @type {string} */ path) => path.split(/[\\/]/).pop() ?? "";

/**
 * Whether a text only says what the files beside it are called: file managers add it.
 * @param {string} text
 * @param {string[]} names
 */
function namesOnly(text, names) {
  if (!names.length) return false;
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  return lines.length <= names.length && lines.every((line) => names.includes(lastOf(line)) || names.includes(lastOf(safeDecode(line))));
}

/** @param {string} text */
function safeDecode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {object} deps
 * @param {HTMLTextAreaElement} deps.area
 * @param {() => LongPaste} deps.limit
 * @param {(parts: Part[]) => void} deps.onParts
 */
export function bindPaste({ area, limit, onParts }) {
  // Files are meant for the message wherever they are pasted, unless into another box.
  document.addEventListener("paste", (event) => {
    const data = event.clipboardData;
    const here = event.target === area;
    if (!data || (!here && (takesText(event.target) || !data.files.length || document.querySelector("dialog[open]")))) return;
    const parts = partsOf({ files: [...data.files], text: data.getData("text/plain"), uris: data.getData("text/uri-list") }, limit());
    // Words alone are the browser's to paste: it knows where and how to take them back.
    if (parts.every(({ kind }) => kind === "text")) return;
    event.preventDefault();
    onParts(parts);
  });
}
