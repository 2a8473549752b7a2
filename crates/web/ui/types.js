// What the server says, as types. No code: the words of the HTTP contract in one place.

/**
 * What decides which pairs are visible and who would answer.
 * @typedef {{filter: string, topic: string, model: string}} View
 */

/**
 * X, T and Y of REC-3; `text` is how they are written, `title` their breakdown.
 * @typedef {{x: number, t: number, y: number, text: string, frozen: boolean, title?: string}} Counter
 */

/**
 * The load line: pairs from `start` on are aboard unless something else holds them back.
 * @typedef {{start: number, x: number, y: number, historyTokens: number, totalTokens: number}} Boundary
 */

/**
 * The model's window and what is in it. `files` is the part of `aut` that files weigh.
 * @typedef {object} Window
 * @property {number} ml
 * @property {string} binds
 * @property {string} bindText
 * @property {number} prelude
 * @property {number} history
 * @property {number} aut
 * @property {number} [files]
 * @property {number} reserve
 * @property {number} free
 * @property {number} total
 * @property {number} percent
 * @property {"ok"|"warn"|"over"|"too_large"} verdict
 * @property {boolean} exact
 * @property {string} estimator
 * @property {string} load
 * @property {string} model
 * @property {number} [charsPerToken]
 */

/**
 * @typedef {object} State
 * @property {View} view
 * @property {Counter} counter
 * @property {Boundary} boundary
 * @property {Window} window
 * @property {boolean} queue  whether what is sent during a send waits for its end
 * @property {{pair: string}|null} sending  told as the pair's id alone, or left out
 * @property {string|number} event
 */

/**
 * One way out that a problem offers (VAL-3). `model` and `filter` are what it would set.
 * @typedef {{kind: string, label: string, detail?: string, model?: string, filter?: string}} Suggestion
 */

/**
 * A pair as data, texts unrendered.
 * @typedef {object} Pair
 * @property {string} id
 * @property {string} userText
 * @property {string|null} [assistantText]
 * @property {string} [model]
 * @property {string} [topic]
 */

/** @typedef {"waiting"|"loading"|"thinking"|"retry"|"quota"|"trimming"} StatusKind */

/**
 * What a send is doing; `until` is when a wait ends, in epoch milliseconds.
 * @typedef {{pair: string, kind: StatusKind, text: string, until?: number | null}} Status
 */

/** @typedef {{id: string, provider: string, ml: number, size?: string, bindText?: string, available: boolean, enabled?: boolean, current: boolean}} Model */
/** @typedef {{id: string, path: string, name?: string, pairs?: number}} Topic */
/** @typedef {{pair: string, at?: number|null, snippetHtml: string, createdAt: string}} Hit */
/** @typedef {{from: number, to: number, items: {insert: string, label: string}[]}} Completion */

export {};
