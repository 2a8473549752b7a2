// Short messages that go by themselves, some with a way back.

import { el } from "./dom.js";
import { icon } from "./icons.js";

const PLAIN_MS = 5000;
/** A way back is offered for longer, and is never hurried away from who points at it. */
const ACTION_MS = 8000;
/** More would cover what is being read. */
const MAX = 2;

/** @param {HTMLElement} box */
export function createToasts(box) {
  /**
   * @param {string} text
   * @param {{label?: string, act?: () => void, error?: boolean}} [how]
   */
  return function toast(text, { label, act, error = false } = {}) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const close = () => {
      clearTimeout(timer);
      node.remove();
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(close, act ? ACTION_MS : PLAIN_MS);
    };
    const node = el("div", { class: error ? "toast error" : "toast" },
      el("span", {}, text),
      label && act && el("button", { type: "button", class: "btn", onclick: () => { close(); act(); } }, label),
      el("button", { type: "button", class: "tool", "aria-label": "Dismiss", onclick: close }, icon("close")));
    // The same words again are the same message, told anew.
    for (const old of box.children) if (old.querySelector("span")?.textContent === text) old.remove();
    node.addEventListener("mouseenter", () => clearTimeout(timer));
    node.addEventListener("mouseleave", wait);
    node.addEventListener("focusin", () => clearTimeout(timer));
    node.addEventListener("focusout", wait);
    box.append(node);
    while (box.children.length > MAX) box.firstElementChild?.remove();
    wait();
    return close;
  };
}

/** @typedef {ReturnType<typeof createToasts>} Toast */
