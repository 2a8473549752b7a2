// Summaries that can be seen (HIS-11): asked for in a dialog that shows what goes, and told when
// they are made. Nothing is summarised unasked.

import { wordsOf } from "../base/api.js";
import { el } from "../base/dom.js";
import { counted, grouped } from "../base/text.js";

/** @typedef {{upTo?: string}} What  the pairs up to this one; else what is left out for want of room */
/** @typedef {{model: string, tokens: number, cost?: string, parts: {tokens: number, digest: string, pairs: {id: string, opening: string}[]}[]}} Plan */

/**
 * What would go where, in words. Pure.
 * @param {Plan} plan
 */
export function planWords({ model, tokens, cost, parts }) {
  const pairs = parts.reduce((sum, part) => sum + part.pairs.length, 0);
  const requests = parts.length > 1 ? ` in ${counted(parts.length, "request")}, because they do not fit one` : "";
  const they = pairs === 1 ? "it" : "them";
  return `${counted(pairs, "pair")} ${pairs === 1 ? "goes" : "go"} to ${model}${requests}: ${grouped(tokens)} tokens${cost ? `, ${cost} and the answer` : ""}. The summary is shown and sent in place of ${they}; nothing is deleted, and it can be undone.`;
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/toasts.js").Toast} deps.toast
 * @param {(token: string) => void} deps.undo
 * @param {(pair: string) => unknown} deps.goTo
 */
export function createSummaries({ api, toast, undo, goTo }) {
  /**
   * Shows which pairs go, what they weigh, and the request itself.
   * @param {What} what
   * @param {Plan} plan
   * @returns {Promise<boolean>}
   */
  function agreed(what, plan) {
    return new Promise((resolve) => {
      const list = el("ol", { class: "summarised", tabindex: "0", "aria-label": "The pairs that are summarised" },
        ...plan.parts.flatMap(({ pairs }) => pairs.map(({ opening }) => el("li", {}, opening || "(no words)"))));
      const request = el("div", { class: "exact" });
      const details = el("details", {}, el("summary", {}, plan.parts.length > 1 ? "The first request, byte for byte" : "The request, byte for byte"), request);
      details.addEventListener("toggle", () => {
        if (!details.open || request.childElementCount) return;
        api.html("/ui/summary-request", what).then((html) => { request.innerHTML = html; }, (error) => { request.textContent = wordsOf(error); });
      });
      const dialog = el("dialog", { class: "ask summary", "aria-labelledby": "ask-title" },
        el("form", { method: "dialog" },
          el("h2", { id: "ask-title" }, "Summarise these pairs?"),
          el("p", {}, planWords(plan)),
          list, details,
          el("div", { class: "choices" },
            el("button", { class: "btn pri", value: "ok", type: "submit", autofocus: true }, "Summarise"),
            el("button", { class: "btn", value: "", type: "submit", formnovalidate: true }, "Cancel ", el("kbd", {}, "Esc")))));
      const before = document.activeElement;
      dialog.addEventListener("close", () => {
        dialog.remove();
        if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
        resolve(dialog.returnValue === "ok");
      });
      document.body.append(dialog);
      dialog.showModal();
    });
  }

  /** @param {What} [what] */
  async function summarise(what = {}) {
    const plan = /** @type {Plan} */ (await api.call("POST", "/api/summaries/plan", what));
    if (!(await agreed(what, plan))) return;
    // What was shown is what goes: the server compares.
    await api.call("POST", "/api/summaries", { ...what, seen: plan.parts.map(({ digest }) => digest) });
  }

  return {
    summarise,
    /** @param {{pairs: string[], text: string, undo: string | null}} event  how it ended */
    told({ pairs, text, undo: token }) {
      const [pair] = pairs;
      if (token) toast(text, { label: "Undo", act: () => undo(token) });
      else toast(text, { error: true });
      if (pair) void goTo(pair);
    },
  };
}
