// What the draft weighs: a guess with every key, the server's number a moment later.

import { debounced } from "./dom.js";
import { withDraft } from "./gauge.js";
import { CHARS_PER_TOKEN, grouped, roughTokens } from "./text.js";

const WEIGH_MS = 120;

/**
 * The number to show at once: what the server last said, moved by what was typed since, so
 * that the digits do not jump back and forth between two estimators. Pure.
 * @param {string} text
 * @param {{tokens: number, rough: number} | null} known  the last weighing and its own guess
 * @param {number} charsPerToken
 */
export function guess(text, known, charsPerToken = CHARS_PER_TOKEN) {
  if (text === "") return 0;
  const rough = roughTokens(text, charsPerToken);
  return known ? Math.max(1, known.tokens + rough - known.rough) : rough;
}

/**
 * @param {object} deps
 * @param {import("./api.js").Api} deps.api
 * @param {import("./state.js").Store} deps.store
 * @param {HTMLOutputElement} deps.output
 * @param {number} deps.warnAt
 * @param {(window: import("./types.js").Window) => void} deps.onWindow
 */
export function createWeigh({ api, store, output, warnAt, onWindow }) {
  let text = "";
  let turn = 0;
  /** @type {{tokens: number, rough: number} | null} */
  let known = null;

  const weigh = debounced(WEIGH_MS, async () => {
    const mine = (turn += 1);
    const asked = text;
    try {
      const { window, counter } = await api.call("POST", "/api/weigh", { text: asked });
      if (mine !== turn || asked !== text) return;
      known = asked === "" ? null : { tokens: window.aut, rough: roughTokens(asked, cpt()) };
      store.set({ window, ...(counter ? { counter } : {}) });
      show(window);
    } catch {
      // The guess stays, marked as one.
    }
  });

  function cpt() {
    return store.get().window.charsPerToken ?? CHARS_PER_TOKEN;
  }

  /** @param {import("./types.js").Window} window */
  function show(window) {
    output.textContent = `${window.exact && text ? "" : "~"}${grouped(text ? window.aut : 0)}`;
    output.title = `${grouped(window.aut)} tokens, ${window.estimator || "estimated"}; ${window.load}`;
    onWindow(window);
  }

  function draw() {
    show(withDraft(store.get().window, guess(text, known, cpt()), warnAt));
  }

  return {
    /** @param {string} now  with every key: cheap, and no history is touched */
    draft(now) {
      if (now === text) return;
      text = now;
      draw();
      weigh.call();
    },
    /** The window itself changed: another model, another boundary. */
    refresh() {
      draw();
      weigh.call();
    },
  };
}
