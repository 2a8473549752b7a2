// What the server last said about the workspace, and who wants to know.

/** @typedef {import("../types.js").State} State */

/**
 * @template T
 * @param {T} first
 */
export function createState(first) {
  let value = first;
  /** @type {((now: T, before: T) => void)[]} */
  const listeners = [];
  return {
    get: () => value,
    /** @param {Partial<T>} change */
    set(change) {
      const before = value;
      value = { ...value, ...change };
      for (const listener of listeners) listener(value, before);
    },
    /** @param {(now: T, before: T) => void} listener */
    on(listener) {
      listeners.push(listener);
    },
  };
}

/**
 * State before the server's first word: what the page itself says, and nothing invented.
 * @returns {State}
 */
export function emptyState() {
  return {
    view: { filter: "", topic: "", topicId: "", model: "", title: "" },
    counter: { x: 0, t: 0, y: 0, text: "", frozen: false },
    boundary: { start: 0, x: 0, y: 0, historyTokens: 0, totalTokens: 0 },
    shown: { view: 0, shape: -1, block: 1, blocks: [] },
    preview: null,
    window: {
      ml: 0, binds: "", bindText: "", prelude: 0, history: 0, aut: 0, ura: 0, system: 0, reserve: 0, free: 0,
      total: 0, percent: 0, verdict: "ok", exact: false, estimator: "", load: "", told: "", preludeText: "", model: "",
    },
    sending: null,
    queue: false,
    longPasteChars: Infinity,
    longPasteLines: Infinity,
    event: "",
  };
}

/**
 * A state as the server tells it: who is being answered is an id there, or not said. Pure.
 * @param {Omit<State, "sending" | "preview"> & {sending?: string | {pair: string} | null}} told
 * @returns {Omit<State, "preview">}
 */
export function stateOf(told) {
  const { sending } = told;
  return { contextFrom: undefined, ...told, sending: typeof sending === "string" ? { pair: sending } : (sending ?? null) };
}

/** @typedef {ReturnType<typeof createState<State>>} Store */
