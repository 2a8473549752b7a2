// What would be sent now, byte for byte (PAY-5); where several models would answer, to each of them
// (HIS-12).

import { closest } from "../base/dom.js";

const NAME = "what would be sent";

/**
 * What the request is asked for with: of a comparison, the model that was chosen. Pure.
 * @template {{compare?: string[]}} T
 * @param {T} message
 * @param {string} chosen
 */
export function exactRequestOf(message, chosen) {
  return message.compare?.includes(chosen) ? { ...message, model: chosen } : message;
}

/**
 * @param {object} deps
 * @param {import("../panels.js").Panels} deps.panels
 * @param {HTMLElement} deps.panel
 * @param {() => {text: string, compare?: string[]}} deps.written  the message as it would be sent
 */
export function createExactRequest({ panels, panel, written }) {
  let chosen = "";
  const refresh = () => panels.refresh(NAME);

  panel.addEventListener("click", (event) => {
    const side = closest(event, "[data-side]");
    if (!side) return;
    chosen = side.dataset["side"] ?? "";
    refresh();
  });

  return {
    open: () => panels.openUrl(NAME, "/ui/request", () => exactRequestOf(written(), chosen)),
    refresh,
  };
}
