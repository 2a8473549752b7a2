// Who answers and where it belongs: the model and topic buttons of the composer.

import { wordsOf } from "../base/api.js";
import { choose } from "../base/popup.js";
import { counted, topicLabel } from "../base/text.js";
import { lackOf, largerModels, modelOptions } from "../models/options.js";

const MANAGE = "\u0000manage";
const CREATE = "\u0000create";

/**
 * The path of a topic as people write it, `Sea › Ships` or `/Sea/Ships`. Pure.
 * @param {string} typed
 */
export function topicPath(typed) {
  return `/${typed.split(/[/›>]/).map((name) => name.trim()).filter(Boolean).join("/")}`;
}

/**
 * @param {import("../types.js").Topic[]} topics
 * @param {string} current
 * @returns {import("../base/popup.js").Option[]}
 */
export function topicOptions(topics, current) {
  return topics.map(({ id, path, pairs }) => ({
    value: id,
    label: topicLabel(path),
    detail: pairs === undefined ? "" : counted(pairs, "pair"),
    current: id === current,
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
 * @param {import("../models/supply.js").Supply} deps.supply
 * @param {() => void} deps.done  focus goes back to the message
 * @param {import("../base/toasts.js").Toast} deps.toast
 */
export function createSelectors({ api, store, model, topic, setView, openPanel, supply, done, toast }) {
  /**
   * @param {HTMLElement} anchor
   * @param {string} label
   * @returns {Promise<string | null>}
   */
  async function pickModel(anchor, label) {
    const { models } = await api.call("GET", "/api/models");
    const options = modelOptions(models, store.get().view.model);
    const value = await choose({ anchor, label, options: [...options, { value: MANAGE, label: "Models and keys…" }] });
    const lacking = value === null ? null : lackOf(models, value);
    return lacking ? supplied(lacking, () => pickModel(anchor, label)) : value;
  }

  /**
   * Supplies what an entry of the menu lacks. Gives the model that can be asked then, if it was
   * about one; a whole provider leads to the menu again.
   * @param {{lack: import("../types.js").Lack, model?: string}} lacking
   * @param {() => Promise<string | null>} again
   * @returns {Promise<string | null>}
   */
  async function supplied({ lack: { kind, words, provider, server }, model: wanted }, again) {
    if (kind === "key") {
      const kept = await supply.key({ provider: provider ?? "", server, model: wanted });
      return kept ? wanted ?? again() : null;
    }
    if (kind !== "program") return supply.server();
    toast(`It needs ${words}`, { label: "Models and keys", act: () => openPanel("models") });
    return null;
  }

  /**
   * @param {() => Promise<string | null>} pick
   * @param {"model" | "topic"} what
   */
  async function change(pick, what) {
    const { model: modelNow, topicId } = store.get().view;
    try {
      const value = await pick();
      if (value === MANAGE) return openPanel(`${what}s`);
      if (value !== null && value !== (what === "model" ? modelNow : topicId)) await setView({ [what]: value });
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

  /**
   * A topic by its id; one whose name nothing has yet is made.
   * @param {HTMLElement} anchor
   * @param {string} label
   * @param {string} current
   * @returns {Promise<string | null>}
   */
  async function pickTopic(anchor, label, current) {
    const { topics } = await api.call("GET", "/api/topics");
    const options = [...topicOptions(topics, current), { value: MANAGE, label: "Manage topics…" }];
    const make = (/** @type {string} */ typed) => ({ value: CREATE + typed, label: `Create topic “${typed}”` });
    const value = await choose({ anchor, label, options, make });
    if (!value?.startsWith(CREATE)) return value;
    const { id } = await api.call("POST", "/api/topics", { path: topicPath(value.slice(CREATE.length)) });
    return id;
  }

  const openModels = () => change(() => pickModel(model, "Model"), "model");
  model.addEventListener("click", () => void openModels());
  topic.addEventListener("click", () => void change(() => pickTopic(topic, "Topic", store.get().view.topicId), "topic"));

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
    /**
     * Where a pair goes. Null: changed their mind.
     * @param {HTMLElement} anchor
     * @param {string} current
     */
    async topicFor(anchor, current) {
      const value = await pickTopic(anchor, "Move to", current);
      if (value !== MANAGE) return value;
      openPanel("topics");
      return null;
    },
    draw() {
      const { view } = store.get();
      model.dataset["id"] = view.model;
      model.textContent = `${view.model || "no model"} ▾`;
      model.setAttribute("aria-label", `Model: ${view.model || "none"}`);
      topic.dataset["path"] = view.topic;
      topic.dataset["id"] = view.topicId;
      // The name itself; where it stands is told besides, and never cuts it off.
      topic.textContent = `${topicLabel(view.topic.slice(view.topic.lastIndexOf("/")))} ▾`;
      topic.title = topicLabel(view.topic);
      topic.setAttribute("aria-label", `Topic: ${topicLabel(view.topic)}`);
    },
  };
}
