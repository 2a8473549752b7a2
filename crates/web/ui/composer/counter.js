// The counter `X / Y`, and what is behind its numbers (REC-3).

import { el } from "../base/dom.js";
import { grouped } from "../base/text.js";

/** @typedef {import("../types.js").State} State */

/**
 * The emphasised part and the rest: `4` ` / 34`, or `[12-1]` `/34` after a trim. Pure.
 * @param {import("../types.js").Counter} counter
 */
export function counterParts({ x, t, y }) {
  return t > 0 ? [`[${x}-${t}]`, `/${grouped(y)}`] : [grouped(x), ` / ${grouped(y)}`];
}

/**
 * The breakdown, a row each. Pure.
 * @param {State} state
 * @returns {[string, string][]}
 */
export function breakdown({ counter, window }) {
  // A counter of the last send has the tokens of that send, not of what is written now.
  const { sent } = counter;
  const { history, aut, total, ml } = sent ?? window;
  return [
    ["predicted (X)", grouped(counter.x)],
    ["trimmed (T)", grouped(counter.t)],
    ["sent (X − T)", grouped(counter.x - counter.t)],
    ["visible (Y)", grouped(counter.y)],
    ["history", `${grouped(history)} tokens`],
    ["message (AUT)", `${window.exact ? "" : "~"}${grouped(aut)} tokens`],
    ["all together", `${grouped(total)} of ${grouped(ml)}`],
    ["estimate", sent ? "" : window.told],
    ["limit", sent && ml !== window.ml ? "" : window.bindText || window.binds],
  ];
}

/**
 * @param {object} deps
 * @param {HTMLButtonElement} deps.button
 * @param {() => State} deps.state
 * @param {() => void} deps.openHud
 */
export function createCounter({ button, state, openHud }) {
  const tip = el("div", { class: "tip mono", id: "counter-tip", role: "tooltip", hidden: true });
  document.body.append(tip);
  button.setAttribute("aria-describedby", tip.id);
  // Our own tip also works with keys and touch; two tips at once would be one too many.
  button.removeAttribute("title");

  function show() {
    const { counter } = state();
    const list = el("dl");
    for (const [name, value] of breakdown(state())) if (value) list.append(el("dt", {}, name), el("dd", {}, value));
    tip.replaceChildren(...(counter.frozen ? [el("p", {}, "as at the last send")] : []), list);
    if (counter.title) tip.append(el("p", {}, counter.title));
    const { bottom, right } = button.getBoundingClientRect();
    tip.style.top = `${bottom + 6}px`;
    tip.style.right = `${Math.max(8, document.documentElement.clientWidth - right)}px`;
    tip.hidden = false;
  }
  const hide = () => { tip.hidden = true; };
  button.addEventListener("mouseenter", show);
  button.addEventListener("focus", show);
  button.addEventListener("mouseleave", hide);
  button.addEventListener("blur", hide);
  button.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !tip.hidden) {
      hide();
      event.stopPropagation();
    }
  });
  button.addEventListener("click", () => {
    hide();
    openHud();
  });

  return {
    draw() {
      const { counter, preview } = state();
      // The marks on screen are those of a pair that is asked again: so is the count.
      const [strong, rest] = counterParts(preview ? { ...counter, x: preview.boundary.x, t: 0 } : counter);
      button.replaceChildren(el("b", {}, strong), rest ?? "");
      button.setAttribute("aria-description", "of the visible pairs would be sent; opens the details");
      if (!tip.hidden) show();
    },
  };
}
