// What a model does with tools while it answers: each call stands above the answer (DLV-2).

import { el } from "./dom.js";
import { grouped } from "./text.js";

/** @typedef {import("./types.js").ToolCall} ToolCall */

/** No more of a result is put on the page. */
const RESULT_CHARS = 20_000;
const ONCE = "Read once for this answer; not sent again with later messages.";

/**
 * A value of a call as text. Pure.
 * @param {unknown} value
 */
export function written(value) {
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  return text.length > RESULT_CHARS ? `${text.slice(0, RESULT_CHARS)}…` : text;
}

/**
 * What stands at the end of a call's line. Pure.
 * @param {ToolCall} call
 */
export function callWords({ running, failed, tokens, millis }) {
  if (running) return "running …";
  const took = typeof millis === "number" && millis >= 1000 ? ` · ${(millis / 1000).toFixed(1)} s` : "";
  if (failed) return `failed${took}`;
  return typeof tokens === "number" ? `${grouped(tokens)} tokens${took}` : took.slice(3);
}

/**
 * @param {object} deps
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {(words: string) => void} deps.announce
 */
export function createToolCalls({ win, announce }) {
  /** @param {HTMLElement} article */
  function boxOf(article) {
    const found = article.querySelector(".toolcalls");
    const box = found instanceof HTMLElement ? found : el("div", { class: "toolcalls" });
    if (!found) article.querySelector(".u")?.after(box);
    if (!box.querySelector(".toolnote")) box.append(el("div", { class: "muted toolnote" }, ONCE));
    return box;
  }

  return {
    /** @param {ToolCall} call */
    show(call) {
      const article = win.find(call.pair);
      if (!article) return;
      win.anchor.keep(() => {
        const box = boxOf(article);
        const calls = [...box.querySelectorAll(":scope > details")];
        const old = calls[call.place];
        const open = old instanceof HTMLDetailsElement && old.open;
        const fresh = el("details", { class: `toolcall${call.running ? " running" : ""}`, open, "data-failed": call.failed === true },
          el("summary", {},
            el("span", { class: "tool-name" }, call.name),
            el("span", { class: "tool-args mono" }, written(call.arguments)),
            el("span", { class: "tool-tok" }, callWords(call))),
          el("pre", { class: "mono" }, written(call.result)));
        if (old) old.replaceWith(fresh);
        else (calls.at(-1) ?? null) ? calls.at(-1)?.after(fresh) : box.prepend(fresh);
      });
      if (call.running) announce(`The model uses ${call.name}.`);
    },
  };
}
