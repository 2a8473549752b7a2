// The edge of a panel that can be dragged, or moved with the arrow keys.

import { el } from "./dom.js";
import { keep, recall } from "./theme.js";

const MIN = 220;
const STEP = 24;
const USUAL = 340;

/**
 * A width that leaves the history room. Pure.
 * @param {number} wanted
 * @param {number} page
 */
export function clampWidth(wanted, page) {
  const max = Math.max(MIN, Math.floor(page * 0.6));
  return Math.min(max, Math.max(MIN, Math.round(Number.isNaN(wanted) ? MIN : wanted)));
}

/**
 * @param {HTMLElement} panel
 * @param {string} label
 */
export function addSizer(panel, label) {
  const key = `width:${panel.id}`;
  const handle = el("div", { class: "sizer", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": label });

  /** @param {number} wanted */
  function set(wanted) {
    const width = clampWidth(wanted, innerWidth);
    panel.style.setProperty("--w", `${width}px`);
    handle.setAttribute("aria-valuenow", String(width));
    handle.setAttribute("aria-valuemin", String(MIN));
    handle.setAttribute("aria-valuemax", String(clampWidth(Infinity, innerWidth)));
    return width;
  }

  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const right = panel.getBoundingClientRect().right;
    const move = (/** @type {PointerEvent} */ now) => void set(right - now.clientX);
    handle.addEventListener("pointermove", move);
    handle.addEventListener("lostpointercapture", () => {
      handle.removeEventListener("pointermove", move);
      keep(key, String(panel.getBoundingClientRect().width));
    }, { once: true });
  });
  handle.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    keep(key, String(set(panel.getBoundingClientRect().width + by)));
  });

  /** As wide as it can be, or as it is at first: for who does not drag. */
  function turn() {
    const widest = clampWidth(Infinity, innerWidth);
    if (panel.getBoundingClientRect().width < widest) return keep(key, String(set(widest)));
    panel.style.removeProperty("--w");
    handle.setAttribute("aria-valuenow", String(Math.round(panel.getBoundingClientRect().width)));
    keep(key, null);
  }

  const stored = Number(recall(key) ?? NaN);
  if (Number.isFinite(stored)) set(stored);
  else handle.setAttribute("aria-valuenow", String(USUAL));
  return { handle, turn };
}
