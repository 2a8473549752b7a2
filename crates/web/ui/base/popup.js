// A floating list with a field to narrow it: one choice, then it is gone.

import { el } from "./dom.js";
import { createList } from "./list.js";

/**
 * @typedef {object} Option
 * @property {string} value
 * @property {string} label
 * @property {string} [detail]
 * @property {string} [act]  what choosing it does, where that is something else than to take it
 * @property {"typed" | "untyped" | undefined} [when]  shown only where something is typed, or nothing
 * @property {boolean} [off]
 * @property {boolean} [current]
 */

/**
 * The options that hold every typed word: what is called so first, then those that begin with the
 * text. Pure.
 * @template {{label: string, detail?: string}} T
 * @param {readonly T[]} options
 * @param {string} typed
 * @returns {T[]}
 */
export function narrowed(options, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (/** @type {T} */ option) => `${option.label} ${option.detail ?? ""}`.toLowerCase();
  const found = options.filter((option) => words.every((word) => text(option).includes(word)));
  const begins = (/** @type {T} */ { label }) => (label.toLowerCase() === typed.trim().toLowerCase() ? -1 : words[0] && label.toLowerCase().startsWith(words[0]) ? 0 : 1);
  return found.map((option, i) => ({ option, i })).sort((a, b) => begins(a.option) - begins(b.option) || a.i - b.i).map(({ option }) => option);
}

/** As many options are drawn; the rest is found by typing. */
const MOST = 200;

/**
 * The first of many options, with the current one and the last one, which leads elsewhere. Pure.
 * @template {{current?: boolean}} T
 * @param {readonly T[]} found
 * @param {number} [most]
 * @returns {T[]}
 */
export function bounded(found, most = MOST) {
  if (found.length <= most) return [...found];
  const last = found.length - 1;
  return found.filter((option, i) => i < most - 1 || i === last || option.current);
}

let serial = 0;

/**
 * @param {object} question
 * @param {HTMLElement} question.anchor
 * @param {string} question.label
 * @param {Option[]} question.options
 * @param {(typed: string) => Option} [question.make]  what makes a thing with a name that nothing has yet
 * @returns {Promise<string | null>}
 */
export function choose({ anchor, label, options, make }) {
  return new Promise((resolve) => {
    serial += 1;
    const id = `popup-${serial}`;
    const field = el("input", { type: "text", role: "combobox", class: "mono", "aria-label": label, "aria-controls": id, "aria-expanded": "true", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false", placeholder: label });
    const box = el("ul", { class: "menu", id, role: "listbox", "aria-label": label });
    const popup = el("div", { class: "popup" }, field, box);
    const list = createList(box, field);
    let open = true;

    /** @param {string | null} value */
    function end(value) {
      if (!open) return;
      open = false;
      popup.remove();
      anchor.setAttribute("aria-expanded", "false");
      if (document.activeElement === document.body && anchor.isConnected) anchor.focus({ preventScroll: true });
      resolve(value);
    }

    /** Somebody went elsewhere: the focus is on its way there, and nobody takes it back. */
    function left() {
      if (!open) return;
      open = false;
      popup.remove();
      anchor.setAttribute("aria-expanded", "false");
      setTimeout(() => resolve(null));
    }

    function draw() {
      const hidden = field.value.trim() ? "untyped" : "typed";
      const all = narrowed(options.filter(({ when }) => when !== hidden), field.value);
      const typed = field.value.trim();
      if (make && typed && !options.some((option) => option.label.toLowerCase() === typed.toLowerCase())) all.push(make(typed));
      const found = bounded(all);
      const at = field.value ? 0 : Math.max(0, found.findIndex(({ current }) => current));
      const items = found.map((option) => ({ ...option, choose: () => end(option.value) }));
      const more = all.length - found.length;
      if (more > 0) items.splice(-1, 0, { value: "", label: `${more} more: type a part of the name`, off: true, choose() {} });
      list.show(items.length ? items : [{ label: "Nothing of that name", off: true, choose() {} }], items.length ? at : -1);
    }

    field.addEventListener("input", draw);
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const act = {
        ArrowDown: () => list.move(1),
        ArrowUp: () => list.move(-1),
        Enter: () => list.accept(),
        Tab: () => end(null),
        Escape: () => end(null),
      }[event.key];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    });
    field.addEventListener("blur", left);
    (anchor.closest("header, footer, main") ?? document.body).append(popup);
    anchor.setAttribute("aria-expanded", "true");
    place(popup, anchor);
    field.focus({ preventScroll: true });
    draw();
  });
}

/**
 * Above its anchor where there is more room, else below; never outside the page.
 * @param {HTMLElement} popup
 * @param {HTMLElement} anchor
 */
function place(popup, anchor) {
  const box = anchor.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const w = Math.min(440, width - 16);
  popup.style.width = `${w}px`;
  popup.style.left = `${Math.min(Math.max(8, box.left), width - w - 8)}px`;
  const inside = (/** @type {number} */ y) => Math.min(Math.max(y, 0), height);
  const { up, from, room } = roomFor({ top: inside(box.top), bottom: inside(box.bottom) }, height);
  popup.style.maxHeight = `${room}px`;
  popup.style[up ? "bottom" : "top"] = `${from}px`;
  popup.classList.toggle("up", up);
}

/** A list is at least so high, and at most. */
const [LOW, HIGH] = [140, 420];

/**
 * Where a list goes that belongs to a box: beside it, or, where the box leaves no room on
 * either side because it is taller than the page, over its visible part. Pure.
 * @param {{top: number, bottom: number}} box
 * @param {number} height  of the page
 */
export function roomFor({ top, bottom }, height) {
  const [over, below] = [top - 14, height - bottom - 14];
  const up = over > below;
  const room = Math.max(over, below);
  if (room >= LOW) return { up, from: up ? height - top + 6 : bottom + 6, room: Math.min(HIGH, room) };
  const from = Math.max(8, Math.min(top + 6, height - HIGH - 8));
  return { up: false, from, room: Math.max(LOW, Math.min(HIGH, height - from - 8)) };
}
