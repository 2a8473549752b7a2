// A pair that is asked again or answered anew has a boundary of its own, and so has a message
// that is not the draft; it is drawn before anything is sent (SND-7, SND-8, PAY-6).

import { grouped, counted } from "../base/text.js";

/** @typedef {{reask: string} | {sendAgain: string} | {compare: string[]} | {regenerate: string, model?: string} | {text: string}} Asked */

/**
 * Whether it is the draft that would be sent, for a purpose of its own. Pure.
 * @param {Asked} asked
 */
export function sendsTheDraft(asked) {
  return "reask" in asked || "sendAgain" in asked || "compare" in asked;
}

/**
 * What would be sent: the draft, for a pair that is asked again or not, or something else in its
 * place. Pure.
 * @template {{text: string}} T
 * @param {T} written
 * @param {Asked | null} asked
 */
export function toBeSent(written, asked) {
  if (!asked || sendsTheDraft(asked)) return { ...written, ...asked };
  return { text: "", ...asked };
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/state.js").Store} deps.store
 */
export function createAgain({ api, store }) {
  /** @type {Asked | null} */
  let asked = null;
  let turn = 0;
  /** Until what was asked for last is drawn. */
  let drawing = Promise.resolve();

  function draw() {
    const done = fetchAndDraw();
    drawing = done.catch(() => {});
    return done;
  }

  async function fetchAndDraw() {
    const mine = (turn += 1);
    const what = asked;
    if (!what) return void (store.get().preview && store.set({ preview: null }));
    const preview = await previewOf(what);
    // Asked for again meanwhile: who waits for this one waits for the newest.
    if (mine !== turn) return drawing;
    store.set({ preview });
  }

  /** @param {Asked} what */
  async function previewOf(what) {
    const preview = await api.call("POST", "/api/preview", what);
    return { ...preview, without: "reask" in what ? what.reask : "sendAgain" in what ? what.sendAgain : null };
  }

  return {
    get asked() { return asked; },
    settled: () => drawing,
    /** @param {Asked | null} what  what the page shows the boundary of; null: of the draft */
    async show(what) {
      asked = what;
      await draw();
    },
    /**
     * What is drawn with rows that are on their way: their marks are never those of the rows
     * before. Nothing where it cannot be told, or is not asked for when the rows are there.
     * @returns {Promise<() => {preview?: import("../types.js").PreviewOfSend}>}
     */
    async withRows() {
      const what = asked;
      const preview = what && (await previewOf(what).catch(() => null));
      return () => (preview && what === asked ? { preview } : {});
    },
    /** Something changed: the boundary is asked for again. */
    async refresh() {
      // A pair that cannot be asked again any more is not shown as if it could.
      if (asked) await draw().catch(() => this.show(null));
    },
    /**
     * What would go along, in words.
     * @param {string} model
     */
    words(model) {
      const { preview } = store.get();
      if (!preview) return "";
      const { x, historyTokens } = preview.boundary;
      return `Answer again with ${model}: ${x ? `${counted(x, "pair")} before it, ${grouped(historyTokens)} tokens, ${x === 1 ? "is" : "are"} sent along, as marked.` : "nothing else is sent along."}`;
    },
  };
}

/** @typedef {ReturnType<typeof createAgain>} Again */
