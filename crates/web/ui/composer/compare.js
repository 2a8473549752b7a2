// One message to two or three models (HIS-12): who answers besides the selected one. What goes along
// is what fits the smallest of them, and is drawn so before it is sent.

import { wordsOf } from "../base/api.js";
import { el } from "../base/dom.js";
import { choose } from "../base/popup.js";

/**
 * The models that a message goes to: none where there is nothing to compare. Pure.
 * @param {string} model
 * @param {readonly string[]} others
 */
export function comparedModels(model, others) {
  const different = others.filter((other) => other !== model);
  return model && different.length ? [model, ...different] : [];
}

/**
 * @param {object} deps
 * @param {import("../base/api.js").Api} deps.api
 * @param {import("../base/state.js").Store} deps.store
 * @param {HTMLButtonElement} deps.button
 * @param {HTMLElement} deps.list
 * @param {import("./again.js").Again} deps.again
 * @param {() => boolean} deps.taken  the box holds an old message, which goes to one model
 * @param {() => void} deps.done  focus goes back to the message
 * @param {import("../base/toasts.js").Toast} deps.toast
 */
export function createCompare({ api, store, button, list, again, taken, done, toast }) {
  /** @type {string[]} */
  let others = [];
  let model = store.get().view.model;
  /** So many models answer, the selected one among them; the server knows. */
  const most = Number(button.dataset["most"]);

  const models = () => comparedModels(store.get().view.model, others);

  function draw() {
    list.replaceChildren(...others.map((other) => el("li", {},
      el("button", { type: "button", class: "chip", title: `Do not ask ${other}`, "aria-label": `Do not ask ${other}`, onclick: () => set(others.filter((one) => one !== other)) }, `+ ${other} ×`))));
    list.hidden = others.length === 0;
    button.hidden = others.length + 1 >= most;
  }

  /** The line is that of the smallest model. */
  function show() {
    if (taken()) return;
    const now = models();
    const asked = now.length ? { compare: now } : null;
    if (!asked && !(again.asked && "compare" in again.asked)) return;
    again.show(asked).catch((error) => {
      others = [];
      draw();
      void again.show(null);
      toast(wordsOf(error), { error: true });
    });
  }

  /** @param {string[]} next */
  function set(next) {
    others = next;
    draw();
    show();
    done();
  }

  async function add() {
    if (taken()) return void toast("An old message goes to one model. Send it or leave it first.");
    const { models: known } = await api.call("GET", "/api/models");
    const usable = known.filter((/** @type {import("../types.js").Model} */ { id, available, enabled }) => available && enabled !== false && id !== store.get().view.model && !others.includes(id));
    if (!usable.length) return void toast("No other model can be reached now.");
    const options = usable.map((/** @type {import("../types.js").Model} */ { id, provider }) => ({ value: id, label: id, detail: provider ?? "" }));
    const other = await choose({ anchor: button, label: "Compare with", options });
    if (other) set([...others, other]);
  }

  const open = () => void add().catch((error) => toast(wordsOf(error), { error: true }));
  button.addEventListener("click", open);
  store.on(({ view }) => {
    if (view.model === model) return;
    model = view.model;
    if (!others.length) return;
    others = others.filter((other) => other !== model);
    draw();
    show();
  });

  return {
    open,
    /** What a send says of it. */
    body: () => {
      const compare = taken() ? [] : models();
      return compare.length ? { compare } : {};
    },
    /** The box holds a new message again. */
    resume: show,
  };
}

/** @typedef {ReturnType<typeof createCompare>} Compare */
