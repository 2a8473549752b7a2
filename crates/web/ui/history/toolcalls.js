// What a model does with tools while it answers: each call stands above the answer (DLV-2).

import { parse } from "../base/dom.js";
import { keepFolds } from "./folds.js";

/**
 * @param {object} deps
 * @param {import("./window.js").HistoryWindow} deps.win
 * @param {(words: string) => void} deps.announce
 */
export function createToolCalls({ win, announce }) {
  return {
    /** @param {import("../types.js").ToolCall} call */
    show({ pair, place, name, running, html }) {
      const box = win.find(pair)?.querySelector(".toolcalls");
      const fresh = parse(html);
      if (!box || !fresh) return;
      win.anchor.keep(() => {
        const calls = [...box.querySelectorAll(":scope > .toolstep")];
        const old = calls[place];
        if (old instanceof HTMLElement) {
          const reopen = keepFolds(old);
          old.replaceWith(fresh);
          reopen(fresh);
        } else if (calls.length) calls.at(-1)?.after(fresh);
        else box.prepend(fresh);
      });
      if (running) announce(`The model uses ${name}.`);
    },
  };
}
