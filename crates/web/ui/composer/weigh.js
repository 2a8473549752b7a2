// What the message weighs, its files included: a guess with every key, the server's number a
// moment later.

import { sendsTheDraft, toBeSent } from "./again.js";
import { sameFiles } from "./composer.js";
import { debounced } from "../base/dom.js";
import { withDraft } from "./gauge.js";
import { CHARS_PER_TOKEN, grouped, roughTokens } from "../base/text.js";

const WEIGH_MS = 120;

/** @typedef {import("../files/attachments.js").Message} Message */

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
 * The parts of the prelude say what they weigh where they stand; what was learned since then
 * moves these numbers as well as the sum.
 * @param {{window: import("../types.js").Window, files?: {tokens: number | null} | null}} answer
 */
function partsOf({ window, files }) {
  const parts = /** @type {const} */ ([["system", window.system], ["files", files?.tokens]]);
  for (const [part, tokens] of parts) {
    const number = document.querySelector(`.prelude[data-part='${part}']:not([data-off]) > summary > .mono`);
    if (number && typeof tokens === "number") number.textContent = grouped(tokens);
  }
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/state.js").Store} deps.store
 * @param {() => import("./again.js").Asked | null} deps.asked  what would be sent instead of a new message
 * @param {HTMLOutputElement} deps.output
 * @param {number} deps.warnAt
 * @param {(window: import("../types.js").Window) => void} deps.onWindow
 * @param {(message: Message, weighed: any) => void} [deps.onWeighed]  what was asked, and the answer
 */
export function createWeigh({ api, store, asked: again, output, warnAt, onWindow, onWeighed = () => {} }) {
  /** @type {Message} */
  let message = { shown: "", text: "", attachments: [], owners: [], names: [], plain: "", tokens: 0 };
  let turn = 0;
  /** @type {{tokens: number, rough: number} | null} */
  let known = null;

  const weigh = debounced(WEIGH_MS, async () => {
    const mine = (turn += 1);
    const asked = message;
    const { text, attachments, plain } = asked;
    try {
      const answer = await api.call("POST", "/api/weigh", toBeSent({ text, ...(attachments.length ? { attachments } : {}) }, again()));
      if (mine !== turn || asked !== message) return;
      if (instead()) {
        // Its files and words are not those of the box.
        store.set({ window: answer.window });
        return onWindow(answer.window);
      }
      const files = answer.attachmentTokens ?? 0;
      const window = { files, ...answer.window };
      known = plain === "" ? null : { tokens: Math.max(0, window.aut - files), rough: roughTokens(plain, cpt()) };
      // What comes next is guessed from this.
      message = { ...asked, tokens: files };
      store.set({ window, ...(answer.counter ? { counter: answer.counter } : {}) });
      onWeighed(asked, answer);
      partsOf(answer);
      show(window);
    } catch {
      // The guess stays, marked as one.
    }
  });

  /** Whether something else than the draft would be sent. */
  function instead() {
    const now = again();
    return now !== null && !sendsTheDraft(now);
  }

  function cpt() {
    return store.get().window.charsPerToken ?? CHARS_PER_TOKEN;
  }

  /** @param {import("../types.js").Window} window */
  function show(window) {
    const { text } = message;
    output.textContent = text ? `${window.exact ? "" : "~"}${grouped(window.aut)}` : "0";
    output.title = `${grouped(window.aut)} tokens of ${window.told || window.load}`;
    onWindow(window);
  }

  function draw() {
    const { plain, tokens } = message;
    show(withDraft({ ...store.get().window, files: tokens }, guess(plain, known, cpt()) + tokens, warnAt));
  }

  return {
    /** @param {Message} now  with every key: cheap, and no history is touched */
    draft(now) {
      const files = !sameFiles(now.attachments, message.attachments);
      const same = now.text === message.text && !files;
      if (same) return;
      message = now;
      draw();
      weigh.call();
      // A file that came, went or goes another way is weighed at once (SHW-2, DLV-4).
      if (files) weigh.flush();
    },
    /** The window itself changed: another model, another boundary. */
    refresh() {
      if (!instead()) draw();
      weigh.call();
    },
    /** Something else would be sent than before, or the same with other pairs. */
    again() {
      weigh.call();
    },
  };
}
