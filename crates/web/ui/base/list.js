// A list box that is steered from a text field: completions, hits, models, topics.

import { el } from "./dom.js";

/**
 * @typedef {object} Item
 * @property {string} label
 * @property {string} [detail]   at the right, muted
 * @property {string} [act]      what choosing it does, drawn like a button
 * @property {Node} [rich]       shown in place of the label
 * @property {boolean} [off]     cannot be chosen
 * @property {boolean} [current]
 * @property {string} [group]    the name of the group that it stands in; neighbours of one name share it
 * @property {string} [title]
 * @property {() => void} choose
 */

/**
 * The next entry that can be chosen; −1 is the text field itself. Pure.
 * @param {readonly {off?: boolean}[]} items
 * @param {number} at
 * @param {1 | -1} by
 */
export function nextChoice(items, at, by) {
  for (let i = at + by; i >= 0 && i < items.length; i += by) if (!items[i]?.off) return i;
  return by < 0 ? -1 : at;
}

/**
 * @param {HTMLElement} box     role=listbox
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 */
export function createList(box, field) {
  /** @type {Item[]} */
  let items = [];
  /** What is drawn of each, in the same order. @type {HTMLElement[]} */
  let nodes = [];
  let at = -1;

  /**
   * @param {Item} item
   * @param {number} i
   */
  function option(item, i) {
    return el(item.group === undefined ? "li" : "div", { role: "option", id: `${box.id}-${i}`, "data-i": i, "aria-disabled": item.off ? "true" : null, class: item.current ? "now" : null, title: item.title },
      el("span", {}, item.rich ?? item.label),
      item.detail || item.act ? el("em", {}, item.detail ?? null, item.act ? el("b", {}, item.act) : null) : null);
  }

  function draw() {
    nodes = items.map(option);
    /** @type {HTMLElement[]} */
    const parts = [];
    items.forEach(({ group }, i) => {
      const node = /** @type {HTMLElement} */ (nodes[i]);
      if (group === undefined) return void parts.push(node);
      const last = parts.at(-1);
      if (last && i > 0 && items[i - 1]?.group === group) last.append(node);
      else parts.push(el("div", { role: "group", "aria-label": group }, el("span", { class: "group", "aria-hidden": "true" }, group), node));
    });
    box.replaceChildren(...parts);
    box.hidden = items.length === 0;
    // A plain text box has no such state.
    if (field.getAttribute("role") === "combobox") field.setAttribute("aria-expanded", String(items.length > 0));
    mark();
  }

  function mark() {
    nodes.forEach((node, i) => node.setAttribute("aria-selected", String(i === at)));
    const node = nodes[at];
    if (node) {
      field.setAttribute("aria-activedescendant", node.id);
      node.scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  }

  // The field keeps the focus: a press on an entry must not take it away.
  box.addEventListener("pointerdown", (event) => event.preventDefault());
  box.addEventListener("click", (event) => {
    const node = event.target instanceof Element ? event.target.closest("[data-i]") : null;
    const item = node && items[Number(node.getAttribute("data-i"))];
    if (item && !item.off) item.choose();
  });

  return {
    get open() { return items.length > 0; },
    get chosen() { return at >= 0; },
    /**
     * @param {Item[]} fresh
     * @param {number} [chosen]
     */
    show(fresh, chosen = -1) {
      items = fresh;
      at = chosen;
      draw();
    },
    close() {
      if (!items.length && box.hidden) return;
      items = [];
      at = -1;
      draw();
    },
    /** @param {1 | -1} by */
    move(by) {
      at = nextChoice(items, at, by);
      mark();
    },
    /** Chooses the selected entry, or the first that can be. */
    accept() {
      const item = items[at < 0 ? nextChoice(items, -1, 1) : at];
      if (item && !item.off) item.choose();
    },
  };
}
