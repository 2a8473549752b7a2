// Who answers and where it belongs: the model and topic buttons of the composer.

import { wordsOf } from "../base/api.js";
import { choose } from "../base/popup.js";
import { grouped, topicLabel } from "../base/text.js";

const MANAGE = "\u0000manage";

/**
 * @param {import("../types.js").Model[]} models
 * @param {string} current
 * @returns {import("../base/popup.js").Option[]}
 */
export function modelOptions(models, current) {
  return models.filter(({ enabled, current: now }) => enabled !== false || now).map(({ id, provider, ml, available }) => ({
    value: id,
    label: id,
    detail: [provider, ml > 0 ? `${grouped(ml)} tokens` : "", available ? "" : "not available"].filter(Boolean).join(" · "),
    current: id === current,
  }));
}

/**
 * The models that can be asked and are known to hold more than this one does, the smallest
 * first. Pure.
 * @param {import("../types.js").Model[]} models
 * @param {{model: string, ml: number}} than  its limit may have been learned
 */
export function largerModels(models, than) {
  const larger = (/** @type {import("../types.js").Model} */ { id, available, enabled, assumed, ml }) =>
    available && enabled !== false && !assumed && id !== than.model && ml > than.ml;
  return models.filter(larger).sort((a, b) => a.ml - b.ml);
}

/**
 * @param {import("../types.js").Topic[]} topics
 * @param {string} current
 * @returns {import("../base/popup.js").Option[]}
 */
export function topicOptions(topics, current) {
  return topics.map(({ path, pairs }) => ({
    value: path,
    label: topicLabel(path),
    detail: pairs === undefined ? "" : `${grouped(pairs)} pairs`,
    current: path === current,
  }));
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/state.js").Store} deps.store
 * @param {HTMLButtonElement} deps.model
 * @param {HTMLButtonElement} deps.topic
 * @param {(change: {model?: string, topic?: string}) => Promise<unknown>} deps.setView
 * @param {(name: string) => void} deps.openPanel
 * @param {() => void} deps.done  focus goes back to the message
 * @param {import("../base/toasts.js").Toast} deps.toast
 */
export function createSelectors({ api, store, model, topic, setView, openPanel, done, toast }) {
  /**
   * @param {HTMLElement} anchor
   * @param {string} label
   * @returns {Promise<string | null>}
   */
  async function pickModel(anchor, label) {
    const { models } = await api.call("GET", "/api/models");
    const options = modelOptions(models, store.get().view.model);
    return choose({ anchor, label, options: [...options, { value: MANAGE, label: "Manage models…" }] });
  }

  /**
   * @param {() => Promise<string | null>} pick
   * @param {"model" | "topic"} what
   */
  async function change(pick, what) {
    try {
      const value = await pick();
      if (value === MANAGE) return openPanel(`${what}s`);
      if (value !== null && value !== store.get().view[what]) await setView({ [what]: value });
      // Who clicked elsewhere meanwhile is there, and stays there.
      if (value !== null || [document.body, model, topic].includes(/** @type {HTMLButtonElement} */ (document.activeElement))) done();
    } catch (error) {
      toast(wordsOf(error), { error: true });
    }
  }

  /** FAU-7: models that can be asked and hold more than the one that is selected. */
  async function pickLarger() {
    const { models } = await api.call("GET", "/api/models");
    const options = modelOptions(largerModels(models, store.get().window), "");
    if (options.length) return choose({ anchor: model, label: "A larger model", options });
    toast("No model with a larger window can be reached now.", { label: "Manage models", act: () => openPanel("models") });
    return null;
  }

  const openModels = () => change(() => pickModel(model, "Model"), "model");
  model.addEventListener("click", () => void openModels());
  topic.addEventListener("click", () => void change(async () => {
    const { topics } = await api.call("GET", "/api/topics");
    const options = topicOptions(topics, store.get().view.topic);
    return choose({ anchor: topic, label: "Topic", options: [...options, { value: MANAGE, label: "Manage topics…" }] });
  }, "topic"));

  return {
    openModels,
    openLarger: () => change(pickLarger, "model"),
    /**
     * The model for one answer, chosen beside a pair. Null: changed their mind.
     * @param {HTMLElement} anchor
     */
    async modelFor(anchor) {
      const value = await pickModel(anchor, "Answer again with");
      if (value !== MANAGE) return value;
      openPanel("models");
      return null;
    },
    draw() {
      const { view } = store.get();
      model.dataset["id"] = view.model;
      model.textContent = `${view.model || "no model"} ▾`;
      model.setAttribute("aria-label", `Model: ${view.model || "none"}`);
      topic.dataset["path"] = view.topic;
      topic.textContent = `${topicLabel(view.topic)} ▾`;
      topic.setAttribute("aria-label", `Topic: ${topicLabel(view.topic)}`);
    },
  };
}
