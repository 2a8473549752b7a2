// The menu of models: those that can be asked first, the others with what they lack. Pure.

import { grouped } from "../base/text.js";

/** @typedef {import("../types.js").Model} Model */
/** @typedef {import("../types.js").Lack} Lack */

/**
 * What supplies something, in the words of a button.
 * @param {Lack} lack
 */
export function supplyWords({ kind }) {
  if (kind === "key") return "Add key";
  return kind === "answer" || kind === "entry" || kind === "server" ? "Add server" : "Show";
}

/** The value of an entry that stands for several models. @param {Lack} lack */
const groupOf = ({ kind, provider }) => `\u0000lacks ${kind === "key" ? `key ${provider ?? ""}` : kind === "program" ? kind : "server"}`;

/**
 * The entries of the menu. Without a word typed, models that lack the same are one entry; who
 * types finds each of them. Weights come by themselves, so that nothing lacks there.
 * @param {readonly Model[]} models
 * @param {string} current
 * @returns {import("../base/popup.js").Option[]}
 */
export function modelOptions(models, current) {
  const offered = models.filter(({ enabled, id }) => enabled !== false || id === current);
  const ready = (/** @type {Model} */ { lacks }) => !lacks || lacks.kind === "weights";
  /** @type {Map<string, {lack: Lack, count: number}>} */
  const groups = new Map();
  const others = offered.filter((model) => !ready(model)).map(({ id, provider, lacks }) => {
    const lack = /** @type {Lack} */ (lacks);
    const alone = lack.kind === "program";
    const group = groupOf(lack);
    if (!alone) groups.set(group, { lack, count: (groups.get(group)?.count ?? 0) + 1 });
    return { value: id, label: id, detail: [provider, `needs ${lack.words}`].filter(Boolean).join(" · "), act: supplyWords(lack), current: id === current, when: alone || id === current ? undefined : /** @type {const} */ ("typed") };
  });
  return [
    ...offered.filter(ready).map(({ id, provider, ml, lacks }) => ({
      value: id,
      label: id,
      detail: [provider, ml > 0 ? `${grouped(ml)} tokens` : "", lacks ? "its weights are fetched first" : ""].filter(Boolean).join(" · "),
      current: id === current,
    })),
    ...others,
    ...[...groups].map(([value, { lack, count }]) => ({
      value,
      label: `${count} ${count === 1 ? "model" : "models"} ${lack.kind === "key" ? `of ${lack.provider ?? ""}` : "without a server"}`,
      detail: `${count === 1 ? "needs" : "need"} a ${lack.kind === "key" ? "key" : "running server"}`,
      act: supplyWords(lack),
      when: /** @type {const} */ ("untyped"),
    })),
  ];
}

/**
 * What an entry of the menu lacks: that of the model, or that of all models of a group. Pure.
 * @param {readonly Model[]} models
 * @param {string} value
 * @returns {{lack: Lack, model?: string} | null}
 */
export function lackOf(models, value) {
  for (const { id, lacks } of models) {
    if (!lacks || lacks.kind === "weights") continue;
    if (id === value) return { lack: lacks, model: id };
    if (groupOf(lacks) === value) return { lack: lacks };
  }
  return null;
}

/**
 * The models that can be asked and are known to hold more than this one does, the smallest
 * first. Pure.
 * @param {readonly Model[]} models
 * @param {{model: string, ml: number}} than  its limit may have been learned
 */
export function largerModels(models, than) {
  const larger = (/** @type {Model} */ { id, available, enabled, assumed, ml }) =>
    available && enabled !== false && !assumed && id !== than.model && ml > than.ml;
  return models.filter(larger).sort((a, b) => a.ml - b.ml);
}
